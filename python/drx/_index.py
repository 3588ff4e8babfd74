"""Keys in brackets, by NumPy's rules.

``parse`` parses a key into entries, one per part of the key, which have positions: 0 is the low
bound of the dimension. ``Basic`` is a key of integers, slices and new axes, which selects a box;
``_fancy`` has the keys with arrays.
"""

from __future__ import annotations

import operator
from typing import Any, NamedTuple, Sequence

import numpy as np

from ._errors import BoundsError


class Int(NamedTuple):
    at: int


class Range(NamedTuple):
    start: int
    step: int
    count: int


class New(NamedTuple):
    """A new axis."""


class Gap(NamedTuple):
    """An ellipsis that stands for no dimension. It still separates arrays."""


class Points(NamedTuple):
    at: np.ndarray  # of any shape


class Truth(NamedTuple):
    """True or False as an index: it indexes no dimension, but counts as an array of one or no
    position."""

    at: np.ndarray


class _Unchecked(NamedTuple):
    """Indices along dimension d as they were given."""

    given: np.ndarray
    d: int


Entry = Any  # one of these but the last


class Axes(NamedTuple):
    """The dimensions that a key is checked against. lo is None if negative numbers count from the
    end; otherwise indices are those of the array and begin at lo."""

    name: str
    dims: Sequence[str]
    shape: Sequence[int]
    lo: Sequence[int] | None = None

    def of(self, d: int) -> str:
        return f"{self.name}: dimension {self.dims[d] or d}"


def parse(key: Any, axes: Axes) -> list[Entry]:
    """The entries of a key. Errors are those of NumPy: IndexError, and ValueError for a step of
    zero."""
    items = list(key) if isinstance(key, tuple) else [key]
    items = [_item(k, axes) for k in items]
    used = sum(_dims_of(k) for k in items)
    rank = len(axes.shape)
    if used > rank:
        raise BoundsError(f"{axes.name}: too many indices: {used}, the array has {rank} dimensions")
    if sum(k is Ellipsis for k in items) > 1:
        raise BoundsError(f"{axes.name}: more than one ellipsis in {key!r}")
    if not any(k is Ellipsis for k in items):
        items.append(Ellipsis)
    entries: list[Entry] = []
    d = 0
    for k in items:
        if k is Ellipsis:
            entries += [Range(0, 1, n) for n in axes.shape[d : d + rank - used]] or [Gap()]
            d += rank - used
        else:
            entries += _entries(k, d, axes)
            d += _dims_of(k)
    for i, e in enumerate(entries):  # NumPy finds the other mistakes first
        if type(e) is _Unchecked:
            entries[i] = Points(_positions(e.given, e.d, axes))
    if isinstance(entries[-1], Gap) and items[-1] is Ellipsis and not _ends_in_ellipsis(key):
        entries.pop()
    return entries


def _ends_in_ellipsis(key: Any) -> bool:
    return key is Ellipsis or isinstance(key, tuple) and len(key) > 0 and key[-1] is Ellipsis


def _item(k: Any, axes: Axes) -> Any:
    """One part of a key: an int, slice, None, Ellipsis, or an array of integers or booleans."""
    if k is None or k is Ellipsis or isinstance(k, slice):
        return k
    if not isinstance(k, (bool, np.bool_, np.ndarray)):
        try:
            return operator.index(k)
        except TypeError:
            pass
    if isinstance(k, str):
        raise _no_index(k, axes)
    index = np.asarray(k)
    if index.size == 0 and not isinstance(k, np.ndarray):
        index = index.astype(np.intp)  # of an empty list
    if index.dtype.kind not in "bui":
        raise _no_index(k, axes)
    if index.ndim == 0 and index.dtype.kind != "b":
        return int(index)
    return index


def _no_index(k: Any, axes: Axes) -> BoundsError:
    return BoundsError(
        f"{axes.name}: {k!r} is no index: want integers, slices, ..., None, or arrays of integers or booleans"
    )


def _dims_of(k: Any) -> int:
    """The number of dimensions of a part of a key."""
    if k is None or k is Ellipsis:
        return 0
    return k.ndim if isinstance(k, np.ndarray) and k.dtype.kind == "b" else 1


def _entries(k: Any, d: int, axes: Axes) -> list[Entry]:
    if k is None:
        return [New()]
    if isinstance(k, int):
        return [Int(_position(k, d, axes))]
    if isinstance(k, slice):
        return [_range(k, d, axes)]
    if k.dtype.kind == "b":
        return _mask(k, d, axes)
    return [_Unchecked(k, d)]


def _position(k: int, d: int, axes: Axes) -> int:
    n = axes.shape[d]
    if axes.lo is not None:
        at = k - axes.lo[d]
    else:
        at = k + n if k < 0 else k
    if not 0 <= at < n:
        raise _outside(k, d, axes)
    return at


def _outside(k: Any, d: int, axes: Axes) -> BoundsError:
    n = axes.shape[d]
    lo = axes.lo[d] if axes.lo is not None else -n
    hi = axes.lo[d] + n if axes.lo is not None else n
    return BoundsError(f"{axes.of(d)}: index {k} is out of bounds: want {lo} to {hi - 1}" if n else
                       f"{axes.of(d)}: index {k} is out of bounds: it has no elements")


def _range(k: slice, d: int, axes: Axes) -> Range:
    n = axes.shape[d]
    if axes.lo is not None:
        k = _from_low(k, axes.lo[d], n)
    start, stop, step = k.indices(n)
    return Range(start, step, len(range(start, stop, step)))


def _from_low(k: slice, lo: int, n: int) -> slice:
    """A slice of an array's own indices as one of positions, none of which counts from the end."""
    step = 1 if k.step is None else operator.index(k.step)
    least = 0 if step > 0 else -1

    def position(i: Any) -> int | None:
        return None if i is None else min(max(operator.index(i) - lo, least), n)

    start, stop = position(k.start), position(k.stop)
    if start == -1:  # before the first element, backwards: nothing
        return slice(0, 0, step)
    if stop == -1:  # down to the first element
        stop = None
    return slice(start, stop, step)


def _positions(index: np.ndarray, d: int, axes: Axes) -> np.ndarray:
    n = axes.shape[d]
    at = index.astype(np.intp)
    if axes.lo is not None:
        at = at - axes.lo[d]
    else:
        at = np.where(at < 0, at + n, at)
    wrong = (at < 0) | (at >= n)
    if wrong.any():
        raise _outside(int(index[wrong][0]), d, axes)
    return at


def _mask(mask: np.ndarray, d: int, axes: Axes) -> list[Entry]:
    for e, n in enumerate(mask.shape):
        if n != axes.shape[d + e]:
            raise BoundsError(f"{axes.of(d + e)}: the boolean index has {n} elements along it, the array {axes.shape[d + e]}")
    if mask.ndim == 0:
        return [Truth(np.zeros(int(mask), np.intp))]
    return [Points(i) for i in mask.nonzero()]


class Basic:
    """A box of elements, and the conversion between it and NumPy's result.

    lo, hi and step are indices of the array. extents is the shape of the box. ``box[self.view]`` is
    the selection: it drops dimensions, adds new axes and reverses dimensions with negative steps.
    ``result[self.inverse]`` is the box again.
    """

    __slots__ = ("lo", "hi", "step", "extents", "shape", "view", "inverse", "plain", "whole")

    def __init__(self, entries: Sequence[Entry], low: Sequence[int]) -> None:
        self.lo: list[int] = []
        self.hi: list[int] = []
        self.step: list[int] = []
        self.extents: list[int] = []
        shape: list[int] = []
        view: list[Any] = []
        inverse: list[Any] = []
        self.plain, self.whole = True, False  # plain: box and result are the same
        d = 0
        for e in entries:
            if type(e) is Range:
                start, step, n = e
                if step < 0:
                    start, step = start + (n - 1) * step, -step
                    view.append(slice(None, None, -1))
                    inverse.append(slice(None, None, -1))
                    self.plain = False
                else:
                    view.append(slice(None))
                    inverse.append(slice(None))
                shape.append(n)
                self._add(low[d] + start, step, n)
            elif type(e) is Int:
                view.append(0)
                inverse.append(None)
                self.plain = False
                self._add(low[d] + e.at, 1, 1)
            else:
                if type(e) is New:
                    view.append(None)
                    inverse.append(0)
                    shape.append(1)
                    self.plain = False
                continue
            d += 1
        self.shape, self.view, self.inverse = tuple(shape), (*view, ...), tuple(inverse)

    def _add(self, start: int, step: int, n: int) -> None:
        if n == 1:
            step = 1
        self.lo.append(start)
        self.hi.append(start + (n - 1) * step + 1 if n else start)
        self.step.append(step)
        self.extents.append(n)


def is_fancy(entries: Sequence[Entry]) -> bool:
    """Whether arrays are among the entries."""
    return any(type(e) in (Points, Truth) for e in entries)
