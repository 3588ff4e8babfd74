"""The examples in the documentation of the package and of docs/PYTHON.md, and the programs of
examples/python."""

import doctest
import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import drx
import drx._exchange
import drx._whole
import drx.raw

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


class Docs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def test_modules(self):
        for module in drx, drx.raw, drx._exchange, drx._whole:
            failed, attempted = doctest.testmod(module, extraglobs={"drx": drx})
            self.assertEqual(failed, 0)
            self.assertGreater(attempted, 4)

    def test_guide(self):
        """The blocks of docs/PYTHON.md, as one session."""
        try:
            import dask  # noqa: F401
            import xarray
        except ImportError as e:
            self.skipTest(f"{e}; Debian: python3-xarray python3-dask")
        if "drx" not in xarray.backends.list_engines():
            self.skipTest("the package is not installed")
        with open(os.path.join(ROOT, "docs", "PYTHON.md")) as f:
            blocks = re.findall(r"```pycon\n(.*?)```", f.read(), re.S)
        self.assertGreater(len(blocks), 5)
        test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "PYTHON.md", "docs/PYTHON.md", 0)
        said = []
        result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL).run(test, out=said.append)
        self.assertEqual(result.failed, 0, "".join(said))
        np.set_printoptions()

    @unittest.skipUnless("DRX_COMMAND" in os.environ, "needs drx")
    def test_cookbook(self):
        """The commands and the Python of docs/COOKBOOK.md, in the order of the page; their results
        are those of xarray and pandas."""
        bash = {**os.environ, "PATH": os.path.dirname(os.environ["DRX_COMMAND"]) + os.pathsep + os.environ["PATH"]}
        with open(os.path.join(ROOT, "docs", "COOKBOOK.md")) as f:
            blocks = re.findall(r"```(sh|pycon)\n(.*?)```", f.read(), re.S)
        self.assertEqual(sum(language == "pycon" for language, _ in blocks), 11)
        session, said = {}, []
        for language, text in blocks:
            if language == "sh":
                done = subprocess.run(["bash", "-e", "-c", text], env=bash, capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 0, (text, done.stderr))
                continue
            test = doctest.DocTestParser().get_doctest(text, session, "COOKBOOK.md", "docs/COOKBOOK.md", 0)
            result = doctest.DocTestRunner().run(test, out=said.append, clear_globs=False)
            session = test.globs
            self.assertEqual(result.failed, 0, "".join(said))
        self.compare(session)

    def compare(self, session):
        """Compares what the commands and the Python of docs/COOKBOOK.md have computed."""
        try:
            import pandas
            import xarray
        except ImportError as e:
            self.skipTest(f"{e}; Debian: python3-xarray")
        from drx.xarray import DrxBackend

        rain, daily, coarse, shorter, ascending = (
            xarray.open_dataset(name, engine=DrxBackend).load() for name in ("weather", "daily", "coarse", "shorter", "sorted"))
        days, highest, noons, noon = (xarray.open_dataset(name, engine=DrxBackend).load() for name in ("days", "highest", "noons", "noon"))
        rain = rain.rain.astype("f8")
        want = rain.resample(time="1D")
        np.testing.assert_allclose(session["daily"], want.mean(), rtol=1e-12)
        np.testing.assert_allclose(daily.rain_mean, want.mean(), rtol=1e-12)
        np.testing.assert_allclose(daily.rain_std, want.std(), rtol=1e-12)
        np.testing.assert_array_equal(daily.time, want.mean().time)
        months = rain.groupby("time.month").quantile([0.1, 0.9], "time").transpose("quantile", "month", "x")
        np.testing.assert_allclose(session["extremes"], months, rtol=1e-12)
        np.testing.assert_array_equal(np.loadtxt("mean.csv", delimiter=",", skiprows=1)[:, -1], rain.mean("time"))
        np.testing.assert_allclose(session["coarse"], rain.coarsen(time=6).mean(), rtol=1e-12)
        np.testing.assert_allclose(coarse.rain, rain.coarsen(time=6).mean(), rtol=1e-12)
        np.testing.assert_allclose(days.rain, want.mean(), rtol=1e-12)
        np.testing.assert_array_equal(highest.rain, want.max())
        np.testing.assert_array_equal(highest.time, want.max().time)
        at = pandas.date_range("2024-01-30T12", "2024-02-02T12", freq="1D")
        for made in noons, noon:
            np.testing.assert_allclose(made.rain, rain.interp(time=at), rtol=1e-6)
            np.testing.assert_array_equal(made.time, at)
        kept = rain.sel(time=rain.time.dt.strftime("%Y-%m-%d") != "2024-01-31")
        np.testing.assert_array_equal(shorter.rain, kept)
        np.testing.assert_array_equal(shorter.time, kept.time)
        np.testing.assert_array_equal(ascending.rain, rain.sortby("time"))
        table = pandas.read_csv("sales.csv", sep=";", decimal=",")
        some = lambda x: x.sum(min_count=1)  # noqa: E731 - pandas sums nothing to 0, drx to nothing
        pivot = lambda rows: table.pivot_table("sold", rows, "item", some, dropna=False)[["tea", "milk"]]  # noqa: E731
        np.testing.assert_array_equal(session["pivot"], pivot("store"))
        self.assertEqual(session["items"][np.argmax(session["totals"])], table.groupby("item").sold.sum().idxmax())
        table["month"] = table.day.str[:7]
        np.testing.assert_array_equal(session["months"], pivot("month"))
        rows = pandas.read_csv("long.csv").dropna()
        np.testing.assert_array_equal(rows.value, table.dropna().sold)

    def test_examples(self):
        found = sorted(glob.glob(os.path.join(ROOT, "examples", "python", "*.py")))
        self.assertGreater(len(found), 0)
        for path in found:
            with self.subTest(path=os.path.basename(path)), open(path) as f:
                self.assertLess(len(f.readlines()), 60)
                run = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=60)
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertIn("pixel 50,7: [ 57 157 257] in the west: -1", run.stdout)


if __name__ == "__main__":
    unittest.main()
