"""Rounding of numbers for better compression, with the settings of netCDF4 and xarray:
significant_digits and quantize_mode.

libdrx rounds; the numbers and the attribute that records them are those of netCDF's quantize.
"""

from __future__ import annotations

import json
import threading
from typing import Any, Mapping

import numpy as np

from ._errors import InvalidError
from ._library import call, encode
from ._types import attribute_json

# The modes of netCDF, with the attribute that has the number of digits, or of bits for BitRound.
MODES = {
    "BitGroom": "_QuantizeBitGroomNumberOfSignificantDigits",
    "GranularBitRound": "_QuantizeGranularBitRoundNumberOfSignificantDigits",
    "BitRound": "_QuantizeBitRoundNumberOfSignificantBits",
}
MARKS = ("_FillValue", "missing_value", "nodata")  # of elements that stay as they are


class Rounding:
    """The rounding of a variable: a mode of netCDF, and the number of digits or bits."""

    def __init__(self, mode: str, digits: int) -> None:
        self.mode, self.digits = mode, digits
        self.attr = MODES[mode]

    def numbers(self, what: str, values: np.ndarray, attrs: Mapping[Any, Any], first: int = 0) -> np.ndarray:
        """Rounded values. attrs define the missing ones, first is the number of values before them.
        """
        marks = {k: attribute_json(attrs[k]) for k in MARKS if k in attrs}
        description = encode(json.dumps({"dtype": values.dtype.name, "attrs": marks}), "attributes")
        options = encode(json.dumps({"significant_digits": self.digits, "quantize_mode": self.mode}), "options")
        odd = first % 2  # BitGroom sets bits to zeros and ones by turns
        elements = np.empty(values.size + odd, values.dtype.newbyteorder("="))
        elements[:odd], elements[odd:] = 0, values.ravel()
        made = np.empty_like(elements)
        try:
            call("drx_meaning_convert", description, description, options, elements.size, elements.ctypes.data, made.ctypes.data)
        except InvalidError as e:
            raise InvalidError(f"{what}: significant_digits {self.digits} of {self.mode}: {e}") from None
        return made[odd:].reshape(values.shape)


class Rounded:
    """An array to which rounded numbers are written, by one thread in the order of the elements, or
    by many."""

    def __init__(self, what: str, a: Any, rounding: Rounding, attrs: Mapping[Any, Any]) -> None:
        self.shape, self._what, self._a, self._rounding, self._attrs = a.shape, what, a, rounding, attrs
        self._thread, self._done = threading.get_ident(), 0

    def elsewhere(self, a: Any) -> Rounded:
        """The same for another target, which other processes write: in no order."""
        other = Rounded.__new__(Rounded)
        other.__dict__.update(self.__dict__, _a=a, _thread=0)
        return other

    def __setitem__(self, key: Any, values: Any) -> None:
        values = np.asarray(values)
        first = self._done if threading.get_ident() == self._thread else 0
        self._a[key] = self._rounding.numbers(self._what, values, self._attrs, first)
        if threading.get_ident() == self._thread:
            self._done += values.size


def asked(what: str, encoding: Mapping[str, Any]) -> Rounding | None:
    """The rounding requested by an encoding, or None."""
    digits, mode = encoding.get("significant_digits"), encoding.get("quantize_mode")
    if digits is None or digits is False:
        if mode is not None and "significant_digits" not in encoding:
            raise InvalidError(f"{what}: quantize_mode {mode!r} without significant_digits, which rounds nothing: give both")
        return None
    mode = "BitGroom" if mode is None else mode
    if mode not in MODES:
        raise InvalidError(f"{what}: quantize_mode {mode!r}: want {', '.join(MODES)}")
    if not isinstance(digits, (int, np.integer)) or isinstance(digits, bool) or digits < 1:
        raise InvalidError(f"{what}: significant_digits {digits!r}: want a positive number of {'bits' if mode == 'BitRound' else 'digits'}")
    return Rounding(mode, int(digits))


def of_attrs(attrs: Mapping[Any, Any]) -> Rounding | None:
    """The rounding recorded in the attributes of an array, or None."""
    for mode, attr in MODES.items():
        n = attrs.get(attr)
        if isinstance(n, (int, np.integer)) and n > 0:
            return Rounding(mode, int(n))
    return None
