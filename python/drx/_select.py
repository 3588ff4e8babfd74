"""Selection by labels and coordinates: conditions for drx_select, and the indices that it returns.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Mapping

import numpy as np

from ._fancy import Outer
from ._index import Int, Points, Range
from ._library import encode, lib, take

if TYPE_CHECKING:
    from ._elements import Elements


def method_number(exact: bool, method: str | None) -> int:
    """The number of a method in drx_select."""
    numbers = {"usual": 0, "exact": 1, "nearest": 2}
    if method is not None and method not in numbers:
        raise ValueError(f"method {method!r}: want usual, exact or nearest")
    if exact and method not in (None, "exact"):
        raise ValueError(f"exact and method {method!r} exclude each other")
    return 1 if exact else numbers[method or "usual"]


def conditions(values: Mapping[str, Any]) -> str:
    """The values by dimension as conditions of drx_select."""
    return ",".join(f"{_quoted(str(dim))}={_condition(v)}" for dim, v in values.items())


def selection(a: Elements, method: int, values: dict[str, Any]) -> Outer:
    """The selection of the values, see Elements.sel, as a key with a part per dimension."""
    text = encode(conditions(values), "selection")
    ranges = json.loads(take("drx_select", a._handle, text, method))
    points = json.loads(take("drx_select_points", a._handle, text, method))
    many = {dim for dim, v in values.items() if isinstance(v, (slice, list, tuple, np.ndarray))}
    entries = [_entry(r, lo, p and dim not in many) for r, lo, dim, p in zip(ranges, a._lo, a._axes.dims, points)]
    return Outer(entries, a._lo, a.name)


def _entry(ranges: list[list[int]], lo: int, point: bool) -> Any:
    """The indices of a dimension as an entry of a key, which has positions."""
    positions = [range(first - lo, last - lo, step) for first, last, step in ranges]
    if len(positions) == 1:
        p = positions[0]
        return Int(p.start) if point and len(p) == 1 else Range(p.start, p.step, len(p))
    return Points(np.concatenate([np.empty(0, np.intp)] + [np.arange(p.start, p.stop, p.step) for p in positions]))


def _is_range(value: Any) -> bool:
    """Text may hold a range or a list."""
    return isinstance(value, str) and (".." in value or "|" in value)


def _condition(value: Any) -> str:
    if isinstance(value, slice):
        if value.step is not None:
            raise ValueError(f"selection {value}: a range of values has no step")
        ends = ("" if v is None else _one(v) for v in (value.start, value.stop))
        return "..".join(ends)
    if isinstance(value, (list, tuple, np.ndarray)):
        return "|".join(_one(v) for v in value)
    if _is_range(value):
        return value
    return _one(value)


def _one(value: Any) -> str:
    """One value as text, quoted where its characters mean something."""
    return _quoted(text_of(value))


def text_of(value: Any) -> str:
    """A number or a date as text, exactly."""
    if hasattr(value, "to_datetime64"):  # of pandas
        value = value.to_datetime64()
    if isinstance(value, np.generic) and not isinstance(value, np.datetime64):
        value = value.item()
    if isinstance(value, np.datetime64):
        value = np.datetime_as_string(value, unit="ns") if value.dtype != "M8" else str(value)  # all digits: a moment
    elif hasattr(value, "isoformat"):
        value = _moment(value)
    elif isinstance(value, float):
        value = repr(value)
    return str(value)


def _moment(value: Any) -> str:
    """A datetime of Python or cftime, with all digits: a moment. A date is its day."""
    try:
        text = value.isoformat(timespec="microseconds")
    except TypeError:
        return value.isoformat()
    return text[: text.index(".") + 7] + "000" + text[text.index(".") + 7 :]


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',=|"') or ".." in text else text
