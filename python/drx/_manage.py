"""Arrays by name: exist, remove, rename, copy, list, salvage."""

from __future__ import annotations

import json
from ctypes import byref, c_int
from typing import TYPE_CHECKING, Any, Callable

from . import _library
from ._index import Basic, parse
from ._library import call, encode, long_call, take

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
    """Gives an array another name in the same file system."""
    call("drx_rename", encode(old, "name"), encode(new, "name"))


def copy_files(name: Any, new: Any, progress: Progress | None = None) -> None:
    """Copies the files of an array as they are. progress(done, total) counts bytes; an exception in it ends the copy."""
    long_call("drx_copy_files", encode(name, "name"), encode(new, "name"), progress=progress)


def ls(folder: Any = ".") -> dict[str, list[str]]:
    """The arrays and the folders in a folder, as ``{"arrays": [...], "folders": [...]}``."""
    return json.loads(take("drx_list", encode(folder, "folder")))


def recover(name: Any, new: Any, *, unchecked: bool = False, progress: Progress | None = None) -> dict[str, Any]:
    """Copies what is intact of a damaged array to a new one, and returns the report of ``drx recover --json``.

    With unchecked it also copies chunks that cannot be checked. progress counts chunks.
    """
    return json.loads(
        long_call("drx_recover", encode(name, "name"), encode(new, "name"), int(unchecked), progress=progress, text=True)
    )


def accept_loss(name: Any) -> None:
    """Makes a damaged array writable again by giving up what it has lost."""
    call("drx_accept_loss", encode(name, "name"))


def relayout(a: Array, name: Any, dtype: Any, chunks: Any, order: Any, dims: Any, section: Any, memory: int | None,
             clip: bool, progress: Progress | None, options: dict[str, Any]) -> Array:
    """See Array.relayout."""
    from ._array import create

    turn = list(range(a.ndim)) if dims is None else [a._dim(d) for d in dims]
    lo, hi = a._lo, a._hi
    if section is not None:
        box = Basic(parse(tuple(section), a._axes._replace(lo=a._lo)), a._lo)
        lo, hi = tuple(box.lo), tuple(box.hi)
    kept: dict[str, Any] = {"dims": [a.dims[d] for d in turn] if any(a.dims) else None, "fill": a.fill_value, "attrs": dict(a.attrs)}
    new = create(
        name, [hi[d] - lo[d] for d in turn], dtype or a.dtype_name, lo=[lo[d] for d in turn], chunks=chunks, order=order,
        **{**kept, **options},
    )
    try:
        chosen = {"order": turn, "lo": list(lo), "hi": list(hi), "memory": memory, "clip": clip or None}
        long_call("drx_relayout", new._handle, a._handle, _library.options(chosen), progress=progress, text=True)
    except BaseException:
        new.discard()
        remove(name)
        raise
    return new
