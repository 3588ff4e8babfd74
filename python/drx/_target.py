"""Targets for dask's writes, which go to the processes of a cluster by name, and the end of a job
that writes to them."""

from __future__ import annotations

import os
import socket
from typing import Any, Sequence

from ._array import Array, open
from ._dataset import open_dataset
from ._rounding import Rounded

WAIT = 60.0  # seconds for a lock that another process holds while it opens an array or changes a chunk


class Target:
    """An array to which ``dask.array.store`` writes from any process: each block is written by the
    process that has it.

    The array is open only while a block is written. Blocks need not align with chunks: a chunk is
    changed under its lock. A block that is written again, because a worker was killed, goes to the
    same indices.
    """

    def __init__(self, path: str, options: dict[str, Any], relaxed: bool) -> None:
        self.path = path
        self._options = {k: v for k, v in options.items() if v is not None}
        self._host = socket.gethostname() if relaxed else None

    def __setitem__(self, key: Any, value: Any) -> None:
        options = {"wait": WAIT, **self._options}
        if self._host is not None and self._host == socket.gethostname():
            options["durability"] = "none"  # until make_durable, on this machine
        with open(self.path, "shared", **options) as a:
            a[key] = value


def is_local(sources: Sequence[Any]) -> bool:
    """Whether dask computes arrays in this process, by threads, so that they can be written to the
    arrays that are open here."""
    import dask.base
    import dask.local
    import dask.threaded

    return dask.base.get_scheduler(collections=sources) in (None, dask.threaded.get, dask.local.get_sync)


def tidy(path: str) -> None:
    """Removes files that the writing processes of a dataset, which may have been killed, have left
    beside its arrays, and makes commits that readers can open again."""
    with open_dataset(path, "r+", wait=WAIT) as d:
        for name in d:
            d[name]
            d.sync()
            d.release()


def make_durable(path: str) -> None:
    """Makes the files of a dataset durable: folders with their contents, or one file."""
    names = [path]
    for folder, _, files in os.walk(path):
        names += [os.path.join(folder, f) for f in files] + [folder]
    for name in names:
        f = os.open(name, os.O_RDONLY)
        try:
            os.fsync(f)
        finally:
            os.close(f)


def array_of(a: Array | Rounded) -> Array:
    """The array that receives the elements, possibly rounded."""
    return a._a if isinstance(a, Rounded) else a


def target_of(a: Array | Rounded, relaxed: bool) -> Target | Rounded:
    """The target for a variable of a dataset."""
    if isinstance(a, Rounded):
        return a.elsewhere(target_of(a._a, relaxed))
    d: Any = a._dataset
    return Target(f"{d.path}/{a._variable}", d._options, relaxed)
