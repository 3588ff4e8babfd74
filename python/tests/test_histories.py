"""Random histories: an array that grows, shrinks, is written, reopened and discarded, against
NumPy. drx.raw reads each too."""

import os
import random
import tempfile
import unittest

import numpy as np

import drx
import drx.raw

CODECS = ("zstd:1", "lz4", "blosc:lz4:5:shuffle", "blosc:zstd:1:bitshuffle")
HISTORIES = int(os.environ.get("DRX_TEST_HISTORIES", 500))
TYPES = ["bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "bfloat16", "f4", "f8", "c8", "c16"]


class Model:
    """The same array in NumPy: its elements and its low bounds."""

    def __init__(self, data, lo):
        self.data, self.lo = data, list(lo)

    def copy(self):
        return Model(self.data.copy(), self.lo)

    def extend(self, d, by, low, fill):
        widths = [(0, 0)] * self.data.ndim
        widths[d] = (by, 0) if low else (0, by)
        self.data = np.pad(self.data, widths, constant_values=fill)
        self.lo[d] -= by if low else 0

    def shrink(self, d, by, low):
        keep = slice(by, None) if low else slice(0, self.data.shape[d] - by)
        self.data = self.data[(slice(None),) * d + (keep,)]
        self.lo[d] += by if low else 0


class History:
    def __init__(self, test, seed, folder):
        self.test, self.r, self.rng = test, random.Random(seed), np.random.default_rng(seed)
        # In several files, in one, or in one with others: those of earlier histories, of which the
        # last one is still there.
        self.name = os.path.join(folder, (f"a{seed}", f"a{seed}.drx", f"w{seed // 30}.drx/g/a{seed}")[seed % 3])
        r = self.r
        rank = r.randint(1, 3)
        self.type = r.choice(TYPES)
        self.fill = r.choice([0, 0, 1, 7]) if self.type != "bool" else r.choice([0, 1])
        if self.type in ("f4", "f8", "bfloat16") and r.random() < 0.3:
            self.fill = r.choice([np.nan, np.inf])
        shape = [r.randint(0, 5) for _ in range(rank)]
        lo = [r.choice([0, 0, -3, 5]) for _ in range(rank)]
        self.options = {"durability": r.choice(["none"] * 9 + ["full"]), "cache": r.choice([None, 1000])}
        self.codec = None if seed // 3 % 2 == 0 else CODECS[seed // 6 % 4]
        self.a = drx.create(self.name, shape, self.type, chunks=[r.randint(1, 4) for _ in shape], lo=lo, fill=self.fill,
                            order=r.choice([None, "row", "col", "morton", "hilbert"]), align=r.choice([None, 512]),
                            codec=self.codec, **self.options)
        self.m = Model(np.full(shape, self.fill, self.a.dtype), lo)
        self.committed = self.m.copy()

    def values(self, shape):
        v = self.rng.integers(0, 100, shape)
        v = v.astype(self.a.dtype)
        return v + v.dtype.type(1j) if v.dtype.kind == "c" else v

    def step(self):
        r, a, m = self.r, self.a, self.m
        d = r.randrange(a.ndim)
        what = r.choice(["extend", "extend", "append", "write", "write", "write", "fill", "shrink", "sync", "reopen", "discard", "add_dim", "recompress"])
        low = r.random() < 0.4
        if what == "discard" and self.options["durability"] == "none":
            what = "reopen"  # without a journal, what was overwritten cannot be taken back
        if what == "extend":
            by = r.randint(1, 4)
            new = a.extend(d, by, low=low)
            m.extend(d, by, low, self.fill)
            self.test.assertEqual(new[d], slice(m.lo[d], m.lo[d] + by) if low else slice(a.bounds[d][1] - by, a.bounds[d][1]))
        elif what == "append":
            shape = list(a.shape)
            shape[d] = r.randint(0, 3)
            v = self.values(shape)
            a.append(v, d, low=low)
            m.extend(d, shape[d], low, self.fill)
            at = slice(0, shape[d]) if low else slice(m.data.shape[d] - shape[d], None)
            m.data[(slice(None),) * d + (at,)] = v
        elif what in ("write", "fill"):
            key = tuple(slice(r.randint(-2, 6), r.choice([None, r.randint(-2, 9)]), r.choice([None, 1, 2, -1, -2])) for _ in m.data.shape)
            v = self.values(m.data[key].shape if what == "write" else ())
            a[key] = m.data[key] = v
        elif what == "shrink":
            by = r.randint(1, 2)
            if a.shape[d] > by:
                a.shrink(d, by, low=low)
                m.shrink(d, by, low)
        elif what == "add_dim" and a.ndim < 4:
            a.add_dim(f"d{a.ndim}")
            m.data, m.lo = m.data[..., None], m.lo + [0]
        elif what == "recompress":
            self.codec = r.choice((None, *CODECS))
            a.recompress(self.codec or "none")
            self.committed = m.copy()
        elif what == "sync":
            a.sync()
            self.committed = m.copy()
        elif what in ("reopen", "discard"):
            a.close() if what == "reopen" else a.discard()
            if what == "discard":
                self.m = self.committed.copy()
            self.committed = self.m.copy()
            self.a = drx.open(self.name, "r+", **self.options)
        self.check(what)

    def check(self, context):
        a, m = self.a, self.m
        self.test.assertEqual(a.shape, m.data.shape, context)
        self.test.assertEqual(a.bounds, tuple((b, b + n) for b, n in zip(m.lo, m.data.shape)), context)
        np.testing.assert_array_equal(a[...], m.data, context)

    def end(self):
        self.a.close()
        with drx.open(self.name) as a:
            np.testing.assert_array_equal(a[...], self.m.data)
            self.test.assertEqual(a.verify()["damaged"] or [], [])
        if self.codec:  # chunks that drx.raw does not decode
            with self.test.assertRaisesRegex(drx.Error, f"compressed by {self.codec}: .* open it with drx.open"):
                drx.raw.open(self.name)
            return
        with drx.raw.open(self.name) as raw:
            self.test.assertEqual((raw.shape, raw.dtype), (self.m.data.shape, self.m.data.dtype))
            np.testing.assert_array_equal(raw[...], self.m.data)
            key = tuple(slice(self.r.randint(0, 3), None, self.r.choice([1, 2, -1])) for _ in raw.shape)
            np.testing.assert_array_equal(raw[key], self.m.data[key])
            if raw.size:
                points = tuple(self.rng.integers(0, n, 5) for n in raw.shape)
                np.testing.assert_array_equal(raw[points], self.m.data[points])


class Histories(unittest.TestCase):
    def test_random_histories(self):
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(HISTORIES):
                with self.subTest(seed=seed):
                    h = History(self, seed, folder)
                    for _ in range(12):
                        h.step()
                    h.end()
                    if seed % 6 != 5:
                        drx.remove(h.name)

    def test_copies(self):
        """relayout and copy_files, of arrays that have grown on all sides."""
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(20):
                h = History(self, 1000 + seed, folder)
                for _ in range(8):
                    h.step()
                h.a.sync()
                r, a = h.r, h.a
                turn = list(range(a.ndim))
                r.shuffle(turn)
                new = a.relayout(os.path.join(folder, "copy"), chunks=[r.randint(1, 4) for _ in turn], dims=turn)
                np.testing.assert_array_equal(new[...], h.m.data.transpose(turn))
                self.assertEqual(new.bounds, tuple(a.bounds[d] for d in turn))
                new.close()
                drx.remove(os.path.join(folder, "copy"))
                a.compact()
                h.check("compact")
                h.end()


if __name__ == "__main__":
    unittest.main()
