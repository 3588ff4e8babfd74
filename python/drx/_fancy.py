"""Keys with arrays of integers or booleans.

``Fancy`` is NumPy's advanced indexing: the arrays are broadcast together, and each of their
elements selects a point of the dimensions that have arrays, with a box of the others. ``Outer`` is
orthogonal indexing: each array selects along its own dimension. Both read and write by two
operations of the array: boxes and single elements.

Elements are accessed in one of three ways. If the points lie close together, the box around them is
read as a whole; otherwise each point's box is read, directly into the result, or, if it is small,
the elements are gathered.
"""

from __future__ import annotations

import itertools
from typing import Any, Iterator, Protocol, Sequence

import numpy as np

from ._errors import BoundsError
from ._index import Basic, Entry, Gap, Int, New, Points, Range, Truth

DENSE = 4  # a box is read as a whole if it has at most this many times the wanted elements
DENSE_BYTES = 64 << 20  # and at most this many bytes
SMALL = 64  # boxes of fewer elements are gathered
BLOCK = 1 << 16  # elements at a time


class Store(Protocol):
    """The operations of an array that keys need."""

    dtype: np.dtype

    def _read_box(self, lo: Any, hi: Any, step: Any, out: np.ndarray) -> None: ...
    def _write_box(self, lo: Any, hi: Any, step: Any, values: np.ndarray) -> None: ...
    def _gather(self, indices: np.ndarray) -> np.ndarray: ...
    def _scatter(self, indices: np.ndarray, values: np.ndarray) -> None: ...


class Fancy:
    """A key with arrays, by NumPy's rules."""

    def __init__(self, entries: Sequence[Entry], low: Sequence[int], name: str) -> None:
        self.low = low
        advanced = [i for i, e in enumerate(entries) if type(e) in (Int, Points, Truth)]
        arrays = [_array(entries[i]) for i in advanced]
        try:
            self.points = np.broadcast_arrays(*arrays)
        except ValueError:
            shapes = ", ".join(str(a.shape) for a in arrays)
            raise BoundsError(f"{name}: the index arrays of shapes {shapes} cannot be broadcast together") from None
        self.point_shape = self.points[0].shape
        # The axes of the points come where the arrays are or, if something stands between these,
        # first.
        adjacent = advanced[-1] - advanced[0] + 1 == len(advanced)
        before = [e for e in entries[: advanced[0]] if type(e) in (Range, New)] if adjacent else []
        self.axis = len(before)
        self.rest = [e for e in entries if type(e) in (Range, New)]  # the axes of each point's box
        rest_shape = tuple(e.count if type(e) is Range else 1 for e in self.rest)
        self.shape = rest_shape[: self.axis] + self.point_shape + rest_shape[self.axis :]
        self.entries = entries
        self.n = self.points[0].size
        self.box = int(np.prod(rest_shape, dtype=object)) if rest_shape else 1

    def read(self, a: Store) -> np.ndarray:
        if self.n == 0 or self.box == 0:
            return np.empty(self.shape, a.dtype)
        dense = self._dense(a)
        if dense is not None:
            box, key = dense
            whole = np.empty(box.extents, a.dtype)
            a._read_box(box.lo, box.hi, box.step, whole)
            return whole[box.view][key]
        # The axes of the points are first while elements arrive, and are moved to their place at
        # the end.
        result = np.empty(self.point_shape + _without(self.shape, self.axis, len(self.point_shape)), a.dtype)
        flat = result.reshape((self.n,) + result.shape[len(self.point_shape) :])
        if self.box < SMALL:
            for at, indices in self._elements():
                flat[at] = a._gather(indices).reshape(flat[at].shape)
        else:
            for i, box in self._boxes():
                a._read_box(box.lo, box.hi, box.step, flat[i, ...][box.inverse])
        return self._to_result_order(result)

    def write(self, a: Store, values: np.ndarray) -> None:
        """Writes values, which have the shape of the key or can be broadcast to it."""
        values = np.broadcast_to(values, self.shape)
        k = len(self.point_shape)
        values = np.moveaxis(values, range(self.axis, self.axis + k), range(k))
        if self.n == 0 or self.box == 0:
            return
        if self.box < SMALL:
            flat = values.reshape((self.n,) + values.shape[k:])
            for at, indices in self._elements():
                a._scatter(indices, np.ascontiguousarray(flat[at]).reshape(-1))
            return
        for i, box in self._boxes():
            a._write_box(box.lo, box.hi, box.step, values[(*np.unravel_index(i, self.point_shape), ...)][box.inverse])

    def _dense(self, a: Store) -> tuple[Basic, tuple[Any, ...]] | None:
        """The box around all points, and the key for it; None if it is much larger than the
        selection."""
        entries: list[Entry] = []
        key: list[Any] = []
        size = self.box
        points = iter(self.points)
        for e in self.entries:
            if type(e) is Gap:  # it separates the arrays in this key, too
                key.append(Ellipsis)
                continue
            if type(e) in (Range, New):
                entries.append(e)
                key.append(slice(None))
                continue
            p = next(points)
            if type(e) is Truth:
                entries.append(New())
                key.append(np.zeros_like(p))
                continue
            first, last = int(p.min()), int(p.max())
            entries.append(Range(first, 1, last - first + 1))
            key.append(p - first)
            size *= last - first + 1
        if size > DENSE * self.n * self.box + SMALL or size * a.dtype.itemsize > DENSE_BYTES:
            return None
        return Basic(entries, self.low), tuple(key)

    def _boxes(self) -> Iterator[tuple[int, Basic]]:
        """The box of each point, with the point's number."""
        for i in range(self.n):
            points = iter([int(p.flat[i]) for p in self.points])
            entries: list[Entry] = []
            for e in self.entries:
                if type(e) in (Range, New):
                    entries.append(e)
                elif type(e) is not Gap:
                    at = next(points)
                    if type(e) is not Truth:
                        entries.append(Int(at))
            yield i, Basic(entries, self.low)

    def _elements(self) -> Iterator[tuple[slice, np.ndarray]]:
        """The indices of the elements of all points' boxes, some points at a time."""
        many = max(1, BLOCK // self.box)
        ranges = [np.arange(e.count, dtype=np.int64) * e.step + e.start for e in self.rest if type(e) is Range]
        grid = np.stack([g.ravel() for g in np.meshgrid(*ranges, indexing="ij")]) if ranges else np.empty((0, 1), np.int64)
        for first in range(0, self.n, many):
            last = min(first + many, self.n)
            indices = np.empty((last - first, self.box, len(self.low)), np.int64)
            points, boxed, d = iter(self.points), iter(grid), 0
            for e in self.entries:
                if type(e) is Range:
                    indices[:, :, d] = next(boxed) + self.low[d]
                    d += 1
                elif type(e) not in (New, Gap):
                    p = next(points)
                    if type(e) is not Truth:
                        indices[:, :, d] = p.reshape(-1)[first:last, None] + self.low[d]
                        d += 1
            yield slice(first, last), indices.reshape(-1, len(self.low))

    def _to_result_order(self, result: np.ndarray) -> np.ndarray:
        k = len(self.point_shape)
        return np.moveaxis(result, range(k), range(self.axis, self.axis + k))


class Nothing:
    """A key that selects nothing."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape

    def read(self, a: Store) -> np.ndarray:
        return np.empty(self.shape, a.dtype)

    def write(self, a: Store, values: np.ndarray) -> None:
        pass


def _array(e: Entry) -> np.ndarray:
    return np.asarray(e.at, np.intp)


def _without(shape: tuple[int, ...], axis: int, n: int) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + n :]


def runs(positions: np.ndarray) -> list[Range]:
    """Positions as ranges with ascending steps, in their order: [3, 5, 7, 2, 2] is 3:8:2, 2 and 2.
    """
    found: list[Range] = []
    at = [int(p) for p in positions]
    i = 0
    while i < len(at):
        n, step = 1, 1
        if i + 1 < len(at) and at[i + 1] > at[i]:
            step, n = at[i + 1] - at[i], 2
            while i + n < len(at) and at[i + n] - at[i + n - 1] == step:
                n += 1
        found.append(Range(at[i], step, n))
        i += n
    return found


class Outer:
    """A key in which each array, of one dimension, selects along its own dimension."""

    def __init__(self, entries: Sequence[Entry], low: Sequence[int], name: str) -> None:
        self.low = low
        self.entries = []
        for e in entries:
            if type(e) is Truth or type(e) is Points and e.at.ndim != 1:
                raise BoundsError(f"{name}: orthogonal indexing wants arrays with one dimension")
            if type(e) is not Gap:
                self.entries.append(e)
        self.shape = tuple(_length(e) for e in self.entries if type(e) is not Int)

    def read(self, a: Store) -> np.ndarray:
        dense = self._dense(a)
        if dense is not None:
            box, takes = dense
            whole = np.empty(box.extents, a.dtype)
            a._read_box(box.lo, box.hi, box.step, whole)
            whole = whole[box.view]
            for axis, index in takes:
                whole = whole.take(index, axis)
            return whole
        result = np.empty(self.shape, a.dtype)
        for box, where in self._boxes():
            a._read_box(box.lo, box.hi, box.step, result[(*where, ...)][box.inverse])
        return result

    def write(self, a: Store, values: np.ndarray) -> None:
        values = np.broadcast_to(values, self.shape)
        for box, where in self._boxes():
            a._write_box(box.lo, box.hi, box.step, values[(*where, ...)][box.inverse])

    def _dense(self, a: Store) -> tuple[Basic, list[tuple[int, np.ndarray]]] | None:
        """The box around everything, and the indices to take along each axis; None if it is much
        larger than the selection."""
        if 0 in self.shape:
            return None
        entries, takes, size, axis = [], [], 1, 0
        for e in self.entries:
            if type(e) is Points:
                first, last = int(e.at.min()), int(e.at.max())
                takes.append((axis, e.at - first))
                e = Range(first, 1, last - first + 1)
            entries.append(e)
            size *= _length(e)
            axis += type(e) is not Int
        wanted = int(np.prod(self.shape, dtype=object))
        if size > DENSE * wanted or size * a.dtype.itemsize > DENSE_BYTES:
            return None
        return Basic(entries, self.low), takes

    def _boxes(self) -> Iterator[tuple[Basic, tuple[slice, ...]]]:
        """Boxes of consecutive positions, and where they are in the result."""
        if 0 in self.shape:
            return
        choices = [_pieces(e) for e in self.entries]
        for pieces in itertools.product(*choices):
            where = tuple(w for _, w in pieces if w is not None)
            yield Basic([e for e, _ in pieces], self.low), where


def _length(e: Entry) -> int:
    if type(e) is Points:
        return e.at.size
    return e.count if type(e) is Range else 1


def _pieces(e: Entry) -> list[tuple[Entry, slice | None]]:
    """The ranges of an entry, and where they are along its axis of the result."""
    if type(e) is not Points:
        return [(e, None if type(e) is Int else slice(None))]
    pieces: list[tuple[Entry, slice | None]] = []
    first = 0
    for r in runs(e.at):
        pieces.append((r, slice(first, first + r.count)))
        first += r.count
    return pieces
