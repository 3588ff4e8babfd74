"""What arrays and datasets offer, and bad input."""

import concurrent.futures
import gc
import itertools
import os
import pickle
import re
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

import drx
import drx.raw
from drx._errors import _by_code
from drx._files import journal
from drx._library import _functions
from drx._log import crc32c
from drx._types import to_bfloat16


def read_header(name):
    with open(os.path.join(os.path.dirname(__file__), "..", "..", "include", name)) as f:
        return f.read()


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name="a"):
        return os.path.join(self.folder, name)

    def make(self, shape=(4, 6), dtype="i4", form="", **options):
        """Makes an array in several files, in one for the form .drx, or in one with others for the
        form of a name like w.drx/."""
        n = len(os.listdir(self.folder))
        a = drx.create(self.path(f"{form}a{n}" if form.endswith("/") else f"a{n}{form}"), shape, dtype, durability="none", **options)
        self.addCleanup(a.close)
        if a.size:
            a[...] = np.arange(a.size).reshape(a.shape)
        return a


class Arrays(Case):
    def test_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(drx.NotFoundError, f'^no array "nope" in "{folder}"$'):
                drx.open(os.path.join(folder, "nope"))
            with self.assertRaisesRegex(drx.NotFoundError, f'^no array "nope": there is no folder "{folder}/none"$'):
                drx.open(os.path.join(folder, "none", "nope"))
            with drx.create_dataset(os.path.join(folder, "ds")):
                pass
            with self.assertRaisesRegex(drx.NotFoundError, "is a dataset, not an array"):
                drx.open(os.path.join(folder, "ds"))

    def test_the_example(self):
        frame = np.arange(12).reshape(3, 4).astype("i2")
        a = drx.create(self.path(), shape=(0, 3, 4), dtype="i2", dims=("time", "y", "x"))
        self.assertEqual(a.append(frame, dim="time"), (slice(0, 1), slice(0, 3), slice(0, 4)))
        a.extend("time", 1)
        a[-1] = frame + 1
        a.extend("x", 100, low=True)
        self.assertEqual(a.bounds, ((0, 2), (0, 3), (-100, 4)))
        np.testing.assert_array_equal(a[:, 1, 101], [5, 6])
        np.testing.assert_array_equal(a.at[:, 1, 1], [5, 6])
        self.assertEqual((a[::2, -50:50, ...].shape, len(a), a.ndim, a.size, a.nbytes), ((1, 3, 104), 2, 3, 624, 1248))
        self.assertEqual([x.shape for x in a], [(3, 104)] * 2)
        a.close()
        with drx.open(self.path(), "r+") as a:
            a[0, 0, 0] = 5
        with self.assertRaises(RuntimeError), drx.open(self.path(), "r+") as a:
            a[0, 0, 0] = 6
            raise RuntimeError
        with drx.open(self.path()) as a:
            self.assertEqual(a[0, 0, 0], 5)

    def test_what_it_is(self):
        a = self.make(dims=("y", "x"), chunks=(2, 3), fill=9, lo=(-1, 5), order="hilbert", attrs={"units": "K"})
        self.assertEqual((a.dims, a.chunks, a.fill_value, a.bounds, a.order), (("y", "x"), (2, 3), 9, ((-1, 3), (5, 11)), "hilbert"))
        self.assertEqual((a.mode, a.closed, a.dtype), ("r+", False, np.dtype("i4")))
        self.assertRegex(repr(a), r"^<drx.Array '.*' int32 \(y: -1:3, x: 5:11\) 'r\+'>$")
        a.sync()
        html = a._repr_html_()
        self.assertEqual(html.count("<rect"), 9)
        self.assertIn("9 of 9 chunks", html)
        self.assertEqual(np.asarray(a).sum(), a[...].sum())
        self.assertEqual(np.asarray(a, "f8").dtype, np.dtype("f8"))
        a.close()
        self.assertIn("closed", repr(a))
        self.assertIn("closed", a._repr_html_())

    def test_small_integers_as_indices(self):
        """Positions of NumPy's small types are not computed in these types."""
        a = self.make((300, 2), "i8", lo=(100_000, 0), chunks=(64, 2))
        for i in np.int8(100), np.int8(-100), np.uint8(200), np.int16(299), np.uint64(7):
            self.assertEqual(a[i, 0], a[int(i), 0])
            np.testing.assert_array_equal(a[i], a[int(i)])
            np.testing.assert_array_equal(a[i, :], a[int(i), :])
            np.testing.assert_array_equal(a[[i], :], a[[int(i)], :])
            np.testing.assert_array_equal(a[np.array([i, i])], a[[int(i)] * 2])

    def test_attributes(self):
        a = self.make()
        a.attrs["n"] = np.float32(1.5)
        a.attrs.update(list=np.arange(3), text="zwölf", flag=True, nothing=None)
        self.assertEqual(dict(a.attrs), {"n": 1.5, "list": [0, 1, 2], "text": "zwölf", "flag": True, "nothing": None})
        del a.attrs["n"]
        self.assertEqual((sorted(a.attrs), len(a.attrs), "n" in a.attrs), (["flag", "list", "nothing", "text"], 4, False))
        for wrong in (lambda: a.attrs["n"], lambda: a.attrs.__delitem__("n")):
            self.assertRaises(KeyError, wrong)
        for value in (np.nan, object(), {1, 2}, [float("inf")]):
            with self.assertRaisesRegex(ValueError, "attribute x"):
                a.attrs["x"] = value
        with self.assertRaises(ValueError):
            a.attrs[3] = 1

    def test_labels_and_selection(self):
        a = self.make((2, 3), dims=("store", "item"), lo=(-1, 0))
        a.labels["store"] = ["north", "south, old"]
        self.assertEqual(dict(a.labels), {"store": ["north", "south, old"]})
        np.testing.assert_array_equal(a.sel(store="south, old"), [3, 4, 5])
        np.testing.assert_array_equal(a.sel(store=["south, old", "north"]), [[3, 4, 5], [0, 1, 2]])
        with self.assertRaisesRegex(KeyError, "east"):
            a.sel(store="east")
        with self.assertRaises(KeyError):
            a.labels["item"]

    def test_buffers(self):
        """out= and values of any layout and byte order."""
        a = self.make((6, 8), chunks=(4, 3))
        want = a[...]
        for out in (np.empty((6, 8), "i4"), np.empty((6, 8), "i4", "F"), np.empty((8, 6), "i4").T, np.empty((12, 16), "i4")[::2, ::-2],
                    np.empty((6, 8), ">i4"), np.empty((6, 8), "f8"), np.empty((6, 8), "i8")[::-1]):
            self.assertIs(a.read_into(out), out)
            np.testing.assert_array_equal(out, want)
        out = np.zeros((3,), "i4")
        a.read_into(out, (2, slice(5, 2, -1)))
        np.testing.assert_array_equal(out, want[2, 5:2:-1])
        a.at.read_into(out, (0, [1, 1, 2]))
        np.testing.assert_array_equal(out, want[0, [1, 1, 2]])
        for values in (want.astype(">i4"), np.asfortranarray(want + 1), (want * 2).T.copy().T, want[::-1], want.astype("f8") + 7,
                       np.repeat(want, 2, 1)[:, ::2], want.astype(">u2"), want[:1], want[:, :1], np.broadcast_to(np.int32(3), (6, 8)), True, [[4]]):
            a[...] = values
            expected = np.empty((6, 8), "i4")
            expected[...] = values
            np.testing.assert_array_equal(a[...], expected)
        packed = np.zeros(48, [("x", "u1"), ("v", "i4")])["v"].reshape(6, 8)  # elements at odd addresses
        packed[...] = want
        a[...] = packed
        np.testing.assert_array_equal(a[...], want)
        packed[...] = 0
        np.testing.assert_array_equal(a.read_into(packed), want)

    def test_large_values_are_converted_in_parts(self):
        a = drx.create(self.path(), (1500, 1501), "i2", durability="none")
        values = np.random.default_rng(1).integers(-1000, 1000, a.shape)
        a[::-1] = values
        np.testing.assert_array_equal(a[...], values[::-1])
        a.close()

    def test_bfloat16(self):
        a = self.make((5,), "bfloat16")
        self.assertEqual((a.dtype, a.dtype_name), (np.dtype("f4"), "bfloat16"))
        a[...] = [1.00390625, 1.01171875, -3.0e38, np.inf, np.nan]
        got = a[...]
        np.testing.assert_array_equal(got[[0, 1, 3, 4]], [1.0, 1.015625, np.inf, np.nan])
        self.assertLess(abs(got[2] / -3.0e38 - 1), 2**-8)
        a[1] = 2.5
        self.assertEqual(a[1], 2.5)
        a[[0, 4]] = [7, 8]
        np.testing.assert_array_equal(a[[0, 1, 4]], [7, 2.5, 8])
        x = np.random.default_rng(1).standard_normal(1000).astype("f4")
        back = (to_bfloat16(x).astype("u4") << 16).view("f4")
        self.assertLessEqual(np.max(np.abs(back - x) / np.abs(x)), 2**-8)

    def test_pickle(self):
        a = self.make((3,))
        a.sync()
        a[0] = 77  # not committed: whoever unpickles does not see it
        b = pickle.loads(pickle.dumps(a))
        self.assertEqual((b.mode, b[0], b[2]), ("r", 0, 2))
        c = pickle.loads(pickle.dumps(b))
        self.assertEqual(c.path, a.path)

    def test_walk(self):
        a = self.make((4, 6), chunks=(2, 3))
        a.extend(0, 4)
        parts = list(a.walk())
        self.assertEqual([p.number for p in parts], list(range(8)))
        self.assertEqual(sum(a.at[p.section].size for p in parts), a.size)
        a.sync()
        self.assertEqual(len(list(a.walk(written=True))), 4)
        tiles = [p.section for p in a.walk(tile=(3, 0))]
        self.assertEqual([t[0] for t in tiles], [slice(0, 3), slice(3, 6), slice(6, 8)])
        self.assertEqual([p.section for p in a.walk(section=(slice(2, 4), slice(0, 3)))], [(slice(2, 4), slice(0, 3))])

    def test_verify_and_damage(self):
        a = self.make((64,), chunks=(16,))
        name = a.name
        a.close()
        seen = []
        with drx.open(name) as b:
            self.assertEqual(b.verify(lambda *x: seen.append(x))["written"], 4)
            np.testing.assert_array_equal(b[...], np.arange(64))
        with open(name + ".xta", "r+b") as f:
            f.seek(70)
            f.write(b"\xff")
        with drx.open(name) as b, self.assertRaises(drx.CorruptError) as e:
            b.verify()
        self.assertEqual([d["number"] for d in e.exception.report["damaged"]], [1])
        with drx.open(name) as b, self.assertRaises(OSError):
            b[20]
        drx.recover(name, name + "2")
        with drx.open(name + "2") as b:
            self.assertEqual((b[0], b[40]), (0, 40))

    def test_relayout(self):
        a = self.make((6, 8), dims=("y", "x"), attrs={"u": 1}, fill=3)
        done = []
        b = a.relayout(self.path("turned"), dtype="f4", dims=("x", "y"), chunks=(2, 2), progress=lambda *x: done.append(x))
        with b:
            np.testing.assert_array_equal(b[...], a[...].T)
            self.assertEqual((b.dims, b.attrs["u"], b.fill_value, b.dtype), (("x", "y"), 1, 3, np.dtype("f4")))
        with a.relayout(self.path("part"), section=(slice(1, 3),)) as b:
            self.assertEqual(b.bounds, ((1, 3), (0, 8)))
            np.testing.assert_array_equal(b[...], a[1:3])
        a[...] = 1000
        with self.assertRaises(drx.DTypeError):
            a.relayout(self.path("small"), dtype="i1")
        self.assertFalse(drx.exists(self.path("small")))
        with a.relayout(self.path("small"), dtype="i1", clip=True) as b:
            self.assertEqual(b[0, 0], 127)

    def test_codecs(self):
        """Compressed arrays hold the same elements and store less; copies keep the codec or get
        another one."""
        n = np.arange(200 * 300).reshape(200, 300) // 50
        for form in "", ".drx", "%s.drx/":
            for codec, full in ("zstd", "zstd:3"), ("lz4", "lz4"), ("blosc:zstd", "blosc:zstd:5:shuffle"), ("none", None), (None, None):
                a = self.make((200, 300), form=form.replace("%s", f"w{full}"), codec=codec, dims=("y", "x"))
                a[...] = n
                a.append(n[:40], dim="y")
                a[3:9, ::2] = 7
                want = np.concatenate([n, n[:40]])
                want[3:9, ::2] = 7
                a.close()
                with drx.open(a.path, "r+") as a:
                    np.testing.assert_array_equal(a[...], want)
                    info = a.info()
                    self.assertEqual(info.get("codec"), full)
                    self.assertEqual("bytes_stored" in info, full is not None)
                    if full:
                        self.assertLess(info["bytes_stored"], info["bytes_written"] / 4)
                        with self.assertRaisesRegex(drx.VersionError, f"compressed by {full}"):
                            drx.raw.open(a.path)
                    for given, kept in ({}, full), ({"codec": "lz4"}, "lz4"), ({"codec": "none"}, None):
                        with a.relayout(self.path("copy" + form.replace("%s.drx/", "")), dims=("x", "y"), **given) as b:
                            self.assertEqual(b.info().get("codec"), kept)
                            np.testing.assert_array_equal(b[...], want.T)
                        drx.remove(b.path)
        with drx.create_dataset(self.path("d")) as d:
            v = d.create_variable("v", "f8", ["t"], shape=[5000], codec="lz4")
            v[...] = 1.5
            d.sync()
            self.assertEqual(v.info()["codec"], "lz4")
        with drx.open_dataset(self.path("d")) as d:
            self.assertEqual((d["v"].info()["codec"], d["v"][4999]), ("lz4", 1.5))

    def test_codecs_in_other_words(self):
        """h5py's, hdf5plugin's and Zarr's words for a codec that DRX has are that codec; others are
        refused with the codec to give."""

        class Blosc:  # as numcodecs has it
            def get_config(self):
                return {"id": "blosc", "cname": "zstd", "clevel": 3, "shuffle": 1, "blocksize": 0}

        plugin = {"compression": 32015, "compression_opts": (3,)}  # hdf5plugin.Zstd()
        auto = {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": -1, "blocksize": 0}
        blosc = {"compression": 32001, "compression_opts": (0, 0, 0, 0, 9, 2, 5)}  # hdf5plugin.Blosc("zstd", 9, Blosc.BITSHUFFLE)
        with drx.create_dataset(self.path("words")) as d:
            for i, (given, dtype, codec) in enumerate((
                    (plugin, "i4", "zstd:3"), ({"codec": plugin}, "i4", "zstd:3"), (blosc, "i4", "blosc:zstd:9:bitshuffle"), ({"compressor": Blosc()}, "i4", "blosc:zstd:3:shuffle"),
                    ({"codec": Blosc()}, "i4", "blosc:zstd:3:shuffle"), ({"codec": auto}, "i1", "blosc:lz4:5:bitshuffle"), ({"codec": auto}, "bfloat16", "blosc:lz4:5:shuffle"),
                    ({"compressors": [{"name": "zstd", "configuration": {"level": 5}}]}, "i4", "zstd:5"), ({"compression": None, "compressor": None}, "i4", None),
                    ({"compression": 32004}, "i4", "lz4"), ({"codec": "lz4", "compression": 32004}, "i4", "lz4"))):
                with self.subTest(given):
                    with drx.create(self.path(f"w{i}"), (5, 6), dtype, **given) as a:
                        self.assertEqual(a.info().get("codec"), codec)
                    self.assertEqual(d.create_variable(f"w{i}", dtype, ["y", "x"], shape=(5, 6), **given).info().get("codec"), codec)
            for given, words in (
                    ({"compression": "gzip", "compression_opts": 4}, "gzip: .*codec='zstd:4'"), ({"compression": "gzip", "shuffle": True}, "gzip"),
                    ({"compression": "lzf"}, "'lzf'"), ({"compression": 4}, "4"), ({"compression": 307}, "307"), ({"codec": 3}, "codec 3: want a codec of Zarr"),
                    ({"codec": {"id": "gzip", "level": 5}}, "gzip with level 5"), ({"codec": "zstd:5", **plugin}, "'zstd:3' and 'zstd:5': want one codec"),
                    ({"compressor": Blosc(), "filters": [Blosc()]}, "filters"), ({"codec": {**auto, "cname": "snappy"}}, "snappy"), ({"codec": "gzip"}, 'codec "gzip"')):
                with self.subTest(given):
                    with self.assertRaisesRegex(drx.InvalidError, words):
                        drx.create(self.path("none"), (5, 6), **given)
                    with self.assertRaisesRegex(drx.InvalidError, words):
                        d.create_variable("none", "f8", ["y", "x"], shape=(5, 6), **given)
            with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'compresion'"):
                drx.create(self.path("none"), (5, 6), compresion="gzip")
            with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'compresion'"):
                d.create_variable("none", "f8", ["y", "x"], shape=(5, 6), compresion="gzip")
        with drx.open(self.path("w0"), "r+") as a:
            a.recompress(Blosc())
            self.assertEqual(a.info()["codec"], "blosc:zstd:3:shuffle")

    def test_recompress(self):
        """An array gets other codecs while readers read; what was interrupted is valid and goes on.
        """
        few = np.arange(4 << 20, dtype="i4").reshape(64, -1) // 50
        for form in "", ".drx":
            n = few
            a = self.make(n.shape, form=form, dtype="i4", chunks=(1, n.shape[1]))
            a[...] = n
            a.sync()
            reader = drx.open(a.path)
            for codec, full in ("lz4", "lz4"), ("auto", "blosc:"), ("zstd:19", "zstd:19"), ("zstd", "zstd:3"), ("none", ""):
                a.recompress(codec)
                self.assertTrue(a.info().get("codec", "").startswith(full) and a.info().get("codec", "none")[:4] != "auto")
                np.testing.assert_array_equal(a[::9], n[::9])
                np.testing.assert_array_equal(reader[::7], n[::7])
            reader.close()

            def fail(done, total):
                if done > 0:
                    raise ZeroDivisionError

            rows = a.shape[0]
            while True:
                with self.assertRaises(ZeroDivisionError):
                    a.recompress("zstd:19", fail)
                if "recompressing" in a.info():
                    break
                self.assertLess(rows, 1024)  # a fast machine is done before it says how far it is
                a.extend(0, rows)
                a[rows:] = a[:rows]
                a.recompress("none")
                rows *= 2
            n = np.tile(n, (rows // len(n), 1))
            np.testing.assert_array_equal(a[...], n)
            calls = []
            a.recompress("zstd:19", lambda *x: calls.append(x))
            self.assertEqual(calls[-1], (rows, rows))
            self.assertNotIn("recompressing", a.info())
            with self.assertRaisesRegex(drx.InvalidError, 'codec "zip"'):
                a.recompress("zip")
            a.close()
            with drx.open(a.path) as a:
                np.testing.assert_array_equal(a[...], n)
                self.assertEqual(a.verify()["damaged"], [])
                with self.assertRaises(drx.ReadOnlyError):
                    a.recompress("lz4")
        with drx.create_dataset(self.path("r")) as d:
            v = d.create_variable("v", "f8", ["t"], shape=[5000])
            with self.assertRaisesRegex(drx.InvalidError, "belongs to a dataset"):
                v.recompress("lz4")

    def interrupted(self, n):
        """A copy of n x n elements that is interrupted in the middle, and how to continue it. None
        if it was too fast."""
        a = self.make((n, n), chunks=(16, 16))
        a[...] = np.arange(n * n).reshape(n, n)
        a.sync()
        name = self.path(f"turned{n}")

        def copy(progress=None):
            return a.relayout(name, dims=(1, 0), chunks=(128, 4), memory=1 << 17, resume=True, progress=progress)

        def fail(done, total):
            if total > 0:
                raise ZeroDivisionError

        try:
            copy(fail).close()
        except ZeroDivisionError:
            pass
        try:
            drx.open(name).close()
        except drx.IncompleteError:
            return a, name, copy
        a.close()

    def test_relayout_resumes(self):
        a, name, copy = next(filter(None, map(self.interrupted, (512, 1024, 2048, 4096))))
        with self.assertRaises(drx.MismatchError):
            a.relayout(name, dims=(1, 0), chunks=(8, 8), resume=True)
        with self.assertRaises(drx.MismatchError):
            a.relayout(name, dtype="f8", dims=(1, 0), resume=True)
        with self.assertRaises(drx.Error):  # without resume it is in the way, and stays
            a.relayout(name, dims=(1, 0))
        calls = []
        for _ in range(2):  # the second time it is complete
            calls.clear()
            with copy(lambda *x: calls.append(x)) as b:
                np.testing.assert_array_equal(b[...], a[...].T)
        self.assertEqual(calls, [])
        with drx.open(name) as b:
            self.assertEqual(b.chunks, (128, 4))

    def test_by_name(self):
        a = self.make((2,))
        name = a.name
        a.close()
        drx.rename(name, self.path("b"))
        drx.copy_files(self.path("b"), self.path("c"))
        self.assertEqual((drx.exists(name), drx.exists(self.path("b"))), (False, True))
        self.assertEqual(drx.ls(self.folder)["arrays"], ["b", "c"])
        drx.remove(self.path("b"))
        with self.assertRaises(FileNotFoundError):
            drx.open(self.path("b"))
        with self.assertRaises(FileExistsError):
            drx.create(self.path("c"), 1)

    def test_readers_follow(self):
        a = self.make((0, 2), dims=("time", "x"))
        a.sync()
        b = drx.open(a.name)
        self.assertFalse(b.refresh())
        a.append([1, 2])
        self.assertEqual(b.shape, (0, 2))
        a.sync()
        change = next(b.follow(timeout=20))
        self.assertEqual((change["kind"], change["dim"], change["shape"]), ("extend", 0, [1, 2]))
        np.testing.assert_array_equal(b[...], [[1, 2]])
        self.assertEqual(list(b.follow(timeout=0)), [])
        with self.assertRaises(ValueError):
            next(a.follow())

    def test_versions(self):
        a = self.make((1,))
        a.sync()
        commit = a.history()[-1]["commit"]
        a.extend(0)
        a.sync()
        with drx.open(a.name, commit=commit) as old:
            self.assertEqual(old.shape, (1,))
            with self.assertRaisesRegex(drx.Error, "past commit does not change"):
                next(old.follow(1))

    def test_shared(self):
        a = self.make((0, 4), chunks=(2, 4))
        name = a.name
        a.close()
        with drx.open(name, "shared") as one, drx.open(name, "shared") as two:
            new = one.append(np.ones((2, 4)))
            two.append(np.full((2, 4), 2))
            self.assertEqual(new[0], slice(0, 2))
        with drx.open(name) as b:
            np.testing.assert_array_equal(b[:, 0], [1, 1, 2, 2])


class Datasets(Case):
    form = ""

    def test_writing_by_labels_and_coordinates(self):
        with drx.create_dataset(self.path("s" + self.form)) as d:
            d.create_variable("time", "i4", ["time"], shape=[4], attrs={"units": "hours since 2024-01-01"})[...] = [0, 12, 24, 36]
            d.create_variable("x", "f4", ["x"], shape=[3])[...] = [50, 50.2, 50.4]
            rain = d.create_variable("rain", "i2", ["time", "x"], shape=[4, 3])
            rain.write([[1, 2, 3], [4, 5, 6]], sel={"time": "2024-01-01"})
            rain.write([7, 8, 9], sel={"time": "2024-01-02T12"})
            rain.write(1e9, sel={"time": "2024-01-02T00", "x": 50.2}, clip=True)
            rain.write([[5], [6]], sel={"time": ["2024-01-02T00", "2024-01-01T00"], "x": slice(50.3, None)})
            np.testing.assert_array_equal(rain[...], [[1, 2, 6], [4, 5, 6], [0, 32767, 5], [7, 8, 9]])
            rain.write(0, sel={"x": 50.19}, method="nearest")
            self.assertEqual(rain[:, 1].tolist(), [0] * 4)
            for error, by in ((KeyError, {"x": 50.1}), (KeyError, {"time": "2025"}), (drx.SizeError, {"time": "2024-01-01", "x": 50})):
                with self.assertRaises(error):
                    rain.write([1, 2, 3], sel=by)
            with self.assertRaisesRegex(drx.InvalidError, "one of them"):
                rain.write(0, 0, sel={"x": 50})
            with self.assertRaisesRegex(drx.InvalidError, "Dataset.extend"):
                rain.append([[1, 2, 3]])
            rain.labels["x"] = ["a", "b", "c"]
            rain.write(-1, sel={"x": "c"})
            self.assertEqual(rain[:, 2].tolist(), [-1] * 4)

    def test_dataset(self):
        with drx.create_dataset(self.path("w" + self.form), attrs={"title": "t"}) as d:
            d.create_variable("time", "i4", ["time"], shape=[0], attrs={"units": "hours since 2024-01-01"})
            d.create_variable("rain", "f4", ["time", "x"], shape=[0, 3], fill=np.nan)
            d.create_group("model")
            new = d.extend("time", 4)
            self.assertEqual((new, d["rain"].shape, d.dims), (slice(0, 4), (4, 3), {"time": (0, 4), "x": (0, 3)}))
            d["time"][...] = np.arange(4) * 6
            d["rain"][...] = np.arange(12).reshape(4, 3)
            self.assertEqual((sorted(d), len(d), "rain" in d, d.groups), (["rain", "time"], 2, True, ["model"]))
            d.group_attrs("model")["x"] = 1
        with drx.open_dataset(self.path("w" + self.form)) as d:
            self.assertEqual((dict(d.attrs), dict(d.group_attrs("model"))), ({"title": "t"}, {"x": 1}))
            np.testing.assert_array_equal(d.coordinate("time"), [0, 6, 12, 18])
            self.assertEqual(d.coordinate_text("time")[1], "2024-01-01T06:00")
            rain = d["rain"]
            self.assertIs(rain, d["rain"])
            d.release()
            self.assertTrue(rain.closed)
            with self.assertRaises(drx.ClosedError):
                rain[0]
            rain = d["rain"]
            self.assertEqual(rain[1, 0], 3)
            np.testing.assert_array_equal(rain.sel(time="2024-01-01T11", method="nearest"), [6, 7, 8])
            np.testing.assert_array_equal(rain.sel(time="2024-01-01"), d["rain"][...])
            np.testing.assert_array_equal(rain.sel(time=np.datetime64("2024-01-01")), [0, 1, 2])
            np.testing.assert_array_equal(rain.sel(time=slice("2024-01-01T06", "2024-01-01T12")), [[3, 4, 5], [6, 7, 8]])
            np.testing.assert_array_equal(rain.sel(time=np.datetime64("2024-01-01T18:00:00")), [9, 10, 11])
            with self.assertRaises(KeyError):
                rain.sel(time="2024-01-01T11", exact=True)
            with self.assertRaises(drx.ReadOnlyError):
                rain.write(7, sel={"time": "2024-01-01T12"})
            with self.assertRaises(KeyError):
                d["snow"]
            self.assertRegex(repr(d), "rain, time")
            again = pickle.loads(pickle.dumps(rain))
            np.testing.assert_array_equal(again[...], rain[...])
            self.assertEqual(pickle.loads(pickle.dumps(d)).dims, d.dims)
        self.assertTrue(rain.closed)
        with self.assertRaises(ValueError):
            rain[0]
        with self.assertRaises(ZeroDivisionError), drx.open_dataset(self.path("w" + self.form), "r+") as d:
            d.extend("time", 4, low=True)
            1 / 0
        with drx.open_dataset(self.path("w" + self.form), "r+") as d:
            self.assertEqual(d.dims["time"], (0, 4))
            with self.assertRaises(ValueError):
                d["rain"].close()
            self.assertEqual(d.extend("time", 1, low=True), slice(-1, 0))
            self.assertEqual(d["rain"].bounds[0], (-1, 4))


class DatasetsInOneFile(Datasets):
    form = ".drx"


class BadInput(Case):
    def refused(self, kind, f, text=""):
        with self.assertRaisesRegex(kind, text) as e:
            f()
        self.assertNotIn("\n", str(e.exception))

    def test_arguments(self):
        a = self.make()
        self.refused(IndexError, lambda: a[4], "dimension 0: index 4 is out of bounds: want -4 to 3")
        self.refused(IndexError, lambda: a.at[-1])
        self.refused(ValueError, lambda: a.__setitem__(..., [1, 2]), r"values of shape \(2,\) cannot be broadcast to \(4, 6\)")
        self.refused(ValueError, lambda: a.extend("t"), "no dimension 't'")
        self.refused(IndexError, lambda: a.extend(2), "dimension 2")
        self.refused(IndexError, lambda: a.extend(0, 0))
        self.refused(TypeError, lambda: a.extend(0, 1.5))
        self.refused(ValueError, lambda: a.extend(0, 2**64))
        self.refused(OverflowError, lambda: a.extend(0, 2**62))
        self.refused(IndexError, lambda: a.shrink(0, 5))
        self.refused(ValueError, lambda: a.append(np.zeros((1, 5))), r"shape \(1, 5\).* want \(any, 6\)")
        self.refused(ValueError, lambda: a.append("text"))
        self.refused(TypeError, lambda: drx.create(self.path("x"), 1, "M8[s]"), "types of DRX")
        self.refused(TypeError, lambda: drx.create(self.path("x"), 1, "U5"))
        self.refused(TypeError, lambda: drx.create(self.path("x"), 1, [("a", "i4")]))
        self.refused(TypeError, lambda: drx.create(self.path("x"), 1, "i1", fill=300))
        self.refused(OverflowError, lambda: drx.create(self.path("x"), (2**40, 2**40), "i1"))
        self.refused(IndexError, lambda: drx.create(self.path("x"), (-1,), "i1"))
        self.refused(ValueError, lambda: drx.create(self.path("x"), (), "i1"))
        self.refused(ValueError, lambda: drx.create(self.path("x"), (2,), "i1", chunks=(1, 1)))
        self.refused(TypeError, lambda: drx.create(self.path("x"), (2,), "i1", nonsense=1), "nonsense")
        self.refused(ValueError, lambda: drx.create(self.path("x"), (2,), "i1", codec="gzip"), 'codec "gzip".* known are none, zstd, lz4, blosc')
        self.refused(ValueError, lambda: drx.create(self.path("x"), (2,), "i1", codec="zstd:99"), 'codec "zstd:99": level 99')
        self.refused(ValueError, lambda: drx.open("a\0b"), "NUL")
        self.refused(ValueError, lambda: drx.open(self.path(), "w"), "mode 'w'")
        self.refused(ValueError, lambda: drx.open(a.name, "r", durability="perhaps"))
        self.refused(BlockingIOError, lambda: drx.open(a.name, "r+"))
        self.assertFalse(drx.exists(self.path("x")))

    def test_out(self):
        a = self.make()
        fixed = np.zeros((4, 6), "i4")
        fixed.flags.writeable = False
        self.refused(ValueError, lambda: a.read_into(fixed), "read-only")
        self.refused(ValueError, lambda: a.read_into(np.zeros((6, 4), "i4")), r"shape \(6, 4\): want \(4, 6\)")
        self.refused(TypeError, lambda: a.read_into([1]), "list")
        self.refused(TypeError, lambda: a.read_into(np.zeros((4, 6), bool)))
        overlapping = np.lib.stride_tricks.as_strided(np.zeros(6, "i4"), (4, 6), (0, 4))
        self.refused(ValueError, lambda: a.read_into(overlapping))

    def test_read_only_and_closed(self):
        a = self.make()
        a.sync()
        b = drx.open(a.name)
        for f in (lambda: b.__setitem__(0, 1), lambda: b.extend(0), lambda: b.attrs.__setitem__("x", 1), lambda: b.__setitem__((0, 0), 1)):
            self.refused(OSError, f)
            self.refused(ValueError, f)
        b.close()
        b.close()
        for f in (lambda: b[0], lambda: b[0, 0], lambda: b[:0], lambda: b[[], 0], lambda: b.info(), lambda: b.refresh(),
                  lambda: b.verify(), lambda: list(b.walk()), lambda: b.attrs["x"], lambda: next(b.follow())):
            self.refused(ValueError, f, "closed")

    def test_callbacks(self):
        a = self.make((1000, 100), chunks=(10, 10))
        a.sync()

        def fail(*_):
            raise ZeroDivisionError("in the callback")

        self.refused(ZeroDivisionError, lambda: a.verify(fail))
        self.refused(ZeroDivisionError, lambda: a.relayout(self.path("x"), chunks=(7, 7), progress=fail))
        self.assertFalse(drx.exists(self.path("x")))
        closing = []

        def close(*_):
            try:
                a.close()
            except drx.BusyError as e:
                closing.append(e)

        a.verify(close)

    def test_every_code_has_an_error(self):
        header, more = (read_header(name) for name in ("drx.h", "drxmp.h"))
        codes = {int(n): name for name, n in re.findall(r"\b(DRX(?:MP)?_E[A-Z]+) = (\d+)", header + more)}
        self.assertEqual(sorted(codes), sorted(_by_code))
        functions = set(re.findall(r"^(?:\w[\w *]*?)\b(drx_\w+)\(", header, re.M))
        self.assertLessEqual(set(_functions), functions)


class Raw(Case):
    """drx.raw refuses what it cannot read rightly."""

    def setUp(self):
        super().setUp()
        self.rng = np.random.default_rng(1)

    def refused(self, name, text):
        with self.assertRaisesRegex(drx.CorruptError, text):
            drx.raw.open(name)[...]

    def test_damage(self):
        a = self.make((8,), chunks=(2,))
        a.attrs["x"] = 1
        a.sync()
        a.attrs["x"] = 2
        name = a.name
        a.close()
        np.testing.assert_array_equal(drx.raw.open(name)[...], np.arange(8))
        with open(name + ".xmd", "rb") as f:
            log = f.read()
        for change, text in (log.replace(b'"x":1', b'"x":3'), "line 2 does not agree"), (b"", "no first line"):
            with open(name + ".xmd", "wb") as f:
                f.write(change)
            self.refused(name, text)
        with open(name + ".xmd", "wb") as f:
            f.write(log[:-5])  # the last line is cut short, which was whole once
        self.refused(name, "a0.xmd: lines at its end are missing: it has 2, the presence map knows of 3")
        with open(name + ".xmd", "wb") as f:
            f.write(log + log[:30])  # a line that never was whole
        self.assertEqual(drx.raw.open(name).attrs, {"x": 2})
        with open(name + ".xck", "r+b") as f:
            f.seek(16)
            f.write(bytes(16))
        self.refused(name, "the entry of chunk 1 is lost")
        np.testing.assert_array_equal(drx.raw.open(name)[4:], np.arange(4, 8))
        open(name + ".xcp", "w").close()
        self.refused(name, "compaction")

    def test_damage_of_one_file(self):
        a = self.make((8,), chunks=(2,), form=".drx")
        a.attrs["x"] = 1
        name = a.name
        a.close()
        np.testing.assert_array_equal(drx.raw.open(name)[...], np.arange(8))
        np.testing.assert_array_equal(drx.raw.open(name[:-4])[...], np.arange(8))
        with open(name, "rb") as f:
            good = f.read()
        group = 2 * 65536 + 65536  # the first one, behind the log, the presence map and what is not used
        log = good[8192:32768].rstrip(b"\0")
        last = log[:-1].rindex(b"\n") + 1
        for at, change, text in (
            (good.index(b'"x":1') + 4, b"2", "does not agree with its checksum"),
            (group + 16, bytes(16), "the entry of chunk 1 is lost"), (group, bytes(65536), "the entry of chunk 0 is lost"),
            (8192 + last, bytes(len(log) - last), "lines at its end are missing: it has .*, the presence map knows of"),
            (0, b"x", None), (512, bytes(64), None),  # one of two copies
        ):
            with self.subTest(at=at), open(name, "r+b") as f:
                f.write(good)
                f.seek(at)
                f.write(change)
                f.flush()
                if text:
                    self.refused(name, text)
                else:
                    np.testing.assert_array_equal(drx.raw.open(name)[...], np.arange(8))
        with open(name, "r+b") as f:
            f.write(b"x" * 8192)
        self.refused(name, "not those of an array in one file")
        with self.assertRaises(drx.NotFoundError):
            drx.raw.open(self.path("none.drx"))
        self.make(form=".drx").close()
        os.rename(self.path("a1.drx"), self.path("b.drx"))
        drx.create(self.path("c"), 3, "i4").close()
        for ext in ".xmd", ".xta", ".xck", ".xpm":
            os.rename(self.path("c" + ext), self.path("b" + ext))
        with self.assertRaisesRegex(drx.ExistsError, "two arrays"):
            drx.raw.open(self.path("b"))
        for mark, want in ("b.drx.xcv", np.arange(24).reshape(4, 6)), ("b.xcv", [0, 0, 0]):  # an interrupted drx convert: one takes the other's place
            open(self.path(mark), "w").close()
            np.testing.assert_array_equal(drx.raw.open(self.path("b"))[...], want)
            os.remove(self.path(mark))

    def test_lost_lines(self):
        a = self.make()
        a.attrs["x"] = 1
        a.close()
        with open(a.name + ".xmd", "r+b") as f:
            log = f.read()
            f.truncate(log[:-1].rindex(b"\n") + 1)
        self.refused(a.name, "a0.xmd: lines at its end are missing")

    def test_lost_entries(self):
        for form in "", ".drx":
            a = self.make((8,), chunks=(2,), form=form)
            a.extend(0, 4)
            a[8:] = 7
            a.close()
            head, table, first = (a.name, 196608, 65536) if form else (a.name + ".xpm", 0, 0)  # where they are
            with open(head, "r+b") as f:  # as a writer leaves them that is killed before the presence bytes are set
                for at, n in (first, 32), (first + 64, 6):
                    f.seek(at)
                    f.write(bytes(n))
            np.testing.assert_array_equal(drx.raw.open(a.name)[8:], [7] * 4)
            with open(a.name if form else a.name + ".xck", "r+b") as f:
                f.seek(table + 5 * 16)
                f.write(bytes(16))
            self.refused(a.name, "1 entries of chunks from 4 on are lost that commit 2 has written")

    def test_files_of_before(self):
        for golden, file, names in ("before_one", "one.drx", ["one.drx"]), ("before_several", "w.drx", ["w.drx/a", "w.drx/b"]):
            with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../testdata", golden + ".golden")) as f:
                size, *rows = f.read().splitlines()
            raw = bytearray(int(size.split()[0]))
            for row in rows:
                at, text = row.split()
                raw[int(at, 16) : int(at, 16) + len(text) // 2] = bytes.fromhex(text)
            with open(self.path(file), "wb") as f:
                f.write(raw)
            for name in names:
                np.testing.assert_array_equal(drx.raw.open(self.path(name))[...], np.ones((6, 4)))
                with drx.open(self.path(name), "r+") as a:  # the presence map moves
                    a[...] = 2
                np.testing.assert_array_equal(drx.raw.open(self.path(name))[...], np.full((6, 4), 2))

    def test_one_of_several(self):
        first, gone = (self.make((8,), chunks=(2,), form="w.drx/") for _ in range(2))
        gone.close()
        self.assertEqual(gone.name, self.path("w.drx/a1"))
        drx.remove(gone.name)
        with drx.create(self.path("w.drx/model/wind"), (0, 3), "i2", chunks=(2, 3)) as wind:
            for i in range(40):  # in turn, so that the parts of both alternate in the file
                wind.append(np.full((300, 3), i))
                first.append(np.full(500, i))
            first.attrs["x"] = 1
        first.close()
        for name in "w.drx/model/wind", "w.drx/model/wind.drx", "w.drx//model/../model/wind":
            with drx.raw.open(self.path(name)) as r:
                np.testing.assert_array_equal(r[:, 1], np.repeat(np.arange(40), 300))
        drx.rename(first.name, self.path("w.drx/moved"))
        with drx.raw.open(self.path("w.drx/moved")) as r:
            self.assertEqual(r.attrs, {"x": 1})
            np.testing.assert_array_equal(r[:], np.concatenate([np.arange(8), np.repeat(np.arange(40), 500)]))
        for name, kind, text in (
            ("w.drx/a1", drx.NotFoundError, "w.drx: there are model/wind, moved$"), ("w.drx/a0", drx.NotFoundError, "no such array"),
            ("w.drx", drx.InvalidError, "several arrays, not one: give the name of one, as .*w.drx/NAME; there are model/wind"),
            ("none.drx/a", drx.NotFoundError, "there is no file"),
        ):
            with self.subTest(name=name), self.assertRaisesRegex(kind, text):
                drx.raw.open(self.path(name))
        self.make(form=".drx").close()
        with self.assertRaisesRegex(drx.NotFoundError, "has one array"):
            drx.raw.open(self.path("a1.drx/a"))

    def specimen(self, form):
        """An array of two columns that has grown, and the file that it is in. With others, they
        grew in turn."""
        a = self.make((0, 2), chunks=(1, 2), form=form)
        other = self.make((2,), form=form) if form.endswith("/") else a
        for i in range(6):
            a.append(np.full((30, 2), i))
            a.attrs["text"] = str(i) * 9000
            a.sync()
            other.attrs["text"] = str(i) * 9000
            other.sync()
        a.close()
        other.close()
        return a.name, self.path("w.drx") if form.endswith("/") else a.name

    def test_damaged_headers(self):
        """A byte of the header or of the directory that is not as it was leads to an error or to
        the same elements."""
        for form in ".drx", "w.drx/":
            name, file = self.specimen(form)
            with open(file, "rb") as f:
                good = f.read()
            used = 512 + 64 * next(n for n in range(56) if not any(good[512 + 64 * n : 576 + 64 * n]))
            refused = 0
            for trial in range(120):
                damaged = bytearray(good)
                at, value = int(self.rng.integers(0, used)), int(self.rng.integers(0, 256))
                if form.endswith("/") and trial % 2:
                    at = 8192 + at % 1024  # in the two copies of the first entry of the directory, at the same place
                for copy in (at,) if trial % 3 else (at, at + (4096 if at < 4096 else 512)):
                    damaged[copy] = value
                refused += self.look(file, name, damaged)
            self.assertGreater(refused, 8)
            self.assertLess(refused, 80)

    def look(self, file, name, damaged):
        """Whether a damaged file is refused; if not it has the elements of the specimen."""
        with open(file, "wb") as f:
            f.write(damaged)
        try:
            got = drx.raw.open(name)[...]
        except (drx.CorruptError, drx.VersionError) as e:
            self.assertRegex(str(e), "^" + file + r".*?: .*(damaged|record|entry|byte)")
            return True
        np.testing.assert_array_equal(got, np.repeat(np.arange(6), 60).reshape(180, 2))
        return False

    def test_lost_names(self):
        """If the last entries of a directory are lost with all their copies, it is damaged, as the
        arrays are there."""
        name, file = self.specimen("w.drx/")
        with open(file, "rb") as f:
            good = bytearray(f.read())
        mirror = next(r[2] for r in (struct.unpack("<II12xQ", good[516 + 64 * n : 544 + 64 * n]) for n in range(56)) if r[:2] == (1, 1 << 16))
        self.assertFalse(any(good[8192 + 2 * 1024 : 8192 + 3 * 1024]))  # it has two
        for first in 1, 0:
            good[8192 + 1024 * first : 8192 + 1024 * (first + 1)] = bytes(1024)
            good[mirror + 512 * first : mirror + 512 * (first + 1)] = bytes(512)
            with open(file, "wb") as f:
                f.write(good)
            self.refused(name, f"w.drx: entry {first} of its directory, or a later one, is lost")

    def test_impossible_headers(self):
        """Records that are whole but say what cannot be are an error, soon: no number of theirs is
        used unchecked."""
        name, file = self.specimen(".drx")
        with open(file, "rb") as f:
            good = f.read()
        kinds = [struct.unpack("<I", good[516 + 64 * n : 520 + 64 * n])[0] for n in range(56)]
        shape, extent, free = kinds.index(2), len(kinds) - 1 - kinds[::-1].index(1), kinds.index(0)
        for n, field, value, text in (
            (shape, 2, 0, "the shape"), (shape, 3, 0, "the shape"), (shape, 4, 0, "the shape"), (shape, 4, 4097, "the shape"),
            (shape, 3, 1 << 21, "the shape"), (shape, 2, 1 << 63, "the shape"), (shape, 4, 1 << 43, "the shape"),
            (extent, 1, 5, "stream 5"), (extent, 1, 1 << 31, "stream"), (extent, 0, 9, "kind 9"), (extent, 2, 4096, "cannot be"),
            (extent, 3, 0, "cannot be"), (extent, 3, 1 << 62, "cannot be"), (extent, 4, 0, "cannot be"), (extent, 4, 1 << 63, "cannot be"),
            (extent, 4, 100, "cannot be"), (free, None, (3, 0, 0, 1 << 20, 1 << 62), "cannot be"), (55, None, (3, 0, 0, 1 << 20, 1 << 62), "missing|cannot be"),
            (free, None, (1, 0, 0, 8192, 4096), "cannot be"), (free, None, (2, 1, 8, 1, 4096), "the shape"), (free + 1, None, (1, 0, 0, 0, 0), "missing"),
        ):
            with self.subTest(record=n, field=field, value=value):
                fields = list(struct.unpack("<4xII4xQQQ", good[512 + 64 * n : 552 + 64 * n]))
                if field is None:
                    fields = value
                else:
                    fields[field] = value
                self.changed(file, good, n, fields)
                began = time.monotonic()
                self.refused(name, text)
                self.assertLess(time.monotonic() - began, 60)
        for behind, text in (b"x", "1 bytes behind its end"), (bytes(5000) + b"x" + bytes(9), "5010 bytes behind its end"), (bytes(5000), None):
            with open(file, "wb") as f:
                f.write(good + behind)
            if text:
                self.refused(name, text)
            else:
                self.assertFalse(self.look(file, name, good + behind))
        self.assertTrue(self.look(file, name, good[:-4096]))  # cut short

    def changed(self, file, good, n, fields):
        """Writes the file with another record, in both copies."""
        raw = bytearray(64)
        struct.pack_into("<4xII4xQQQ", raw, 0, *fields)
        struct.pack_into("<I", raw, 0, crc32c(bytes(raw[4:]) + struct.pack("<Q", n)))
        with open(file, "wb") as f:
            f.write(good)
            for at in 512, 4608:
                f.seek(at + 64 * n)
                f.write(raw)

    def test_journal(self):
        for form in "", ".drx", "w.drx/":
            with self.subTest(form=form):
                self.kill_writers(form)

    def kill_writers(self, form):
        """A commit that is in the journal only, because its writer was killed, is not overlooked.
        """
        a = self.make((8,), chunks=(2,), form=form)
        name = a.name
        a.close()
        program = ("import drx, os, sys, threading\na = drx.open(sys.argv[1], 'r+')\nprint(1, flush=True)\n"
                   "i = 0\nwhile True:\n    i += 1\n    a[...] = i\n    a.sync()\n")
        seen = 0
        for _ in range(6):
            p = subprocess.Popen([sys.executable, "-c", program, name], stdout=subprocess.PIPE)
            p.stdout.readline()
            time.sleep(0.05 + 0.01 * np.random.random())
            p.kill()
            p.wait()
            p.stdout.close()
            try:
                got = drx.raw.open(name)[...]
            except drx.CorruptError as e:
                self.assertIn("a commit is not in its place yet", str(e))
                with open(f"{journal(name)}.xjl", "r+b") as f:
                    copied = b"DRXJRNL2" in f.read()  # the writer may have been killed before that
                    f.seek(-32, os.SEEK_END)
                    f.write(bytes(32) if copied else b"")
                with self.assertRaisesRegex(drx.CorruptError, "a commit is not in its place yet"):
                    drx.raw.open(name)  # the block of the journal has a copy
                drx.open(name, "r+").close()
                got = drx.raw.open(name)[...]
                seen += 1
            self.assertEqual(len(set(got.tolist()) if got[0] else {0}), 1, got)


class Threads(Case):
    def test_threads(self):
        """Many threads read, write and grow one array; each sees what it wrote."""
        a = self.make((8, 64), dims=("thread", "x"), chunks=(1, 16))

        def work(t):
            r = np.random.default_rng(t)
            for i in range(200):
                first = int(r.integers(0, 60))
                a[t, first : first + 4] = t * 1000 + i
                got = a[t, first : first + 4]
                if not (got == t * 1000 + i).all() or a[t, first] != t * 1000 + i:
                    return f"thread {t}: {got} at {first}"
                if i % 50 == 0:
                    a.extend("x", 1)
                try:
                    a[t, 10**6]
                except IndexError as e:
                    if a.name not in str(e):
                        return str(e)
            return ""

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            self.assertEqual([x for x in pool.map(work, range(8)) if x], [])
        self.assertEqual(a.shape, (8, 64 + 32))


class Lifetimes(Case):
    def test_garbage(self):
        """An array that nobody has any more is closed, which commits, as a file is."""
        a = drx.create(self.path(), 3, "i4")
        a[...] = 5
        with self.assertWarns(ResourceWarning):
            del a
            gc.collect()
        with drx.open(self.path()) as a:
            self.assertEqual(a[0], 5)

    def test_no_growth(self):
        """Opening, reading and closing takes no memory that stays."""
        self.make((4, 4)).close()
        name = self.path("a0")

        def rounds(n):
            for _ in range(n):
                with drx.open(name) as a:
                    a[0]
                    a.info()
            with open("/proc/self/statm") as f:
                return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        # What stays grows in every run; a heap that the collector lets grow once does not.
        sizes = [rounds(300)] + [rounds(600) for _ in range(3)]
        self.assertLess(min(b - a for a, b in itertools.pairwise(sizes)), 8 << 20, sizes)


if __name__ == "__main__":
    unittest.main()
