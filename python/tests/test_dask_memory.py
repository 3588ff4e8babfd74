"""dask: workers with little memory read an array that is larger than all of it, without a pause or
a restart."""

import os
import tempfile
import unittest

import numpy as np

from dask_cluster import SOAK, cluster, pauses, pids

import drx
import drx._memory as memory
from drx.xarray import DrxBackend

import xarray as xr

#: The array has so many steps of SIDE x SIDE float32: 2.7 GB in the long form.
STEPS, SIDE = (2160, 559) if SOAK else (48, 280)


def steps(first, last):
    """Elements that can be told from each other, in steps that NumPy makes again at once."""
    rng = np.random.default_rng(first)
    return rng.standard_normal((last - first, SIDE, SIDE), np.float32)


class Memory(unittest.TestCase):
    def test_workers(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "big")
            self.make(path)
            with cluster(3) as client:
                before = pids(client)
                shares = client.run(lambda: (memory.share_memory(), memory._told)[1])
                self.assertEqual(set(shares.values()), {memory.LEAST})
                with xr.open_dataset(path, engine=DrxBackend, chunks={}) as ds:
                    self.compute(ds.v)
                self.assertEqual(pauses(client), 0)
                self.assertEqual(pids(client), before)

    def make(self, path):
        with drx.create_dataset(path) as d:
            a = d.create_variable("v", "float32", ("t", "y", "x"), shape=(STEPS, SIDE, SIDE), chunks=(24, 140, 140))
            for i in range(0, STEPS, 24):
                a[i:i + 24] = steps(i, i + 24)

    def compute(self, v):
        month = xr.DataArray(np.arange(STEPS) % 12, dims="t", name="month")
        sums = np.zeros((12, SIDE, SIDE))
        corner = np.empty((STEPS, 10, 10), np.float32)
        for i in range(0, STEPS, 24):
            part = steps(i, i + 24).astype("f8")
            corner[i:i + 24] = part[:, :10, :10]
            for k in range(24):
                sums[(i + k) % 12] += part[k]
        self.close(v.mean("t", dtype="f8").compute(), sums.sum(0) / STEPS)
        self.close(v.astype("f8").groupby(month).mean().compute(), sums / (STEPS / 12))
        self.close(v.chunk({"t": STEPS // 10, "y": 50, "x": 50}).mean("t", dtype="f8").compute(), sums.sum(0) / STEPS)
        middle = v.chunk({"t": -1, "y": 35, "x": 35}).quantile(0.5, "t").compute()
        self.close(middle[:10, :10], np.quantile(corner, 0.5, axis=0))

    def close(self, got, want):
        np.testing.assert_allclose(np.asarray(got), want, rtol=1e-6, atol=1e-7)


class Limits(unittest.TestCase):
    """How much memory arrays share without a worker: what was chosen, or little of the machine's.
    """

    def test_chosen(self):
        self.addCleanup(drx.set_memory)
        drx.set_memory()
        modest = memory._told
        self.assertTrue(memory.LEAST <= modest <= memory.MODEST, modest)
        drx.set_memory(100 << 20)
        with tempfile.TemporaryDirectory() as folder, drx.create(os.path.join(folder, "a"), 3) as a:
            a[...] = 7
            self.assertEqual(memory._told, 100 << 20)
        drx.set_memory()
        self.assertEqual(memory._told, modest)


if __name__ == "__main__":
    unittest.main()
