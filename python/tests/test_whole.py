"""Comparing, joining, leaving out, sorting and renaming, against NumPy."""

import os
import signal
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np

import drx


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        self.rng = np.random.default_rng(41)

    def make(self, name, values, **options):
        values = np.asarray(values)
        with drx.create(name, values.shape, values.dtype, **options) as a:
            a[...] = values
        return name

    def values(self, name):
        with drx.open(name) as a:
            return a[...]


class Diff(Folder):
    def test_numpy(self):
        for dtype in "f4", "f8", "i2", "i8", "u1":
            a = self.rng.integers(0, 100, (7, 11, 5)).astype(dtype)
            b = np.where(self.rng.random(a.shape) < 0.1, self.rng.integers(0, 100, a.shape), a).astype(dtype)
            one, other = self.make(f"a{dtype}", a, chunks=(3, 4, 5)), self.make(f"b{dtype}", b, lo=(0, 0, 0))
            wide = a.astype("f8"), b.astype("f8")
            for atol, rtol in (0, 0), (10, 0), (0, 0.5), (3, 0.1):
                got = drx.diff(one, other, atol=atol, rtol=rtol)
                far = np.abs(wide[0] - wide[1]) > atol + rtol * np.abs(wide[1])
                v = got["variables"][0]
                self.assertEqual((got["same"], v["compared"], v["different"]), (not far.any(), a.size, far.sum()), (dtype, atol, rtol))
                if far.any():
                    by = np.where(far, np.abs(wide[0] - wide[1]), -1)
                    self.assertEqual((v["largest"]["difference"], tuple(v["largest"]["index"])), (by.max(), np.unravel_index(by.argmax(), by.shape)))

    def test_open(self):
        self.make("a", [1.5, np.nan])
        with drx.open("a") as a:
            self.assertTrue(drx.diff(a, "a")["same"])
            self.assertTrue(drx.diff("a", a, data=True, var=None)["same"])
        with drx.open("a", "r+") as a, self.assertRaisesRegex(drx.InvalidError, "open in mode 'r\\+'"):
            drx.diff(a, "a")
        np.save("a.npy", [1.5, 2])
        got = drx.diff("a", "a.npy", data=True)
        self.assertEqual((got["same"], got["variables"][0]["missing"]), (False, 1))

    def test_mistakes(self):
        self.make("a", [1, 2])
        for error, f in [
            (drx.NotFoundError, lambda: drx.diff("a", "nope")), (drx.InvalidError, lambda: drx.diff("a", "a", atol=-1)),
            (drx.InvalidError, lambda: drx.diff("a", "a", rtol=float("nan"))), (drx.InvalidError, lambda: drx.diff("a", "a", var="b")),
            (TypeError, lambda: drx.diff("a", 3)), (ValueError, lambda: drx.diff("a", "a", atol="much")),
        ]:
            with self.assertRaises(error):
                f()

    def test_progress(self):
        self.make("a", np.zeros((10, 10)))
        seen = []
        drx.diff("a", "a", progress=lambda done, total: seen.append((done, total)))
        self.assertEqual(seen[-1], (800, 800))

        def stop(_done, _total):
            raise KeyError("enough")

        with self.assertRaises(KeyError):
            drx.diff("a", "a", progress=stop)

    @unittest.skipIf(sys.platform == "win32", "needs signals")
    def test_interrupt(self):
        """Ctrl-C ends a long comparison."""
        with drx.create("large", (1 << 31,), "f8", dims=("x",)):
            pass  # 16 GiB that nobody wrote
        program = "import drx, sys, threading, os, signal\n" \
                  "threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n" \
                  "try: drx.diff('large', 'large')\n" \
                  "except KeyboardInterrupt: sys.exit(7)\n"
        self.assertEqual(subprocess.run([sys.executable, "-c", program], timeout=60).returncode, 7)
        self.assertEqual(signal.getsignal(signal.SIGINT), signal.default_int_handler)


class CutAndSort(Folder):
    def test_cut(self):
        values = self.rng.normal(size=(5, 12))
        self.make("a", values, dims=("y", "x"), lo=(0, -2), chunks=(2, 5))
        for n, (key, gone) in enumerate([(3, [5]), (slice(-1, 4), [1, 2, 3, 4, 5]), (slice(None, 1), [0, 1, 2]), (slice(0, None, 3), [2, 5, 8, 11])]):
            got = drx.cut("a", f"c{n}", at={"x": key})
            self.assertEqual((got["dim"], got["extent"], got["state"]), ("x", [12, 12 - len(gone)], "copied"))
            np.testing.assert_array_equal(self.values(f"c{n}"), np.delete(values, gone, 1))
        self.assertEqual(drx.cut("a", "no", at={"x": 0}, plan=True)["state"], "planned")
        self.assertFalse(drx.exists("no"))
        with drx.open("a") as a:
            drx.cut(a, "mine", at={"y": 0})
        np.testing.assert_array_equal(self.values("mine"), values[1:])

    def weather(self, hours):
        with drx.create_dataset("w") as d:
            t = d.create_variable("time", "i4", ["time"], shape=[len(hours)], attrs={"units": "hours since 2024-01-01"})
            rain = d.create_variable("rain", "f4", ["time", "x"], shape=[len(hours), 3])
            t[...], rain[...] = hours, np.multiply.outer(hours, [1, 2, 3])

    def test_dataset(self):
        hours = self.rng.permutation(48)
        self.weather(hours)
        self.assertEqual([v["changes"] for v in drx.sort("w", "s", "time")["variables"]], [True, True])
        np.testing.assert_array_equal(self.values("s/time"), np.sort(hours))
        np.testing.assert_array_equal(self.values("s/rain")[:, 2], 3 * np.sort(hours))
        drx.cut("s", "c", sel={"time": slice("2024-01-01T05", "2024-01-01T07")})
        np.testing.assert_array_equal(self.values("c/time"), np.delete(np.arange(48), [5, 6, 7]))
        drx.cut("s", "d", sel={"time": ["2024-01-01T05", "2024-01-02"]})
        np.testing.assert_array_equal(self.values("d/time"), np.delete(np.arange(24), 5))

    def test_mistakes(self):
        self.weather([3, 1, 2])
        self.make("a", [1, 2, 3], dims=("x",))
        for error, says, f in [
            (drx.InvalidError, "give what is to be left out", lambda: drx.cut("a", "b")),
            (drx.InvalidError, "an index or a slice", lambda: drx.cut("a", "b", at={"x": "1"})),
            (drx.BoundsError, "at least 1", lambda: drx.cut("a", "b", at={"x": slice(3, 0, -1)})),
            (drx.RankError, "no dimension", lambda: drx.cut("a", "b", at={"y": 1})),
            (drx.BoundsError, "outside", lambda: drx.cut("a", "b", at={"x": 7})),
            (drx.SelectionError, "nothing would be left", lambda: drx.cut("a", "b", at={"x": slice(0, 3)})),
            (drx.DatasetError, "neither", lambda: drx.cut("a", "b", sel={"x": 1})),
            (drx.SelectionError, "2024-01-01T09", lambda: drx.cut("w", "b", sel={"time": "2024-01-01T09"})),
            (drx.DatasetError, "lat", lambda: drx.cut("w", "b", sel={"lat": 1})),
            (drx.InvalidError, "method", lambda: drx.cut("w", "b", sel={"time": "2024"}, method="close")),
            (drx.ExistsError, "a", lambda: drx.cut("a", "a", at={"x": 1})),
            (drx.InvalidError, "dataset w", lambda: drx.sort("w/rain", "b", "time")),
            (drx.DatasetError, "neither", lambda: drx.sort("a", "b", "x")),
            (drx.NotFoundError, "nope", lambda: drx.sort("nope", "b", "x")),
            (drx.InvalidError, "memory", lambda: drx.sort("w", "b", "time", memory=-1)),
        ]:
            with self.assertRaisesRegex(error, says):
                f()
        self.assertFalse(drx.exists("b"))

    def test_resume(self):
        """A copy that an exception has ended stays, and goes on."""
        rows, calls, interrupted = 1 << 11, [], False

        def stop(done, total):
            calls.append(done)
            if len(calls) > 1 and 0 < done < total:
                raise KeyError("enough")

        while not interrupted and rows < 1 << 20:
            rows *= 4
            values = self.rng.normal(size=(rows, 64))
            self.make(f"a{rows}", values, dims=("y", "x"), chunks=(64, 64), codec="zstd:19")  # slow
            calls.clear()
            try:
                drx.cut(f"a{rows}", f"c{rows}", at={"y": slice(1, 3)}, memory=1 << 10, progress=stop)
            except KeyError:
                interrupted = True
        self.assertTrue(interrupted, "the machine is too fast for this test")
        with self.assertRaises(drx.IncompleteError):
            drx.open(f"c{rows}")
        drx.cut(f"a{rows}", f"c{rows}", at={"y": slice(1, 3)}, memory=1 << 20, resume=True)
        np.testing.assert_array_equal(self.values(f"c{rows}"), np.delete(values, [1, 2], 0))


class Grids(Folder):
    """Coarsening and other coordinates, against xarray."""

    def setUp(self):
        super().setUp()
        try:
            import pandas
            import xarray
        except ImportError:
            self.skipTest("needs xarray")
        self.xarray = xarray
        hours = np.sort(self.rng.choice(24 * 20, 120, replace=False))
        self.rain = xarray.DataArray(self.rng.normal(size=(120, 9, 8)), dims=("time", "y", "x"), coords={
            "time": pandas.Timestamp("2019-12-20") + pandas.to_timedelta(hours, "h"), "y": np.arange(9) * 2.5, "x": np.arange(8, 0, -1.0)})
        self.rain.values[self.rng.random(self.rain.shape) < 0.05] = np.nan
        with drx.create_dataset("w") as d:
            d.create_variable("time", "i4", ["time"], shape=[120], attrs={"units": "hours since 2019-12-20"})[...] = hours
            for dim in "y", "x":
                d.create_variable(dim, "f8", [dim], shape=[self.rain.sizes[dim]])[...] = self.rain[dim].values
            d.create_variable("rain", "f8", ["time", "y", "x"], chunks=(7, 3, 8), fill=np.nan)[...] = self.rain.values

    def made(self, folder):
        return self.xarray.open_dataset(folder, engine=self.engine()).rain

    def engine(self):
        from drx.xarray import DrxBackend
        return DrxBackend

    def test_coarsen(self):
        with drx.open_dataset("w") as d:
            d.coarsen("daily", {"time": "1D"})
            self.assertEqual(d.coarsen("blocks", {"y": 3, np.str_("x"): np.int64(2)}, func="max")["variables"], ["rain"])
        self.xarray.testing.assert_allclose(self.made("daily"), self.rain.resample(time="1D").mean(), rtol=1e-12)
        self.xarray.testing.assert_allclose(self.made("blocks"), self.rain.coarsen(y=3, x=2).max(), rtol=1e-12)
        drx.coarsen("w", "monthly", {"time": "1M", "x": 5}, boundary="trim", func="sum")
        by_month = self.rain[:, :, :5].resample(time="1MS").sum(min_count=1).sum("x", min_count=1)
        np.testing.assert_allclose(self.made("monthly")[:, :, 0], by_month, rtol=1e-12)
        with self.assertRaisesRegex(drx.InvalidError, "boundary.*leave the option out"):
            drx.coarsen("w", "none", {"time": "1D"}, boundary="trim")
        for windows, error in (({"x": 3}, drx.InvalidError), ({"x": "1D"}, drx.DatasetError), ({"y": "some"}, drx.InvalidError), ({}, drx.InvalidError),
                               ({"x": 0}, drx.BoundsError), ({"x": 2.5}, TypeError), ("x=2", TypeError)):
            with self.assertRaises(error):
                drx.coarsen("w", "no", windows)

    def test_regrid(self):
        import pandas

        times = pandas.date_range("2019-12-21", "2020-01-02", freq="9h")
        y, x = np.arange(0, 20.5, 0.5), np.array([7.25, 1, 3])
        for n, grid in enumerate([{"time": "2019-12-21:2020-01-02:9h", "y": "0:20:0.5", "x": x}, {"time": times.values, "y": list(y), "x": tuple(x)},
                                  {"x": x, "time": [t.to_pydatetime() for t in times], "y": y.astype("f4")}]):
            with drx.open_dataset("w") as d:
                d.regrid(f"linear{n}", grid)
            found, want = self.made(f"linear{n}"), self.rain.interp(time=times, y=y, x=x)
            np.testing.assert_array_equal(found.time, want.time)
            known = ~np.isnan(want.values)  # xarray also lets neighbours count whose weight is zero
            np.testing.assert_allclose(found.values[known], want.values[known], rtol=1e-11, atol=1e-12)
            self.assertTrue(known.any() and np.isnan(found.values[~known]).any())
        drx.regrid("w", "nearest", {"time": times, "y": 3.3}, method="nearest")
        self.xarray.testing.assert_equal(self.made("nearest"), self.rain.sel(time=times, y=[3.3], method="nearest").assign_coords(time=times, y=[3.3]))
        with drx.open_dataset("nearest") as grid, drx.open("w/rain") as a:
            drx.regrid(a, "again", grid, dims="time", method="nearest")
        self.xarray.testing.assert_equal(self.made("again"), self.rain.sel(time=times, method="nearest").assign_coords(time=times))
        for to, error in (("nope", drx.NotFoundError), ({"time": "noon"}, drx.InvalidError), ({"z": 1}, drx.DatasetError), ({"x": slice(0, 3)}, drx.InvalidError),
                          ({"time": "2020-01-02:2020-01-01:1h"}, drx.InvalidError), ({"x": [1, float("nan")]}, drx.InvalidError), ({}, drx.InvalidError)):
            with self.assertRaises(error):
                drx.regrid("w", "no", to)
        self.assertFalse(os.path.exists("no"))


class Append(Folder):
    def test_arrays(self):
        parts = [self.rng.integers(-9, 9, (n, 4)).astype("i2") for n in (3, 1, 5)]
        names = [self.make(f"p{i}", p, dims=("t", "x")) for i, p in enumerate(parts)]
        got = drx.append("all", names, "t", create=True)
        self.assertEqual(got["by"], 9)
        np.testing.assert_array_equal(self.values("all"), np.concatenate(parts))
        with drx.open("p1") as a:
            drx.append("all", a, 0, low=True)
        with drx.open("all") as a:
            np.testing.assert_array_equal(a[...], np.concatenate([parts[1], *parts]))
            self.assertEqual(a.bounds[0], (-1, 9))

    def test_meaning(self):
        self.make("k", np.array([273.15, 300.0]), dims=("t",), attrs={"units": "K"})
        self.make("c", np.array([0.0, 26.85]), dims=("t",), attrs={"units": "degC"})
        self.make("m", np.array([1.0]), dims=("t",), attrs={"units": "m"})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            drx.append("k", "c", "t")
            with self.assertRaises(drx.DTypeError):
                drx.append("k", "m", "t")
            drx.append("k", "m", "t", as_stored=True)
        np.testing.assert_allclose(self.values("k"), [273.15, 300, 273.15, 300, 1])

    def test_numbers(self):
        """Arrays as values have the same meaning, or are refused."""
        k = self.make("k", np.array([273.15]), dims=("t",), attrs={"units": "K"})
        self.make("c", np.array([1.0]), dims=("t",), attrs={"units": "degC"})
        self.make("i", np.array([280], "i2"), dims=("t",), attrs={"units": "K", "title": "other"})
        self.make("p", np.array([280], "i2"), dims=("t",), attrs={"units": "K", "scale_factor": 0.5})
        self.make("plain", np.array([7], "i2"))
        with drx.open(k, "r+") as a, drx.open("c") as c, drx.open("i") as i, drx.open("p") as p, drx.open("plain") as plain:
            for other in c, p:
                for f in [lambda: a.append(other), lambda: a.write(other), lambda: a.__setitem__(..., other)]:
                    with self.assertRaisesRegex(drx.DTypeError, "drx.append"):
                        f()
            a.append(i)
            a.append(plain[...])
            a[0] = i
            self.assertEqual(list(a), [280, 280, 7])

    def test_labels(self):
        for name, labels in ("a", ["Bath", "Oslo"]), ("b", ["Rome"]):
            self.make(name, np.ones(len(labels), "i4"), dims=("town",))
            with drx.open(name, "r+") as a:
                a.labels["town"] = labels
        drx.append("a", "b", "town")
        with drx.open("a") as a:
            self.assertEqual(a.labels["town"], ["Bath", "Oslo", "Rome"])

    def test_mistakes(self):
        self.make("a", [1, 2], dims=("x",))
        for error, says, f in [
            (drx.NotFoundError, "create=True", lambda: drx.append("new", "a", "x")),
            (drx.InvalidError, "nothing to append", lambda: drx.append("a", [], "x")),
            (drx.NotFoundError, "nope", lambda: drx.append("a", "nope", "x")),
            (drx.Error, "no dimension", lambda: drx.append("a", self.make("b", [1], dims=("x",)), "y")),
            (drx.InvalidError, "itself", lambda: drx.append("a", "a", "x")),
        ]:
            with self.assertRaisesRegex(error, says):
                f()
        np.testing.assert_array_equal(self.values("a"), [1, 2])


class Rename(Folder):
    def test_array(self):
        self.make("a", np.zeros((2, 3)), dims=("y", "x"), attrs={"cell_methods": "x: mean"})
        with drx.open("a", "r+") as a:
            a.rename_dim("x", "lon")
            a.attrs.rename("cell_methods", "methods")
            self.assertEqual((a.dims, dict(a.attrs)), (("y", "lon"), {"methods": "lon: mean"}))
            for error, f in [(drx.RankError, lambda: a.rename_dim("x", "z")), (drx.RankError, lambda: a.rename_dim(0, "lon")),
                             (KeyError, lambda: a.attrs.rename("none", "some"))]:
                with self.assertRaises(error):
                    f()
            a.rename_dim(-1, "")
        with drx.open("a") as a, self.assertRaises(drx.ReadOnlyError):
            self.assertEqual(a.dims, ("y", ""))
            a.rename_dim(0, "z")

    def test_dataset(self):
        with drx.create_dataset("d") as d:
            d.create_variable("lon", "f8", ["lon"], shape=[3], attrs={"bounds": "lon_bnds"})
            d.create_variable("lon_bnds", "f8", ["lon", "two"], shape=[3, 2])
            t = d.create_variable("t2m", "f4", ["lon"], attrs={"ancillary_variables": "lon_bnds"})
            t[...] = [1, 2, 3]
            d.rename("t2m", "temperature")
            with self.assertRaises(drx.ClosedError):
                t[0]
            d.rename("lon_bnds", "edges")
            d.rename("lon", "longitude")
            self.assertEqual(sorted(d), ["edges", "longitude", "temperature"])
            self.assertEqual(d["temperature"].dims, ("longitude",))
            for error, f in [(drx.DatasetError, lambda: d.rename("t2m", "t")), (drx.ExistsError, lambda: d.rename("edges", "longitude")),
                             (drx.InvalidError, lambda: d.rename("edges", ""))]:
                kept = d["edges"]
                with self.assertRaises(error):
                    f()
                self.assertEqual(kept.shape, (3, 2))
            with self.assertRaisesRegex(drx.InvalidError, "rename"):
                d["edges"].rename_dim("two", "ends")
        with drx.open_dataset("d") as d:
            self.assertEqual(list(d["temperature"]), [1, 2, 3])
            self.assertEqual((d["longitude"].attrs["bounds"], d["temperature"].attrs["ancillary_variables"]), ("edges", "edges"))
            with self.assertRaises(drx.ReadOnlyError):
                d.rename("edges", "ends")


class Locks(Folder):
    def test_locks(self):
        self.addCleanup(drx.set_locks)
        self.make("a", [1])
        drx.set_locks("file")
        with drx.open("a", "r+"):
            self.assertTrue(os.path.exists("a.xlk"))
        drx.set_locks("system")
        with drx.open("a", "r+"):
            self.assertFalse(os.path.exists("a.xlk"))
        with self.assertRaisesRegex(drx.InvalidError, "auto, system or file"):
            drx.set_locks("none")

    def test_codes(self):
        from drx._errors import error_of

        for code, kind in (28, drx.StaleError), (29, drx.FencedError):
            e = error_of(code, "a: why")
            self.assertTrue(isinstance(e, kind) and isinstance(e, OSError) and str(e) == "a: why")


if __name__ == "__main__":
    unittest.main()
