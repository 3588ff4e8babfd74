"""What all arrays of this process share: their memory, chosen to leave room for other programs on
the machine, and the kind of their locks."""

from __future__ import annotations

import functools
import sys
import threading
from ctypes import byref, c_int64
from typing import Any

from ._library import call, encode

MODEST = 1 << 30  # other processes need memory, too, and so do NumPy's arrays in this one
LEAST = 32 << 20
OF_MACHINE, OF_WORKER = 8, 16  # the part of the memory of the machine, and of that of a worker of dask

_lock = threading.Lock()
_chosen: int | None = None  # by set_memory
_told = 0  # the limit that the library has


def set_memory(bytes: int | None = None) -> None:
    """Limits the memory that all arrays of this process that are opened without ``cache`` share:
    for chunks and for pages of files.

    None is the default: a sixteenth of the memory limit in a worker of dask, and otherwise an
    eighth of the memory that the process may use, that of the machine or of a control group around
    it, but at most 1 GiB. It takes effect at once.
    """
    global _chosen
    if bytes is not None and not hasattr(bytes, "__index__"):
        raise TypeError(f"memory {bytes!r}: want a number of bytes, as 1 << 30")
    _chosen = None if bytes is None else max(1, int(bytes))
    share_memory()


def set_locks(kind: str = "auto") -> None:
    """Chooses how writers keep each other out, for all arrays that this process opens from now on.

    "system" is by the locks of the system, "file" by lock files beside the arrays, and "auto", the
    default, by lock files where the locks of the system may be local to a machine or a mount, as on
    NFS and FUSE. All processes that write to the same arrays must agree.
    """
    call("drx_set_locks", encode(kind, "locks"))


def share_memory() -> None:
    """Updates the library's memory limit if it has changed: a dask worker may have begun after the
    import."""
    global _told
    limit = _worker_limit() if _chosen is None else None
    if _chosen is not None:
        memory = _chosen
    elif limit is not None:
        memory = max(LEAST, limit // OF_WORKER)
    else:
        memory = min(MODEST, max(LEAST, _usable() // OF_MACHINE))
    with _lock:
        if memory != _told:
            call("drx_set_memory", memory, None)
            _told = memory


def _worker_limit() -> int | None:
    """The least memory limit of the dask workers in this process, None if there are none. A worker
    is found from any thread, because unpickling may use a thread of its own."""
    module: Any = sys.modules.get("distributed.worker")
    limits = []
    for worker in list(getattr(getattr(module, "Worker", None), "_instances", ())):
        manager = getattr(worker, "memory_manager", worker)
        limit = getattr(manager, "memory_limit", None)
        if limit and getattr(getattr(worker, "status", None), "name", "running") not in ("closed", "closing", "failed"):
            limits.append(int(limit))
    return min(limits, default=None)


@functools.lru_cache(None)
def _usable() -> int:
    """The memory of the machine, or of the control groups around this process, in bytes, as the
    library finds it."""
    quarter = c_int64()
    call("drx_set_memory", 0, None)
    call("drx_set_memory", 0, byref(quarter))
    return 4 * quarter.value
