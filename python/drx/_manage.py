"""Arrays by name: exist, remove, rename, copy, list, salvage."""

from __future__ import annotations

import json
from ctypes import byref, c_int, c_uint64
from typing import TYPE_CHECKING, Any, Callable

from . import _library
from ._errors import MismatchError
from ._index import Basic, parse
from ._library import WRITE, call, encode, long_call, take
from ._types import number_of

if TYPE_CHECKING:
    from ._array import Array

Progress = Callable[[int, int], Any]


def exists(name: Any) -> bool:
    """Whether there is an array with the name."""
    found = c_int()
    call("drx_exists", encode(name, "name"), byref(found))
    return bool(found.value)


def remove(name: Any) -> None:
    """Removes an array with all its files."""
    call("drx_remove", encode(name, "name"))


def rename(old: Any, new: Any) -> None:
    """Renames an array within a file system."""
    call("drx_rename", encode(old, "name"), encode(new, "name"))


def copy_files(name: Any, new: Any, progress: Progress | None = None) -> None:
    """Copies the files of an array unchanged. progress(done, total) counts bytes; an exception in
    it ends the copy."""
    long_call("drx_copy_files", encode(name, "name"), encode(new, "name"), progress=progress)


def ls(folder: Any = ".") -> dict[str, list[str]]:
    """The arrays and the folders in a folder, as ``{"arrays": [...], "folders": [...]}``."""
    return json.loads(take("drx_list", encode(folder, "folder")))


def recover(name: Any, new: Any, *, unchecked: bool = False, progress: Progress | None = None) -> dict[str, Any]:
    """Copies the intact parts of a damaged array to a new one, and returns the report of ``drx
    recover --json``.

    With unchecked it also copies chunks that cannot be checked. progress counts chunks.
    """
    return json.loads(
        long_call("drx_recover", encode(name, "name"), encode(new, "name"), int(unchecked), progress=progress, text=True)
    )


def accept_loss(name: Any) -> None:
    """Makes a damaged array writable again, without its lost parts."""
    call("drx_accept_loss", encode(name, "name"))


def relayout(a: Array, name: Any, dtype: Any, chunks: Any, order: Any, dims: Any, section: Any, memory: int | None,
             clip: bool, digits: int | None, bits: int | None, progress: Progress | None, resume: bool, options: dict[str, Any]) -> Array:
    """See Array.relayout."""
    from ._array import create

    turn = list(range(a.ndim)) if dims is None else [a._dim(d) for d in dims]
    lo, hi = a._lo, a._hi
    if section is not None:
        box = Basic(parse(tuple(section), a._axes._replace(lo=a._lo)), a._lo)
        lo, hi = tuple(box.lo), tuple(box.hi)
    kept: dict[str, Any] = {"dims": [a.dims[d] for d in turn] if any(a.dims) else None, "fill": a.fill_value, "attrs": dict(a.attrs),
                            "codec": a.info().get("codec")}
    bounds = tuple((lo[d], hi[d]) for d in turn)
    there = resume and exists(name)
    if there:
        new = _target(name, number_of(dtype or a.dtype_name), bounds, chunks, options)
        if _is_complete(new):
            return new
    else:
        new = create(
            name, [last - first for first, last in bounds], dtype or a.dtype_name, lo=[first for first, _ in bounds],
            chunks=chunks, order=order, **{**kept, **options},
        )
    try:
        chosen = {"order": turn, "lo": list(lo), "hi": list(hi), "memory": memory, "clip": clip or None, "resume": there or None,
                  "digits": digits, "bits": bits}
        long_call("drx_relayout", new._handle, a._handle, _library.options(chosen), progress=progress, text=True)
    except BaseException:
        new.discard()
        if not resume:
            remove(name)
        raise
    return new


def _target(name: Any, number: int, bounds: Any, chunks: Any, options: dict[str, Any]) -> Array:
    """Opens the target of a copy to be resumed, and checks that it belongs to this copy."""
    from ._array import Array

    known = {k: options.get(k) for k in ("cache", "goroutines", "durability", "checking")}
    h = c_uint64()
    call("drx_open", encode(name, "name"), WRITE, _library.options({**known, "incomplete": True}), byref(h))
    new = Array(h.value, WRITE, known)
    if (new._number, new.bounds) != (number, bounds) or chunks is not None and new.chunks != tuple(chunks):
        found = f"{new.dtype_name} {new.bounds} in chunks of {new.chunks}"
        new.discard()
        raise MismatchError(f"{new.name}: it is another array than that of the copy to be resumed: {found}")
    return new


def _is_complete(copy: Array) -> bool:
    """Whether a copy is complete: not marked, and begun."""
    return "relayout.incomplete" not in copy.attrs and copy.info()["written"] > 0
