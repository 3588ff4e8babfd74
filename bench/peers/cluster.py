"""The files of the experiment cluster, and work on them by a cluster of dask: three workers with a
thread and a limit of 400 MB each.

    cluster.py ROOT make FOLDER STEPS EDGE
    cluster.py ROOT run FOLDER SERIES WORK

ROOT is the folder of DRX's sources. The first form writes an array of float32, (time, y, x), STEPS
x EDGE x EDGE, as FOLDER/source of DRX and FOLDER/source.zarr, both without compression and in
chunks of 24 x 140 x 140 elements. The second form computes mean, groupby, rechunk or quantile of it
with xarray, or writes one like it, as "write", or "write, durable", which syncs the files. It
prints "wall_ns cpu_ns check" without the time of starting Python and the cluster; cpu is that of
the workers, and check the sum of the result to six digits. It fails if a worker that reads or
writes DRX paused or was restarted.
"""

import logging
import os
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(sys.argv[1], "python"))
os.environ["DRX_LIBRARY"] = os.path.join(sys.argv[1], "lib", "libdrx.so")
os.environ["PYTHONPATH"] = sys.path[0]  # of the workers

import dask
import dask.array
import distributed
import numpy as np
import xarray as xr

import drx
from drx._target import make_durable
from drx.xarray import DrxBackend, to_drx

CHUNK = (24, 140, 140)
DIMS = ("time", "y", "x")
WORKERS, MEMORY = 3, "400MB"
STORES = {"drx": "source", "zarr": "source.zarr"}
WORKS = {
    "mean": lambda t: t.mean("time", dtype="f8"),
    "groupby": lambda t: t.astype("f8").groupby("month").mean(),
    "rechunk": lambda t: t.chunk({"time": t.sizes["time"] // 10, "y": 50, "x": 50}).mean("time", dtype="f8"),
    "quantile": lambda t: t.chunk({"time": -1, "y": 35, "x": 35}).quantile(0.5, "time"),
}


def block(shape, first):
    """Elements of a block: those of the same block are the same."""
    return np.random.default_rng(first).standard_normal(shape, np.float32)


def field(shape):
    """The array in blocks of dask, which the workers make."""
    def make(block_info=None):
        part = block_info[None]
        return block(part["chunk-shape"], [first for first, _ in part["array-location"]])

    chunks = dask.array.core.normalize_chunks(CHUNK, shape)
    return dask.array.map_blocks(make, chunks=chunks, dtype=np.float32, meta=np.empty((0, 0, 0), np.float32))


def write(series, path, shape, durable):
    """Writes the field as a new dataset."""
    ds = xr.Dataset({"t": (DIMS, field(shape))})
    if series == "drx":
        to_drx(ds, path, encoding={"t": {"chunks": CHUNK}}, **({} if durable else {"durability": "none"}))
        return
    ds.to_zarr(path, encoding={"t": {"chunks": CHUNK, "compressor": None}})
    if durable:
        make_durable(path)


def read(series, path):
    """The array as xarray opens it, in dask's chunks."""
    if series == "drx":
        return xr.open_dataset(path, engine=DrxBackend, chunks={})["t"]
    return xr.open_zarr(path)["t"]


def total(result):
    """The sum over all values."""
    return f"{float(np.asarray(result, np.float64).sum()):.6g}"


def make(folder, steps, edge):
    for series, store in STORES.items():
        write(series, f"{folder}/{store}", (steps, edge, edge), True)


def work(series, folder, name):
    """The work, whose result has the check that it returns as a function."""
    source = read(series, f"{folder}/{STORES[series]}")
    if name not in WORKS:
        write(series, f"{folder}/written", source.shape, name.endswith("durable"))
        return lambda: total(read(series, f"{folder}/written").sum("time", dtype="f8").compute())
    months = xr.DataArray(np.arange(source.sizes["time"]) % 12, dims="time")
    result = WORKS[name](source.assign_coords(month=months)).compute()
    return lambda: total(result)


def run(client, folder, series, name):
    pids = client.run(os.getpid)
    client.run(lambda: (np.zeros(1), __import__("xarray"), __import__("zarr"), __import__("drx.xarray")))
    cpu, begin = sum(client.run(time.process_time).values()), time.perf_counter_ns()
    check = work(series, folder, name)
    wall = time.perf_counter_ns() - begin
    cpu = sum(client.run(time.process_time).values()) - cpu
    logs = [line for log in client.get_worker_logs().values() for _, line in log]
    pauses = sum("Pausing worker" in line for line in logs)
    if series == "drx" and (pauses or client.run(os.getpid) != pids):
        sys.exit(f"{name}: {pauses} pauses; the workers were {pids}, now they are {client.run(os.getpid)}")
    print(wall, int(cpu * 1e9), check())
    shutil.rmtree(f"{folder}/written", ignore_errors=True)


def with_cluster(work, *args):
    """Calls a function with a client of a new cluster."""
    settings = {"distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 65536}
    with tempfile.TemporaryDirectory() as scratch, dask.config.set(settings), distributed.LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, memory_limit=MEMORY, dashboard_address=None, local_directory=scratch,
            silence_logs=logging.CRITICAL) as cluster, distributed.Client(cluster) as client:
        work(client, *args)


if __name__ == "__main__":
    if sys.argv[2] == "make":
        make(sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    else:
        with_cluster(run, *sys.argv[3:])
