"""Arrays that the processes of an MPI program use together, over libdrxmp.

>>> from mpi4py import MPI                             # before drx  # doctest: +SKIP
>>> import drx.mpi                                     # doctest: +SKIP
>>> with drx.mpi.create(MPI.COMM_WORLD, "plate", (64, 32), dims=("y", "x")) as a:  # doctest: +SKIP
...     a.write_zone(a.read_zone() + 1)                # each process its own part
...     a.extend("x", 16)

Functions and methods are collective unless they say otherwise: all processes of the communicator
call them, in the same order. If one has an error, all raise it, with the rank of that process, and
the array works on. Keys and sections are of the array's own indices, as for ``Array.at``.

A process can have one library only: mpi4py.MPI is imported before drx, which then loads libdrxmp in
place of libdrx, or DRX_LIBRARY names it.
"""

from __future__ import annotations

import atexit
import ctypes
import json
from ctypes import POINTER, byref, c_char_p, c_int, c_int64, c_uint64, c_void_p
from typing import Any, Callable, Sequence

import numpy as np
from mpi4py import MPI

from . import _library
from ._array import _int64, _named, codec_from, shape_of, spec, unexpected
from ._convert import converted
from ._errors import DisagreeError, FailedError, InvalidError, LibraryError, RankError, SizeError, ThreadError, TimedOutError
from ._index import Axes, Basic, is_fancy, parse
from ._library import HIGH, LOW, READ, WRITE, call, check, encode, lib, take
from ._mappings import Attrs, to_json
from ._memory import share_memory
from ._types import BFLOAT16, NAMES, NUMBERS, number_of, numpy_type, to_bfloat16

__all__ = ["Array", "DisagreeError", "FailedError", "ThreadError", "TimedOutError", "create", "open"]

_HANDLE = c_void_p if MPI._sizeof(MPI.Comm) == ctypes.sizeof(c_void_p) else c_int
_move = [c_uint64, c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_int64, c_void_p]
_text = POINTER(c_void_p)
_functions: dict[str, list[Any]] = {
    "drxmp_create": [_HANDLE, c_char_p, c_int, c_int, c_void_p, c_char_p, c_void_p],
    "drxmp_open": [_HANDLE, c_char_p, c_int, c_char_p, c_void_p],
    "drxmp_sync": [c_uint64], "drxmp_close": [c_uint64], "drxmp_discard": [c_uint64],
    "drxmp_refuse": [c_uint64, c_char_p, c_char_p], "drxmp_mpi": [_text],
    "drxmp_info": [c_uint64, _text], "drxmp_attrs": [c_uint64, _text],
    "drxmp_set_attr": [c_uint64, c_char_p, c_char_p], "drxmp_delete_attr": [c_uint64, c_char_p],
    "drxmp_refresh": [c_uint64, c_void_p], "drxmp_redistribute": [c_uint64, c_char_p],
    "drxmp_extend": [c_uint64, c_int, c_int64, c_int, c_int, c_void_p, c_void_p],
    "drxmp_shrink": [c_uint64, c_int, c_int64, c_int], "drxmp_add_dim": [c_uint64, c_char_p, c_void_p],
    "drxmp_owner": [c_uint64, c_int, c_void_p, c_void_p], "drxmp_boxes": [c_uint64, c_int, c_void_p],
    "drxmp_box": [c_uint64, c_int, c_int, c_int, c_void_p, c_void_p],
    "drxmp_read": _move, "drxmp_write": _move, "drxmp_read_all": _move, "drxmp_write_all": _move,
    "drxmp_read_zone_all": [c_uint64, c_int, c_void_p, c_int64], "drxmp_write_zone_all": [c_uint64, c_int, c_void_p, c_int64],
}


def _declare() -> None:
    """Declares the functions of drxmp.h, which the library must have, with the MPI of mpi4py."""
    if not hasattr(lib, "drxmp_mpi"):
        raise LibraryError(
            f"{lib._name} has no functions for MPI: import mpi4py.MPI before drx, which then loads libdrxmp if it is where libdrx "
            "is, or set DRX_LIBRARY to it; 'make lib' builds it where Open MPI is"
        )
    for name, arguments in _functions.items():
        getattr(lib, name).argtypes = arguments
    ours, theirs = take("drxmp_mpi").strip("\0\n "), MPI.Get_library_version().strip("\0\n ")
    if ours != theirs:
        raise LibraryError(f"{lib._name} is for {ours.splitlines()[0]}, mpi4py for {theirs.splitlines()[0]}: build both for one MPI")


_declare()

_open: list[Array] = []  # in the order of opening, which is the same in all processes


@atexit.register
def _close_all() -> None:
    """Discards what is still open at the end of the program: closing would commit, and mpi4py ends
    MPI next."""
    if _library.forked() or MPI.Is_finalized():
        return
    for a in list(_open):
        a.discard()


class Array:
    """An open array of several processes, as returned by ``open`` and ``create``.

    ``sync`` and ``close`` commit all changes of all processes at once; ``discard`` closes without a
    commit, and so does the end of the program. At the end of a ``with`` statement the changes are
    committed, after an exception in all processes discarded.
    """

    def __init__(self, handle: int, comm: MPI.Comm, mode: int) -> None:
        self._handle, self._mode = handle, mode
        #: The communicator that it was opened with.
        self.comm = comm
        self.closed = False
        self._changed()
        _open.append(self)

    def _changed(self) -> None:
        """Updates bounds and zones. They change only by calls of this object."""
        i = self.info()
        self.name: str = i["name"]
        self._number = NUMBERS[i["dtype"]]
        #: NumPy's type of the elements in memory.
        self.dtype = numpy_type(self._number)
        self._code = NUMBERS[self.dtype.name]
        #: The extents.
        self.shape = tuple(i["shape"])
        #: The lowest index and the highest index plus one, for each dimension.
        self.bounds = tuple(zip(i["lo"], i["hi"]))
        #: The names of the dimensions; "" for one without.
        self.dims = tuple(i["dims"])
        #: The extents of a chunk.
        self.chunks = tuple(i["chunk"])
        #: The boxes of this process, as keys; one unless the distribution is cyclic.
        self.zone = [_slices(lo, hi) for lo, hi in i["zone"]]
        self._axes = Axes(self.name, self.dims, self.shape, tuple(i["lo"]))

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def mode(self) -> str:
        """The mode in which it is open: r or r+."""
        return "r" if self._mode == READ else "r+"

    @property
    def attrs(self) -> Attrs:
        """The attributes. To set and to delete one is collective, with the same value."""
        return _Attrs(self)

    def info(self) -> dict[str, Any]:
        """What the array is, the distribution, and the zone of this process. Not collective."""
        return json.loads(take("drxmp_info", self._handle))

    def __repr__(self) -> str:
        if self.closed:
            return f"<drx.mpi.Array {self.name!r}, closed>"
        sizes = (f"{lo}:{hi}" if lo else str(hi) for lo, hi in self.bounds)
        dims = ", ".join(f"{name}: {size}" if name else size for name, size in zip(self.dims, sizes))
        return f"<drx.mpi.Array {self.name!r} {NAMES[self._number]} ({dims}) {self.mode!r}, {self.comm.rank} of {self.comm.size}>"

    # Zones.

    def zone_of(self, proc: int) -> list[tuple[slice, ...]]:
        """The boxes of a process, as keys. Not collective."""
        n, rank = c_int(), self.ndim
        call("drxmp_boxes", self._handle, proc, byref(n))
        boxes = []
        for i in range(n.value):
            lo, hi = (c_int64 * rank)(), (c_int64 * rank)()
            call("drxmp_box", self._handle, proc, i, rank, lo, hi)
            boxes.append(_slices(lo, hi))
        return boxes

    def zone_indices(self, proc: int | None = None) -> tuple[np.ndarray, ...]:
        """The indices of the zone of a process, by default of this one, in each dimension: for
        ``np.ix_``. Not collective."""
        boxes = self.zone if proc is None else self.zone_of(proc)
        return tuple(
            np.array(sorted({i for box in boxes for i in range(box[d].start, box[d].stop)}), np.int64) for d in range(self.ndim)
        )

    def owner(self, index: Sequence[int]) -> int:
        """The rank of the process in whose zone an element is. Not collective."""
        proc = c_int()
        at = (c_int64 * len(index))(*index)
        call("drxmp_owner", self._handle, len(index), at, byref(proc))
        return proc.value

    def redistribute(self, grid: Sequence[int] | None = None, distribution: Sequence[str] | None = None) -> None:
        """Gives chunks other owners, as the options of ``create``. No element moves in the file."""
        text = self._together("redistribute", lambda: _library.options({"grid": _ints(grid, "grid"), "distribution": distribution}))
        call("drxmp_redistribute", self._handle, text)
        self._changed()

    # Elements.

    def read(self, key: Any = ...) -> np.ndarray:
        """Reads the elements that a key of integers and slices selects. Not collective."""
        return self._read("drxmp_read", self._plan(key))

    def write(self, values: Any, key: Any = ...) -> None:
        """Writes values, which are broadcast and converted as in an assignment. The others see them
        after the next ``sync`` or ``write_all``. Not collective."""
        self._write("drxmp_write", *self._values(key, values))

    def read_all(self, key: Any = ...) -> np.ndarray | None:
        """``read`` of a section of each process. With None for a key this one reads nothing."""
        return self._read("drxmp_read_all", self._together("read", lambda: self._plan(key)))

    def write_all(self, values: Any, key: Any = ...) -> None:
        """``write`` of a section of each process; sections must not overlap. With None for a key
        this one writes nothing. All processes see the elements then."""
        self._write("drxmp_write_all", *self._together("write", lambda: self._values(key, values)))

    def read_zone(self) -> np.ndarray:
        """Reads the zones; returns that of this process, whose extents are those of
        ``zone_indices``."""
        out = np.empty([len(i) for i in self.zone_indices()], self.dtype)
        call("drxmp_read_zone_all", self._handle, self._code, out.ctypes.data, out.nbytes)
        return out

    def write_zone(self, values: Any) -> None:
        """Writes the zones; values are broadcast to that of this process."""
        shape = tuple(len(i) for i in self.zone_indices())
        zone = self._together("write", lambda: self._broadcast(values, shape))
        call("drxmp_write_zone_all", self._handle, self._number, zone.ctypes.data, zone.nbytes)

    def _together(self, what: str, prepare: Callable[[], Any]) -> Any:
        """What prepare returns. If it raises an exception, the other processes, which wait, get an
        error as well."""
        try:
            return prepare()
        except Exception as e:
            lib.drxmp_refuse(self._handle, encode(what, "call"), encode(str(e).removeprefix(self.name + ": "), "error"))
            raise

    def _plan(self, key: Any) -> Basic | None:
        """The box that a key selects, None for none."""
        if key is None:
            return None
        entries = parse(key, self._axes)
        if is_fancy(entries):
            raise InvalidError(f"{self.name}: {key!r:.100}: want integers, slices and ... for a key")
        return Basic(entries, self._axes.lo or ())

    def _values(self, key: Any, values: Any) -> tuple[Basic | None, np.ndarray | None]:
        plan = self._plan(key)
        if plan is None:
            return None, None
        values = self._broadcast(values, plan.shape)
        return plan, np.ascontiguousarray(values[plan.inverse])

    def _broadcast(self, values: Any, shape: tuple[int, ...]) -> np.ndarray:
        """Values in the type of the array's file, with a shape."""
        values = converted(values, self.dtype, self.name)
        if self._number == BFLOAT16:
            values = to_bfloat16(values)
        try:
            return np.ascontiguousarray(np.broadcast_to(values, shape)).reshape(shape)
        except ValueError:
            raise SizeError(f"{self.name}: values of shape {values.shape} cannot be broadcast to {shape}") from None

    def _read(self, name: str, plan: Basic | None) -> Any:
        if plan is None:
            self._section(name, None, self._code, np.empty(0, self.dtype))
            return None
        box = np.empty(plan.extents, self.dtype)
        self._section(name, plan, self._code, box)
        return box if plan.plain else box[plan.view]

    def _write(self, name: str, plan: Basic | None, values: np.ndarray | None) -> None:
        self._section(name, plan, self._number, np.empty(0) if values is None else values)

    def _section(self, name: str, plan: Basic | None, code: int, buffer: np.ndarray) -> None:
        n = self.ndim
        lo = [b[0] for b in self.bounds]
        lo, hi, step = (lo, lo, [1] * n) if plan is None else (plan.lo, plan.hi, plan.step)
        call(name, self._handle, n, *((c_int64 * n)(*x) for x in (lo, hi, step)), code, buffer.ctypes.data, buffer.nbytes, None)

    # Growth and commits.

    def _growth(self, dim: int | str, by: int, what: str) -> tuple[int, int]:
        """The number of a dimension, which the library refuses if it does not exist, and by."""

        def numbers() -> tuple[int, int]:
            if not isinstance(dim, str):
                return _int64(dim), _int64(by)
            if dim in self.dims and dim:
                return self.dims.index(dim), _int64(by)
            raise RankError(f"{self.name}: no dimension {dim!r}: {_named(self.dims)}")

        return self._together(f"{what} by {by!r} along {dim!r}", numbers)

    def extend(self, dim: int | str, by: int = 1, *, low: bool = False) -> tuple[slice, ...]:
        """Grows a dimension above the highest or below the lowest index, with the same arguments in
        all processes, and returns the new section. Zones change."""
        n = self.ndim
        lo, hi = (c_int64 * n)(), (c_int64 * n)()
        call("drxmp_extend", self._handle, *self._growth(dim, by, "extend"), LOW if low else HIGH, n, lo, hi)
        self._changed()
        return _slices(lo, hi)

    def shrink(self, dim: int | str, by: int = 1, *, low: bool = False) -> None:
        """Removes indices of a dimension, the highest or the lowest ones, and commits."""
        call("drxmp_shrink", self._handle, *self._growth(dim, by, "shrink"), LOW if low else HIGH)
        self._changed()

    def add_dim(self, name: str = "") -> int:
        """Adds a last dimension of extent 1, commits, and returns its number."""
        d = c_int()
        text = self._together("add dimension", lambda: encode(name, "dimension"))
        call("drxmp_add_dim", self._handle, text, byref(d))
        self._changed()
        return d.value

    def refresh(self) -> bool:
        """Refreshes the array to the last commit of a program outside of the group. Returns whether
        bounds have changed."""
        changed = c_int()
        call("drxmp_refresh", self._handle, byref(changed))
        self._changed()
        return bool(changed.value)

    def sync(self) -> None:
        """Commits what all processes have changed."""
        call("drxmp_sync", self._handle)

    def close(self) -> None:
        """Commits and closes. Another call has no effect."""
        self._end("drxmp_close")

    def discard(self) -> None:
        """Closes without a commit."""
        self._end("drxmp_discard")

    def _end(self, name: str) -> None:
        if self.closed:
            return
        self.closed = True
        _open.remove(self)
        check(getattr(lib, name)(self._handle))

    def __enter__(self) -> Array:
        return self

    def __exit__(self, kind: Any, *_rest: Any) -> None:
        (self.close if kind is None else self.discard)()


class _Attrs(Attrs):
    """Attributes whose changes are collective."""

    def __init__(self, a: Array) -> None:
        super().__init__(a.name, lambda: take("drxmp_attrs", a._handle), lambda n, v: lib.drxmp_set_attr(a._handle, n, v),
                         lambda n: lib.drxmp_delete_attr(a._handle, n))
        self._a = a

    def __setitem__(self, name: str, value: Any) -> None:
        self._a._together(f"set attribute {name!r}", lambda: (encode(name, "attribute"), to_json(value, f"attribute {name}")))
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        self._a._together(f"delete attribute {name!r}", lambda: self[name])
        super().__delitem__(name)


def _slices(lo: Sequence[int], hi: Sequence[int]) -> tuple[slice, ...]:
    return tuple(slice(a, b) for a, b in zip(lo, hi))


def _ints(values: Sequence[int] | None, name: str) -> list[int] | None:
    if isinstance(values, str):
        raise TypeError(f"{name} is a string: want a list of whole numbers")
    return None if values is None else [_int64(n) for n in values]


def _handle(comm: MPI.Comm) -> Any:
    """The communicator as C passes it."""
    if not isinstance(comm, MPI.Comm):
        raise TypeError(f"comm is {type(comm).__name__}: want a communicator of mpi4py")
    return _HANDLE.from_address(MPI._addressof(comm))


_KNOWN = ("cache", "goroutines", "durability", "checking", "grid", "distribution", "engine", "hints")


def _options(function: str, given: dict[str, Any]) -> dict[str, Any]:
    for key in given:
        if key not in _KNOWN:
            raise TypeError(unexpected(function, key))
    return {**given, "grid": _ints(given.get("grid"), "grid")}


def _opened(function: str, comm: MPI.Comm, prepare: Callable[[], tuple[Any, ...]], mode: int) -> Array:
    """Opens an array by a function of the library. If the arguments of this process are wrong, the
    others, which wait, get an error with the text of its own."""
    h = c_uint64()
    share_memory()
    group = _handle(comm)
    try:
        arguments = prepare()
    except Exception as e:
        lib.drxmp_open(group, b"", READ, json.dumps({str(e): 0}).encode(), byref(h))
        raise
    call(function, group, *arguments, byref(h))
    return Array(h.value, comm, mode)


def open(comm: MPI.Comm, name: Any, mode: str = "r", **options: Any) -> Array:
    """Opens an array in all processes of a communicator, with the same arguments.

    mode is "r" to read, or "r+" to read and change; all processes are one writer. cache,
    goroutines, durability and checking are as in ``drx.open``. grid is the number of processes per
    dimension, by default balanced; distribution is "block", "cyclic", "cyclic(3)" or
    "genblock(2 5)" for each dimension, by default blocks; engine is "direct", "mpiio" or "auto";
    hints are for MPI-IO.
    """
    def prepare() -> tuple[Any, ...]:
        if mode not in ("r", "r+"):
            raise InvalidError(f"mode {mode!r}: want 'r' to read, or 'r+' to read and change; drx.mpi.create makes a new one")
        number = READ if mode == "r" else WRITE
        return encode(name, "name"), number, _library.options(_options("open", options))

    return _opened("drxmp_open", comm, prepare, READ if mode == "r" else WRITE)


def create(comm: MPI.Comm, name: Any, shape: Sequence[int], dtype: Any = "float64", *, dims: Sequence[str] | None = None,
           chunks: Sequence[int] | None = None, fill: Any = None, lo: Sequence[int] | None = None,
           order: str | None = None, align: int | None = None, codec: Any = None, attrs: dict[str, Any] | None = None,
           **options: Any) -> Array:
    """Creates a new array, durably, and opens it for writing in all processes, with the same
    arguments: those of ``drx.create`` and of ``open``."""
    def prepare() -> tuple[Any, ...]:
        chosen = codec_from(f"{name}: ", codec, options, number_of(dtype))
        text = _library.options({**spec(dims, chunks, fill, lo, order, align, chosen, attrs, name), **_options("create", options)})
        extents = shape_of(shape)
        return encode(name, "name"), number_of(dtype), len(extents), extents, text

    return _opened("drxmp_create", comm, prepare, WRITE)
