"""What the numbers of a variable mean, and how values of another variable become numbers of it.

Values that are joined to an array keep their meaning: they are moved as they are where both mean the same, converted to
the packing, the missing value and the units of the array where nothing but the rounding of the array's step is lost, and
refused otherwise, with both meanings and a way out. xarray's coders of the CF conventions say what numbers mean.
"""

from __future__ import annotations

import warnings
from typing import Any, Mapping

import numpy as np
import pandas as pd
import xarray as xr
from xarray.coding import times

from ._convert import converted
from ._errors import DTypeError, InvalidError

CODING = ("scale_factor", "add_offset", "_FillValue", "missing_value", "_Unsigned", "units", "calendar")
SIGNS = ("flag_values", "flag_masks", "flag_meanings", "positive", "grid_mapping_name", "crs_wkt", "spatial_ref", "GeoTransform")
RAW = "raw=True moves numbers as they are"

# Units by their dimension, with the factor and the offset to its first one.
_UNITS: dict[str, tuple[str, float, float]] = {}
for _kind, _table in {
    "temperature": {"K kelvin": (1, 0), "degC celsius deg_C degree_Celsius degrees_Celsius degrees_C": (1, 273.15),
                    "degF fahrenheit deg_F degree_Fahrenheit": (5 / 9, 273.15 - 160 / 9)},
    "pressure": {"Pa pascal": (1, 0), "hPa mbar millibar": (100, 0), "kPa": (1000, 0), "bar": (1e5, 0)},
    "length": {"m metre meter metres meters": (1, 0), "mm millimeter": (1e-3, 0), "cm": (1e-2, 0), "km": (1e3, 0), "um": (1e-6, 0)},
    "speed": {"m s-1|m/s|m s**-1": (1, 0), "km h-1|km/h": (1 / 3.6, 0), "knot kt knots": (1852 / 3600, 0), "cm s-1|cm/s": (1e-2, 0)},
    "mass": {"kg": (1, 0), "g": (1e-3, 0), "mg": (1e-6, 0)},
    "ratio": {"1": (1, 0), "% percent": (1e-2, 0)},
    "mass ratio": {"kg kg-1|kg/kg|kg kg**-1": (1, 0), "g kg-1|g/kg": (1e-3, 0)},
    "precipitation": {"kg m-2|kg m**-2": (1, 0)},
}.items():
    for _names, (_factor, _offset) in _table.items():
        for _name in _names.split("|") if "|" in _names or "-" in _names else _names.split():
            _UNITS[_name] = (_kind, float(_factor), float(_offset))


def decoded(name: str, v: xr.Variable) -> xr.Variable:
    """A variable as its attributes say, if it was opened without decoding."""
    if not any(k in v.attrs for k in CODING) or v.dtype.kind in "OSUMmb":
        return v
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", xr.SerializationWarning)
        return xr.conventions.decode_cf_variable(name, v)


class Meaning:
    """What the numbers of a stored variable mean. stored has the attributes and the type of the array."""

    def __init__(self, what: str, stored: xr.Variable) -> None:
        self.what, self.dtype = what, stored.dtype
        self.attrs = {k: stored.attrs[k] for k in (*CODING, "dtype") if k in stored.attrs}
        self.signs = {k: stored.attrs[k] for k in SIGNS if k in stored.attrs}
        units = self.attrs.get("units")
        self.units = units if isinstance(units, str) else None
        self.kind = "number"
        if self.units is not None and stored.dtype.kind in "iuf":
            self.kind = "time" if "since" in self.units else "duration" if self.units in times.TIME_UNITS else "number"

    def __str__(self) -> str:
        return ", ".join([self.dtype.name, *(f"{k} {_short(v)}" for k, v in self.attrs.items())])

    def refuse(self, given: str, way: str) -> InvalidError:
        return InvalidError(f"{self.what}: the array has {self}; what is written has {given}: {way}")

    def encoded(self, v: xr.Variable) -> xr.Variable:
        """The variable with the numbers of the array, or an error. Arrays of dask are encoded when they are computed."""
        attrs = {k: v.attrs[k] for k in CODING if k in v.attrs}
        own = {k: x for k, x in self.attrs.items() if k != "dtype"}
        self._compare_signs(v)
        if v.dtype == self.dtype and _equal(attrs, own) and attrs:
            return v  # the numbers mean the same
        v = decoded(self.what, v)
        factor = self._factor(v)
        if v.chunks is None:
            return xr.Variable(v.dims, self._numbers(v.values, factor), {})
        data = v.data.map_blocks(self._numbers, factor, dtype=self.dtype, meta=np.empty((0,) * v.ndim, self.dtype))
        return xr.Variable(v.dims, data, {})

    def _compare_signs(self, v: xr.Variable) -> None:
        for k, x in self.signs.items():
            if k in v.attrs and not _equal({k: x}, {k: v.attrs[k]}):
                raise InvalidError(f"{self.what}: {k} of the array is {_short(x)}, of what is written {_short(v.attrs[k])}: "
                                   f"make them equal; {RAW}")

    def _factor(self, v: xr.Variable) -> tuple[float, float] | None:
        """The factor and the offset from the units of a variable to those of the array; None if they are the same."""
        kind = _kind(v)
        if kind != self.kind:
            raise self.refuse(f"{_words(v)}", f"convert it to the meaning of the array; {RAW}")
        if (self.dtype.kind == "b") != (v.dtype.kind == "b") and self.kind == "number":
            raise self.refuse(f"{v.dtype.name}", f"convert it with astype; {RAW}")
        if v.dtype.kind == "c" and self.dtype.kind != "c":
            raise self.refuse(f"{v.dtype.name}", "write its real part")
        units = v.attrs.get("units")
        if kind != "number" or units is None or _words_equal(units, self.units):
            return None
        one, other = _UNITS.get(str(units).strip()), _UNITS.get(str(self.units).strip())
        if one is None or other is None or one[0] != other[0]:
            raise self.refuse(f"units {units!r}", f"convert it, or set the attribute units; {RAW}")
        return (one[1] / other[1], (one[2] - other[2]) / other[1]) if one[1:] != other[1:] else None

    def _numbers(self, values: Any, factor: tuple[float, float] | None) -> np.ndarray:
        """Values, which are decoded, as numbers of the array."""
        values = np.asarray(values)
        if self.kind == "time":
            return self._times(values)
        if self.kind == "duration":
            return self._durations(values)
        if self.dtype.kind in "bc":
            return converted(values, self.dtype, self.what)
        missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, bool)
        if factor is not None:
            values = values.astype("f8") * factor[0] + factor[1]
        return self._packed(values, missing)

    def _unsigned(self) -> np.dtype:
        """The type of the numbers before they are scaled."""
        flag = str(self.attrs.get("_Unsigned", "")).lower()
        kind = {("i", "true"): "u", ("u", "false"): "i"}.get((self.dtype.kind, flag), self.dtype.kind)
        return np.dtype(f"{kind}{self.dtype.itemsize}")

    def _packed(self, values: np.ndarray, missing: np.ndarray) -> np.ndarray:
        scale, offset = (_number(self.attrs.get(k)) for k in ("scale_factor", "add_offset"))
        target = self._unsigned()
        if scale is not None or offset is not None:
            with np.errstate(invalid="ignore"):
                values = (values.astype("f8") - (offset or 0.0)) / (1.0 if scale is None else scale)
        if target.kind in "iu" and values.dtype.kind == "f":
            near = np.rint(values)
            if scale is None and offset is None:
                near = values  # fractions are refused
            values = near
        plain = np.where(missing, 0, values).astype(values.dtype) if missing.any() else values
        try:
            numbers = converted(plain, target, self.what)
        except DTypeError as e:
            raise DTypeError(f"{e}; the array has {self}") from None
        if target.kind in "iu":
            taken = self._taken(target)
            hit = np.isin(numbers, taken) & ~missing if taken else np.zeros(numbers.shape, bool)
            if hit.any():
                raise self.refuse(f"a value that is stored as {numbers[hit].flat[0]}, which means missing",
                                  f"choose another missing value; {RAW}")
        if missing.any():
            numbers = np.where(missing, self._missing(target), numbers).astype(target)
        return numbers.view(self.dtype) if target != self.dtype else numbers

    def _taken(self, target: np.dtype) -> list[Any]:
        """The numbers that mean missing."""
        found = []
        for k in "_FillValue", "missing_value":
            for x in np.ravel(self.attrs.get(k, [])):
                if not isinstance(x, (str, bytes)) and not pd.isnull(x):
                    found.append(_as(x, target))
        return [x for x in found if x is not None]

    def _missing(self, target: np.dtype) -> Any:
        """The number that stands for a missing value."""
        taken = self._taken(target)
        if target.kind == "f" and ("scale_factor" in self.attrs or not taken):
            return taken[0] if taken else np.nan
        if taken:
            return taken[0]
        raise self.refuse("missing values (NaN or NaT)", "the array has no missing value: replace them with fillna, or set "
                          "its attribute _FillValue")

    def _times(self, values: np.ndarray) -> np.ndarray:
        calendar = self.attrs.get("calendar") or "standard"
        mine = "standard" if calendar in ("gregorian", "proleptic_gregorian") else calendar
        missing = pd.isnull(values)
        if missing.any():
            self._missing(self._unsigned())
        there = values[~missing]
        if there.dtype.kind == "O" and there.size:
            given = {getattr(t, "calendar", "") for t in there.flat}
            if {"standard" if c in ("gregorian", "proleptic_gregorian") else c for c in given} != {mine}:
                raise self.refuse(f"calendar {', '.join(sorted(given))}", f"convert it with convert_calendar; {RAW}")
        elif mine != "standard" and there.size:
            raise self.refuse("calendar proleptic_gregorian", f"convert it with convert_calendar; {RAW}")
        elif there.size and there.dtype != np.dtype("M8[ns]"):
            there = there.astype("M8[ns]")
        if not there.size:
            return np.full(values.shape, self._missing(self._unsigned()), self.dtype) if missing.any() else np.empty(values.shape, self.dtype)
        number, _, _ = times.encode_cf_datetime(there, self.units, calendar)
        return self._exact(number, there, values.shape, missing)

    def _durations(self, values: np.ndarray) -> np.ndarray:
        missing = pd.isnull(values)
        if missing.any():
            self._missing(self._unsigned())
        there = values[~missing].astype("m8[ns]")
        number, _ = times.encode_cf_timedelta(there, self.units)
        return self._exact(np.asarray(number), there, values.shape, missing)

    def _exact(self, number: np.ndarray, there: np.ndarray, shape: tuple[int, ...], missing: np.ndarray) -> np.ndarray:
        """Numbers of times in the type of the array, which must read as the same times."""
        made = np.empty(shape, self.dtype)
        scale, offset = (_number(self.attrs.get(k)) for k in ("scale_factor", "add_offset"))
        if scale is not None or offset is not None:
            number = (np.asarray(number, "f8") - (offset or 0)) / (scale or 1)
        try:
            made[~missing] = converted(number, self.dtype, self.what)
        except DTypeError:
            raise self._too_coarse(there) from None
        attrs = {k: x for k, x in self.attrs.items() if k in ("units", "calendar", "scale_factor", "add_offset")}
        back = decoded(self.what, xr.Variable("x", made[~missing].ravel(), attrs)).values
        if not np.array_equal(back, there):
            wrong = np.asarray(back != there)
            raise self._too_coarse(there[wrong] if wrong.ndim else there)
        if missing.any():
            made[missing] = self._missing(self._unsigned())
        return made

    def _too_coarse(self, there: np.ndarray) -> InvalidError:
        finer = "set finer units in the encoding of a new dataset"
        return self.refuse(f"{there.flat[0] if there.size else 'no time'}, which its numbers cannot hold exactly",
                           f"round the times to the units of the array, or {finer}")


def _kind(v: xr.Variable) -> str:
    if v.dtype.kind == "M" or v.dtype.kind == "O" and v.size and hasattr(np.ravel(v.values)[0], "calendar"):
        return "time"
    return {"m": "duration"}.get(v.dtype.kind, "text" if v.dtype.kind in "OSU" else "number")


def _words(v: xr.Variable) -> str:
    kind = _kind(v)
    return {"time": "times", "duration": "durations", "text": "text"}.get(kind, f"plain numbers ({v.dtype.name})")


def _as(x: Any, dtype: np.dtype) -> Any:
    """A number in a type, also if it stands for the same bits with another sign; None if the type does not have it."""
    if dtype.kind == "f":
        return dtype.type(x)
    whole = int(x) if float(x) == int(x) else None
    if whole is None:
        return None
    info = np.iinfo(dtype)
    if not info.min <= whole <= info.max:
        whole += 2**info.bits if whole < 0 else -(2**info.bits)
    return dtype.type(whole) if info.min <= whole <= info.max else None


def _number(x: Any) -> float | None:
    return None if x is None else float(np.ravel(x)[0])


def _short(x: Any) -> str:
    text = repr(x.tolist() if isinstance(x, (np.generic, np.ndarray)) else x)
    return text if len(text) <= 60 else text[:57] + "..."


def _words_equal(a: Any, b: Any) -> bool:
    return str(a).split() == str(b).split() if a is not None and b is not None else a is b


def _equal(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Whether attributes are the same; NaN is NaN."""
    if a.keys() != b.keys():
        return False
    for k in a:
        x, y = np.ravel(a[k]), np.ravel(b[k])
        if x.shape != y.shape or not all(p == q or p != p and q != q for p, q in zip(x.tolist(), y.tolist())):
            return False
    return True
