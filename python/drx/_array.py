"""Arrays: properties, growth, opening and closing."""

from __future__ import annotations

import ctypes
import json
import operator
import os
import sys
import threading
import warnings
from ctypes import byref, c_int, c_int64, c_uint64
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Sequence

import numpy as np

from . import _library
from ._convert import converted
from ._elements import Elements
from ._errors import InvalidError, RankError, SizeError
from ._exit import opened, closed
from ._index import Axes
from ._library import HIGH, LOW, READ, SHARED, WRITE, call, check, encode, lib, long_call, take
from ._mappings import Attrs, Labels, array_attrs
from ._memory import share_memory
from ._stats import Grouped, Statistics, compute, only, save
from ._types import BFLOAT16, NAMES, NUMBERS, fill_json, number_of, numpy_type

if TYPE_CHECKING:
    from ._dataset import Dataset

Section = "tuple[slice, ...]"
Progress = Callable[[int, int], Any]

MODES = {"r": READ, "r+": WRITE, "shared": SHARED}


class Array(Elements, Statistics):
    """An open array, as returned by ``open`` and ``create``.

    ``a[...]`` follows NumPy: positions count from 0, negative ones from the end. ``a.at[...]`` uses
    the array's own indices, which begin below zero after growth on the low side and never count
    from the end; ``a.sel(...)`` selects by values of coordinates and by labels. ``a.oindex[...]``
    is ``a[...]`` with orthogonal arrays.

    ``sync`` and ``close`` commit all changes at once; ``discard`` closes without a commit. At the
    end of a ``with`` statement the changes are committed, after an exception discarded.
    """

    def __init__(self, handle: int, mode: int, options: dict[str, Any], dataset: Dataset | None = None) -> None:
        self._handle = handle
        self._mode = mode
        self._options = options
        self._dataset = dataset
        self._variable = ""  # the name in the dataset
        self._changing = threading.Lock()
        self._closed = False
        self._received = False  # unpickled: nobody closes it
        self.name: str = take("drx_name", handle)
        number = c_int()
        call("drx_dtype", handle, byref(number))
        self._set_type(number.value)
        self._changed()
        if dataset is None:
            opened(self)

    # Properties.

    def _changed(self) -> None:
        """Updates the present rank and bounds. They change only by calls for this array or its
        dataset."""
        with self._changing:  # otherwise a thread could store values that are out of date by now
            rank = c_int()
            call("drx_rank", self._handle, byref(rank))
            n = rank.value
            lo, hi = (c_int64 * n)(), (c_int64 * n)()
            call("drx_bounds", self._handle, n, lo, hi)
            dims = tuple(take("drx_dim_name", self._handle, d) for d in range(n))
            self._set_bounds(tuple(lo), tuple(hi), dims)

    @property
    def path(self) -> str:
        """The absolute name."""
        return os.path.abspath(self.name)

    @property
    def dtype_name(self) -> str:
        """The name of the element type in the file. ``dtype`` is NumPy's type; they differ only for
        bfloat16."""
        return NAMES[self._number]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        n = 1
        for extent in self.shape:
            n *= extent
        return n

    @property
    def nbytes(self) -> int:
        """The size of all elements in memory, in bytes."""
        return self.size * self.dtype.itemsize

    @property
    def bounds(self) -> tuple[tuple[int, int], ...]:
        """The lowest index and the highest index plus one, for each dimension."""
        return tuple(zip(self._lo, self._hi))

    @property
    def dims(self) -> tuple[str, ...]:
        """The names of the dimensions; "" for one without."""
        return tuple(self._axes.dims)

    @property
    def chunks(self) -> tuple[int, ...]:
        """The extents of a chunk."""
        chunk = (c_int64 * self.ndim)()
        call("drx_chunk", self._handle, self.ndim, chunk)
        return tuple(chunk)

    @property
    def fill_value(self) -> Any:
        """The value of unwritten elements."""
        value = np.empty((), self.dtype)
        call("drx_fill_value", self._handle, self._code, value.ctypes.data)
        return value[()]

    @property
    def order(self) -> str:
        """The order of the elements in a chunk: row, col, morton or hilbert."""
        return self.info()["order"]

    @property
    def mode(self) -> str:
        """The mode in which the array is open: r, r+ or shared."""
        return next(m for m, number in MODES.items() if number == self._mode)

    @property
    def attrs(self) -> Attrs:
        """The attributes, as a mapping."""
        return array_attrs(self)

    @property
    def labels(self) -> Labels:
        """The labels of the dimensions, as a mapping."""
        return Labels(self)

    @property
    def closed(self) -> bool:
        return self._closed or self._dataset is not None and self._dataset.closed

    def info(self) -> dict[str, Any]:
        """The output of ``drx info --json``."""
        return json.loads(take("drx_info", self._handle))

    def history(self) -> list[dict[str, Any]]:
        """The committed changes, as printed by ``drx log --json``."""
        return json.loads(take("drx_history", self._handle))

    @property
    def snapshot(self) -> str:
        """The commit that the array shows, for ``commit`` of ``open``: its number and the digits of
        its line in the log."""
        return take("drx_snapshot", self._handle)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(self.shape[0]))

    def __repr__(self) -> str:
        if self.closed:
            return f"<drx.Array {self.name!r}, closed>"
        sizes = (f"{lo}:{hi}" if lo else str(hi) for lo, hi in self.bounds)
        dims = ", ".join(f"{name}: {size}" if name else size for name, size in zip(self.dims, sizes))
        return f"<drx.Array {self.name!r} {self.dtype_name} ({dims}) {self.mode!r}>"

    def _repr_html_(self) -> str:
        from ._html import page

        return page(self)

    def _dim(self, dim: int | str) -> int:
        """The number of a dimension; negative numbers count from the end."""
        if isinstance(dim, str):
            if dim in self.dims and dim:
                return self.dims.index(dim)
            raise RankError(f"{self.name}: no dimension {dim!r}: {_named(self.dims)}")
        d = operator.index(dim)
        if not -self.ndim <= d < self.ndim:
            raise RankError(f"{self.name}: dimension {d}: it has dimensions 0 to {self.ndim - 1}")
        return d % self.ndim

    # Growth.

    def _alone(self, instead: str) -> None:
        """Raises an error for an array of a dataset, which says what to do instead."""
        if self._dataset is not None:
            raise InvalidError(f"{self.name}: it belongs to a dataset: {instead}")

    def _grow(self, name: str, dim: int | str, by: int, low: bool, *key: bytes) -> tuple[slice, ...]:
        self._alone("Dataset.extend grows a dimension of all its variables, drx.append and to_drx(append_dim=) append to them")
        n = self.ndim
        lo, hi = (c_int64 * n)(), (c_int64 * n)()
        call(name, self._handle, *key, self._dim(dim), _int64(by), LOW if low else HIGH, n, lo, hi)
        self._changed()
        return tuple(slice(a, b) for a, b in zip(lo, hi))

    def extend(self, dim: int | str, by: int = 1, *, low: bool = False) -> tuple[slice, ...]:
        """Grows a dimension by the given number of elements, above the highest or below the lowest
        index.

        Returns the new section, for ``a.at``: ``a.at[a.extend("time", 1)] = image``. No element
        changes its index; the new ones have the fill value.
        """
        return self._grow("drx_extend", dim, by, low)

    def append(self, values: Any, dim: int | str = 0, *, low: bool = False, clip: bool = False) -> tuple[slice, ...]:
        """Grows a dimension by the extent of values along it, and writes them.

        values have the extents of the array in all other dimensions. If they lack the dimension, it
        grows by one. In mode ``shared`` the new section is reserved first. Returns the new section.
        Values are converted as in an assignment; clip is as in ``write``.
        """
        d = self._dim(dim)
        values = np.asarray(self._stored(values))
        given = values.shape
        if values.ndim == self.ndim - 1:
            values = np.expand_dims(values, d)
        want = self.shape[:d] + ("any",) + self.shape[d + 1 :]
        if values.ndim != self.ndim or any(w != "any" and w != n for w, n in zip(want, values.shape)):
            raise SizeError(f"{self.name}: values of shape {given}, appended along dimension {self.dims[d] or d}: want "
                            f"({', '.join(map(str, want))})")
        values = converted(values, self.dtype, self.name, clip)
        if values.shape[d] == 0:
            edge = self._lo[d] if low else self._hi[d]
            return tuple(slice(edge, edge) if e == d else slice(*b) for e, b in enumerate(self.bounds))
        grow = self.reserve if self._mode == SHARED else self.extend
        new = grow(d, values.shape[d], low=low)
        self.at[new] = values
        return new

    def reserve(self, dim: int | str, by: int = 1, *, low: bool = False, key: str | None = None) -> tuple[slice, ...]:
        """``extend`` for an array in mode ``shared``: the new section belongs to the caller. It is
        committed at once.

        Calls with the same key return the same section, in any process: a task that is retried
        because its worker was killed gets its section again and appends nothing twice. ``compact``
        forgets keys.
        """
        if key is None:
            return self._grow("drx_reserve", dim, by, low)
        return self._grow("drx_reserve_key", dim, by, low, encode(key, "key"))

    def shrink(self, dim: int | str, by: int = 1, *, low: bool = False) -> None:
        """Removes the given number of indices of a dimension, the highest or the lowest ones."""
        self._alone("drx shrink removes indices of all its variables")
        call("drx_shrink", self._handle, self._dim(dim), _int64(by), LOW if low else HIGH)
        self._changed()

    def add_dim(self, name: str = "") -> int:
        """Adds a last dimension of extent 1 and returns its number."""
        self._alone("create a variable with more dimensions")
        d = c_int()
        call("drx_add_dim", self._handle, encode(name, "dimension"), byref(d))
        self._changed()
        return d.value

    def rename_dim(self, dim: int | str, name: str) -> None:
        """Gives a dimension another name, "" for none. No element moves; ``cell_methods`` follows.
        """
        self._alone("Dataset.rename renames a dimension of all its variables")
        call("drx_rename_dim", self._handle, self._dim(dim), encode(name, "dimension"))
        self._changed()

    # Commits.

    def sync(self) -> None:
        """Commits all changes: they become durable and visible to others."""
        self._alone("Dataset.sync commits all its variables")
        call("drx_sync", self._handle)

    def close(self) -> None:
        """Commits all changes and closes the array. Does nothing if it is closed already."""
        self._end("drx_close")

    def discard(self) -> None:
        """Closes the array without a commit: the changes since the last ``sync`` are lost."""
        self._end("drx_discard")

    def _end(self, name: str) -> None:
        if self._closed:
            return
        self._alone("Dataset.close commits and closes it, Dataset.discard without a commit")
        try:
            call(name, self._handle)
        finally:
            if self._dataset is None:
                self._closed = True
                closed(self)

    def __enter__(self) -> Array:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if self._dataset is None:
            self.close() if kind is None else self.discard()

    def __del__(self) -> None:
        if getattr(self, "_dataset", self) is not None or self._closed or _library.forked():
            return
        if self._mode != READ and not self._received:
            warnings.warn(f"{self!r} was not closed: it is committed now", ResourceWarning, stacklevel=2, source=self)
        self._end("drx_close")

    def share(self) -> None:
        """Commits, and changes mode ``r+`` to ``shared``: from now on other processes can write
        elements, too."""
        if self._dataset is not None or self._mode == READ:
            raise InvalidError(f"{self.name}: share() is for an array in mode r+, this one is in mode {self.mode}"
                               + (" and belongs to a dataset" if self._dataset is not None else ""))
        if self._mode == SHARED:
            return
        self.close()
        other = open(self.path, "shared", **self._options)
        other._closed = True  # its handle is this array's
        closed(other)
        self._handle, self._mode, self._closed = other._handle, SHARED, False
        self._changed()
        opened(self)

    def __reduce__(self) -> Any:
        """Pickles the array by name: unpickling opens it as it was last committed, for reading or,
        if it is shared, in that mode.

        An array in mode ``r+`` that is sent to the workers of a dask cluster becomes shared, so
        that they can write to it.
        """
        if self._dataset is not None:
            mode = "shared" if self._mode == SHARED else "r"
            return _reopen_variable, (self._dataset.path, self._variable, self._dataset._options, mode)
        if self._mode == WRITE and _has_cluster():
            warnings.warn(f"{self!r} goes to workers of dask: it is in mode 'shared' from now on, as by share()", stacklevel=2)
            self.share()
        return _reopen, (self.path, {k: v for k, v in self._options.items() if v is not None}, "shared" if self._mode == SHARED else "r")

    def refresh(self) -> bool:
        """Refreshes the array to the last commit of others. Returns whether bounds or attributes
        have changed."""
        if self._dataset is not None:
            before = self.bounds
            self._dataset.refresh()
            return self.bounds != before
        changed = c_int()
        call("drx_refresh", self._handle, byref(changed))
        self._changed()
        return bool(changed.value)

    def follow(self, timeout: float | None = None) -> Iterator[dict[str, Any]]:
        """Yields every change that a writer commits, in the form of ``history``, until the given
        number of seconds has passed.

        The array is refreshed before each change is yielded. Only an array in mode ``r`` can be
        followed.
        """
        from ._follow import follow

        return follow(self, timeout)

    # Long calls. They call progress(done, total) repeatedly; an exception in it ends the call.

    def verify(self, progress: Progress | None = None) -> dict[str, Any]:
        """Verifies every written chunk against its checksum and returns the report of ``drx verify
        --json``.

        Damage raises CorruptError, which also has the report. progress counts chunks.
        """
        return json.loads(long_call("drx_verify", self._handle, progress=progress, text=True))

    def compact(self, progress: Progress | None = None) -> None:
        """Commits, and rewrites the files as if the array had been created with its present bounds.
        progress counts chunks."""
        self._alone("close the dataset, and open the array by its name")
        long_call("drx_compact", self._handle, progress=progress)

    def recompress(self, codec: Any, progress: Progress | None = None) -> None:
        """Commits, and rewrites the chunks in place, compressed by another codec, named as for
        ``create``.

        "none" decompresses them, and "auto" tries some codecs on the elements; ``info()["codec"]``
        is the chosen one. Others can read meanwhile. An array whose recompression was interrupted,
        even by a kill, is valid, with chunks of several codecs, and the same call continues.
        progress counts chunks.
        """
        self._alone("close the dataset, and open the array by its name")
        codec = codec_from(f"{self.name}: ", codec, {}, number_of(self.dtype_name))
        long_call("drx_recompress", self._handle, encode(codec, "codec"), progress=progress)

    # Statistics, computed by the library.

    def stats(self, *functions: str, dim: Any = None, **options: Any) -> dict[str, Any]:
        return compute(self, functions, dim, **options)[0]

    stats.__doc__ = Statistics.stats.__doc__

    def save(self, name: str, *functions: str, dim: Any = None, **options: Any) -> list[str]:
        return save(self, name, functions, dim, **options)

    save.__doc__ = Statistics.save.__doc__

    def groupby(self, group: str, groups: Mapping[str, str] | None = None) -> Grouped:
        """Groups the times of a dimension, as in "time.month": by year, quarter, season, month,
        dayofyear, day or hour; or by a level of its labels, as in "item.category"; several levels
        from the coarsest down, as in "time.year/month"; or, with groups, which has the group of
        each label, the labels of a dimension:
        ``groupby("store", {"north": "cold", "south": "warm"})``."""
        if groups is not None:
            return Grouped(self, group, groups={str(k): str(v) for k, v in groups.items()})
        dim, _, part = group.partition(".")
        if not part:
            raise InvalidError(f"groupby {group!r}: want a dimension and a part of dates, as in 'time.month', or a level of its "
                               "labels, as in 'item.category'; or groups, a dict with the group of each label")
        return Grouped(self, dim, by=part)

    def resample(self, **how: str) -> Grouped:
        """Groups the times of a dimension by periods, as in ``resample(time="6h")``: s, min, h, D,
        W, M or Y."""
        dim, period = only(how, "resample")
        return Grouped(self, dim, every=period)

    def coarsen(self, **how: int) -> Grouped:
        """Groups of n consecutive indices of a dimension, or of several, as in ``coarsen(y=2,
        x=2)``; the last one may be smaller. ``resample`` has periods, and ``drx.coarsen`` both."""
        for dim, n in how.items():
            if isinstance(n, str):
                raise InvalidError(f"coarsen: {dim}={n!r}: want a number of indices; resample({dim}={n!r}) has periods, "
                                   "and drx.coarsen both")
        if len(how) > 1:
            return Grouped(self, None, windows={dim: operator.index(n) for dim, n in how.items()})
        dim, n = only(how, "coarsen")
        return Grouped(self, dim, every=str(operator.index(n)))

    def rolling(self, **how: int) -> Grouped:
        """Windows of n consecutive indices of a dimension, as in ``rolling(time=7)``; only complete
        ones."""
        dim, n = only(how, "rolling")
        return Grouped(self, dim, rolling=n)

    def relayout(self, name: Any, *, dtype: Any = None, chunks: Sequence[int] | None = None, order: str | None = None,
                 dims: Sequence[int | str] | None = None, section: Any = None, memory: int | None = None,
                 clip: bool = False, digits: int | None = None, bits: int | None = None, progress: Progress | None = None,
                 resume: bool = False, **options: Any) -> Array:
        """Copies the array, or a section of it, to a new one with other chunks, another type or
        another order of the dimensions.

        dims are the dimensions of this array in the order of the new one, section is a tuple of
        slices as for ``at``. The copy uses at most memory bytes for buffers. It is returned,
        committed and open for writing. Numbers are rounded to the new type; clip also allows those
        that do not fit; digits rounds floating-point numbers to significant digits, bits to bits of
        the fraction, as netCDF does. Chunks are compressed as in this array, unless codec is given.
        progress counts bytes. After an exception the new array does not exist. With resume it
        stays, marked as incomplete, and the same call continues the copy, even after the process
        was killed; it begins one if there is none, and returns one that is complete.
        """
        from ._manage import relayout

        return relayout(self, name, dtype, chunks, order, dims, section, memory, clip, digits, bits, progress, resume, options)


def _named(dims: Sequence[str]) -> str:
    """The dimensions of an array, for errors."""
    if not any(dims):
        return f"its dimensions have no names: give a number from 0 to {len(dims) - 1}"
    return "it has " + ", ".join(name or str(d) for d, name in enumerate(dims))


def _int64(n: Any) -> int:
    n = operator.index(n)
    if not -(2**63) <= n < 2**63:
        raise InvalidError(f"{n} does not fit 64 bits")
    return n


def open(name: Any, mode: str = "r", *, cache: int | None = None, goroutines: int | None = None,
         durability: str | None = None, checking: str | None = None, commit: int | str | None = None,
         wait: float | None = None, round: bool = False) -> Array:
    """Opens an array.

    mode is "r" to read, even while others write; "r+" to read and change, one process at a time; or
    "shared" to write elements beside other processes, anywhere, and to append to reserved sections.
    cache is the memory for chunks and pages of files in bytes, by default a part of the memory of
    ``set_memory``; goroutines is the number of threads that one call may use; durability is "full",
    "nojournal" or "none"; checking is "first", "always" or "never". With commit the array is as
    after this commit, a number from 1, an ``Array.snapshot``, or "last". Then it stays so, also if
    it is pickled: whoever reads a chunk that was overwritten or dropped since gets ``GoneError``.
    wait is the time in seconds to wait for a lock of another process, by default 0. With round the
    floating-point numbers that are written are rounded as netCDF's attribute of the array says, if
    it has one; otherwise they are stored as they are.
    """
    if mode not in MODES:
        raise InvalidError(f"mode {mode!r}: want 'r' to read, 'r+' to read and change, or 'shared' to write beside others; drx.create makes a new one")
    chosen = {"cache": cache, "goroutines": goroutines, "durability": durability, "checking": checking, "commit": commit, "wait": wait,
              "round": round or None}
    h = c_uint64()
    share_memory()
    call("drx_open", encode(name, "name"), MODES[mode], _library.options(chosen), byref(h))
    a = Array(h.value, MODES[mode], chosen)
    if commit == "last":
        chosen["commit"] = a.snapshot  # for who unpickles it
    return a


def create(name: Any, shape: Sequence[int], dtype: Any = "float64", *, dims: Sequence[str] | None = None,
           chunks: Sequence[int] | None = None, fill: Any = None, lo: Sequence[int] | None = None,
           order: str | None = None, align: int | None = None, codec: Any = None, attrs: dict[str, Any] | None = None,
           digits: int | None = None, bits: int | None = None, **options: Any) -> Array:
    """Creates a new array, durably, and opens it for writing.

    shape may have extents of 0. dims names the dimensions. chunks are the extents of a chunk, by
    default of about 1 MiB. fill is the value of unwritten elements, lo are the low bounds, order is
    the order of the elements in a chunk in the file: "row", "col", "morton" or "hilbert". Every
    chunk begins at a multiple of align bytes. codec compresses the chunks: "zstd:3", "lz4" or
    "blosc:zstd:5:shuffle", for example, or an equivalent object of numcodecs or Zarr. compression,
    compression_opts and the like of h5py and hdf5plugin, and compressor of Zarr, are accepted where
    a codec of DRX is equivalent; others are refused with an error that suggests a codec. digits
    rounds floating-point numbers that are written to significant digits, bits to bits of the
    fraction, and the array gets the attribute of netCDF that says so. options are those of
    ``open``.
    """
    codec = codec_from(f"{os.fspath(name)}: ", codec, options, number_of(dtype))
    known = {k: options.pop(k, None) for k in ("cache", "goroutines", "durability", "checking")}
    if options:
        raise TypeError(unexpected("create", next(iter(options))))
    text = _library.options({**spec(dims, chunks, fill, lo, order, align, codec, attrs, name), "digits": digits, "bits": bits, **known})
    extents = shape_of(shape)
    h = c_uint64()
    share_memory()
    call("drx_create", encode(name, "name"), number_of(dtype), len(extents), extents, text, byref(h))
    return Array(h.value, WRITE, {**known, "round": (digits or bits) is not None or None})


def shape_of(shape: Any) -> ctypes.Array[c_int64]:
    """A shape for C; an integer means one dimension."""
    try:
        extents = [_int64(n) for n in ([shape] if hasattr(shape, "__index__") else shape)]
    except TypeError:
        raise TypeError(f"shape {shape!r:.100}: want an integer for each dimension") from None
    return (c_int64 * len(extents))(*extents)


def unexpected(function: str, keyword: str) -> str:
    """The message about an unknown argument, with what there is instead of arguments of h5py and
    Zarr."""
    others = {"maxshape": "every dimension can grow", "data": "assign it, a[...] = data", "fillvalue": "fill is the value",
              "fill_value": "fill is the value", "attributes": "attrs are the attributes", "chunk": "chunks are the extents of a chunk",
              "dimension_names": "dims are the names", "overwrite": "drx.remove removes what is there"}
    hint = f": {others[keyword]}" if keyword in others else ""
    return f"{function}() got an unexpected keyword argument {keyword!r}{hint}"


def codec_from(what: str, codec: Any, options: dict[str, Any], dtype: int) -> str | None:
    """The codec of a new array, from codec or from the keywords of other formats, which are removed
    from options."""
    from ._encoding import WORDS, codec_of

    given = {key: options.pop(key) for key in WORDS if key in options}
    if not given and (codec is None or isinstance(codec, str)):
        return codec
    return codec_of(what, codec, given, _library.lib.drx_dtype_size(dtype))


def spec(dims: Any, chunks: Any, fill: Any, lo: Any, order: Any, align: Any, codec: Any, attrs: Any, name: Any) -> dict[str, Any]:
    """The description of a new array, as options of the library."""
    from ._mappings import to_json

    def ints(values: Any) -> Any:
        return None if values is None else [_int64(n) for n in ([values] if hasattr(values, "__index__") else values)]

    return {
        "dims": None if dims is None else [str(d) for d in ([dims] if isinstance(dims, str) else dims)],
        "chunk": ints(chunks), "fill": None if fill is None else fill_json(fill), "lo": ints(lo), "order": order,
        "align": align, "codec": codec, "attrs": json.loads(to_json(dict(attrs), f"{name}: attrs")) if attrs else None,
    }


def _reopen(path: str, options: dict[str, Any], mode: str = "r") -> Array:
    a = open(path, mode, **options)
    a._received = True
    return a


def _reopen_variable(folder: str, name: str, options: dict[str, Any], mode: str = "r") -> Array:
    from ._dataset import open_dataset

    d = open_dataset(folder, mode, **options)
    d._received = True
    return d[name]


def _has_cluster() -> bool:
    """Whether a dask cluster executes the computations of this process."""
    client: Any = sys.modules.get("distributed.client")
    return client is not None and client._get_global_client() is not None
