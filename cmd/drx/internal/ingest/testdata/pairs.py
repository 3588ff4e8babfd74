"""pairs.py FOLDER SEED N: makes N pairs of NetCDF files, <i>a.nc and <i>b.nc, and prints of each
pair one line of JSON: what xarray decodes from the second file, in the units of the first, how it
is to be joined, and to within which step."""

import json
import os
import sys
import warnings

import netCDF4
import numpy as np
import xarray as xr

warnings.simplefilter("ignore")
HOWS = ("import", "append", "reserve", "write", "write one")
# What a value is multiplied by, and what is added then, to have it in the first of the units.
UNITS = {
    ("K", "degC"): (1, 273.15), ("degC", "K"): (1, -273.15), ("K", "degF"): (5 / 9, 459.67 * 5 / 9), ("Pa", "hPa"): (100, 0), ("hPa", "Pa"): (0.01, 0),
    ("m s-1", "km/h"): (1 / 3.6, 0), ("m", "mm"): (0.001, 0), ("kg m-2 s-1", "mm day-1"): None, ("1", "percent"): (0.01, 0), ("kg kg-1", "g kg-1"): (0.001, 0),
}


class File:
    """The variables of a file: name -> (dims, elements, attributes)."""

    def __init__(self, t, x, v, v_attrs=None, dims=("t", "x")):
        self.vars = {"t": (("t",), np.asarray(t), {"units": "days since 2000-01-01"}), "x": (("x",), np.asarray(x), {}), "v": (dims, np.asarray(v), dict(v_attrs or {}))}

    def write(self, path):
        with netCDF4.Dataset(path, "w") as d:
            for dims, elements, _ in self.vars.values():
                for dim, n in zip(dims, elements.shape):
                    if dim not in d.dimensions:
                        d.createDimension(dim, n)
            for name, (dims, elements, attrs) in self.vars.items():
                attrs = dict(attrs)
                v = d.createVariable(name, elements.dtype, dims, fill_value=attrs.pop("_FillValue", False))
                v.set_auto_maskandscale(False)
                v.setncatts(attrs)
                v[...] = elements


class Pairs:
    """Random pairs, by their kinds."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def one_of(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def ints(self, low, high, shape, dtype="i2"):
        return self.rng.integers(low, high, shape).astype(dtype)

    def times(self, how):
        """The times of the second file, which follow those of the first, or are some of them."""
        if how.startswith("write"):
            return self.one_of([0, 1], [1, 2], [2, 3])
        return [4, 5]

    def pair(self, how, one, two):
        """Two files of the same coordinates, of which the elements are made by functions of their
        shapes."""
        x = [0.0, 10.0, 20.0]
        return File([0, 1, 2, 3], x, *one((4, 3))), File(self.times(how), x, *two((2, 3)))

    def packing(self, how):
        scale, offset = self.one_of(0.01, 0.1, 0.5, -0.25), self.one_of(0.0, 273.15)
        first = {"scale_factor": scale, "add_offset": offset, "_FillValue": np.int16(-32768)}

        def two(shape):
            attrs = {"scale_factor": self.one_of(0.007, 0.01, 0.3, 50.0, 9.0, np.float32(0.02)), "add_offset": self.one_of(0.0, 250.0, np.float32(300))}
            dtype = self.one_of("i2", "i1", "i4", "u1")
            if self.rng.random() < 0.3:
                attrs["_FillValue"] = np.dtype(dtype).type(self.one_of(99, 100))
            choice = self.rng.random()
            if choice < 0.15:
                return self.rng.random(shape).astype(self.one_of("f4", "f8")) * 20 + offset, {}
            if choice < 0.25:
                attrs.pop(self.one_of("scale_factor", "add_offset"))
            return self.ints(0, 120, shape, dtype), attrs

        if self.rng.random() < 0.15:  # an array without packing
            dtype = self.one_of("f4", "f8", "i2")
            return *self.pair(how, lambda shape: (self.ints(0, 99, shape, dtype), {}), two), "v", 0
        return *self.pair(how, lambda shape: (self.ints(-900, 900, shape), first), two), "v", abs(scale)

    def unsigned(self, how):
        usual = self.one_of("i1", "i1", "u1", "i2")

        def some(shape):
            dtype, attrs = self.one_of(usual, usual, usual, "i1", "u1", "i2", "u2"), {}
            if dtype[0] == "i" and self.rng.random() < 0.8:
                attrs["_Unsigned"] = self.one_of("true", "true", "false")
            if self.rng.random() < 0.5:
                attrs["_FillValue"] = np.dtype(dtype).type(-1 if dtype[0] == "i" else 255)
            low = {"i1": -128, "i2": self.one_of(-9, 200), "u1": 0, "u2": self.one_of(0, 9000)}[dtype]
            return self.ints(low, low + 250 if dtype != "i1" else 127, shape, dtype), attrs

        return *self.pair(how, some, some), "v", 0

    def missing(self, how):
        def some(shape):
            dtype = self.one_of("i2", "i4", "f4", "f8")
            values = self.ints(0, 9, shape, dtype)
            attrs = {}
            marks = [np.dtype(dtype).type(n) for n in self.rng.choice([-9, -8, -7, 3], 3, replace=False)]
            if self.rng.random() < 0.6:
                attrs["missing_value"] = self.one_of(marks[0], np.array(marks[:2]), np.array(marks[:1]))
            if self.rng.random() < 0.6:
                attrs["_FillValue"] = marks[2]
            for mark in marks:
                if self.rng.random() < 0.4:
                    values.flat[self.rng.integers(values.size)] = mark
            if dtype[0] == "f" and self.rng.random() < 0.4:
                values.flat[0] = np.nan
            return values, attrs

        return *self.pair(how, some, some), "v", 0

    def fill(self, how):
        dtype = self.one_of("i2", "f4")
        marks = (0, -1, -9999) if dtype == "i2" else (0, np.nan, 1e20, -9999)

        def some(shape):
            attrs, values = {}, self.ints(-2, 5, shape, dtype)
            if self.rng.random() < 0.85:
                attrs["_FillValue"] = np.dtype(dtype).type(self.one_of(*marks))
                values.flat[self.rng.integers(values.size)] = attrs["_FillValue"]
            return values, attrs

        return *self.pair(how, some, some), "v", 0

    def units(self, how):
        to, of = self.one_of(*UNITS)
        of = self.one_of(of, of, to, "furlong", None)
        packed = self.rng.random() < 0.4

        def one(shape):
            if packed:
                return self.ints(0, 30000, shape), {"units": to, "scale_factor": 0.5, "add_offset": -300.0, "_FillValue": np.int16(-1)}
            return (self.rng.random(shape) * 20).astype("f8"), {"units": to}

        def two(shape):
            attrs = {"units": of} if of else {}
            return (self.rng.random(shape) * self.one_of(20, 1e5)).astype("f8"), attrs

        return *self.pair(how, one, two), "v", 0.5 if packed else 0, (1, 0) if of == to or (to, of) == ("1", None) else UNITS.get((to, of))

    def counted(self, how, of):
        one, two = self.pair(how, lambda shape: (np.zeros(shape), {}), lambda shape: (np.zeros(shape), {}))
        one.vars["w"], two.vars["w"] = of(4, True), of(2, False)
        return one, two, "w", 0

    def dates(self, how):
        def of(n, first):
            unit = self.one_of("days", "hours", "seconds", "minutes")
            dtype = self.one_of("i4", "f8", "i8")
            count = np.arange(n) * {"days": 1, "hours": self.one_of(24, 24, 7), "minutes": 1440, "seconds": self.one_of(86400, 86399)}[unit]
            if self.rng.random() < 0.2 and not first:
                unit, count = self.one_of("months", "fortnights", "degrees"), np.arange(n)
            since = self.one_of("2000-01-01", "1999-12-31 12:00", "1970-01-01", "2000-02-28 00:00:00")
            attrs = {"units": f"{unit} since {since}"} if self.rng.random() < 0.93 else {}
            return ("t",), count.astype(dtype), attrs

        return self.counted(how, of)

    def calendar(self, how):
        def of(n, first):
            calendar = self.one_of("standard", "noleap", "360_day", "proleptic_gregorian", "gregorian", "julian")
            return ("t",), np.arange(n).astype("i4") + self.one_of(0, 58), {"units": f"days since {self.one_of('2001-01-01', '2000-02-27')}", "calendar": calendar}

        return self.counted(how, of)

    def bounds(self, how):
        days = {True: [0, 1, 2, 3], False: self.times(how)}

        def file(first):
            t = np.array(days[first], "f8")
            f = File(t, [0.0, 10.0, 20.0], np.zeros((len(t), 3)))
            factor, units = 1, "days since 2000-01-01"
            if not first:
                factor, units = self.one_of((24, "hours since 2000-01-01"), (1, "days since 2000-01-01"), (1440, "minutes since 2000-01-01"))
            dtype = self.one_of("f8", "i4") if self.rng.random() < 0.5 else "f8"
            t, width = t * factor, self.one_of(1, 0.5, 1) * factor
            f.vars["t"] = (("t",), t, {"units": units, "bounds": "t_bnds"})
            attrs = {"units": self.one_of("days since 1990-01-01", "K")} if not first and self.rng.random() < 0.5 else {}
            f.vars["t_bnds"] = (("t", "nv"), np.stack([t, t + width], -1).astype(dtype), attrs)
            return f

        return file(True), file(False), "t_bnds", 0

    def coordinate(self, how):
        x = [0.1, 10.2, 20.3]
        y = self.one_of(x, x, x[::-1], [5.1, 15.2, 25.3], [10.2, 0.1, 20.3], [0.1, 10.2 + 2e-15, 20.3], np.array(x, "f4"), x[1:], x + [30.4], [0.1, 10.2, 20.4])
        if self.rng.random() < 0.3:
            x = np.array(x, "f4")
        t = self.times(how)
        return File([0, 1, 2, 3], x, self.rng.random((4, 3))), File(t, y, self.rng.random((len(t), len(y)))), "v", 0

    def type(self, how):
        def one(shape):
            return self.ints(0, 9, shape, self.one_of("i2", "u1", "f4", "i8", "u8", "f8", "i4")), {}

        def two(shape):
            return (self.rng.random(shape) * self.one_of(1, 9, 1e9)).astype(self.one_of("i2", "i8", "f8", "u1", "i4", "f4")), {}

        return *self.pair(how, one, two), "v", 0

    def order(self, how):
        t = self.one_of([4, 5], [4, 5], [4, 5], [1, 2], [1, 2], [5, 4], [3, 4], [4, 4], [-2, -1], [6], [1, 2], [4, 6, 5], [3], [0, 2], [3, 2], [0, 1, 2, 3], [3, 2, 1, 0], [2])
        x = [0.0, 10.0, 20.0]
        return File([0, 1, 2, 3], x, self.rng.random((4, 3))), File(np.array(t, self.one_of("i8", "f8", "i4")), x, self.rng.random((len(t), 3))), "v", 0

    def flags(self, how):
        names = ["clear", "cloudy", "snow", "rain"]

        def some(shape):
            n, order = self.one_of(2, 3, 4), self.one_of([0, 1, 2, 3], [0, 1, 2, 3], [1, 0, 2, 3])
            attrs = {"flag_values": np.arange(n, dtype="i1"), "flag_meanings": " ".join(names[i] for i in order[:n])}
            return self.ints(0, n, shape, "i1"), attrs if self.rng.random() < 0.9 else {}

        return *self.pair(how, some, some), "v", 0

    def dims(self, how):
        t = self.times(how)
        x = [0.0, 10.0] if self.rng.random() < 0.7 else [0.0, 10.0, 20.0]
        one = File([0, 1, 2, 3], x, self.rng.random((4, len(x))))
        choice = self.rng.integers(3)
        two = File(t, x, self.rng.random((2, len(x))))
        if choice == 1:
            two = File(t, x, self.rng.random((len(x), 2)), dims=("x", "t"))
        if choice == 2:
            two.vars["y"] = (("y",), *two.vars.pop("x")[1:])
            two.vars["v"] = (("t", "y"), *two.vars["v"][1:])
        return one, two, "v", 0


KINDS = ("packing", "unsigned", "missing", "fill", "units", "dates", "calendar", "bounds", "coordinate", "type", "order", "flags", "dims")


def flag_numbers(one, two, values):
    """The numbers that the array has for the flags of the second file; nothing if it has none."""
    def table(f):
        attrs = f.vars["v"][2]
        return dict(zip(map(int, attrs["flag_values"]), attrs["flag_meanings"].split())) if "flag_values" in attrs else None

    a, b = table(one), table(two)
    if a is None or b is None:
        return values if a is None else None
    number = {name: n for n, name in a.items()}
    return [number.get(b[int(n)]) for n in values] if all(b[int(n)] in number for n in values) else None


def described(v):
    """The values of a variable: numbers, nothing for missing ones, or dates as text."""
    values = v.values.ravel()
    if values.dtype == object:
        return [None if d is None or d != d else d.isoformat() for d in values]
    return [None if np.isnan(n) else float(n) for n in values]


def main(folder, seed, count):
    pairs = Pairs(seed)
    for i in range(count):
        kind, how = KINDS[i % len(KINDS)], HOWS[i // len(KINDS) % len(HOWS)]
        one, two, name, step, *scale = getattr(pairs, kind)(how)
        for f, letter in (one, "a"), (two, "b"):
            f.write(os.path.join(folder, f"{i}{letter}.nc"))
        path = os.path.join(folder, f"{i}b.nc")
        try:
            with xr.open_dataset(path, use_cftime=True) as ds:
                ds.load()
        except ValueError:  # units of time that it does not know either: the numbers
            with xr.open_dataset(path, decode_times=False) as ds:
                ds.load()
        values = described(ds[name])
        line = {"kind": kind, "how": how, "var": name, "step": float(step), "t": described(ds["t"]), "x": described(ds["x"]) if "x" in ds else None}
        if kind == "flags":
            values = flag_numbers(one, two, values)
        if scale and scale[0]:
            values = [v if v is None else v * scale[0][0] + scale[0][1] for v in values]
        elif scale:
            values = None
        line["values"] = values
        print(json.dumps(line), flush=True)


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
