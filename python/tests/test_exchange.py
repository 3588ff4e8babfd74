"""Import and export of files of other formats."""

import os
import shutil
import signal
import stat
import tempfile
import unittest
import warnings

import numpy as np

import drx


class Exchange(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        self.frames = [np.arange(6, dtype="i2").reshape(2, 3) + 100 * i for i in range(3)]
        for i, frame in enumerate(self.frames):
            np.save(f"f{i}.npy", frame)

    def elements(self, name):
        with drx.open(name) as a:
            return a[...]

    def test_imports(self):
        made = drx.import_file(["f0.npy", "f1.npy"], "A", append="time", chunks=(1, 2, 3))
        self.assertEqual((made["by"], made["dim"], made["variables"][0]["chunk"]), (2, "time", [1, 2, 3]))
        drx.import_file(drx_path("f2.npy"), drx_path("A"), append="time", dtype=np.int16)
        np.testing.assert_array_equal(self.elements("A"), np.stack(self.frames))
        with open("german.csv", "w") as table:
            table.write("Zeit;t [K]\n01.02.2024;1,5\n02.02.2024;-99\n")
        with self.assertRaisesRegex(drx.Error, 'dates="dmy" or dates="mdy"'):
            drx.import_file("german.csv", "german")
        drx.import_file("german.csv", "german", na="-99", decimal=",", dates="dmy")
        with drx.open("german/t") as a:
            np.testing.assert_equal(a[:], [1.5, np.nan])
        made = drx.import_file("f2.npy", "B", dtype="int8", clip=True)
        self.assertEqual(made["variables"][0]["dtype"], "int8")
        np.testing.assert_array_equal(self.elements("B"), np.full((2, 3), 127, "i1"))

    def test_codec(self):
        """New arrays are compressed on request, and what is there keeps its codec."""
        np.save("n.npy", np.zeros((50, 80), "f4"))
        drx.import_file("n.npy", "A", append="time", codec="blosc:lz4")
        drx.import_file("n.npy", "A", append="time", codec="blosc")
        with drx.open("A") as a:
            self.assertEqual((a.shape, a.info()["codec"]), ((2, 50, 80), "blosc:lz4:5:shuffle"))
            self.assertFalse(a[...].any())
        with self.assertRaisesRegex(drx.InvalidError, "codec=\"lz4\": A exists and has the codec blosc:lz4:5:shuffle"):
            drx.import_file("n.npy", "A", append="time", codec="lz4")
        with self.assertWarnsRegex(UserWarning, "codec blosc:.*, which stores 1 / "):
            drx.import_file("n.npy", "C", codec="auto")
        with drx.open("C") as c:
            self.assertTrue(c.info()["codec"].startswith("blosc:"))
        with self.assertRaisesRegex(drx.InvalidError, 'codec "auto": it is chosen by elements, and none are at hand here: name a codec, as blosc:'):
            drx.create("D", (3, 4), "i2", codec="auto")
        with self.assertRaisesRegex(drx.InvalidError, '^codec=: codec "gzip"'):
            drx.import_file("n.npy", "B", codec="gzip")
        self.assertFalse(drx.exists("B"))

    def test_tables_as_pandas(self):
        """Tables of pandas keep their times and columns, and pandas finds those that DRX writes."""
        try:
            import pandas as pd
        except ImportError:
            if os.environ.get("CI") == "true":
                raise
            self.skipTest("python3-pandas")
        times = pd.date_range("2024-01-01", periods=30, freq="7h", name="time")
        table = pd.DataFrame(np.random.default_rng(1).normal(size=(30, 3)), times, ["Oslo", "Tromsø (B)", "a,b"])
        table.iloc[4, 1] = np.nan
        for options in {}, {"sep": ";", "decimal": ","}, {"sep": "\t", "na_rep": "NA"}, {"encoding": "utf-8-sig", "lineterminator": "\r\n"}:
            for f in "t.csv", "again.csv":
                if os.path.exists(f):
                    os.remove(f)
            table.to_csv("t.csv", **options)
            drx.import_file("t.csv", "t")
            drx.export_file("t/t", "again.csv")
            got = pd.read_csv("again.csv", index_col=0, parse_dates=True, float_precision="round_trip")
            got.index = got.index.rename("time")
            pd.testing.assert_frame_equal(got, table, check_exact=True, check_freq=False, check_names=False)
            with drx.open_dataset("t") as d:
                np.testing.assert_array_equal(d["t"].sel(time="2024-01-02")[...], table.loc["2024-01-02"].values)
            shutil.rmtree("t")

    def test_keywords(self):
        """Errors call options as Python does: dtype=, not --as."""
        drx.import_file("f0.npy", "A")
        for says, call in [
            ("memory=-1: want bytes, or 0 for the default", lambda: drx.import_file("f0.npy", "C", memory=-1)),
            ("import: any_order=True needs append=", lambda: drx.import_file("f0.npy", "C", any_order=True)),
            ("import: as_stored=True needs append=", lambda: drx.import_file("f0.npy", "C", as_stored=True)),
            ("export: clip=True needs dtype=", lambda: drx.export_file("A", "x.npy", clip=True)),
            ("continue an interrupted import with resume=True", lambda: drx.import_file("f0.npy", "A")),
        ]:
            with self.assertRaises(drx.Error) as caught:
                call()
            self.assertIn(says, str(caught.exception))
            self.assertNotIn("--", str(caught.exception))

    def test_refused(self):
        drx.import_file("f0.npy", "A")
        for kind, call in [
            (FileExistsError, lambda: drx.import_file("f0.npy", "A")),
            (FileNotFoundError, lambda: drx.import_file("none.npy", "C")),
            (ValueError, lambda: drx.import_file([], "C")),
            (ValueError, lambda: drx.import_file(["f0.npy", "f1.npy"], "C")),
            (ValueError, lambda: drx.import_file("f0.npy", "C", low=True)),
            (ValueError, lambda: drx.import_file("f0.npy", "A", append="q")),
            (TypeError, lambda: drx.import_file("f2.npy", "C", dtype="i1")),
            (TypeError, lambda: drx.import_file("f2.npy", "C", dtype="M8[s]")),
            (TypeError, lambda: drx.import_file(3, "C")),
            (ValueError, lambda: drx.export_file("A", "x.none")),
            (ValueError, lambda: drx.export_file("A", "x.npy", codec="zstd")),
            (FileNotFoundError, lambda: drx.export_file("none", "x.npy")),
            (FileExistsError, lambda: drx.export_file("A", "f0.npy")),
        ]:
            with self.assertRaises(kind):
                call()
        self.assertFalse(drx.exists("C"))
        self.assertFalse(os.path.exists("x.npy"))

    def test_exports(self):
        drx.import_file("f1.npy", "A")
        done = drx.export_file("A", "part.npy", lo=(0, 1), hi=(2, 3), dtype="f8")
        self.assertEqual(done["variables"][0]["shape"], [2, 2])
        got = np.load("part.npy")
        self.assertEqual(got.dtype, np.float64)
        np.testing.assert_array_equal(got, self.frames[1][:, 1:3])
        np.testing.assert_array_equal(drx_load("A", "every.npy", lo=(0, 0), hi=(2, 3), step=(1, 2)), self.frames[1][:, ::2])
        for codec in "raw", "gzip:9", "zstd", "lz4", "blosc:zstd:3":
            name = codec.replace(":", "_")
            drx.export_file("A", f"{name}.zarr", codec=codec)
            drx.import_file(f"{name}.zarr", name, var="A")
            np.testing.assert_array_equal(self.elements(name), self.frames[1])

    def test_dataset(self):
        with drx.create_dataset("W") as d:
            t = d.create_variable("time", "i4", shape=(4,), dims=("time",))
            t[...] = [0, 10, 20, 30]
            rain = d.create_variable("rain", "f4", dims=("time",))
            rain[...] = [1, 2, 3, 4]
        with warnings.catch_warnings(record=True) as noted:
            warnings.simplefilter("always")
            drx.export_file("W", "rain.npy", var="rain", sel="time=10..20")
        self.assertIn("time", str(noted[0].message))
        np.testing.assert_array_equal(np.load("rain.npy"), [2, 3])
        drx.export_file("W", "W.zarr", sel=["time=10"], exact=True)
        drx.import_file("W.zarr", "V")
        with drx.open_dataset("V") as d:
            np.testing.assert_array_equal(d["time"][...], [10])

    def test_exception_in_progress(self):
        np.save("large.npy", np.zeros((4000, 4000), "i2"))

        def stop(done, total):
            raise KeyError("enough")

        with self.assertRaises(KeyError):
            drx.import_file("large.npy", "L", progress=stop)
        self.assertFalse(drx.exists("L"))
        seen = []
        drx.import_file("large.npy", "L", progress=lambda done, total: seen.append((done, total)))
        self.assertEqual(seen[-1], (32000000, 32000000))

    def test_interrupted(self):
        """Ctrl-C ends an import when a part is done, and the same call with resume=True continues
        it."""
        elements = np.arange(4_000_000, dtype="i4").reshape(1000, 4000)
        np.save("large.npy", elements)
        seen = []

        def interrupt(done, total):
            if not seen and 0 < done < total:
                seen.append(done)
                os.kill(os.getpid(), signal.SIGINT)

        for _ in range(5):  # a fast machine may be done before the second call, a tenth of a second after the first one
            try:
                drx.import_file("large.npy", "L", chunks=(20, 20), dtype="f8", memory=1 << 20, progress=interrupt)
            except KeyboardInterrupt:
                break
            drx.remove("L")
            elements = np.concatenate([elements, elements])
            np.save("large.npy", elements)
        self.assertEqual(len(seen), 1)
        self.assertEqual(self.elements("L")[-1, -1], 0)  # not there yet
        with self.assertRaises(FileExistsError):
            drx.import_file("large.npy", "L")
        made = drx.import_file("large.npy", "L", resume=True)
        self.assertEqual((made["variables"][0]["chunk"], made["variables"][0]["dtype"]), ([20, 20], "float64"))
        np.testing.assert_array_equal(self.elements("L"), elements)

    def test_bridge(self):
        """A helper that ends at once, or that is not there, is an error."""
        with open("ends", "w") as f:
            f.write("#!/bin/sh\nexit 0\n")
        os.chmod("ends", stat.S_IRWXU)
        with open("a.h5", "wb") as f:
            f.write(b"\x89HDF\r\n\x1a\n0123456789")
        with self.assertRaises(drx.Error):
            drx.import_file("a.h5", "H", bridge="./ends")
        with self.assertRaises(FileNotFoundError):
            drx.import_file("a.h5", "H", bridge="./nowhere")


def drx_path(name):
    import pathlib

    return pathlib.Path(name)


def drx_load(src, dst, **options):
    drx.export_file(src, dst, **options)
    return np.load(dst)


if __name__ == "__main__":
    unittest.main()
