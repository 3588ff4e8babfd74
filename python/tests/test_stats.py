"""Statistics are those of NumPy and xarray, which leave NaN out."""

import os
import shutil
import subprocess
import tempfile
import unittest
import warnings

import numpy as np

import drx

try:
    import xarray
    from drx.xarray import DrxBackend
except ImportError:
    if os.environ.get("CI") == "true":
        raise
    xarray = None

FUNCTIONS = {
    "sum": np.nansum, "mean": np.nanmean, "std": np.nanstd, "var": np.nanvar, "min": np.nanmin, "max": np.nanmax,
    "median": np.nanmedian, "p10": lambda x, axis: np.nanpercentile(x, 10, axis=axis),
    "p97.5": lambda x, axis: np.nanpercentile(x, 97.5, axis=axis), "count": lambda x, axis: np.sum(~np.isnan(x), axis=axis),
}


class Stats(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.rng = np.random.default_rng(5)
        warnings.simplefilter("ignore")

    def make(self, values, **options):
        a = drx.create(os.path.join(self.folder, "a"), values.shape, values.dtype, dims=["time", "y", "x"], **options)
        self.addCleanup(a.discard)
        a[...] = values
        return a

    def close(self, got, want, what):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-13, err_msg=str(what))

    def test_numpy(self):
        values = self.rng.normal(270, 10, (40, 6, 7))
        values[self.rng.random(values.shape) < 0.2] = np.nan
        a = self.make(values, chunks=[7, 4, 3])
        for dim, axis in [(None, None), ("time", 0), (["y", "x"], (1, 2)), (2, 2), (["time", "x"], (0, 2))]:
            for memory in [None, 1000]:
                got = a.stats(*FUNCTIONS, dim=dim, memory=memory)
                for name, f in FUNCTIONS.items():
                    self.close(got[name], f(values, axis=axis), (name, dim, memory))
        self.close(a.quantile([0.1, 0.5], "time"), np.nanquantile(values, [0.1, 0.5], axis=0), "quantiles")
        self.close(a.std("time", ddof=1), np.nanstd(values, axis=0, ddof=1), "ddof")
        self.assertEqual(a.mean().shape, ())

    def test_save(self):
        values = self.rng.normal(size=(4, 3, 2))
        a = self.make(values)
        out = os.path.join(self.folder, "out")
        self.assertEqual(a.save(out, "mean", dim="time"), [out])
        with drx.open(out) as mean:
            self.close(mean[...], values.mean(0), "mean")
            self.assertEqual(mean.dims, ("y", "x"))
        self.assertEqual(a.rolling(time=2).save(os.path.join(self.folder, "two"), "min", "max"),
                         [os.path.join(self.folder, "two", "a_min"), os.path.join(self.folder, "two", "a_max")])
        with self.assertRaises(FileExistsError):
            a.save(out, "mean")

    def test_integers(self):
        values = self.rng.integers(-(2**62), 2**62, (3, 5, 4))
        a = self.make(values, chunks=[2, 2, 2])
        small = values // 8
        for dim, axis in [("time", 0), ("x", 2)]:
            a[...] = small
            got = a.sum(dim)
            self.assertEqual(got.dtype, np.int64)
            np.testing.assert_array_equal(got, small.sum(axis=axis))
            np.testing.assert_array_equal(a.max(dim), small.max(axis=axis))
            np.testing.assert_array_equal(a.stats("argmin", dim=dim)["argmin"], small.argmin(axis=axis))
        a[...] = 2**62
        with self.assertRaises(drx.TooLargeError):
            a.sum()

    def test_xarray(self):
        """Groups, periods and windows of packed values are those of the values that xarray
        decodes."""
        if xarray is None:
            self.skipTest("no xarray")
        n = 400
        values = self.rng.integers(-300, 300, (n, 3, 4)).astype(np.int16)
        values[self.rng.random(values.shape) < 0.1] = -999
        hours = np.sort(self.rng.choice(20 * 365, n, replace=False)).astype(np.int64)
        with drx.create_dataset(os.path.join(self.folder, "d")) as d:
            t = d.create_variable("time", "int64", ["time"], shape=[n], attrs={"units": "hours since 2019-11-03", "calendar": "proleptic_gregorian"})
            v = d.create_variable("v", "int16", ["time", "y", "x"], shape=values.shape, chunks=[50, 2, 4],
                         attrs={"scale_factor": 0.01, "add_offset": 273.15, "missing_value": -999})
            t[...], v[...] = hours, values
        times = np.datetime64("2019-11-03", "ns") + hours * np.timedelta64(1, "h")
        decoded = np.where(values == -999, np.nan, values * 0.01 + 273.15)
        x = xarray.DataArray(decoded, dims=["time", "y", "x"], coords={"time": times})
        with drx.open(os.path.join(self.folder, "d", "v")) as a:
            self.close(a.mean("time"), x.mean("time"), "mean")
            for part in ["year", "month", "dayofyear", "hour", "day"]:
                got, want = a.groupby(f"time.{part}"), x.groupby(f"time.{part}")
                self.close(got.mean(), want.mean("time").transpose(part, "y", "x"), part)
                self.close(got.max(["y", "x"]), want.max(...), part)
                self.assertEqual(got.groups, [str(k) for k in want.mean("time")[part].values])
            got = dict(zip(a.groupby("time.season").groups, a.groupby("time.season").std()))
            for season, want in x.groupby("time.season"):
                self.close(got[season], want.std("time"), season)
            for ours, theirs in [("1D", "1D"), ("6h", "6h"), ("1M", "1MS"), ("1Y", "1YS"), ("36h", "36h")]:
                self.close(a.resample(time=ours).mean(), x.resample(time=theirs).mean(), ours)
                self.close(a.resample(time=ours).median(), x.resample(time=theirs).median(), ours)
            want = x.rolling(time=9, min_periods=1).mean().isel(time=slice(8, None))
            self.close(a.rolling(time=9).mean(), want.transpose("time", "y", "x"), "rolling")
            self.close(a.mean("time", select="time=2020"), x.sel(time="2020").mean("time"), "selected")

    def test_coarsen(self):
        values = self.rng.normal(size=(4, 7, 6))
        a = self.make(values)
        self.close(a.coarsen(x=2).mean(), values.reshape(4, 7, 3, 2).mean(3), "pairs")
        self.close(a.coarsen(y=3).max()[:, -1], values[:, 6], "the last one is smaller")
        both = values[:, :6].reshape(4, 3, 2, 2, 3)
        self.close(a.coarsen(y=2, x=3).mean()[:, :3], both.mean((2, 4)), "two dimensions")
        self.close(a.coarsen(x=3, y=2).max("time")[3], values[:, 6].reshape(4, 2, 3).max((0, 2)), "in another order")
        with self.assertRaises(drx.InvalidError):
            a.coarsen(x=3, y=2).groups
        a.labels["y"] = list("abcdefg")
        got = a.groupby("y", dict(zip("abcdefg", "uvuvuvu")))
        self.close(got.sum("y"), np.stack([values[:, 0::2].sum(1), values[:, 1::2].sum(1)], 1), "groups of labels")
        self.assertEqual(got.groups, ["u", "v"])
        with self.assertRaisesRegex(drx.InvalidError, "g"):
            a.groupby("y", {"a": "u"}).sum()
        with self.assertRaises(drx.InvalidError):
            a.coarsen(x=0).mean()
        with self.assertRaisesRegex(drx.InvalidError, "resample.x='1D'. has periods"):
            a.coarsen(x="1D")

    def test_mistakes(self):
        a = self.make(np.zeros((2, 2, 2)))
        for f in [lambda: a.stats("average"), lambda: a.mean("z"), lambda: a.groupby("time"), lambda: a.groupby("time.month").mean(),
                  lambda: a.quantile(1.5), lambda: a.rolling(time=3).mean(), lambda: a.resample(time="9x").mean(),
                  lambda: a.resample(), lambda: a.stats(), lambda: a.stats("argmax"), lambda: a.mean(memory=-1)]:
            with self.assertRaises(drx.Error):
                f()

    def test_progress(self):
        a = self.make(np.zeros((2, 2, 2)))
        seen = []
        a.mean(progress=lambda done, total: seen.append((done, total)))
        self.assertEqual(seen[-1], (8, 8))

        def stop(_done, _total):
            raise KeyError("enough")

        with self.assertRaises(KeyError):
            a.mean(progress=stop)


@unittest.skipUnless(xarray and "DRX_COMMAND" in os.environ and "DRX_DATA" in os.environ, "needs xarray, drx, drx-bridge and real data")
class Saved(unittest.TestCase):
    """What drx stats -o stores is what xarray and CDO compute, of real temperatures of the sea."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        warnings.simplefilter("ignore")
        self.source = os.path.join(os.environ["DRX_DATA"], "formats", "netcdf", "ostia_monthly.nc")
        self.sst = os.path.join(self.folder, "sst")
        self.run_command(os.environ["DRX_COMMAND"], "import", self.source, self.sst)
        self.want = xarray.open_dataset(self.source).astype("f8").surface_temperature

    def run_command(self, *args):
        done = subprocess.run(args, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, (args, done.stderr))

    def stats(self, *args):
        """The result in NetCDF, and as a dataset."""
        out = os.path.join(self.folder, f"out{len(os.listdir(self.folder))}")
        for name in out + ".nc", out:
            self.run_command(os.environ["DRX_COMMAND"], "stats", os.path.join(self.sst, "surface_temperature"), *args, "-o", name)
        a, b = xarray.open_dataset(out + ".nc"), xarray.open_dataset(out, engine=DrxBackend)
        self.addCleanup(a.close)
        self.addCleanup(b.close)
        xarray.testing.assert_equal(a, b)
        return a

    def test_xarray(self):
        w = self.want
        for args, want in [
            (["--over", "time", "--mean"], w.mean("time")),
            (["--over", "latitude,longitude", "--std"], w.std(["latitude", "longitude"])),
            (["--over", "time", "--percentile", "90"], w.quantile(0.9, "time").drop_vars("quantile")),
            (["--by", "month", "--max"], w.groupby("time.month").max()),
            (["--every", "1Y", "--mean"], w.resample(time="1AS").mean()),
            (["--rolling", "12", "--mean"], w.rolling(time=12).mean()[11:]),
        ]:
            got = self.stats(*args)
            xarray.testing.assert_allclose(got.surface_temperature.drop_vars(["forecast_period", "forecast_reference_time"], errors="ignore"),
                                           want.drop_vars(["forecast_period", "forecast_reference_time"], errors="ignore"), rtol=1e-12)
            self.assertEqual(got.surface_temperature.attrs["units"], "K")
            self.assertIn("latitude_longitude", got.variables)
        self.assertEqual(self.stats("--over", "time", "--var").surface_temperature.attrs["units"], "K2")

    @unittest.skipUnless(shutil.which("cdo"), "needs cdo, which make test does not install: 41 packages, 348 MB")
    def test_cdo(self):
        for operator, args in [
            ("timmean", ["--over", "time", "--mean"]), ("timstd", ["--over", "time", "--std"]), ("timmax", ["--over", "time", "--max"]),
            ("ymonmean", ["--by", "month", "--mean"]), ("yearmean", ["--every", "1Y", "--mean"]), ("runmean,3", ["--rolling", "3", "--mean"]),
            ("fldmean", ["--over", "latitude,longitude", "--weights", "area", "--mean"]),
        ]:
            out = os.path.join(self.folder, "cdo.nc")
            self.run_command("cdo", "-O", "-b", "F64", "-selname,surface_temperature", self.source, os.path.join(self.folder, "one.nc"))
            self.run_command("cdo", "-O", "-b", "F64", operator, os.path.join(self.folder, "one.nc"), out)
            with xarray.open_dataset(out) as want:
                got = self.stats(*args).surface_temperature
                values = want.surface_temperature.values.squeeze().reshape(got.shape)
                # The areas of CDO are those of spherical polygons, whose edges are great circles.
                rtol = 1e-9 if operator == "fldmean" else 1e-10
                np.testing.assert_allclose(got.values, values, rtol=rtol, err_msg=operator)


if __name__ == "__main__":
    unittest.main()
