"""Element types: those of DRX, of NumPy and of ctypes."""

from __future__ import annotations

import ctypes
import math
from typing import Any, Mapping

import numpy as np

from ._errors import DTypeError

#: The numbers of drx.h by name.
NUMBERS = {
    "bool": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "uint8": 6, "uint16": 7, "uint32": 8, "uint64": 9,
    "float16": 10, "bfloat16": 11, "float32": 12, "float64": 13, "complex64": 14, "complex128": 15,
}
NAMES = {number: name for name, number in NUMBERS.items()}
BFLOAT16 = NUMBERS["bfloat16"]

#: The types of ctypes for single elements; float16 and complex numbers have none.
SCALARS = {
    "bool": ctypes.c_uint8, "int8": ctypes.c_int8, "int16": ctypes.c_int16, "int32": ctypes.c_int32,
    "int64": ctypes.c_int64, "uint8": ctypes.c_uint8, "uint16": ctypes.c_uint16, "uint32": ctypes.c_uint32,
    "uint64": ctypes.c_uint64, "float32": ctypes.c_float, "float64": ctypes.c_double,
}


def number_of(dtype: Any) -> int:
    """The number of a type, given as NumPy's type or by a name such as ``"bfloat16"``."""
    if isinstance(dtype, str) and dtype in NUMBERS:
        return NUMBERS[dtype]
    try:
        name = np.dtype(dtype).name
    except TypeError as e:
        raise DTypeError(f"type {dtype!r}: {e}; the types of DRX are {', '.join(NUMBERS)}") from None
    if name not in NUMBERS:
        raise DTypeError(f"type {name}: the types of DRX are {', '.join(NUMBERS)}")
    return NUMBERS[name]


def numpy_type(number: int) -> np.dtype:
    """The type of NumPy in the byte order of the machine. NumPy has no bfloat16; its values are
    float32."""
    return np.dtype("float32" if number == BFLOAT16 else NAMES[number])


def to_bfloat16(values: np.ndarray) -> np.ndarray:
    """The bits of the bfloat16 nearest to each float32, as uint16; ties to even. NaN stays NaN."""
    bits = np.ascontiguousarray(values, "f4").view("u4").reshape(values.shape)
    rounded = (bits + np.uint32(0x7FFF) + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(values), bits >> 16 | 0x40, rounded).astype("u2")


def fill_json(value: Any) -> Any:
    """A value in the form of the option fill."""
    value = np.asarray(value)
    if value.ndim:
        raise DTypeError(f"fill {value.tolist()}: want one value")
    value = value.item()
    if isinstance(value, complex):
        return [fill_json(value.real), fill_json(value.imag)]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def json_value(value: Any) -> Any:
    """For json.dumps: NumPy's numbers and arrays, and bytes that are text."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, bytes):
        return value.decode()
    raise TypeError(f"{type(value).__name__} is no value of JSON")

# Attributes of the CF conventions that are numbers. JSON has no NaN and no infinities: they are
# written as text.
_NUMERIC = {"_FillValue", "missing_value", "valid_min", "valid_max", "valid_range", "actual_range", "scale_factor", "add_offset"}
_SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def attribute_value(name: str, value: Any, special: bool = False) -> Any:
    """An attribute in NetCDF's form: text for NaN or an infinity becomes a number, where numbers
    are expected."""
    if isinstance(value, list):
        if any(isinstance(v, (int, float)) for v in value) or special or name in _NUMERIC:
            value = [_SPECIAL.get(v, v) if isinstance(v, str) else v for v in value]
        return np.array(value) if value and not any(isinstance(v, (list, dict)) for v in value) else value
    return _SPECIAL.get(value, value) if (special or name in _NUMERIC) and isinstance(value, str) else value


def attribute_json(value: Any) -> Any:
    """An attribute in the form of JSON."""
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, (list, tuple)):
        return [attribute_json(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return fill_json(value)
    return value


NONFINITE = "import.nonfinite"  # names of attributes whose text stands for NaN and infinities


def attributes_json(attrs: Mapping[Any, Any]) -> dict[str, Any]:
    """Attributes in the form of JSON, with a list of those whose NaN and infinities became text,
    except for the attributes in which attribute_value expects numbers."""
    made = {str(k): attribute_json(v) for k, v in attrs.items()}
    special = [str(k) for k, v in attrs.items() if str(k) not in _NUMERIC and _is_nonfinite(v)]
    return {**made, NONFINITE: special} if special else made


def _is_nonfinite(value: Any) -> bool:
    try:
        numbers = np.asarray(value)
    except ValueError:
        return False
    return numbers.dtype.kind == "f" and not np.isfinite(numbers).all()


_NETCDF = {"i1": -127, "i2": -32767, "i4": -2147483647, "i8": -9223372036854775806, "u1": 255, "u2": 65535,
           "u4": 4294967295, "u8": 18446744073709551614, "f4": 9.969209968386869e36, "f8": 9.969209968386869e36}


def netcdf_default(fill: np.generic) -> bool:
    """Whether a fill value marks missing elements only if an attribute says so: zero, or NetCDF's
    default."""
    default = _NETCDF.get(fill.dtype.str[1:])
    return bool(fill == 0) or fill.dtype.str[1:] not in ("u1", "u2") and default is not None and bool(fill == fill.dtype.type(default))
