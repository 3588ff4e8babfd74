"""Zarr stores of the experiment import, and reading them with zarr-python.

    import_zarr.py make DIR CODEC TIMES
    import_zarr.py read DIR

The first form writes an array of float32, (TIMES, 1024, 1024), in chunks of 8 x 256 x 256 elements,
which the codec gzip, zstd or blosc has encoded with its usual settings. Values are smooth with four
bits of noise. The second form reads all of it at once and prints "wall_ns cpu_ns check".
"""

import resource
import sys
import time

import numcodecs
import numpy as np
import zarr

CODECS = {
    "gzip": numcodecs.GZip(level=4),
    "zstd": numcodecs.Zstd(level=3),
    "blosc": numcodecs.Blosc(),  # lz4, level 5, bytes shuffled: the default of zarr-python
}


def make(path, codec, times):
    a = zarr.open_array(path, mode="w", shape=(times, 1024, 1024), chunks=(8, 256, 256), dtype="<f4", compressor=CODECS[codec])
    random = np.random.default_rng(1)
    y, x = np.ogrid[:1024, :1024]
    for t in range(0, times, 8):
        steps = np.arange(t, min(t + 8, times)).reshape(-1, 1, 1)
        wave = (3000 * np.sin((x + 3 * steps) / 200) + 8 * y).astype(np.int32)
        a[t : t + 8] = 250 + (wave + random.integers(0, 16, wave.shape)) / np.float32(64)


def cpu():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return int((u.ru_utime + u.ru_stime) * 1e9)


def read(path):
    zarr.open_array(path, mode="r")[0:1]  # what is only done once is not timed
    cpu_begin, begin = cpu(), time.perf_counter_ns()
    values = zarr.open_array(path, mode="r")[...]
    wall, used = time.perf_counter_ns() - begin, cpu() - cpu_begin
    bits = values.view(np.uint32).reshape(values.shape[0], -1)
    print(wall, used, int(bits.sum(dtype=np.uint64)))


if sys.argv[1] == "make":
    make(sys.argv[2], sys.argv[3], int(sys.argv[4]))
else:
    read(sys.argv[2])
