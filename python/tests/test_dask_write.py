"""dask: the workers of a cluster write, side by side and when they are killed, what NumPy says."""

import os
import pickle
import random
import signal
import tempfile
import threading
import time
import unittest

import numpy as np

from dask_cluster import SOAK, cluster

import dask.array as da
import distributed
import xarray as xr

import drx
from drx.xarray import DrxBackend, to_drx

ROUNDS = 20 if SOAK else 2


def slowly(block, seconds=0.02):
    """A block, later: so that workers are killed while they have some."""
    time.sleep(seconds)
    return block + 1


def append(name, key, value):
    """Appends rows of a value, once, however often it is called with the key; the first worker is
    killed after it has reserved."""
    a = drx.open(name, "shared", wait=60)
    new = a.reserve("t", 3, key=key)
    marker = f"{name}.{key}.killed"
    if not os.path.exists(marker):
        open(marker, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    a.at[new] = np.full((3, 4), value)
    a.close()


class Writing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = cluster(2, "900MB")
        cls.client = cls.stack.__enter__()
        cls.addClassCleanup(cls.stack.__exit__, None, None, None)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(folder.name, "ds")
        self.x = np.arange(60 * 50, dtype="f4").reshape(60, 50)

    def chunked(self, chunks=(7, 11)):
        return da.from_array(self.x, chunks=chunks)

    def read(self, path=None, **options):
        with xr.open_dataset(path or self.path, engine=DrxBackend, **options) as ds:
            return ds.load()

    def dataset(self, chunks=(7, 11)):
        return xr.Dataset({"v": (("t", "x"), self.chunked(chunks)), "w": (("t", "x"), self.chunked(chunks) * 2), "n": (("x",), np.arange(50))},
                          coords={"t": np.arange(60)}, attrs={"title": "rain"})

    def check(self, ds, times=1):
        np.testing.assert_array_equal(ds.v, np.concatenate([self.x] * times))
        np.testing.assert_array_equal(ds.w, np.concatenate([self.x * 2] * times))
        self.assertEqual(ds.attrs["title"], "rain")

    def test_dataset(self):
        """New datasets, in a folder and in a file: computed by workers, persisted, later; and
        appended to."""
        for path in self.path, self.path + ".drx":
            to_drx(self.dataset(), path, encoding={"v": {"chunks": (8, 8)}})
            self.check(self.read(path))
            to_drx(self.dataset().persist(), path, mode="w")
            self.check(self.read(path))
            later = to_drx(self.dataset(), path + "2" if path == self.path else path[:-4] + "3.drx", compute=False)
            self.assertEqual(len([n for n in os.listdir(self.folder) if n.startswith(".")]), 1)
            later.compute()
            self.assertEqual([n for n in os.listdir(self.folder) if n.startswith(".")], [])
        self.check(self.read(self.path + "2"))
        self.check(self.read(self.path + "3.drx"))
        more = self.dataset().assign_coords(t=np.arange(60, 120)).drop_vars("n")
        to_drx(more, self.path, append_dim="t")
        self.check(self.read(), 2)
        with drx.open_dataset(self.path, "r+") as d:  # nobody has it open any more
            d.sync()

    def test_region(self):
        """Regions that are not those of chunks are right, at once and later."""
        to_drx(xr.Dataset({"v": (("t", "x"), np.zeros((60, 50), "f4"))}), self.path, encoding={"v": {"chunks": (8, 8)}})
        half = xr.Dataset({"v": (("t", "x"), self.chunked((3, 5))[5:41, 3:50])})
        to_drx(half, self.path, region={"t": slice(5, 41), "x": slice(3, 50)})
        want = np.zeros((60, 50), "f4")
        want[5:41, 3:50] = self.x[5:41, 3:50]
        np.testing.assert_array_equal(self.read().v, want)
        later = to_drx(xr.Dataset({"v": (("t", "x"), self.chunked())}), self.path, mode="r+", compute=False)
        np.testing.assert_array_equal(self.read().v, want)
        later.compute()
        np.testing.assert_array_equal(self.read().v, self.x)

    def test_snapshot(self):
        """All workers read the commits of one time, or say that chunks are gone, while a writer
        appends and overwrites."""
        to_drx(self.dataset((10, 25)), self.path, encoding={n: {"chunks": (10, 25)} for n in "vw"})
        ds = xr.open_dataset(self.path, engine=DrxBackend, chunks={}, commit="last")
        self.addCleanup(ds.close)
        done = threading.Event()
        errors = []

        def write():
            try:
                for i in range(1, 1000):
                    with drx.open_dataset(self.path, "r+") as d:
                        new = d.extend("t", 10)
                        d["t"][60 + 10 * (i - 1):] = np.arange(10) + 50 + 10 * i
                        d["v"][-10:] = d["w"][-10:] = i
                        d["v"][:10] = -i
                    if done.wait(0.02):
                        return
            except Exception as e:
                errors.append(e)

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for i in range(3):
                np.testing.assert_array_equal(ds.w.compute(), self.x * 2)
                np.testing.assert_array_equal(ds.v[10:].compute(), self.x[10:])
                np.testing.assert_allclose(ds.w.mean("t").compute(), (self.x * 2).mean(0), rtol=1e-6)
                if i:
                    with self.assertRaisesRegex(drx.GoneError, "overwritten after commit"):
                        ds.v.sum().compute()
        finally:
            done.set()
            writer.join()
        self.assertEqual(errors, [])
        again = xr.open_dataset(self.path, engine=DrxBackend, chunks={}, commit=ds.encoding["commit"])
        self.addCleanup(again.close)
        self.assertEqual(again.sizes["t"], 60)
        np.testing.assert_array_equal(again.w.compute(), self.x * 2)
        self.assertGreater(self.read().sizes["t"], 60)
        with self.assertRaisesRegex(drx.InvalidError, "for each variable"):
            xr.open_dataset(self.path, engine=DrxBackend, commit=3)
        with self.assertRaisesRegex(drx.InvalidError, "no variables nope"):
            xr.open_dataset(self.path, engine=DrxBackend, commit={**ds.encoding["commit"], "nope": 1})
        to_drx(self.dataset((10, 25)), self.path, mode="w", encoding={n: {"chunks": (10, 25)} for n in "vw"})
        with self.assertRaisesRegex(drx.GoneError, "another array has the name"):
            xr.open_dataset(self.path, engine=DrxBackend, commit=ds.encoding["commit"])

    def test_failure(self):
        """A block that cannot be computed leaves no dataset."""
        bad = self.chunked().map_blocks(lambda block: block / np.array([0][len(block):][0]), dtype="f4", meta=np.empty((0, 0), "f4"))
        with self.assertRaisesRegex(IndexError, "list index out of range"):
            to_drx(xr.Dataset({"v": (("t", "x"), bad)}), self.path)
        self.assertEqual(os.listdir(self.folder), [])

    def test_store(self):
        """da.store writes to arrays in modes r+ and shared, and to variables of a shared
        dataset."""
        a = drx.create(self.path, (60, 50), "f4", chunks=(8, 8))
        a.sync()
        with self.assertWarnsRegex(UserWarning, "mode 'shared' from now on"):
            da.store(self.chunked(), a, lock=False)
        np.testing.assert_array_equal(a[...], self.x)
        self.assertEqual(a.mode, "shared")
        da.store(self.chunked((60, 7)) + 1, a, lock=False)
        np.testing.assert_array_equal(a[...], self.x + 1)
        with self.assertRaises(drx.ReadOnlyError):
            a.attrs["n"] = 1
        a.close()
        name = self.path + "2"
        to_drx(xr.Dataset({"v": (("t", "x"), np.zeros((60, 50), "f4"))}), name)
        with drx.open_dataset(name, "shared") as d:
            self.assertEqual(pickle.loads(pickle.dumps(d["v"])).mode, "shared")
            da.store(self.chunked(), d["v"], lock=False)
            with self.assertRaises(drx.ReadOnlyError):
                d.extend("t", 1)
        np.testing.assert_array_equal(self.read(name).v, self.x)

    def test_killed(self):
        """Workers are killed while they write, unaligned, to an array that is there: it is as NumPy
        has it."""
        rng = random.Random(7)
        for turn in range(ROUNDS):
            with self.subTest(turn=turn):
                path = f"{self.path}{turn}"
                delayed = to_drx(xr.Dataset({"v": (("t", "x"), self.chunked((5, 9)).map_blocks(slowly, dtype="f4"))}), path,
                                 encoding={"v": {"chunks": (8, 8)}}, compute=False)
                future = self.client.compute(delayed)
                for _ in range(2 if SOAK else 1):
                    time.sleep(0.1 + 0.4 * rng.random())
                    self.kill(rng)
                future.result(timeout=120)
                np.testing.assert_array_equal(self.read(path).v, self.x + 1)
                with drx.open(path + "/v") as a:
                    a.verify()

    def kill(self, rng):
        """Kills a worker, when all have started: a nanny gives up one that dies before."""
        self.client.wait_for_workers(2, timeout=120)
        nannies = [n for n in self.client.cluster.workers.values() if n.pid]
        if nannies:
            os.kill(rng.choice(nannies).pid, signal.SIGKILL)

    def test_keys(self):
        """A task that reserves with its key, and is killed, appends its rows once."""
        drx.create(self.path, (0, 4), "i8", dims=("t", "x"), chunks=(2, 4)).close()
        futures = [self.client.submit(append, self.path, f"task {i}", i, pure=False) for i in range(2)]
        distributed.wait(futures, timeout=120)
        for f in futures:
            f.result()
        with drx.open(self.path) as a:
            self.assertEqual(sorted(a[:, 0].tolist()), [i for i in range(2) for _ in range(3)])
            self.assertEqual(a.shape, (6, 4))


if __name__ == "__main__":
    unittest.main()
