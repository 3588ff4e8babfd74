"""Measures drx beside h5py and zarr: PYTHONPATH=. python3 -m bench, in the folder python; DRX_LIBRARY names the library.

Each figure is the median of the rounds, in which the peers take turns. Data are in the page cache. All store chunks of 256 x 256
float64 without compression, and every value that is read is compared.
"""

import os
import shutil
import statistics
import sys
import tempfile
import time

import h5py
import numpy as np
import zarr

import drx

N, CHUNK, ROUNDS = 4096, 256, 9


def made(folder, data):
    """The same array in three formats, by name."""
    a = drx.create(os.path.join(folder, "a"), data.shape, "f8", chunks=(CHUNK, CHUNK))
    a[...] = data
    a.close()
    with h5py.File(os.path.join(folder, "a.h5"), "w") as f:
        f.create_dataset("a", data=data, chunks=(CHUNK, CHUNK))
    z = zarr.open(os.path.join(folder, "a.zarr"), mode="w", shape=data.shape, chunks=(CHUNK, CHUNK), dtype="f8", compressor=None)
    z[...] = data
    return {
        "drx": drx.open(os.path.join(folder, "a")), "h5py": h5py.File(os.path.join(folder, "a.h5"))["a"],
        "zarr": zarr.open(os.path.join(folder, "a.zarr"), mode="r"),
    }


def keys(rng, what):
    """So many random keys of a kind."""
    while True:
        i, j = (int(x) for x in rng.integers(0, N - CHUNK, 2))
        if what == "one element":
            yield i, j
        elif what == "8 x 8":
            yield slice(i, i + 8), slice(j, j + 8)
        else:
            if what == "256 x 256 aligned":
                i, j = i // CHUNK * CHUNK, j // CHUNK * CHUNK
            yield slice(i, i + CHUNK), slice(j, j + CHUNK)


def measure(arrays, data):
    for what, n in ("one element", 2000), ("8 x 8", 1000), ("256 x 256 aligned", 100), ("256 x 256 unaligned", 100):
        times = {name: [] for name in arrays}
        for round_ in range(ROUNDS):
            names = list(arrays)
            for name in names[round_ % 3 :] + names[: round_ % 3]:
                chosen = [k for k, _ in zip(keys(np.random.default_rng(round_), what), range(n))]
                a = arrays[name]
                start = time.perf_counter()
                for k in chosen:
                    found = a[k]
                times[name].append((time.perf_counter() - start) / n * 1e6)
                np.testing.assert_array_equal(found, data[k])
        report(what, times, "us")


def appending(folder):
    """Slabs of 16 MiB appended to a new array, each committed."""
    slab = np.random.default_rng(2).random((512, N))
    times = {"drx": [], "h5py": [], "zarr": []}
    for round_ in range(ROUNDS):
        for name in sorted(times, key=lambda n: hash((n, round_))):
            path = os.path.join(folder, f"grow_{name}")
            start = time.perf_counter()
            APPENDERS[name](path, slab)
            times[name].append((time.perf_counter() - start) / 8 * 1e3)
            drx.remove(path) if name == "drx" else shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    report("append 16 MiB, commit", times, "ms")


def append_drx(path, slab):
    with drx.create(path, (0, N), "f8", chunks=(CHUNK, CHUNK), durability="none") as a:
        for _ in range(8):
            a.append(slab)
            a.sync()


def append_h5py(path, slab):
    with h5py.File(path, "w") as f:
        a = f.create_dataset("a", (0, N), "f8", maxshape=(None, N), chunks=(CHUNK, CHUNK))
        for i in range(8):
            a.resize((i + 1) * len(slab), 0)
            a[-len(slab) :] = slab
            f.flush()


def append_zarr(path, slab):
    a = zarr.open(path, mode="w", shape=(0, N), chunks=(CHUNK, CHUNK), dtype="f8", compressor=None)
    for _ in range(8):
        a.append(slab)


APPENDERS = {"drx": append_drx, "h5py": append_h5py, "zarr": append_zarr}


def report(what, times, unit):
    print(f"{what:22}", *(f"{name} {statistics.median(t):8.1f} {unit}" for name, t in times.items()), flush=True)


def main():
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        data = np.random.default_rng(1).random((N, N))
        measure(made(folder, data), data)
        appending(folder)


main()
