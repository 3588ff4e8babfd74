"""Element types: what becomes of every kind of value in every other type, in libdrx and in Python.
"""

import ctypes
import json
import math
import os
import tempfile
import unittest

import numpy as np

import drx
from drx._convert import converted
from drx._library import call
from drx._types import NUMBERS, number_of

WRITE = 1

TYPES = [np.dtype(name) for name in NUMBERS if name != "bfloat16"]
FILL = 7


def values_of(dtype):
    """Values of a type: its limits, those of all other types with their neighbours, halves, and
    what is no number."""
    found = [0, 1, 2, 3, -1, 5, 2049, 2**24 + 1, 2**53 + 1, -(2**53) - 1]
    for other in TYPES:
        if other.kind in "iu":
            info = np.iinfo(other)
            found += [limit + step for limit in (info.min, info.max) for step in (-1, 0, 1)]
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return np.array(sorted({x for x in found if info.min <= x <= info.max}), dtype)
    found = [float(x) for x in found] + [0.5, 1.5, 2.5, -0.5, -1.5, 0.1, -0.0, 65519.0, 65520.0, 3.4e38, 3.5e38, 1e300, 1e-8, 1e-320, math.nan, math.inf, -math.inf]
    found += [math.nextafter(x, y) for x in (2.0**63, 2.0**64, 2.0**31, -(2.0**63), 255.5) for y in (math.inf, -math.inf)]
    with np.errstate(all="ignore"):
        real = np.unique(np.array(found).astype(f"f{dtype.itemsize // (2 if dtype.kind == 'c' else 1)}"))
    if dtype.kind == "f":
        return real
    made = np.zeros(len(real) * 3, dtype)
    made.real, made.imag = np.concatenate([real, real, 0 * real]), np.concatenate([0 * real, real[::-1], real])
    return made


def nearest(x, dtype):
    """The value of a type that is nearest to a number, of two the even one; the fill value for NaN
    in types without."""
    if dtype.kind == "c":
        part, z = np.dtype(f"f{dtype.itemsize // 2}"), complex(x)
        real = int(x) if isinstance(x, (int, np.integer)) else z.real
        return complex(nearest(real, part), nearest(z.imag, part))
    if isinstance(x, float) and math.isnan(x):
        return x if dtype.kind == "f" else dtype.type(FILL)
    if dtype.kind == "b":
        return x > 0.5
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        if isinstance(x, float) and math.isinf(x):
            return info.max if x > 0 else info.min
        return min(max(round(x), info.min), info.max)
    if isinstance(x, float) and math.isinf(x):
        return x
    largest = float(np.finfo(dtype).max)
    if dtype.itemsize == 8:
        return float(x)
    digits, least = np.finfo(dtype).nmant + 1, np.finfo(dtype).minexp - np.finfo(dtype).nmant
    unit = max((abs(int(x)).bit_length() if abs(x) >= 1 else math.frexp(x)[1]) - digits, least)
    scaled = int(x) * 2 ** -unit if unit <= 0 and x == int(x) else x / 2.0**unit if isinstance(x, float) else None
    if scaled is None:  # an integer with more bits than the type
        whole, rest = divmod(x, 2**unit)
        scaled = whole + (2 * rest > 2**unit or 2 * rest == 2**unit and whole % 2)
    return max(-largest, min(largest, math.ldexp(round(scaled), unit)))


def same(a, b):
    with np.errstate(invalid="ignore"):
        equal = (a == b) | (a != a) & (b != b)
    if a.dtype.kind == "c":
        equal = same(a.real, b.real) & same(a.imag, b.imag)
    return equal


class Types(unittest.TestCase):
    def test_clip_of_the_library(self):
        """The option clip, for all pairs of types: round half to even, then the limits, as np.clip
        of np.rint."""
        with tempfile.TemporaryDirectory() as folder:
            for to in TYPES:
                with drx.create(os.path.join(folder, to.name + ".drx"), [0], to, fill=to.type(FILL)) as a:
                    name = a.name
                opened = ctypes.c_int64()
                call("drx_open", name.encode(), WRITE, b'{"clip": true}', ctypes.byref(opened))
                handle = opened.value
                for given in TYPES:
                    with self.subTest(given=given.name, to=to.name):
                        self.one_pair(handle, values_of(given), to)
                call("drx_discard", handle)

    def one_pair(self, handle, values, to):
        if values.dtype.kind == "c" and to.kind != "c":
            with self.assertRaises(drx.DTypeError):
                call("drx_set", handle, 1, np.zeros(1, "i8").tobytes(), number_of(values.dtype), values.ctypes.data)
            return
        lo, hi = np.zeros(1, "i8"), np.zeros(1, "i8")
        call("drx_extend", handle, 0, len(values), 0, 1, lo.ctypes.data, hi.ctypes.data)
        call("drx_write", handle, 1, lo.tobytes(), hi.tobytes(), None, number_of(values.dtype), values.ctypes.data, values.nbytes, None)
        found = np.empty(len(values), to)
        call("drx_read", handle, 1, lo.tobytes(), hi.tobytes(), None, number_of(to), found.ctypes.data, found.nbytes, None)
        with np.errstate(all="ignore"):
            want = values if values.dtype == to else np.array([nearest(x, to) for x in values.tolist()], to)
        wrong = ~same(found, want)
        self.assertFalse(wrong.any(), f"{values[wrong]} is {found[wrong]}, not {want[wrong]}")

    def test_python_agrees_with_the_library(self):
        """Assignment takes what the rule "values" of drx_meaning_convert takes, and clip=True makes
        what its rule "clip" makes."""
        counts = {"exact": 0, "refused": 0}
        for given in TYPES:
            for to in TYPES:
                for rule in "values", "clip":
                    for x in values_of(given):
                        with self.subTest(given=given.name, to=to.name, rule=rule, x=x):
                            counts["exact" if self.one_value(x, to, rule) else "refused"] += 1
        self.assertGreater(min(counts.values()), 2000, counts)

    def one_value(self, x, to, rule):
        given = np.array([x])
        try:
            mine = converted(given, to, "a", rule == "clip")
        except drx.DTypeError:
            mine = None
        if given.dtype.kind == "c" and to.kind != "c":  # of which Python takes real ones
            if not x.imag == 0:
                self.assertIsNone(mine)
                return False
            given = given.real.copy()
        if given.dtype.kind == "f" and to.kind in "biu" and np.isnan(x):  # which may be missing for the library
            self.assertIsNone(mine)
            return False
        made = np.empty(1, to)
        try:
            call("drx_meaning_convert", described(given.dtype), described(to), json.dumps({"rule": rule}).encode(), 1, given.ctypes.data, made.ctypes.data)
        except drx.DTypeError:
            made = None
        if given.dtype.kind in "iu" and to.kind == "c" and rule == "values":  # of which Python takes exact ones
            self.assertEqual(mine is not None, int(nearest(int(x), to).real) == int(x))
            return mine is not None
        if given.dtype.kind == "f" and to.kind == "b" and rule == "values":  # of which Python takes zeros and ones
            self.assertEqual(mine is not None, x in (0, 1))
            return mine is not None
        self.assertEqual(mine is None, made is None, (mine, made))
        self.assertTrue(mine is None or bool(same(mine, made).all()), (mine, made))
        return mine is not None


def described(dtype):
    return json.dumps({"dtype": dtype.name}).encode()


if __name__ == "__main__":
    unittest.main()
