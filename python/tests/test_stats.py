"""Statistics are those of NumPy and xarray, which leave NaN out."""

import os
import tempfile
import unittest
import warnings

import numpy as np

import drx

try:
    import xarray
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


if __name__ == "__main__":
    unittest.main()
