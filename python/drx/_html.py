"""The picture of an array in a notebook: its properties and its written chunks."""

from __future__ import annotations

import html
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._array import Array

CELLS = 32  # cells along a side, at most: more chunks share one
PARTS = 100_000  # with more written chunks no map is drawn
SIDE = 180  # pixels of the longer side


def page(a: Array) -> str:
    """The HTML of an array."""
    if a.closed:
        return f"<code>{html.escape(repr(a))}</code>"
    info = a.info()
    rows = {
        "type": a.dtype_name,
        "bounds": ", ".join(f"{n or d}: {lo}:{hi}" for d, (n, (lo, hi)) in enumerate(zip(a.dims, a.bounds))),
        "chunks": " × ".join(map(str, a.chunks)),
        "written": f"{info['written']} of {info['chunks']} chunks",
        "size": f"{a.nbytes:,} bytes, {info['bytes_on_disk']:,} on disk",
        **{f"attribute {k}": repr(v) for k, v in sorted(a.attrs.items()) if not k.startswith(("labels/", "levels/"))},
    }
    lines = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(v)}</td></tr>" for k, v in rows.items())
    return (f"<div><b>{html.escape(a.name)}</b><table><tr><td><table>{lines}</table></td>"
            f"<td>{chunk_map(a, info)}</td></tr></table></div>")


def chunk_map(a: Array, info: dict) -> str:
    """The chunk grid as SVG, along the two dimensions with the most chunks. A cell is as dark as
    its share of written chunks."""
    grid, low = info["grid"], info["grid_lo"]
    if 0 in grid or info["written"] > PARTS:
        return ""
    y, x = sorted(sorted(range(a.ndim), key=lambda d: -grid[d])[:2]) if a.ndim > 1 else (None, 0)
    ny, nx = 1 if y is None else grid[y], grid[x]
    cy, cx = min(ny, CELLS), min(nx, CELLS)
    chunks = a.chunks
    counts: Counter[tuple[int, int]] = Counter()
    for section, _ in a.walk(written=True):
        i = 0 if y is None else (section[y].start // chunks[y] - low[y]) * cy // ny
        counts[i, (section[x].start // chunks[x] - low[x]) * cx // nx] += 1
    depth = info["chunks"] / (ny * nx)
    size = SIDE / max(cy, cx)
    cells = []
    for i in range(cy):
        for j in range(cx):
            all_here = depth * _share(i, cy, ny) * _share(j, cx, nx)
            part = min(1.0, counts[i, j] / all_here) if all_here else 0
            colour = f"rgb({int(235 - 200 * part)},{int(240 - 120 * part)},{int(245 - 60 * part)})"
            cells.append(f'<rect x="{j * size:.4g}" y="{i * size:.4g}" width="{size:.4g}" height="{size:.4g}" fill="{colour}"/>')
    width, height = cx * size, cy * size
    name = [a.dims[d] or str(d) for d in ([] if y is None else [y]) + [x]]
    title = f"chunks along {' and '.join(name)}: {ny} × {nx}, dark ones were written"
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.4g}" height="{height:.4g}" stroke="white" stroke-width="0.5">'
            f"<title>{html.escape(title)}</title>{''.join(cells)}</svg>")


def _share(i: int, cells: int, n: int) -> int:
    """The number of the n chunks in cell i."""
    return sum(1 for k in range(i * n // cells, min(n, (i + 1) * n // cells + 1)) if k * cells // n == i)
