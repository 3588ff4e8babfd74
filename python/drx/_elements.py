"""Reading and writing the elements of an array."""

from __future__ import annotations

import json
import struct
import warnings
from array import array
from ctypes import addressof, byref, c_char
from typing import Any, Iterator, Mapping, NamedTuple, Sequence

import numpy as np

from ._convert import converted, is_exact
from ._errors import BoundsError, DTypeError, InvalidError, SizeError
from ._fancy import Fancy, Nothing, Outer
from ._index import Axes, Basic, is_fancy, parse
from ._library import PART, UNCHECKED, Callback, check, lib, take
from ._types import BFLOAT16, NAMES, NUMBERS, SCALARS, numpy_type, to_bfloat16

# Bounds for C as bytes, which pass through ctypes as they are: the fastest way, and no memory that
# threads would share.
_packers = [struct.Struct(f"={n}q").pack for n in range(65)]

CONVERTED = 1 << 20  # elements converted at a time

_get, _read = lib.drx_get, lib.drx_read


class Part(NamedTuple):
    """A part of an array: the section for ``a.at``, and the number of its chunk; -1 for a tile that
    is no chunk."""

    section: tuple[slice, ...]
    number: int



class Elements:
    """Access to the elements of an array. The class Array sets the handle."""

    _handle: int
    name: str

    def _set_type(self, number: int) -> None:
        self._number = number  # of the elements in the file
        self._dtype = numpy_type(number)
        self._code = NUMBERS[self._dtype.name]  # of the elements in memory
        self._scalar: Any = SCALARS.get(self.dtype.name)
        self._item = self.dtype.type

    def _set_bounds(self, lo: tuple[int, ...], hi: tuple[int, ...], dims: tuple[str, ...]) -> None:
        self._lo, self._hi = lo, hi
        self._shape = tuple(b - a for a, b in zip(lo, hi))
        self._axes = Axes(self.name, dims, self.shape)
        self._pack = _packers[len(lo)]
        # Everything that a[i, j] needs, in one attribute, so that it is of one moment.
        self._point = (self._handle, len(lo), tuple(zip(lo, hi, self.shape)), self._pack, self._code)

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents; ``extend`` and ``shrink`` change them."""
        return self._shape

    @property
    def dtype(self) -> np.dtype:
        """NumPy's type of the elements in memory."""
        return self._dtype

    # By NumPy's rules.

    def __getitem__(self, key: Any) -> Any:
        handle, rank, bounds, pack, code = self._point
        if type(key) is tuple and len(key) == rank and type(key[0]) is not slice and self._scalar is not None:
            index = []
            for i, (lo, hi, n) in zip(key, bounds):
                if type(i) is not int:
                    if not isinstance(i, np.integer):
                        break
                    i = int(i)
                if 0 <= i < n:
                    index.append(lo + i)
                elif -n <= i < 0:
                    index.append(hi + i)
                else:
                    break
            else:
                value = self._scalar()
                failed = _get(handle, rank, pack(*index), code, byref(value))
                if failed:
                    check(failed)
                return self._item(value.value)
        out = self._read_plain(key)
        return self._read_key(key, self._axes) if out is None else out

    def _read_plain(self, key: Any, out: np.ndarray | None = None) -> np.ndarray | None:
        """The elements that a key selects, for frequent keys, in a quarter of the time: integers
        and slices without steps. None for all others.

        If out is given the elements are read into it; None if that is impossible without a
        conversion.
        """
        handle, rank, bounds, pack, code = self._point
        if type(key) is not tuple:
            key = (key,)
        if len(key) > rank:
            return None
        lo, hi, shape = [], [], []
        for k, (low, high, n) in zip(key, bounds):
            if type(k) is slice and k.step is None:
                start, stop, _ = k.indices(n)
                if stop <= start:
                    return None
                lo.append(low + start)
                hi.append(low + stop)
                shape.append(stop - start)
            elif (type(k) is int or isinstance(k, np.integer)) and -n <= k < n:
                i = (low if k >= 0 else high) + int(k)
                lo.append(i)
                hi.append(i + 1)
            else:
                return None
        if len(key) < rank:
            for low, high, n in bounds[len(key) :]:
                lo.append(low)
                hi.append(high)
                shape.append(n)
            if 0 in shape:
                return None
        if not shape:
            return None
        if out is None:
            out = np.empty(shape, self.dtype)
        elif (out.shape, out.dtype) != (tuple(shape), self.dtype) or not out.flags.carray:
            return None
        failed = _read(handle, rank, pack(*lo), pack(*hi), None, code, addressof(c_char.from_buffer(out)), out.nbytes, None)
        if failed:
            check(failed)
        return out

    def __setitem__(self, key: Any, values: Any) -> None:
        self._write_key(key, values, self._axes)

    def write(self, values: Any, key: Any = ..., *, sel: Mapping[str, Any] | None = None, method: str = "exact",
              clip: bool = False) -> None:
        """``a[key] = values``. With clip, numbers that the element type lacks become the nearest
        ones that it has.

        ``a.write(values, sel={"time": "2024-01-28"})`` writes where ``a.sel`` reads, by labels or
        values of coordinates. A number must be a value of the coordinate, unless method is "usual"
        or "nearest": then the nearest one is overwritten.
        """
        if sel is None:
            self._write_key(key, values, self._axes, clip=clip)
            return
        from ._select import method_number, selection

        if key is not ...:
            raise InvalidError(f"{self.name}: write with a key and sel: want one of them")
        self._write_plan(selection(self, method_number(False, method), dict(sel)), values, clip)

    @property
    def at(self) -> View:
        """``a.at[...]``: indexing by the array's own indices, which never count from the end."""
        return View(self, self._axes._replace(lo=self._lo), False)

    @property
    def oindex(self) -> View:
        """``a.oindex[...]``: indexing with orthogonal arrays: each selects along its own dimension.
        """
        return View(self, self._axes, True)

    def read_into(self, out: np.ndarray, key: Any = ...) -> np.ndarray:
        """Reads ``a[key]`` into an array of the same shape, without a copy if it has the same type.
        """
        found = self._read_plain(key, out) if type(out) is np.ndarray else None
        return self._read_into(out, key, self._axes, False) if found is None else found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError(f"{self.name}: a NumPy array of it is always a copy")
        whole = self[...]
        return whole if dtype is None else whole.astype(dtype, copy=False)

    def sel(self, *, exact: bool = False, method: str | None = None, **values: Any) -> np.ndarray:
        """Reads by labels, or values of coordinates, as in ``a.sel(time="2013-01..2013-02")``.

        Each dimension is given a value, a slice (including both ends), a list, or text in the
        syntax of ``drx read --sel``. A number selects the nearest value, with exact an equal one;
        text that is a date selects all times of the year, month, day, hour or minute that it names;
        a datetime selects that moment. With method="nearest" a date selects the time nearest to its
        beginning. A label, a number, and a date as fine as the times, drop their dimension, as in
        xarray; a date that names a span, a slice and a list never do. ``write(values, sel={"time":
        "2013-01"})`` writes there.
        """
        from ._select import method_number, selection

        return selection(self, method_number(exact, method), values).read(self)

    # By entries of the key.

    def _plan(self, key: Any, axes: Axes, outer: bool) -> Any:
        try:
            entries = parse(key, axes)
        except BoundsError:
            if axes.lo is not None or outer:
                raise
            return _nothing(key, self.shape)
        if not is_fancy(entries):
            return Basic(entries, self._lo)
        return (Outer if outer else Fancy)(entries, self._lo, self.name)

    def _read_key(self, key: Any, axes: Axes, outer: bool = False) -> Any:
        plan = self._plan(key, axes, outer)
        if not isinstance(plan, Basic):
            self._alive()
            return plan.read(self)
        box = np.empty(plan.extents, self.dtype)
        self._read_box(plan.lo, plan.hi, plan.step, box)
        if plan.plain:
            return box
        result = box[plan.view]
        return result[()] if not plan.shape and not _has_ellipsis(key) else result

    def _read_into(self, out: np.ndarray, key: Any, axes: Axes, outer: bool) -> np.ndarray:
        plan = self._plan(key, axes, outer)
        if not isinstance(out, np.ndarray):
            raise TypeError(f"{self.name}: out is {type(out).__name__}: want a NumPy array")
        if out.shape != plan.shape:
            raise SizeError(f"{self.name}: out has the shape {out.shape}: want {plan.shape}")
        if not out.flags.writeable:
            raise SizeError(f"{self.name}: out is read-only")
        if isinstance(plan, Basic) and out.dtype == self.dtype:
            self._read_box(plan.lo, plan.hi, plan.step, out[plan.inverse])
        else:
            np.copyto(out, self._read_key(key, axes, outer), casting="same_kind")
        return out

    def _write_key(self, key: Any, values: Any, axes: Axes, outer: bool = False, clip: bool = False) -> None:
        plan = self._plan(key, axes, outer)
        if np.ndim(values) > 1 and _is_mask(key, self.shape):
            raise DTypeError(f"{self.name}: values for a boolean index have one dimension, these have {np.ndim(values)}")
        self._write_plan(plan, values, clip)

    def _write_plan(self, plan: Any, values: Any, clip: bool) -> None:
        self._alive()
        if clip:
            values = converted(self._stored(values), self.dtype, self.name, True)
        values = self._fitted(values, plan.shape)
        if not isinstance(plan, Basic):
            plan.write(self, values)
        elif values.ndim == 0 and 0 not in plan.extents:
            self._fill_box(plan.lo, plan.hi, plan.step, self._converted(values))
        else:
            self._write_box(plan.lo, plan.hi, plan.step, np.broadcast_to(values, plan.shape)[plan.inverse])

    def _fitted(self, values: Any, shape: tuple[int, ...]) -> np.ndarray:
        """Values that can be broadcast to a shape, of the array's type unless there are many of
        them."""
        if not isinstance(values, np.ndarray):
            values = converted(self._stored(values), self.dtype, self.name)
        while values.ndim > len(shape) and values.shape[0] == 1:
            values = values[0]
        try:
            np.broadcast_shapes(values.shape, shape)
            fits = np.broadcast_shapes(values.shape, shape) == shape
        except ValueError:
            fits = False
        if not fits:
            if shape == ():
                np.empty(1, self.dtype)[0] = values  # NumPy has errors of its own for this
            raise SizeError(f"{self.name}: values of shape {values.shape} cannot be broadcast to {shape}")
        if values.size <= CONVERTED:
            return self._converted(values)
        if not is_exact(values.dtype, self.dtype):
            self._check(values)
        return values

    def _stored(self, values: Any) -> Any:
        """The values, or the numbers of another array, which must mean the same here."""
        if not isinstance(values, Elements):
            return values
        given, own = (json.dumps({"dtype": NAMES[a._number], "attrs": json.loads(take("drx_attrs", a._handle))}).encode() for a in (values, self))
        hint = f"{values.name}[...] are its stored numbers, and drx.append appends arrays by what they mean"
        try:
            answer = json.loads(take("drx_meaning_compare", given, own, json.dumps({"rule": "values", "target": self.name}).encode()))
        except DTypeError as e:
            raise DTypeError(f"{self.name}: {values.name}: {e}; {hint}") from None
        if not answer["same"] and (answer.get("factor", 1), answer.get("shift", 0), answer["note"]) != (1, 0, ""):
            raise DTypeError(f"{self.name}: the numbers of {values.name} mean something else: {answer['note']}; {hint}")
        return values[...]

    def _check(self, values: np.ndarray) -> None:
        """Raises an error for a value that does not fit, before any is written."""
        if values.size <= CONVERTED:
            self._converted(values)
            return
        d = int(np.argmax(values.shape))
        for half in np.array_split(values, 2, d):
            self._check(half)

    def _converted(self, values: np.ndarray) -> np.ndarray:
        """Values in the type of the array and the byte order of the machine."""
        return converted(values, self.dtype, self.name)

    # By indices of the array. Buffers have the shape of the box.

    def _alive(self) -> None:
        """Raises an error if the array is closed: calls that select nothing do not reach the
        library."""
        check(lib.drx_rank(self._handle, None))

    def _read_box(self, lo: Sequence[int], hi: Sequence[int], step: Sequence[int], out: np.ndarray) -> None:
        if out.size == 0:
            return self._alive()
        pack = self._pack
        dense = out.flags.c_contiguous
        size, strides = (out.nbytes, None) if dense else (UNCHECKED, pack(*out.strides))
        failed = _read(self._handle, len(lo), pack(*lo), pack(*hi), pack(*step), self._code, out.ctypes.data, size, strides)
        if failed:
            check(failed)

    def _write_box(self, lo: Sequence[int], hi: Sequence[int], step: Sequence[int], values: np.ndarray) -> None:
        if values.size == 0:
            return self._alive()
        if self._number == BFLOAT16 or values.dtype != self.dtype or not values.dtype.isnative:
            if values.size > CONVERTED:
                return self._write_halves(lo, hi, step, values)
            values = self._converted(values)
        if self._number == BFLOAT16:
            values = to_bfloat16(values)
        pack = self._pack
        size, strides = (values.nbytes, None) if values.flags.c_contiguous else (UNCHECKED, pack(*values.strides))
        check(lib.drx_write(self._handle, len(lo), pack(*lo), pack(*hi), pack(*step), self._number, values.ctypes.data,
                            size, strides))

    def _write_halves(self, lo: Sequence[int], hi: Sequence[int], step: Sequence[int], values: np.ndarray) -> None:
        """Writes both halves of a box, which limits the memory for the conversion of its values."""
        d = max(range(values.ndim), key=lambda d: values.shape[d])
        half = values.shape[d] // 2
        below, above = list(hi), list(lo)
        below[d] = lo[d] + (half - 1) * step[d] + 1
        above[d] = lo[d] + half * step[d]
        first, second = np.split(values, [half], d)
        self._write_box(lo, below, step, first)
        self._write_box(above, hi, step, second)

    def _fill_box(self, lo: Sequence[int], hi: Sequence[int], step: Sequence[int], value: np.ndarray) -> None:
        if self._number == BFLOAT16:
            value = to_bfloat16(value)
        pack = self._pack
        check(lib.drx_fill(self._handle, len(lo), pack(*lo), pack(*hi), pack(*step), self._number, value.ctypes.data))

    def _gather(self, indices: np.ndarray) -> np.ndarray:
        n, rank = indices.shape
        out = np.empty(n, self.dtype)
        check(lib.drx_gather(self._handle, rank, n, indices.ctypes.data, self._code, out.ctypes.data))
        return out

    def _scatter(self, indices: np.ndarray, values: np.ndarray) -> None:
        values = self._converted(values)
        if self._number == BFLOAT16:
            values = to_bfloat16(values)
        n, rank = indices.shape
        check(lib.drx_scatter(self._handle, rank, n, indices.ctypes.data, self._number, values.ctypes.data))

    def walk(self, section: Sequence[slice] | None = None, tile: Sequence[int] | None = None,
             written: bool = False) -> Iterator[Part]:
        """The parts of the array, or of a section of its own indices: ``for p in a.walk():
        a.at[p.section]``.

        They are chunks in the order of the file or, with tile, tiles of these extents, in the order
        of their indices; an extent of 0 means all of the dimension. With written, parts without any
        written chunk are skipped. The list of the parts is made at the beginning; it takes 16 bytes
        per part and dimension.
        """
        rank = len(self._lo)
        pack = self._pack
        lo = hi = None
        if section is not None:
            box = Basic(parse(tuple(section), self._axes._replace(lo=self._lo)), self._lo)
            if any(s != 1 for s in box.step):
                raise SizeError(f"{self.name}: walk: the section has steps")
            lo, hi = pack(*box.lo), pack(*box.hi)
        found = array("q")

        def note(rank: int, lo: Any, hi: Any, number: int) -> None:
            found.append(number)
            found.extend(lo[:rank])
            found.extend(hi[:rank])

        back = Callback(PART, note)
        tiles = None if tile is None else pack(*tile)
        back.run(lambda: lib.drx_walk(self._handle, rank, lo, hi, tiles, int(written), back.c, None))
        return (_part(found, i, rank) for i in range(0, len(found), 2 * rank + 1))


def _part(found: array[int], i: int, rank: int) -> Part:
    bounds = found[i + 1 : i + 1 + 2 * rank]
    return Part(tuple(slice(a, b) for a, b in zip(bounds[:rank], bounds[rank:])), found[i])


def _nothing(key: Any, shape: tuple[int, ...]) -> Nothing:
    """Raises the present exception, unless NumPy finds that the key selects nothing: then it allows
    indices outside."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = np.broadcast_to(np.False_, shape)[key]
    except (IndexError, ValueError, TypeError):
        found = None
    if found is None or found.size > 0:
        raise  # noqa: PLE0704
    return Nothing(found.shape)


def _is_mask(key: Any, shape: tuple[int, ...]) -> bool:
    """Whether a key is one boolean array for all elements."""
    if isinstance(key, tuple):
        return len(key) == 1 and not isinstance(key[0], tuple) and _is_mask(key[0], shape)
    if isinstance(key, list):
        key = np.asarray(key)
    return isinstance(key, np.ndarray) and key.dtype.kind == "b" and key.shape == shape


def _has_ellipsis(key: Any) -> bool:
    return key is Ellipsis or isinstance(key, tuple) and any(k is Ellipsis for k in key)


class View:
    """An array with other rules for the key in brackets."""

    def __init__(self, a: Elements, axes: Axes, outer: bool) -> None:
        self._a, self._axes, self._outer = a, axes, outer

    def __getitem__(self, key: Any) -> Any:
        return self._a._read_key(key, self._axes, self._outer)

    def __setitem__(self, key: Any, values: Any) -> None:
        self._a._write_key(key, values, self._axes, self._outer)

    def write(self, values: Any, key: Any = ..., *, clip: bool = False) -> None:
        """As ``Array.write``, with these rules."""
        self._a._write_key(key, values, self._axes, self._outer, clip)

    def read_into(self, out: np.ndarray, key: Any = ...) -> np.ndarray:
        """As ``Array.read_into``, with these rules."""
        return self._a._read_into(out, key, self._axes, self._outer)
