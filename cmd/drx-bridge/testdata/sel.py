"""Makes NetCDF files and prints what xarray's sel selects from them, and from other files:

    python3 sel.py FOLDER [FILE:VARIABLE...]

The output is a JSON list of files, each with questions: conditions in the syntax of drx, the
method, and the elements that xarray finds, or null if it finds none. Ends of ranges of float32
coordinates are float32, because drx rounds them and xarray does not.
"""

import json
import os
import random
import sys
import warnings

import cftime
import netCDF4
import numpy as np
import xarray as xr

warnings.simplefilter("ignore")
r = random.Random(10)


def make(folder, calendar, units, step):
    """A file with a calendar, descending float32 latitudes and packed longitudes. Every element has
    another value."""
    path = os.path.join(folder, calendar + ".nc")
    with netCDF4.Dataset(path, "w") as d:
        for name, n in (("time", 40), ("lat", 21), ("lon", 12)):
            d.createDimension(name, None if name == "time" else n)
        time = d.createVariable("time", "f8", ("time",))
        time.units, time.calendar = units, calendar
        time[:] = np.arange(40) * step
        lat = d.createVariable("lat", "f4", ("lat",))
        lat.units = "degrees_north"
        lat[:] = np.float32(51) - np.arange(21, dtype="f4") * np.float32(0.1)
        lon = d.createVariable("lon", "i2", ("lon",))
        lon.scale_factor, lon.add_offset, lon.units = 0.01, 5.0, "degrees_east"
        lon.set_auto_maskandscale(False)
        lon[:] = np.arange(12) * 7 - 20
        rain = d.createVariable("rain", "i4", ("time", "lat", "lon"), chunksizes=(8, 7, 12))
        rain[:] = np.arange(40 * 21 * 12).reshape(40, 21, 12)
    return path


def is_time(c):
    return c.dtype.kind in "MO"


def text_of(x):
    """A value of a coordinate as drx takes it."""
    if isinstance(x, cftime.datetime):
        return x.isoformat()
    return str(x)[:26] if isinstance(x, np.datetime64) else repr(float(x))


def between(c):
    """A value that is somewhere between two of a coordinate, or a little outside."""
    v = c.values
    if is_time(c):
        hour = np.timedelta64(1, "h") if c.dtype.kind == "M" else __import__("datetime").timedelta(hours=1)
        return r.choice(v) + hour * r.randrange(-30, 30)
    return round(float(r.choice(v)) + r.uniform(-0.2, 0.2), 3)


def end(c, x):
    return float(c.dtype.type(x)) if c.dtype.kind == "f" else x


def conditions(c):
    """Conditions on a coordinate: what kind they are, text, and label."""
    own, other = r.choice(c.values), between(c)
    yield "exact", text_of(own), own
    yield "exact", text_of(other), other
    yield "nearest", text_of(other), other
    two = [c.values[3], c.values[1]]
    yield "exact", "|".join(map(text_of, two)), two
    ends = sorted((end(c, between(c)), end(c, between(c))))
    down = c.values[0] > c.values[-1]
    yield "range", text_of(ends[0]) + ".." + text_of(ends[1]), slice(*ends[::-1]) if down else slice(*ends)
    ends = sorted((end(c, c.values[2]), end(c, c.values[5])))
    yield "range", text_of(ends[0]) + ".." + text_of(ends[1]), slice(*ends[::-1]) if down else slice(*ends)
    yield "range", text_of(ends[1]) + "..", slice(None, ends[1]) if down else slice(ends[1], None)
    if is_time(c) and not down:
        day, later = text_of(c.values[4])[:10], text_of(c.values[9])[:10]
        yield "range", f"{day}..{later}", slice(day, later)
        yield "range", f"{day[:7]}..{later[:7]}", slice(day[:7], later[:7])
        yield "range", f"..{day}", slice(None, day)
        yield "exact", day, slice(day, day)
        yield "exact", day[:7], slice(day[:7], day[:7])


def ask(path, variable, scaled):
    ds = xr.open_dataset(path, mask_and_scale=scaled)
    a, tests = ds[variable], []
    for dim in a.dims:
        for kind, text, label in conditions(ds[dim]):
            method = "exact" if kind == "exact" else "nearest"
            rest = {d: r.choice(ds[d].values) if kind == "exact" else between(ds[d]) for d in a.dims if d != dim}
            sel = ",".join([f"{dim}={text}"] + [f"{d}={text_of(x)}" for d, x in rest.items()])
            points = dict(rest)
            try:
                found = a
                if isinstance(label, slice):
                    found = found.sel({dim: label})
                else:
                    points[dim] = label
                found = found.sel(points, method=None if method == "exact" else "nearest")
                values = [float(x) for x in found.values.ravel()] or None
            except KeyError:
                values = None
            if values is None or not np.isnan(values).any():
                tests.append({"sel": sel, "method": method, "values": values})
    return {"file": path, "variable": variable, "tests": tests}


files = []
for calendar, units, step in (
    ("standard", "hours since 2000-01-30", 6),
    ("noleap", "days since 2000-02-20 12:00", 0.5),
    ("360_day", "days since 2001-02-25", 1),
):
    files.append(ask(make(sys.argv[1], calendar, units, step), "rain", True))
for given in sys.argv[2:]:
    path, _, variable = given.rpartition(":")
    files.append(ask(path, variable, False))
json.dump(files, sys.stdout, allow_nan=False)
