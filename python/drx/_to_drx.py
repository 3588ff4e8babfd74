"""Writing datasets of xarray: to_drx.

It keeps to the conventions of ``drx import``: text that names the indices of a dimension becomes their labels, other text
numbers of strings; a variable without dimensions becomes an array of one element.
"""

from __future__ import annotations

import itertools
import os
from typing import Any, Iterator, Mapping

import numpy as np
import xarray as xr

from ._array import Array
from ._dataset import Dataset, create_dataset, open_dataset
from ._errors import DatasetError, DTypeError, InvalidError
from ._types import NUMBERS, attribute_json

SCALAR, STRINGS = "import.scalar", "import.strings"
ENCODING = {"chunksizes", "chunks", "preferred_chunks", "lo", "order", "align", "dtype", "scale_factor", "add_offset", "_FillValue",
            "missing_value", "_Unsigned", "units", "calendar", "coordinates", "grid_mapping"}
BLOCK = 64 << 20  # bytes at a time, of variables that are no dask arrays


def to_drx(ds: xr.Dataset | xr.DataArray, path: Any, *, append_dim: str | None = None,
           region: Mapping[str, slice] | None = None, encoding: Mapping[str, Mapping[str, Any]] | None = None,
           **options: Any) -> None:
    """Writes a dataset to a new dataset of DRX, or into one that exists.

    With append_dim the variables with this dimension are appended along it, the others stay as they are. With region,
    as ``{"time": slice(10, 20)}``, what has these dimensions is written there, in positions. Without both the folder
    must not exist. Readers see all of it at one moment, or nothing; an exception leaves an existing dataset as it was.

    encoding is that of xarray, with the keys chunksizes (the extents of a chunk), lo (low bounds), order and align of DRX
    besides those of the CF conventions; what was opened with the engine drx has it already. An existing variable keeps
    its encoding. options are those of ``drx.open``. Arrays of dask are computed by threads, block by block.
    """
    if isinstance(ds, xr.DataArray):
        ds = ds.to_dataset(name=ds.name or os.path.basename(os.path.abspath(path)))
    if append_dim is not None and region is not None:
        raise InvalidError("append_dim and region: want one of them")
    ds = ds.copy()
    _check_names(ds, path)
    for name, chosen in (encoding or {}).items():
        if name not in ds.variables:
            raise DatasetError(f"encoding: no variable {name!r}: the dataset has {', '.join(map(str, ds.variables))}")
        if not isinstance(chosen, Mapping):
            raise InvalidError(f"encoding of variable {name}: {chosen!r} must be castable to a dict")
        unknown = chosen.keys() - ENCODING
        if unknown:
            raise InvalidError(f"unexpected encoding of variable {name}: {', '.join(sorted(unknown))}; known are "
                               f"{', '.join(sorted(ENCODING))}")
        ds[name].encoding = {**ds[name].encoding, **chosen}
    if append_dim is None and region is None:
        _write_new(ds, path, options)
        return
    with open_dataset(path, "r+", **options) as d:
        old = xr.open_dataset(path, engine=_backend())
        try:
            names = _fitting(ds, d, old, append_dim, region)
            where = {append_dim: d.extend(append_dim, ds.sizes[append_dim])} if append_dim is not None else {}
            where = {dim: slice(s.start - d.dims[dim][0], s.stop - d.dims[dim][0]) for dim, s in where.items()}
            _write_into(d, ds, names, {**where, **_sections(region, d)}, old)
        finally:
            old.close()


def _check_names(ds: xr.Dataset, path: Any) -> None:
    for kind, names in ("variable", ds.variables), ("dimension", ds.dims), ("attribute", ds.attrs):
        for name in names:
            if not isinstance(name, str) or not name:
                raise DTypeError(f"{path}: {kind} {name!r}: names are text that is not empty")


def _backend() -> Any:
    from .xarray import DrxBackend

    return DrxBackend


def _is_text(v: xr.Variable) -> bool:
    return v.dtype.kind in "US" or v.dtype.kind == "O" and all(isinstance(x, (str, bytes)) for x in np.ravel(v.values))


def _texts(v: xr.Variable) -> np.ndarray:
    decoded = [x.decode() if isinstance(x, bytes) else str(x) for x in np.ravel(v.values)]
    return np.array(decoded, object).reshape(v.shape)


def _encoded(ds: xr.Dataset, known: Mapping[Any, list[str]]) -> tuple[dict[str, xr.Variable], dict[str, Any]]:
    """The variables as they are stored, by the CF conventions. Text becomes numbers of strings, of which some are known."""
    variables, attrs = xr.conventions.encode_dataset_coordinates(ds)
    text = {n: _numbered(v, known.get(n, [])) for n, v in variables.items() if _is_text(v)}
    variables, attrs = xr.conventions.cf_encoder({**variables, **text}, attrs)
    for name, v in variables.items():
        if v.attrs.get("dtype") == "bool":  # which DRX has
            attrs_left = {k: x for k, x in v.attrs.items() if k != "dtype"}
            variables[name] = xr.Variable(v.dims, v.data.astype(bool), attrs_left, v.encoding)
        elif v.dtype.name not in NUMBERS:
            raise DTypeError(f"variable {name}: type {v.dtype}: the types of DRX are {', '.join(NUMBERS)}, and text")
    return variables, attrs


def _write_new(ds: xr.Dataset, path: Any, options: dict[str, Any]) -> None:
    variables, attrs = _encoded(ds, {})
    names = [n for n, v in variables.items() if STRINGS in v.attrs and _are_labels(n, ds.variables[n], variables)]
    labels = {n: _texts(ds.variables[n]).tolist() for n in names}
    variables = {n: v for n, v in variables.items() if n not in labels}
    with create_dataset(path, attrs={k: attribute_json(v) for k, v in attrs.items()}, **options) as d:
        for name, v in variables.items():
            _create(d, str(name), v, ds.variables[name].encoding)
        _store([(variables[name], d[str(name)], {}) for name in variables])
        for dim, texts in labels.items():
            for a in d.values():
                if dim in a.dims:
                    a.labels[str(dim)] = texts


def _are_labels(name: Any, v: xr.Variable, variables: Mapping[Any, xr.Variable]) -> bool:
    """Whether text names the indices of a dimension that other variables have."""
    texts = _texts(v).ravel().tolist()
    return v.dims == (name,) and len(set(texts)) == len(texts) and all(texts) and any(
        name in o.dims for n, o in variables.items() if n != name
    )


def _numbered(v: xr.Variable, known: list[str]) -> xr.Variable:
    """Text as numbers of strings; those that are not known yet follow the known ones."""
    strings = list(dict.fromkeys([*known, *_texts(v).ravel().tolist()]))
    number = {s: i for i, s in enumerate(strings)}
    data = np.array([number[s] for s in _texts(v).ravel().tolist()], np.int32).reshape(v.shape)
    return xr.Variable(v.dims, data, {**v.attrs, STRINGS: strings})


def _create(d: Dataset, name: str, v: xr.Variable, encoding: Mapping[str, Any]) -> None:
    attrs = {str(k): attribute_json(x) for k, x in v.attrs.items()}
    fill = v.attrs.get("_FillValue", v.attrs.get("missing_value"))
    if fill is not None and (np.ndim(fill) or v.dtype.kind in "cb"):
        fill = None
    if v.ndim == 0:
        d.create_variable(name, v.dtype, [""], shape=[1], fill=fill, attrs={**attrs, SCALAR: True})
        return
    chunks = encoding.get("chunksizes") or encoding.get("chunks")
    if chunks is not None and len(chunks) != v.ndim:
        chunks = None  # a selection of another rank
    lo = encoding.get("lo")
    d.create_variable(
        name, v.dtype, [str(dim) for dim in v.dims], shape=v.shape, attrs=attrs, fill=fill,
        chunks=[max(1, int(c)) for c in chunks] if chunks is not None else None,
        lo=lo if lo is not None and len(lo) == v.ndim and _same_extents(d, v, lo) else None, order=encoding.get("order"),
        align=encoding.get("align"),
    )


def _same_extents(d: Dataset, v: xr.Variable, lo: Any) -> bool:
    """Whether low bounds agree with those that the dimensions have already."""
    known = d.dims
    return all(known.get(dim, (low, 0))[0] == low for dim, low in zip(v.dims, lo))


def _fitting(ds: xr.Dataset, d: Dataset, old: xr.Dataset, append_dim: str | None, region: Any) -> list[Any]:
    """Checks that a dataset fits into one that exists, and returns the variables to write."""
    along = [append_dim] if append_dim is not None else list(region)
    for dim in along:
        if dim not in ds.sizes or dim not in old.sizes:
            raise DatasetError(f"{d.name}: dimension {dim!r}: the dataset and what is written to it must both have it")
        if region is not None:
            start, stop, step = region[dim].indices(old.sizes[dim])
            if step != 1 or stop - start != ds.sizes[dim]:
                raise InvalidError(f"{d.name}: region of dimension {dim}: {start} to {stop} of {old.sizes[dim]} are not the "
                                   f"{ds.sizes[dim]} that are written")
    names = [n for n, v in ds.variables.items() if set(along) & set(v.dims)]
    if append_dim is not None:
        missing = [n for n, v in old.variables.items() if append_dim in v.dims and n not in names]
        if missing:
            raise DatasetError(f"{d.name}: appending along {append_dim}: the variables {', '.join(map(str, missing))} are missing")
    for n in names:
        if n not in old.variables:
            raise DatasetError(f"{d.name}: no variable {n!r}: create it first")
        v, w = ds.variables[n], old.variables[n]
        others = [dim for dim in w.dims if dim not in along]
        if v.dims != w.dims or any(ds.sizes[dim] != old.sizes[dim] for dim in others):
            raise InvalidError(f"{d.name}: variable {n} is {dict(w.sizes)}, what is written is {dict(v.sizes)}")
    return names


def _sections(region: Mapping[str, slice] | None, d: Dataset) -> dict[str, slice]:
    sections = {}
    for dim, s in (region or {}).items():
        lo, hi = d.dims[dim]
        start, stop, _ = s.indices(hi - lo)
        sections[dim] = slice(start, stop)
    return sections


def _write_into(d: Dataset, ds: xr.Dataset, names: list[str], where: dict[str, slice], old: xr.Dataset) -> None:
    """Writes variables at positions of dimensions, encoded as those that exist."""
    part = ds[names].drop_vars([n for n in ds[names].variables if n not in names])
    labels = [n for n in names if str(n) not in d]
    for n in names:
        part[n].encoding = {k: x for k, x in old[n].encoding.items() if k not in ("chunksizes", "preferred_chunks", "lo")}
        part[n].attrs = {k: x for k, x in part[n].attrs.items() if k not in part[n].encoding}
    variables, _ = _encoded(part, {n: d[str(n)].attrs.get(STRINGS, []) for n in names if n not in labels})
    jobs = []
    for n, v in variables.items():
        if n in labels:
            _relabel(d, str(n), _texts(ds.variables[n]).tolist(), where[n])
            continue
        a = d[str(n)]
        if not np.can_cast(v.dtype, a.dtype, "safe"):
            raise DTypeError(f"{d.name}: variable {n} is {a.dtype_name}, what is written is {v.dtype}")
        if STRINGS in v.attrs:
            a.attrs[STRINGS] = v.attrs[STRINGS]
        jobs.append((v, a, where))
    _store(jobs)


def _relabel(d: Dataset, dim: str, texts: list[str], at: slice) -> None:
    """Sets labels at positions of a dimension."""
    for a in d.values():
        if dim in a.dims:
            known: list[Any] = list(a.labels.get(dim, []))
            known[at] = texts
            a.labels[dim] = known


def _store(jobs: list[tuple[xr.Variable, Array, dict[str, slice]]]) -> None:
    """Writes variables to arrays at positions; those of dask all together, so that what they share is computed once."""
    sources, targets, regions = [], [], []
    for v, a, where in jobs:
        section = tuple(where.get(dim, slice(None)) for dim in v.dims)
        if v.chunks is not None and v.ndim:
            sources.append(v.data)
            targets.append(a)
            regions.append(tuple(slice(*s.indices(n)) for s, n in zip(section, a.shape)))
        elif v.ndim == 0:
            a[0] = v.values
        else:
            for block, to in _blocks(v, a, section):
                a[to] = v[block].values
    if sources:
        import dask.array

        dask.array.store(sources, targets, regions=regions, lock=False, scheduler="threads")


def _blocks(v: xr.Variable, a: Array, section: tuple[slice, ...]) -> Iterator[tuple[tuple[slice, ...], tuple[slice, ...]]]:
    """Boxes of at most BLOCK bytes, in positions of the variable and of the array."""
    starts = [s.indices(n)[0] for s, n in zip(section, a.shape)]
    extents, size = list(v.shape), v.dtype.itemsize
    for d in reversed(range(v.ndim)):  # as many of the last dimensions as fit
        extents[d] = min(v.shape[d], max(1, BLOCK // size))
        size *= max(1, extents[d])
    for at in itertools.product(*(range(0, n, max(1, e)) for n, e in zip(v.shape, extents))):
        block = tuple(slice(i, min(i + e, n)) for i, e, n in zip(at, extents, v.shape))
        yield block, tuple(slice(b.start + s, b.stop + s) for b, s in zip(block, starts))
