"""Statistics, computed by the library in bounded memory."""

from __future__ import annotations

import base64
import json
import os
from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy as np

from ._errors import InvalidError
from ._library import long_call, options

if TYPE_CHECKING:
    from ._array import Array

Dims = "str | int | Sequence[str | int] | None"


KNOWN = {"select", "by", "groups", "every", "rolling", "windows", "group_dim", "area", "ddof", "memory", "goroutines"}


def request_of(functions: Sequence[str], over: Any, given: dict[str, Any], **more: Any) -> bytes | None:
    """The options of drx_stats. axis is NumPy's word for dim; np.mean(a) also gives dtype and out.
    """
    axis = given.pop("axis", None)
    for word in "dtype", "out", "keepdims":
        if given.pop(word, None) not in (None, False):
            raise TypeError(f"statistics have no {word}: convert the result")
    unknown = next((k for k in given if k not in KNOWN), None)
    if unknown is not None:
        raise TypeError(f"statistics have no option {unknown!r}: the options are dim, progress, {', '.join(sorted(KNOWN - {'group_dim', 'goroutines'}))}")
    if axis is not None and over is not None:
        raise TypeError(f"axis={axis!r} and dim={over!r} mean the same: give one of them")
    over = axis if over is None else over
    dims = None if over is None else [str(d) for d in ([over] if isinstance(over, (str, int, np.integer)) else over)]
    return options({"functions": list(functions), "over": dims, **given, **more})


def compute(a: Array, functions: Sequence[str], over: Any = None, *, progress: Callable[[int, int], Any] | None = None,
            **given: Any) -> tuple[dict[str, Any], list[str]]:
    """The values of statistics by their names, and the names of groups. A result of no element is
    NaN."""
    request = request_of(functions, over, given, binary=True)
    r = json.loads(long_call("drx_stats", a._handle, request, progress=progress, text=True))
    empty = np.frombuffer(base64.b64decode(r.get("counts_data", "")), np.uint8) == 0
    found = {}
    for s in r["statistics"]:
        values = np.frombuffer(base64.b64decode(s.get("data", "")), np.dtype(s["dtype"]).newbyteorder("<")).astype(s["dtype"])
        if empty.any() and values.dtype != np.float64 and s["name"] not in ("count", "missing"):
            values = np.where(empty, np.nan, values.astype(np.float64))
        found[s["name"]] = values.reshape(r["shape"])[()]
    return found, r.get("groups", [])


def save(a: Array, name: Any, functions: Sequence[str], over: Any = None, *, progress: Callable[[int, int], Any] | None = None,
         **given: Any) -> list[str]:
    """Stores statistics as a new array or dataset, and returns the names of the arrays."""
    request = request_of(functions, over, given, out=os.fspath(name))
    return json.loads(long_call("drx_stats", a._handle, request, progress=progress, text=True))["statistics"]


def percentile(q: float) -> str:
    """The name of a quantile, which is given as a fraction of 1."""
    if not 0 <= q <= 1:
        raise InvalidError(f"quantile {q}: want a number from 0 to 1")
    if q == 0.5:
        return "median"
    return "p" + np.format_float_positional(q * 100, trim="-")


class Statistics:
    """The statistics of an array or of each of its groups, periods or windows. dim is a dimension
    or a list of them. The default is all dimensions of an array; for groups it is the dimension
    that is divided. Missing values are ignored. A result of no element is NaN."""

    def stats(self, *functions: str, dim: Any = None, **options: Any) -> dict[str, Any]:
        """Several statistics in one pass, by their names: count, missing, sum, mean, std, var, min,
        max, median, first, last, argmin, argmax, and percentiles such as p90.

        The options are ddof, select (conditions as in ``drx stats --sel``), area (True weights
        values by the area of their cells, from the latitudes), memory and progress.
        """
        raise NotImplementedError

    def save(self, name: str, *functions: str, dim: Any = None, **options: Any) -> list[str]:
        """Stores statistics as a new array or dataset with the coordinates that remain, as ``drx
        stats -o`` does, and returns the names of the new arrays. The arguments are those of stats.
        """
        raise NotImplementedError

    def _one(self, function: str, dim: Any, options: dict[str, Any]) -> Any:
        return next(iter(self.stats(function, dim=dim, **options).values()))

    def count(self, dim: Any = None, **options: Any) -> Any:
        """The number of elements that are not missing."""
        return self._one("count", dim, options)

    def sum(self, dim: Any = None, **options: Any) -> Any:
        """The sum, exact for integers."""
        return self._one("sum", dim, options)

    def mean(self, dim: Any = None, **options: Any) -> Any:
        return self._one("mean", dim, options)

    def std(self, dim: Any = None, **options: Any) -> Any:
        """The standard deviation. The divisor is the count minus ddof, which is 0 by default."""
        return self._one("std", dim, options)

    def var(self, dim: Any = None, **options: Any) -> Any:
        return self._one("var", dim, options)

    def min(self, dim: Any = None, **options: Any) -> Any:
        return self._one("min", dim, options)

    def max(self, dim: Any = None, **options: Any) -> Any:
        return self._one("max", dim, options)

    def median(self, dim: Any = None, **options: Any) -> Any:
        return self._one("median", dim, options)

    def quantile(self, q: Any, dim: Any = None, **options: Any) -> Any:
        """A quantile, for q from 0 to 1, interpolated linearly; for several q an array whose first
        axis is q."""
        if isinstance(q, (int, float)):
            return self._one(percentile(q), dim, options)
        found = self.stats(*(percentile(one) for one in q), dim=dim, **options)
        return np.stack([found[percentile(one)] for one in q])


class Grouped(Statistics):
    """An array whose statistics have one result for each group, period or window of a dimension, or
    for each combination of windows of several dimensions."""

    def __init__(self, a: Array, dim: str | None, **how: Any) -> None:
        self._array = a
        self._how = how if dim is None else {"group_dim": dim, **how}

    def stats(self, *functions: str, dim: Any = None, **options: Any) -> dict[str, Any]:
        return compute(self._array, functions, dim, **self._how, **options)[0]

    def save(self, name: str, *functions: str, dim: Any = None, **options: Any) -> list[str]:
        return save(self._array, name, functions, dim, **self._how, **options)

    save.__doc__ = Statistics.save.__doc__

    @property
    def groups(self) -> list[str]:
        """The names of the groups, in the order of the results; of one dimension."""
        if "windows" in self._how:
            raise InvalidError("groups: want groups of one dimension, not of several")
        others = [d for d in range(self._array.ndim) if self._array._axes.dims[d] != self._how["group_dim"]]
        return compute(self._array, ["count"], others, **self._how)[1]


def only(how: dict[str, Any], what: str) -> tuple[str, Any]:
    """The only keyword of resample or rolling."""
    if len(how) != 1:
        raise InvalidError(f"{what}: want one dimension, as in {what}(time={repr('1D') if what == 'resample' else '7'})")
    return next(iter(how.items()))
