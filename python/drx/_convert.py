"""Conversion of values to another element type: the same numbers, or an error. NumPy would wrap
integers and truncate floats."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import DTypeError

KINDS = {"b": "bool", "i": "integer", "u": "integer", "f": "float", "c": "complex"}


def converted(values: Any, dtype: np.dtype, name: str, clip: bool = False) -> np.ndarray:
    """Values in an element type of DRX.

    Floats and complex numbers are rounded to a narrower type. Everything else is exact, or raises
    DTypeError: integers out of range, integers that a float cannot represent, fractions and NaN as
    integers, finite numbers that would become infinite, and imaginary parts that would be lost.
    With clip they become the nearest value of the type; but NaN is no integer, and times and text
    are no numbers.
    """
    given = _numbers(values, dtype, name)
    if given.dtype == dtype:
        return given if given.dtype.isnative else given.astype(dtype)
    if is_exact(given.dtype, dtype):
        return given.astype(dtype)
    if given.dtype.kind == "c" and dtype.kind != "c":
        _refuse(given, given.imag != 0, dtype, name, "has an imaginary part", "write its real part")
        given = given.real
    if given.dtype.kind == "f" and dtype.kind in "biu":
        _refuse(given, np.isnan(given), dtype, name, "is no integer", "replace it by a value of your choice")
    nearest = _nearest(given, dtype)
    if not clip:
        _refuse(given, _differs(given, nearest, dtype), dtype, name, _range(dtype), "clip=True writes the nearest value")
    return nearest


def is_exact(given: np.dtype, dtype: np.dtype) -> bool:
    """Whether a type has every value of another. NumPy's answer is wrong for 64-bit integers and
    floats."""
    large = given.kind in "iu" and given.itemsize == 8 and dtype.kind in "fc"
    return bool(np.can_cast(given, dtype, "safe")) and not large


def _numbers(values: Any, dtype: np.dtype, name: str) -> np.ndarray:
    """Values as an array of numbers. Python integers of more than 64 bits stay objects."""
    given = np.asarray(values)
    if given.dtype.kind == "O" and given.size and all(isinstance(x, (int, np.integer)) for x in given.flat):
        return given
    if given.dtype.kind == "O":
        try:
            return _numbers(given.tolist(), dtype, name) if given.size else np.empty(given.shape, dtype)
        except RecursionError:
            pass
    if given.dtype.kind not in KINDS:
        if given.dtype.kind in "SU":
            raise ValueError(f"{name}: could not convert text to {dtype.name}: {given.flat[0] if given.size else ''!r}")
        raise DTypeError(f"{name}: values of type {given.dtype} are no numbers, the elements are {dtype.name}: convert them "
                         "to the numbers that shall be stored")
    return given


def _nearest(given: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The nearest values of a type."""
    if dtype.kind == "b":
        return given > (0.5 if given.dtype.kind == "f" else 0)
    with np.errstate(all="ignore"):
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            if given.dtype.kind == "f":
                return _nearest_integers(np.rint(given), dtype)
            if given.dtype.kind == "O":
                return np.array([min(max(int(x), info.min), info.max) for x in given.flat], dtype).reshape(given.shape)
            have = np.iinfo(given.dtype) if given.dtype.kind != "b" else None
            if have is None:
                return given.astype(dtype)
            least, greatest = max(info.min, have.min), min(info.max, have.max)
            return np.clip(given, given.dtype.type(least), given.dtype.type(greatest)).astype(dtype)
        made = given.astype(dtype)
        parts = [(made, given)] if dtype.kind == "f" else [(made.real, given.real), (made.imag, given.imag)]
        for part, source in parts:
            if source.dtype.kind in "iuf":
                largest = np.finfo(part.dtype).max
                lost = np.isinf(part) & np.isfinite(source)
                part[lost] = np.where(source[lost] < 0, -largest, largest)
    return made


def _nearest_integers(whole: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Integers from floats. The limits of 64-bit integers are no floats, so they are set
    explicitly."""
    info = np.iinfo(dtype)
    above, below = _beyond(whole, dtype)
    made = np.where(above | below, 0, whole).astype(dtype)
    return np.where(above, dtype.type(info.max), np.where(below, dtype.type(info.min), made))


def _beyond(values: np.ndarray, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Where floats are above and below the integers of a type. A narrow float cannot represent the
    limits and is infinite there."""
    info, wide = np.iinfo(dtype), values.astype("f8")
    return wide >= float(info.max) + 1 if info.bits == 64 else wide > info.max, wide < info.min


def _differs(given: np.ndarray, nearest: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Where the stored value would differ from a value."""
    if dtype.kind in "fc" and given.dtype.kind in "fc":
        with np.errstate(all="ignore"):
            plain = given.astype(dtype)
        return np.isfinite(given) & ~np.isfinite(plain)
    if dtype.kind in "fc":  # integers: exact or not
        real = nearest.real if dtype.kind == "c" else nearest
        inside = np.isfinite(real)
        back = _nearest_integers(np.where(inside, real, 0).astype("f8"), np.dtype("u8" if given.dtype.kind == "u" else "i8"))
        at_limit = real.astype("f8") >= 2.0 ** (64 if given.dtype.kind == "u" else 63)
        return (back != given) | ~inside | at_limit
    if given.dtype.kind == "f" and dtype.kind == "b":
        return (given != 0) & (given != 1)
    if given.dtype.kind == "f":
        above, below = _beyond(given, dtype)
        return above | below | (np.rint(given) != given)
    if {given.dtype.kind, dtype.kind} == {"i", "u"}:
        return (nearest != given) if given.dtype.itemsize < 8 and dtype.itemsize < 8 else _differs_64(given, nearest)
    return np.asarray(nearest != given, bool)


def _differs_64(given: np.ndarray, nearest: np.ndarray) -> np.ndarray:
    """For signed and unsigned 64-bit integers, which NumPy would compare as floats."""
    return ((given < 0) != (nearest < 0)) | (given.astype("u8") != nearest.astype("u8"))


def _range(dtype: np.dtype) -> str:
    if dtype.kind == "b":
        return "is neither 0 nor 1"
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return f"is no {dtype.name}, which has the integers {info.min} to {info.max}"
    part = np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype
    return f"is no {dtype.name}, which has numbers to {np.finfo(part).max:.6g} and exact integers to 2**{np.finfo(part).nmant + 1}"


def _refuse(given: np.ndarray, wrong: Any, dtype: np.dtype, name: str, why: str, way: str) -> None:
    wrong = np.asarray(wrong)
    if wrong.any():
        at = tuple(int(i) for i in np.unravel_index(int(np.argmax(wrong)), wrong.shape)) if wrong.ndim else ()
        where = f" at {list(at)}" if at else ""
        raise DTypeError(f"{name}: value {given[at]}{where} {why} ({given.dtype.name} into {dtype.name}): {way}")
