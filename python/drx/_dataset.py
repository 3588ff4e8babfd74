"""Datasets: folders of arrays that share dimensions, which grow together."""

from __future__ import annotations

import json
import os
import warnings
from ctypes import byref, c_int64, c_uint64
from typing import Any, Iterator, Mapping, Sequence

import numpy as np

from . import _library
from ._array import MODES, Array, _int64, codec_from, shape_of, spec, unexpected
from ._errors import DatasetError, InvalidError
from ._exit import closed, opened
from ._library import HIGH, LOW, READ, SHARED, WRITE, call, encode, lib, take
from ._mappings import Attrs
from ._memory import share_memory
from ._types import number_of


class Dataset(Mapping[str, Array]):
    """An open dataset: its variables by name, as returned by ``open_dataset`` and
    ``create_dataset``.

    The variables belong to the dataset: ``extend`` grows them, and they are closed with it.
    ``sync`` and ``close`` commit all changes, ``discard`` closes without a commit. At the end of a
    ``with`` statement the changes are committed, after an exception discarded.
    """

    def __init__(self, handle: int, mode: int, folder: str, options: dict[str, Any]) -> None:
        self._handle, self._mode, self._options = handle, mode, options
        self.name = folder
        self.path = os.path.abspath(folder)
        self._arrays: dict[str, Array] = {}
        self._closed = False
        self._received = False  # unpickled: nobody closes it
        opened(self)

    def info(self) -> dict[str, Any]:
        """The output of ``drx info --json``."""
        return json.loads(take("drx_dataset_info", self._handle))

    @property
    def mode(self) -> str:
        return next(m for m, number in MODES.items() if number == self._mode)

    @property
    def closed(self) -> bool:
        return self._closed

    @property
    def dims(self) -> dict[str, tuple[int, int]]:
        """The bounds of the dimensions, by name."""
        return {name: (lo, hi) for name, (lo, hi) in self.info()["bounds"].items()}

    @property
    def groups(self) -> list[str]:
        return sorted(self.info()["groups"])

    @property
    def attrs(self) -> Attrs:
        """The attributes of the dataset, as a mapping."""
        return self.group_attrs("")

    def group_attrs(self, group: str) -> Attrs:
        """The attributes of a group, as a mapping."""
        g = encode(group, "group")
        return Attrs(  # the functions keep the dataset, which may be a temporary one
            f"{self.name}/{group}".rstrip("/"), lambda: take("drx_dataset_attrs", self._handle, g),
            lambda n, v: lib.drx_dataset_set_attr(self._handle, g, n, v),
            lambda n: lib.drx_dataset_delete_attr(self._handle, g, n),
        )

    def __getitem__(self, name: str) -> Array:
        h = c_uint64()
        call("drx_dataset_variable", self._handle, encode(name, "variable"), byref(h))
        known = self._arrays.get(name)
        if known is None or known._handle != h.value:  # refresh may have found another array
            known = self._arrays[name] = Array(h.value, self._mode, self._options, self)
            known._variable = name
        return known

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.info()["variables"]))

    def __len__(self) -> int:
        return len(self.info()["variables"])

    def __contains__(self, name: object) -> bool:
        return name in self.info()["variables"]

    def __repr__(self) -> str:
        if self._closed:
            return f"<drx.Dataset {self.name!r}, closed>"
        dims = ", ".join(f"{d}: {lo}:{hi}" if lo else f"{d}: {hi}" for d, (lo, hi) in self.dims.items())
        return f"<drx.Dataset {self.name!r} ({dims}) of {', '.join(self) or 'no variables'} {self.mode!r}>"

    def create_variable(self, name: str, dtype: Any = "float64", dims: Sequence[str] | None = None, *,
                        shape: Sequence[int] | None = None, chunks: Sequence[int] | None = None, fill: Any = None,
                        lo: Sequence[int] | None = None, order: str | None = None, align: int | None = None, codec: Any = None,
                        attrs: dict[str, Any] | None = None, digits: int | None = None, bits: int | None = None,
                        pending: bool = False, **compression: Any) -> Array:
        """Creates a variable, durably. Without shape its dimensions must exist, and determine
        extents and low bounds.

        With pending readers see it from the next ``sync`` or ``close`` on, together with everything
        else created in this way, and ``discard`` removes it; enclosing groups are created, too.
        Chunks are compressed, and numbers rounded, as for ``drx.create``, with the same arguments.
        """
        codec = codec_from(f"{self.name}/{name}: ", codec, compression, number_of(dtype))
        if compression:
            raise TypeError(unexpected("create_variable", next(iter(compression))))
        described = spec(dims, chunks, fill, lo, order, align, codec, attrs, f"{self.name}/{name}")
        text = _library.options({**described, "digits": digits, "bits": bits, "pending": pending or None})
        extents = None if shape is None else shape_of(shape)
        rank = 0 if extents is None else len(extents)
        call("drx_dataset_create_variable", self._handle, encode(name, "variable"), number_of(dtype), rank, extents, text, None)
        self._changed()
        return self[name]

    def create_group(self, group: str) -> None:
        """Creates a group of variables, durably. Its variables have names of the form
        ``group/variable``."""
        call("drx_dataset_create_group", self._handle, encode(group, "group"))

    def extend(self, dim: str, by: int = 1, *, low: bool = False) -> slice:
        """Grows a dimension in all its variables, and returns the new indices, for ``at``."""
        lo, hi = c_int64(), c_int64()
        side = LOW if low else HIGH
        call("drx_dataset_extend", self._handle, encode(dim, "dimension"), _int64(by), side, byref(lo), byref(hi))
        self._changed()
        return slice(lo.value, hi.value)

    def rename(self, name: str, new: str) -> None:
        """Gives a variable, a dimension, or a coordinate with its dimension another name, in place
        and in one commit.

        No element moves. All variables with the dimension follow, and so do the attributes that
        name what is renamed, as ``coordinates`` and ``bounds``. Arrays obtained before must not be
        used any more; indexing opens them again.
        """
        self._without_arrays("drx_dataset_rename", encode(name, "name"), encode(new, "name"))

    def coarsen(self, dst: Any, windows: Mapping[str, int | str], **options: Any) -> dict[str, Any]:
        """Makes the dataset dst, as ``drx.coarsen``: ``ds.coarsen("daily", {"time": "1D"},
        func="max")``."""
        from ._whole import coarsen

        return coarsen(self, dst, windows, **options)

    def regrid(self, dst: Any, to: Any, **options: Any) -> dict[str, Any]:
        """Makes the dataset dst with other coordinates, as ``drx.regrid``: ``ds.regrid("finer",
        {"lat": "-90:90:0.5"})``."""
        from ._whole import regrid

        return regrid(self, dst, to, **options)

    def coordinate(self, dim: str) -> np.ndarray:
        """The values of a dimension's coordinate: numbers, scaled by its attributes, or times in
        its units."""
        lo, hi = self._dim(dim)
        values = np.empty(hi - lo)
        call("drx_dataset_coordinate", self._handle, encode(dim, "dimension"), lo, hi, values.ctypes.data)
        return values

    def coordinate_text(self, dim: str) -> list[str]:
        """The same as text, in the form that ``Array.sel`` accepts."""
        return json.loads(take("drx_dataset_coordinate_text", self._handle, encode(dim, "dimension"), *self._dim(dim)))

    def _dim(self, dim: str) -> tuple[int, int]:
        lo, hi = c_int64(), c_int64()
        call("drx_dataset_dim", self._handle, encode(dim, "dimension"), byref(lo), byref(hi))
        return lo.value, hi.value

    def _changed(self) -> None:
        for name in list(self._arrays):
            try:
                self[name]._changed()
            except DatasetError:  # it was removed
                del self._arrays[name]

    def sync(self) -> None:
        """Commits all changes of all variables; readers see a dimension grow at one moment."""
        call("drx_dataset_sync", self._handle)

    def release(self) -> None:
        """Commits all changes, as ``sync`` does, and closes the arrays of all variables, for
        programs that visit many.

        Indexing opens them again; arrays obtained before must not be used any more.
        """
        self._without_arrays("drx_dataset_release")

    def prepare(self) -> None:
        """Makes all changes durable, but none visible, and closes the arrays: the first phase of a
        commit.

        Then other processes can open the arrays, as ``drx.open("folder/variable", "shared")``, and
        write to new indices and to variables created with pending, while the dataset stays locked
        here. ``sync`` and ``close`` show everything at one moment, ``discard`` undoes it. The
        growth of a dimension without a coordinate is visible at once.
        """
        self._without_arrays("drx_dataset_prepare")

    def _without_arrays(self, name: str, *args: Any) -> None:
        """Calls a function that closes the arrays of all variables."""
        call(name, self._handle, *args)
        for a in self._arrays.values():
            a._closed = True
        self._arrays.clear()

    def refresh(self) -> None:
        """Refreshes the dataset to the last commit of others."""
        call("drx_dataset_refresh", self._handle)
        self._changed()

    def close(self) -> None:
        """Commits all changes and closes the dataset with its variables. Does nothing if it is
        closed already."""
        self._end("drx_dataset_close")

    def discard(self) -> None:
        """Closes the dataset without a commit: the changes since the last ``sync`` are lost."""
        self._end("drx_dataset_discard")

    def _end(self, name: str) -> None:
        if not self._closed:
            self._closed = True
            closed(self)
            call(name, self._handle)

    def __enter__(self) -> Dataset:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        self.close() if kind is None else self.discard()

    def __del__(self) -> None:
        if getattr(self, "_closed", True) or _library.forked():
            return
        if self._mode != READ and not self._received:
            warnings.warn(f"{self!r} was not closed: it is committed now", ResourceWarning, stacklevel=2, source=self)
        self._end("drx_dataset_close")

    def __reduce__(self) -> Any:
        """Pickles the dataset by name: unpickling opens it as it was last committed, for reading
        or, if it is shared, in that mode."""
        return _reopen, (self.path, self._options, "shared" if self._mode == SHARED else "r")

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


def _reopen(path: str, options: dict[str, Any], mode: str = "r") -> Dataset:
    d = open_dataset(path, mode, **options)
    d._received = True
    return d


def open_dataset(folder: Any, mode: str = "r", *, cache: int | None = None, goroutines: int | None = None,
                 durability: str | None = None, checking: str | None = None, wait: float | None = None,
                 round: bool = False) -> Dataset:
    """Opens a dataset, or any folder of arrays, in mode "r", "r+" or "shared". The options are
    those of ``open``.

    In mode "shared" elements of variables can be written, beside other processes, and nothing else.
    """
    if mode not in MODES:
        raise InvalidError(f"mode {mode!r}: want 'r' to read, 'r+' to read and change, or 'shared' to write beside others; drx.create_dataset makes a new one")
    chosen = {"cache": cache, "goroutines": goroutines, "durability": durability, "checking": checking, "wait": wait,
              "round": round or None}
    h = c_uint64()
    share_memory()
    call("drx_dataset_open", encode(folder, "folder"), MODES[mode], _library.options(chosen), byref(h))
    return Dataset(h.value, MODES[mode], os.fsdecode(folder), chosen)


def create_dataset(folder: Any, *, cache: int | None = None, goroutines: int | None = None,
                   durability: str | None = None, checking: str | None = None,
                   attrs: dict[str, Any] | None = None) -> Dataset:
    """Creates an empty dataset and opens it for writing."""
    chosen = {"cache": cache, "goroutines": goroutines, "durability": durability, "checking": checking}
    h = c_uint64()
    share_memory()
    call("drx_dataset_create", encode(folder, "folder"), _library.options(chosen), byref(h))
    d = Dataset(h.value, WRITE, os.fsdecode(folder), chosen)
    try:
        d.attrs.update(attrs or {})
    except BaseException:
        d.discard()  # nobody else has it
        raise
    return d
