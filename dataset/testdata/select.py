"""Prints which indices xarray's sel selects, as select.json has it: python3 select.py >
select.json. It is a list of coordinates with their stored values and attributes, and for each the
conditions in the syntax of drx, the method, and the indices, or null if xarray raises an error or
selects nothing.

Two things differ on purpose and are left out. xarray rounds single labels to the type of a float32
coordinate, but not the ends of a range, so that 50.4 is beyond the end of 50.2..50.4. And of
descending times it does not take texts as the ends of a range, but only moments."""
import json
import random
import warnings

import cftime
import numpy as np
import xarray as xr

warnings.simplefilter("ignore")
r = random.Random(20)


def coordinate(name, values, units=None, calendar=None):
    attrs = {}
    if units:
        attrs["units"] = units
    if calendar:
        attrs["calendar"] = calendar
    ds = xr.Dataset(coords={"c": ("c", np.asarray(values), attrs)})
    ds["i"] = ("c", np.arange(len(values)))
    ds = xr.decode_cf(ds)
    tests = []

    def add(method, text, label, nearest=None):
        try:
            found = ds.sel(c=label, method=nearest).i.values
            indices = sorted(int(i) for i in np.atleast_1d(found)) or None
        except KeyError:
            indices = None
        tests.append({"method": method, "items": text, "indices": indices})

    descends = len(values) > 1 and values[-1] < values[0]

    def span(text, lo, hi):
        add("exact", text, slice(hi, lo) if descends else slice(lo, hi))

    if units is None:
        numbers = [float(x) for x in values]
        least, most = min(numbers), max(numbers)
        labels = [round(r.uniform(least - 2, most + 2), r.choice([0, 1, 2, 5])) for _ in range(40)]
        labels += [round(x, 6) for x in r.sample(numbers, min(10, len(numbers)))]
        labels += [(x + y) / 2 for x, y in zip(numbers[:12], numbers[1:13])]
        for x in labels:
            text = repr(x)
            add("nearest", text, x, "nearest")
            add("exact", text, x)
            y = r.choice(labels)
            lo, hi = min(x, y), max(x, y)
            if ds.c.dtype == np.float32:
                lo, hi = float(np.float32(lo)), float(np.float32(hi))
            span(f"{lo!r}..{hi!r}", lo, hi)
        end = float(ds.c.dtype.type(labels[0])) if ds.c.dtype.kind == "f" else labels[0]
        if not descends:
            span(f"..{end!r}", None, end)
            span(f"{end!r}..", end, None)
    else:
        times = ds.c.values
        cf = not np.issubdtype(times.dtype, np.datetime64)
        for _ in range(25):
            t = r.choice(list(times))
            full = t.strftime("%Y-%m-%dT%H:%M:%S") if cf else str(t.astype("datetime64[s]"))
            for n in (4, 7, 10, 13, 16, 19):
                text = full[:n]
                add("exact", text, text)
            moment = full[:14] + f"{r.randrange(60):02}:{r.randrange(60):02}"
            if cf:
                d = cftime.datetime(*(int(x) for x in moment.replace("T", "-").replace(":", "-").split("-")), calendar=calendar)
                add("nearest", moment, d, "nearest")
            else:
                add("nearest", moment, np.datetime64(moment), "nearest")
            u = r.choice(list(times))
            other = u.strftime("%Y-%m-%dT%H:%M:%S") if cf else str(u.astype("datetime64[s]"))
            lo, hi = sorted((full, other))
            n, m = (19, 19) if descends else (r.choice([7, 10, 13, 16]), r.choice([7, 10, 13, 16]))
            if lo[:n] <= hi[:m]:
                labels = (np.datetime64(lo), np.datetime64(hi)) if descends else (lo[:n], hi[:m])
                span(f"{lo[:n]}..{hi[:m]}", *labels)
    values = np.asarray(values)
    return {"name": name, "dtype": str(values.dtype), "values": values.tolist(), "units": units, "calendar": calendar, "tests": tests}


coordinates = [
    coordinate("ascending", np.arange(-10, 10, 0.25)),
    coordinate("descending", np.arange(60, 40, -0.25)),
    coordinate("float32", np.arange(500, 520, dtype="f4") / np.float32(10)),
    coordinate("irregular", np.array([1000, 925, 850, 700, 500, 300, 250, 200, 100, 50, 10], "i4")),
    coordinate("integers", np.array([-5, -1, 0, 2, 3, 7, 19, 40, 41], "i8")),
    coordinate("hours", np.arange(0, 24 * 70, 3, dtype="i4"), "hours since 2012-12-20 00:00", "standard"),
    coordinate("days", np.arange(100, 160, 0.25), "days since 1970-01-01", "proleptic_gregorian"),
    coordinate("descending times", np.arange(600, 0, -6, dtype="i8"), "minutes since 2000-02-28T22:00", "gregorian"),
    coordinate("noleap", np.arange(0, 800, 5, dtype="i4"), "days since 2000-01-01", "noleap"),
    coordinate("360 days", np.arange(0, 300) * 12.0, "hours since 2000-01-30 06:00", "360_day"),
    coordinate("early", np.arange(0, 60, dtype="i8"), "days since 1582-09-20 12:00", "standard"),
]
print("[" + ",\n".join(json.dumps(c) for c in coordinates) + "]")
