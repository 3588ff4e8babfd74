"""The meaning of a variable's numbers, and the conversion of values of another variable to them.

Values that are added to an array keep their meaning. They are stored unchanged if both have the
same meaning, and converted to the packing, the missing value and the units of the array if only the
rounding of the array's step is lost; otherwise they are refused, with both meanings and a remedy.
libdrx decides, as for all other interfaces; this module describes the variables to it. xarray's
coders of the CF conventions decode the numbers that are read.
"""

from __future__ import annotations

import json
import warnings
from typing import Any, Mapping

import numpy as np
import pandas as pd
import xarray as xr
from xarray.coding import times

from ._errors import DTypeError, InvalidError
from ._library import call, encode, take
from ._types import attribute_json

CODING = ("scale_factor", "add_offset", "_FillValue", "missing_value", "_Unsigned", "units", "calendar")
NODATA = "nodata"  # of GDAL: one mark of missing values, which the engine gives as _FillValue, or one for each band
VALID = ("valid_min", "valid_max", "valid_range")  # which mask nothing, but other programs' readers
FLAGS = ("flag_values", "flag_masks", "flag_meanings")
LOCATION = ("GeoTransform",)
QUANTITY = ("positive", "standard_name", "cell_methods")  # which libdrx compares
CRS = ("crs_wkt", "spatial_ref")  # which libdrx compares
RAW = "raw=True moves numbers as they are"

#: Times of NumPy and of cftime, as integers: every one of them is exact.
_NANOSECONDS, _MICROSECONDS = "nanoseconds since 1970-01-01", "microseconds since 1970-01-01"
_NAT = np.iinfo("i8").min

_OPTIONS = json.dumps({"rule": "values", "target": "the array"}).encode()


def decoded(name: str, v: xr.Variable) -> xr.Variable:
    """A variable decoded by its attributes, if it was opened without decoding."""
    if not any(k in v.attrs for k in CODING) or v.dtype.kind in "OSUMmb":
        return v
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", xr.SerializationWarning)
        return xr.conventions.decode_cf_variable(name, v)


class Meaning:
    """The meaning of a stored variable's numbers. stored has the attributes and the type of the
    array."""

    def __init__(self, what: str, stored: xr.Variable) -> None:
        self.what, self.dtype, self._stored = what, stored.dtype, stored.attrs
        marks = {NODATA: stored.attrs[NODATA]} if np.size(stored.attrs.get(NODATA, 0)) > 1 else {}
        self._to = _description(stored.dtype, {**_attributes(stored.attrs), **marks})
        self._options = _OPTIONS

    def encoded(self, v: xr.Variable) -> xr.Variable:
        """The variable with the numbers of the array, or an error. dask arrays are encoded when
        they are computed."""
        compare_location(self.what, v, self._stored)
        if v.size == 0 and v.dtype.kind == "O":  # their type is unknown
            return xr.Variable(v.dims, np.empty(v.shape, self.dtype), {})
        given = _Given(self.what, v, self._stored)
        if self._compare(given.description)["same"] and v.dtype.newbyteorder("=") == self.dtype:
            return v  # the numbers mean the same
        if v.chunks is None:
            return xr.Variable(v.dims, self._numbers(v.values, given), {})
        data = v.data.map_blocks(self._numbers, given, dtype=self.dtype, meta=np.empty((0,) * v.ndim, self.dtype))
        return xr.Variable(v.dims, data, {})

    def as_read(self, v: xr.Variable, read: np.dtype) -> xr.Variable:
        """A variable in the form for comparisons: in the units of the array, and times as NumPy's
        or cftime's."""
        if v.dtype.kind != read.kind and v.size and _kind(v) == "time" and isinstance(self._stored.get("units"), str):
            return self.rounded(v)
        return self._in_units(v)

    def rounded(self, v: xr.Variable) -> xr.Variable:
        """A variable as it would be read after it was written."""
        return decoded(self.what, xr.Variable(v.dims, self.encoded(v).data, dict(self._stored)))

    def _in_units(self, v: xr.Variable) -> xr.Variable:
        units, own = v.attrs.get("units"), self._stored.get("units")
        if v.dtype.kind not in "iuf" or not isinstance(units, str) or units == own:
            return v
        self_units = _description(v.dtype, {"units": own} if isinstance(own, str) else {})
        answer = self._compare(_description(v.dtype, {"units": units}), self_units)
        return v if answer["same"] or "factor" not in answer else v * answer["factor"] + answer["shift"]

    def _compare(self, description: bytes, to: bytes | None = None) -> Any:
        with _Named(self.what):
            return json.loads(take("drx_meaning_compare", description, to or self._to, self._options))

    def _numbers(self, values: Any, given: _Given) -> np.ndarray:
        """Values as numbers of the array."""
        elements = np.ascontiguousarray(given.elements(np.asarray(values)))
        made = np.empty(elements.shape, self.dtype)
        with _Named(self.what):
            call("drx_meaning_convert", given.description, self._to, self._options, elements.size, elements.ctypes.data, made.ctypes.data)
        return made


class _Named:
    """Adds the name of the variable, and the remedy, to the errors of a comparison."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, e: Any, trace: Any) -> None:
        if isinstance(e, DTypeError):
            raise DTypeError(f"{self._what}: {e}; {RAW}") from None


class _Given:
    """The meaning of a variable's values to be written: a description for the library, and its
    elements.

    A variable without units, or without flags, inherits those of the array, because xarray's
    arithmetic drops attributes. But plain numbers are neither times nor durations.
    """

    def __init__(self, what: str, v: xr.Variable, stored: Mapping[Any, Any]) -> None:
        self._what = what
        attrs = _attributes(v.attrs)
        kind = _kind(v)
        dtype, self._calendar = v.dtype, ""
        if kind == "text":
            raise InvalidError(f"{what}: the array has numbers, what is written has text: convert it with astype")
        if kind == "time":
            self._calendar = "proleptic_gregorian" if v.dtype.kind == "M" else _first(v).calendar
            dtype, attrs = np.dtype("i8"), {"units": _NANOSECONDS if v.dtype.kind == "M" else _MICROSECONDS,
                                            "calendar": self._calendar, "missing_value": _NAT}
        elif kind == "duration":
            dtype, attrs = np.dtype("i8"), {"units": "nanoseconds", "missing_value": _NAT}
        else:
            units = stored.get("units")
            if isinstance(units, str) and "units" not in attrs and not _is_time(units):
                attrs["units"] = units
            if not any(k in attrs for k in FLAGS):
                attrs |= {k: stored[k] for k in FLAGS if k in stored}
        self.description = _description(dtype, attrs)

    def elements(self, values: np.ndarray) -> np.ndarray:
        if values.dtype.kind == "M":
            return values.astype("M8[ns]").view("i8")
        if values.dtype.kind == "m":
            return values.astype("m8[ns]").view("i8")
        if values.dtype.kind == "O":
            return self._of_cftime(values)
        return values.astype(values.dtype.newbyteorder("="), copy=False)

    def _of_cftime(self, values: np.ndarray) -> np.ndarray:
        import cftime

        missing = pd.isnull(values)
        calendars = {getattr(t, "calendar", None) for t in values[~missing].flat}
        if not calendars <= {self._calendar}:
            raise InvalidError(f"{self._what}: times of the calendars {', '.join(sorted(map(str, calendars | {self._calendar})))} are "
                               "written together: convert them with convert_calendar")
        made = np.full(values.shape, _NAT)
        made[~missing] = cftime.date2num(values[~missing], _MICROSECONDS, calendar=self._calendar)
        return made


def with_bounds(ds: xr.Dataset) -> xr.Dataset:
    """A dataset whose bounds have the units and the calendar of their coordinates, which CF bounds
    need not repeat."""
    for c in ds.variables.values():
        name = c.attrs.get("bounds", c.attrs.get("climatology"))
        if isinstance(name, str) and name in ds.variables and ds.variables[name].dtype.kind in "iuf":
            b = ds.variables[name]
            inherited = {k: c.attrs[k] for k in ("units", "calendar") if k in c.attrs and "units" not in b.attrs}
            ds = ds.assign({name: xr.Variable(b.dims, b._data, {**b.attrs, **inherited}, b.encoding)}) if inherited else ds
    return ds


def compare_location(what: str, v: xr.Variable, stored: Mapping[Any, Any]) -> None:
    """Raises an error if attributes show that a variable has another location on the earth, or
    another quantity."""
    whole = any(k in stored and k in v.attrs for k in CRS)  # it has the meaning of the other attributes of a grid mapping
    for k in stored if "grid_mapping_name" in stored and not whole else LOCATION:
        if k in stored and k in v.attrs and k not in CRS and not _equal(stored[k], v.attrs[k]):
            raise InvalidError(f"{what}: {k} of the array is {_short(stored[k])}, of what is written {_short(v.attrs[k])}: "
                               f"make them equal; {RAW}")
    compared = (*QUANTITY, *(CRS if whole else ()))
    kinds = [{k: attrs[k] for k in compared if k in attrs} for attrs in (v.attrs, stored)]
    if kinds[0] and kinds[1] and kinds[0] != kinds[1]:
        given, there = (_description(np.dtype("i1"), attrs) for attrs in kinds)
        with _Named(what):
            take("drx_meaning_compare", given, there, _OPTIONS)


def note_valid(what: str, v: xr.Variable, stored: xr.Variable) -> None:
    """Warns of a valid range that differs from that of the array. Ranges refer to numbers as stored
    in a file."""
    if v.dtype.kind not in "iuf" or stored.dtype.kind not in "iuf" or not any(k in v.attrs for k in VALID):
        return
    kept = {k: v.encoding[k] for k in CODING if k in v.encoding}
    dtype = np.dtype(v.encoding.get("dtype", v.dtype)) if kept else v.dtype
    given = _description(dtype if dtype.kind in "iuf" else v.dtype, {k: x for k, x in {**kept, **v.attrs}.items() if k in (*CODING, *VALID)})
    there = _description(stored.dtype, {k: x for k, x in stored.attrs.items() if k in (*CODING, *VALID)})
    try:
        answer = json.loads(take("drx_meaning_compare", given, there, json.dumps({"rule": "clip", "target": "the array"}).encode()))
    except DTypeError:  # which the values may not be
        return
    if answer.get("valid"):
        warnings.warn(f"{what}: {answer['valid']}", stacklevel=6)


def _description(dtype: np.dtype, attrs: Mapping[str, Any]) -> bytes:
    return encode(json.dumps({"dtype": dtype.name, "attrs": {k: attribute_json(x) for k, x in attrs.items()}}), "attributes")


def _attributes(attrs: Mapping[Any, Any]) -> dict[str, Any]:
    """The attributes that define the meaning of numbers."""
    return {k: attrs[k] for k in (*CODING, *FLAGS) if k in attrs}


def _first(v: xr.Variable) -> Any:
    """The first value that is not missing, or None. Of a dask array only the first value is
    computed."""
    if v.size == 0:
        return None
    values = np.ravel(v.values if v.chunks is None else v[(0,) * v.ndim].values)
    there = values[~pd.isnull(values)]
    return there[0] if there.size else None


def _kind(v: xr.Variable) -> str:
    if v.dtype.kind == "M" or v.dtype.kind == "O" and hasattr(_first(v), "calendar"):
        return "time"
    return {"m": "duration"}.get(v.dtype.kind, "text" if v.dtype.kind in "OSU" else "number")


def _is_time(units: str) -> bool:
    """Whether xarray reads numbers of these units as times or durations."""
    return "since" in units or units in times.TIME_UNITS


def _short(x: Any) -> str:
    text = repr(x.tolist() if isinstance(x, (np.generic, np.ndarray)) else x)
    return text if len(text) <= 60 else text[:57] + "..."


def _equal(a: Any, b: Any) -> bool:
    """Whether attributes are the same; NaN is NaN."""
    x, y = np.ravel(a), np.ravel(b)
    return x.shape == y.shape and all(p == q or p != p and q != q for p, q in zip(x.tolist(), y.tolist()))
