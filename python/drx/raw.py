"""Reads arrays with NumPy alone, for machines without libdrx.

>>> import drx, drx.raw, numpy as np
>>> a = drx.create("plain", shape=(4, 6), dtype="i4", chunks=(2, 3))
>>> a[...] = np.arange(24).reshape(4, 6)
>>> a.close()
>>> r = drx.raw.open("plain")
>>> r[1:3, -2:]
array([[10, 11],
       [16, 17]], dtype=int32)

The files are mapped, and the position of each chunk computed from the history of the array, as
FORMAT.md specifies; an array may be in several files, in one, or in one with others, as in
``drx.raw.open("weather.drx/rain")``. Keys are those of ``drx.Array``, ``at`` and ``oindex`` too.
The checksums of chunks are not compared, and the array is as it was when it was opened: while
others write to it, or after a crash before the next writer, use ``drx.open``.
"""

from __future__ import annotations

import io
import os
import struct
from typing import Any, Iterator, Sequence

import numpy as np

from ._errors import ClosedError, CorruptError
from ._fancy import Fancy, Outer
from ._files import Files, OneFile, journal, resolve, split
from ._index import Axes, Basic, is_fancy, parse
from ._log import State, check_announced, check_end, read_log

__all__ = ["RawArray", "open"]


def open(name: Any) -> RawArray:
    """Opens an array for reading."""
    return RawArray(name)


class RawArray:
    """An array that is open for reading."""

    def __init__(self, name: Any) -> None:
        self.name = resolve(os.fsdecode(name))
        files = OneFile(self.name) if self.name.endswith(".drx") or split(self.name)[1] else Files(self.name)
        head = files.head()
        records, commits, digits = read_log(files.log_name, files.log())
        self._state = s = State(files.log_name, records)
        _check_journals(journal(self.name), commits)
        check_end(files.log_name, head, commits, digits)
        self._stored = np.dtype("<u2" if s.dtype == "bfloat16" else np.dtype(s.dtype).newbyteorder("<"))
        self.dtype = np.dtype("f4" if s.dtype == "bfloat16" else s.dtype)
        self.dtype_name = s.dtype
        self.bounds = tuple(zip(s.lo, s.hi))
        self.shape = tuple(b - a for a, b in self.bounds)
        self.dims, self.chunks, self.attrs = tuple(s.dims), tuple(s.chunk), s.attrs
        self.fill_value = self._fill()
        bytes_ = int(np.prod(self.chunks, dtype=object)) * self._stored.itemsize
        files.map(-(-bytes_ // s.align) * s.align, s.version)
        check_announced(files.table_name, head, commits, digits, s.total, lambda q: bool(files.entry(q).any()))
        self._files: Files | OneFile | None = files
        self._axes = Axes(self.name, self.dims, self.shape)
        self._positions = _positions(self.chunks, s.order)

    def __repr__(self) -> str:
        sizes = (f"{n}: {lo}:{hi}" if n else f"{lo}:{hi}" for n, (lo, hi) in zip(self.dims, self.bounds))
        return f"<drx.raw.RawArray {self.name!r} {self.dtype_name} ({', '.join(sizes)})>"

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=object))

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(self.shape[0]))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError(f"{self.name}: a NumPy array of it is always a copy")
        return self[...] if dtype is None else self[...].astype(dtype, copy=False)

    def __getitem__(self, key: Any) -> Any:
        return self._select(key, self._axes, False)

    @property
    def at(self) -> _View:
        return _View(self, self._axes._replace(lo=self._state.lo), False)

    @property
    def oindex(self) -> _View:
        return _View(self, self._axes, True)

    def close(self) -> None:
        """Releases the mapped files when no NumPy array uses them any more."""
        self._files = None

    def __enter__(self) -> RawArray:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _select(self, key: Any, axes: Axes, outer: bool) -> Any:
        entries = parse(key, axes)
        low = self._state.lo
        if is_fancy(entries):
            return (Outer if outer else Fancy)(entries, low, self.name).read(self)
        box = Basic(entries, low)
        out = np.empty(box.extents, self.dtype)
        self._read_box(box.lo, box.hi, box.step, out)
        found = out[box.view]
        dots = key is Ellipsis or isinstance(key, tuple) and any(k is Ellipsis for k in key)
        return found[()] if not box.shape and not dots else found

    def _fill(self) -> Any:
        fill = self._state.fill
        if isinstance(fill, list):
            fill = complex(*(float(x) for x in fill))
        if isinstance(fill, str) and fill.startswith("0x"):
            bits = np.frombuffer(bytes.fromhex(fill[2:]), self._stored.newbyteorder(">"))  # the highest digits come first
            return _values(bits.astype(self._stored), self.dtype_name)[0]
        return np.array(float(fill) if isinstance(fill, str) else fill).astype(self.dtype)[()]

    def _read_box(self, lo: Sequence[int], hi: Sequence[int], step: Sequence[int], out: np.ndarray) -> None:
        if self._files is None:
            raise ClosedError(f"{self.name}: it is closed")
        if out.size == 0:
            return
        c = self.chunks
        first = [a // n for a, n in zip(lo, c)]
        last = [(b - 1) // n + 1 for b, n in zip(hi, c)]
        for s in self._state.segments:
            for index in s.chunks(first, last):
                here, there = [], []  # indices in the chunk, and in the result
                for i, n, a, b, k in zip(index, c, lo, hi, step):
                    p = max(0, -(-(i * n - a) // k))  # the first position in this chunk or above
                    q = -(-(min(b, (i + 1) * n) - a) // k)
                    here.append(slice(a + p * k - i * n, a + (q - 1) * k + 1 - i * n if q > p else a + p * k - i * n, k))
                    there.append(slice(p, q))
                if all(t.stop > t.start for t in there):
                    chunk = self._chunk(self._files, s.number(index))
                    out[tuple(there)] = self.fill_value if chunk is None else chunk[tuple(here)]

    def _gather(self, indices: np.ndarray) -> np.ndarray:
        out = np.empty(len(indices), self.dtype)
        for i, index in enumerate(indices.tolist()):
            self._read_box(index, [k + 1 for k in index], [1] * len(index), out[i : i + 1].reshape((1,) * len(index)))
        return out

    def _chunk(self, files: Files | OneFile, number: int) -> np.ndarray | None:
        """The elements of a chunk, without a copy if its order allows it; None if it was never
        written."""
        if not files.entry(number).any():
            if files.present(number).any():
                raise CorruptError(f"{files.table_name}: the entry of chunk {number} is lost")
            return None
        size = int(np.prod(self.chunks, dtype=object)) * self._stored.itemsize
        data = files.chunk(number, size)
        if data.size < size:
            raise CorruptError(f"{files.data_name}: it ends within chunk {number}")
        values = _values(data.view(self._stored), self.dtype_name)
        if self._positions is not None:
            return values[self._positions]
        return values.reshape(self.chunks, order="F" if self._state.order == "col" else "C")


class _View:
    def __init__(self, a: RawArray, axes: Axes, outer: bool) -> None:
        self._a, self._axes, self._outer = a, axes, outer

    def __getitem__(self, key: Any) -> Any:
        return self._a._select(key, self._axes, self._outer)





def _values(stored: np.ndarray, name: str) -> np.ndarray:
    return (stored.astype("u4") << 16).view("f4") if name == "bfloat16" else stored


def _check_journals(name: str, commits: int) -> None:
    """Refuses an array with a commit that is still in a journal only."""
    for suffix in ("", *map(str, range(64))):
        try:
            with io.open(f"{name}.xjl{suffix}", "rb") as f:
                head = _block_head(f)
        except FileNotFoundError:
            continue
        if head is None:
            continue
        (commit,) = struct.unpack("<q", head.ljust(8, b"\0"))
        if suffix or commit in (commits, commits + 1):
            raise CorruptError(f"{name}.xjl{suffix}: a commit is not in its place yet: a writer is at work, or has died: "
                               "open the array with drx")


def _block_head(f: io.BufferedReader) -> bytes | None:
    """The first bytes of the block of a journal: at the end of the file or, if lost, in its copy.
    """
    end = f.seek(0, os.SEEK_END)
    for gap in (0, *(1 << k for k in range(17, 64))):
        if end - gap < 32:
            return None
        f.seek(end - gap - 32)
        footer = f.read(32)
        if footer[:8] == (b"DRXJRNL2" if gap else b"DRXJRNL1"):
            f.seek(struct.unpack("<Q", footer[8:16])[0])
            return f.read(8)
    return None


def _positions(chunks: Sequence[int], order: str) -> np.ndarray | None:
    """The position of each element of a chunk in the orders morton and hilbert; None if NumPy has
    the order."""
    long = [d for d, c in enumerate(chunks) if c > 1]
    if order in ("row", "col") or len(long) < 2:
        return None
    elements = np.indices(chunks).reshape(len(chunks), -1)
    key = _curve(elements[long], max(chunks), order == "hilbert")
    positions = np.empty(key.size, np.int64)
    positions[np.argsort(key, kind="stable")] = np.arange(key.size)
    return positions.reshape(chunks)


def _curve(e: np.ndarray, longest: int, hilbert: bool) -> np.ndarray:
    """The keys of elements along the Morton or the Hilbert curve, see FORMAT.md."""
    k, n = e.shape
    one = np.ones(n, object) if k * (longest - 1).bit_length() > 62 else np.ones(n, np.int64)
    key, flip, turn, mask = 0 * one, 0 * one, 0 * one, (1 << k) - 1

    def rotated(w: np.ndarray, by: np.ndarray) -> np.ndarray:
        return (w << by | w >> (k - by)) & mask

    for s in reversed(range((longest - 1).bit_length())):
        w = 0 * one
        for d in range(k):
            w = w << 1 | (e[d] >> s & 1)
        if hilbert:
            gray, w = rotated(w ^ flip, turn), 0 * one
            for bit in reversed(range(k)):
                w = w | ((gray ^ w >> 1) >> bit & 1) << bit
            b = 0 * one
            for bit in reversed(range(1, k)):
                b = np.where((w >> bit ^ w) & 1, bit, b)
            t = (w ^ w >> 1) ^ 1
            odd = 0 * one
            for bit in range(k):
                odd = odd ^ t >> bit & 1
            t = t ^ odd << b
            flip = flip ^ rotated(t, k - turn)
            turn = (turn + k - 1 - b) % k
        key = key << k | w
    return key
