"""The files of the experiment statistics, and statistics of them with xarray.

    statistics.py make FOLDER TIMES EDGE
    statistics.py run STORE OPERATION
    statistics.py check FILE

The first form writes an array of float32, (time, y, x), TIMES x EDGE x EDGE, with hourly times and
some missing values, as FOLDER/source.nc (NetCDF-4) and FOLDER/source.zarr, both without compression
and in chunks of 8 x 256 x 256 elements. The second form computes mean, monthly or percentile over
time of the Zarr store with xarray and dask on two threads, and prints "wall_ns cpu_ns check",
without the time of starting Python; check is the sum of the result to six digits. The third form
prints "0 0 check" for the variable t of a NetCDF file, or for an .npy file.
"""

import resource
import sys
import time

import dask
import numpy as np
import xarray as xr

CHUNK = (8, 256, 256)
OPERATIONS = {
    "mean": lambda t: t.mean("time"),
    "monthly": lambda t: t.groupby("time.month").mean(),
    "percentile": lambda t: t.chunk(time=-1).quantile(0.9, "time"),
}


def make(folder, times, edge):
    random = np.random.default_rng(1)
    y, x = np.ogrid[:edge, :edge]
    values = np.empty((times, edge, edge), np.float32)
    for i in range(times):
        wave = 3000 * np.sin((x + 3 * i) / 200) + 8 * y
        values[i] = 250 + (wave + random.integers(0, 16, wave.shape)).astype(np.int32) / np.float32(64)
        values[i].ravel()[random.integers(0, edge * edge, 10)] = np.nan
    hours = xr.Variable("time", np.arange(times) * 8760 / times, {"units": "hours since 2020-01-01"})
    ds = xr.Dataset({"t": (("time", "y", "x"), values)}, {"time": hours})
    encoding = {"t": {"chunksizes": CHUNK, "zlib": False}}
    ds.to_netcdf(f"{folder}/source.nc", encoding=encoding)
    ds.chunk(time=64).to_zarr(f"{folder}/source.zarr", encoding={"t": {"chunks": CHUNK, "compressor": None}}, safe_chunks=False)


def check(result):
    """The sum over all values that are there."""
    return f"{float(np.nansum(result.astype(np.float64))):.6g}"


def cpu():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return int((u.ru_utime + u.ru_stime) * 1e9)


def run(store, operation):
    xr.open_zarr(store)["t"][0].load()  # what is only done once is not timed
    cpu_begin, begin = cpu(), time.perf_counter_ns()
    with dask.config.set(num_workers=2):
        result = OPERATIONS[operation](xr.open_zarr(store, chunks={"time": 64, "y": 256, "x": 256})["t"]).compute()
    print(time.perf_counter_ns() - begin, cpu() - cpu_begin, check(result))


if sys.argv[1] == "make":
    make(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
elif sys.argv[1] == "run":
    run(sys.argv[2], sys.argv[3])
else:
    path = sys.argv[2]
    print(0, 0, check(np.load(path) if path.endswith(".npy") else xr.open_dataset(path)["t"]))
