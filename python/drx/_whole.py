"""Whole arrays and datasets by name: what differs, joining, leaving out, sorting, other grids."""

from __future__ import annotations

import json
import operator
import os
from ctypes import c_char_p
from typing import Any, Callable, Iterable, Mapping, Sequence

import numpy as np

from . import _library
from ._array import Array
from ._dataset import Dataset
from ._errors import BoundsError, InvalidError, NotFoundError
from ._exchange import flags, list_of, name_of, path_of, result_of
from ._library import encode, long_call
from ._manage import exists
from ._select import conditions, text_of

Progress = Callable[[int, int], Any]

_LEAST, _GREATEST = -(2**63), 2**63 - 1  # of a range: from the beginning, to the end


def diff(a: Any, b: Any, *, var: str | Sequence[str] | None = None, data: bool = False, atol: float = 0.0, rtol: float = 0.0,
         memory: int | None = None, bridge: Any = None, progress: Progress | None = None) -> dict[str, Any]:
    """Compares two arrays, datasets or files of other formats, variable by variable, by what their
    elements mean.

    The result is that of ``drx diff --json``: ``["same"]``, and for each variable the number of
    elements that differ, the largest difference, its index and coordinates. Values are compared in
    their units, and missing ones are the same. With data attributes, types, names of dimensions and
    low bounds do not count. a and b are the same if ``abs(a-b) <= atol + rtol*abs(b)``, as for
    ``numpy.isclose``. For bridge see import_file; progress counts bytes of a.

    >>> for name, value in ("monday", 1), ("tuesday", 2):
    ...     with drx.create(name, (2, 3), "i4") as a: a[1, 2] = value
    >>> drx.diff("monday", "tuesday")["variables"][0]["largest"]["index"]
    [1, 2]
    >>> drx.diff("monday", "tuesday", atol=1)["same"]
    True
    """
    chosen = {"var": list_of(var), "atol": float(atol), "rtol": float(rtol), "memory": memory, "bridge": path_of(bridge), "caller": "python",
              **flags(data=data)}
    return json.loads(long_call("drx_diff", name_of(a, "diff"), name_of(b, "diff"), _library.options(chosen), progress=progress, text=True))


def append(dst: Any, sources: Any, dim: int | str, *, create: bool = False, low: bool = False, any_order: bool = False,
           as_stored: bool = False, clip: bool = False, digits: int | None = None, bits: int | None = None, memory: int | None = None,
           resume: bool = False, bridge: Any = None, progress: Progress | None = None) -> dict[str, Any]:
    """Joins arrays, datasets, or files of other formats to dst, an array or a dataset that grows
    along dim, one after the other, each with a commit.

    The numbers keep what they mean: units, scales and missing values become those of dst, or are
    refused; as_stored takes the numbers as they are. Coordinates go on behind those of dst, unless
    any_order, and labels are those of the new indices. With low dst grows below its lowest index.
    digits and bits round as in ``import_file``; a dst that exists must be rounded so already.
    With create dst may be new, and begins with the first source. Without memory for elements:
    joined arrays may be larger than it. resume continues a call that was interrupted after its
    first commit; progress counts bytes. The result has the name, the variables and ``["by"]``, the
    number of new indices.

    >>> for name in "january", "february":
    ...     with drx.create(name, (2, 3), "i4", dims=("time", "x")) as a: a[...] = len(name)
    >>> drx.append("january", "february", "time")["by"]
    2
    >>> with drx.open("january") as a: a[:, 0]
    array([7, 7, 8, 8], dtype=int32)
    """
    files = [sources] if isinstance(sources, (str, bytes, os.PathLike, Array, Dataset)) else list(sources)
    if not files:
        raise InvalidError(f"{dst}: append: there is nothing to append")
    if not create and not exists(dst) and not os.path.exists(os.fspath(dst)):
        raise NotFoundError(f"{os.fspath(dst)}: there is no array or dataset to append to: create=True makes it")
    names = (c_char_p * len(files))(*[name_of(f, "append") for f in files])
    chosen = {"append": str(dim), "digits": digits, "bits": bits, "memory": memory, "bridge": path_of(bridge), "caller": "python",
              **flags(low=low, any_order=any_order, as_stored=as_stored, clip=clip, resume=resume)}
    return result_of(long_call("drx_import", encode(dst, "dst"), len(files), names, _library.options(chosen), progress=progress, text=True))


def cut(src: Any, dst: Any, *, sel: Mapping[str, Any] | None = None, at: Mapping[str, Any] | None = None, method: str = "exact",
        plan: bool = False, resume: bool = False, memory: int | None = None, progress: Progress | None = None) -> dict[str, Any]:
    """Copies an array or a dataset without some indices of one dimension, which may be anywhere, in
    all variables that have it.

    sel selects them by values of coordinates and labels as ``Array.sel`` does, at by the array's
    own indices as ``Array.at``: ``sel={"time": slice("2024-02-10", "2024-02-12")}``, ``at={"x":
    slice(3, 7)}``. Values must be there, unless method is "usual" or "nearest". With plan nothing
    is copied: the result says what would be. After an interruption the same call with resume
    continues. The result is that of ``drx cut --json``; progress counts bytes.

    >>> with drx.create("line", (5,), "i4", dims=("x",)) as a: a[...] = range(5)
    >>> drx.cut("line", "ends", at={"x": slice(1, 4)})["extent"]
    [5, 2]
    >>> with drx.open("ends") as a: a[...]
    array([0, 4], dtype=int32)
    """
    if not sel and not at:
        raise InvalidError("cut: give what is to be left out of one dimension, as sel={'time': slice('2024-02-10', '2024-02-12')} or "
                           "at={'x': slice(3, 7)}")
    chosen = {"sel": [conditions(sel)] if sel else None, "method": method, "at": {d: _range(k, d) for d, k in at.items()} if at else None}
    return _rearranged("cut", src, dst, (), chosen, plan, resume, memory, progress)


def sort(src: Any, dst: Any, by: int | str, *, plan: bool = False, resume: bool = False, memory: int | None = None,
         progress: Progress | None = None) -> dict[str, Any]:
    """Copies an array or a dataset with the indices of dimension by in the order of its coordinate,
    which ascends, or of its labels, as text, in all variables that have it.

    plan, resume, progress and the result are those of ``cut``.

    >>> with drx.create("towns", (3,), "i4", dims=("town",)) as a:
    ...     a[...] = [1, 2, 3]
    ...     a.labels["town"] = ["Rome", "Bath", "Oslo"]
    >>> drx.sort("towns", "sorted", "town")["state"]
    'copied'
    >>> with drx.open("sorted") as a: a[...], a.labels["town"]
    (array([2, 3, 1], dtype=int32), ['Bath', 'Oslo', 'Rome'])
    """
    return _rearranged("sort", src, dst, (encode(str(by), "by"),), {}, plan, resume, memory, progress)


def coarsen(src: Any, dst: Any, windows: Mapping[str, int | str], *, func: str = "mean", boundary: str = "exact", memory: int | None = None,
            progress: Progress | None = None) -> dict[str, Any]:
    """Makes the dataset dst of a dataset or an array, in which each window of indices has become
    one, in all variables that have its dimension.

    windows has the size of a window for each dimension: a number of indices, or a period of times,
    as in ``{"time": "1D", "lat": 4}``. func is the statistic: "mean", "sum", "min", "max", "p90" or
    another one of ``Array.stats``. boundary is for indices at the end that fill no window: "exact"
    refuses, "trim" or "pad". dst appears when it is complete. The result is that of ``drx coarsen
    --json``; progress counts elements.

    >>> with drx.create("minutes", (6,), "i4", dims=("minute",)) as a: a[...] = range(6)
    >>> drx.coarsen("minutes", "hours", {"minute": 3}, func="max")["dims"]
    [{'name': 'minute', 'from': 6, 'to': 2, 'wraps': False}]
    >>> with drx.open_dataset("hours") as d: d["minutes"][...]
    array([2, 5])
    """
    if not isinstance(windows, Mapping):
        raise TypeError(f'windows is {type(windows).__name__}: want a dict with the size of a window for each dimension, as {{"time": "1D", "lat": 4}}')
    sizes = {str(dim): n if isinstance(n, str) else operator.index(n) for dim, n in windows.items()}
    chosen = {"windows": sizes, "func": func, "boundary": boundary, "memory": memory}
    return json.loads(long_call("drx_coarsen", name_of(src, "coarsen"), encode(dst, "dst"), _library.options(chosen), progress=progress, text=True))


def regrid(src: Any, dst: Any, to: Any, *, dims: str | Sequence[str] | None = None, method: str = "linear", memory: int | None = None,
           progress: Progress | None = None) -> dict[str, Any]:
    """Makes the dataset dst with the values of a dataset or an array at other coordinates.

    to has the coordinates: a dataset or an array, of which dims count, or a dict with the new ones
    of some dimensions: numbers in the units of the old ones, dates, or steps as text with both
    ends: ``{"lat": np.arange(-90, 91), "time": "2020-01-01:2020-02-01:6h"}``. method is "nearest",
    "linear", or "mean", the mean of the cells by area. dst appears when it is complete. The result
    is that of ``drx regrid --json``; progress counts elements.

    >>> with drx.create_dataset("buoy") as d:
    ...     d.create_variable("depth", "f8", ["depth"], shape=[2])[...] = [0, 10]
    ...     d.create_variable("salt", "f8", ["depth"])[...] = [34, 35]
    >>> drx.regrid("buoy", "finer", {"depth": "0:10:5"})["variables"]
    ['salt']
    >>> with drx.open_dataset("finer") as d: d["salt"][...]
    array([34. , 34.5, 35. ])
    """
    where = {str(dim): _steps(dim, v) for dim, v in to.items()} if isinstance(to, Mapping) and not isinstance(to, Dataset) \
        else name_of(to, "regrid").decode()
    chosen = {"to": where, "dims": list_of(dims), "method": method, "memory": memory}
    return json.loads(long_call("drx_regrid", name_of(src, "regrid"), encode(dst, "dst"), _library.options(chosen), progress=progress, text=True))


def _steps(dim: Any, values: Any) -> list[Any]:
    """New coordinates as drx_regrid has them."""
    if isinstance(values, slice):
        raise InvalidError(f"regrid: {dim}={values}: want values, or steps as text, 'FIRST:LAST:STEP', with both ends")
    if isinstance(values, str) or not isinstance(values, Iterable):
        values = [values]
    return [text_of(v) for v in values]


def _rearranged(what: str, src: Any, dst: Any, by: tuple[bytes, ...], chosen: dict[str, Any], plan: bool, resume: bool,
                memory: int | None, progress: Progress | None) -> dict[str, Any]:
    text = _library.options({**chosen, "memory": memory, **flags(plan=plan, resume=resume)})
    return json.loads(long_call(f"drx_{what}", name_of(src, what), encode(dst, "dst"), *by, text, progress=progress, text=True))


def _range(key: Any, dim: str) -> list[int]:
    """The first index, the last one plus 1 and the step of an entry of at."""
    if isinstance(key, (int, np.integer)) and not isinstance(key, bool):
        return [int(key), int(key) + 1]
    if not isinstance(key, slice):
        raise InvalidError(f"cut: at={{{dim!r}: {key!r}}}: want an index or a slice")
    lo = _LEAST if key.start is None else int(key.start)
    hi = _GREATEST if key.stop is None else int(key.stop)
    step = 1 if key.step is None else int(key.step)
    if step < 1:
        raise BoundsError(f"cut: at={{{dim!r}: {key!r}}}: a step is at least 1")
    return [lo, hi, step]
