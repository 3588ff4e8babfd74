"""Random keys: an array must answer each as NumPy does, with equal elements or the same kind of
error."""

import os
import random
import tempfile
import unittest
import warnings

import numpy as np

import drx
from drx import _fancy

KEYS = int(os.environ.get("DRX_TEST_KEYS", 10_000))
REFUSALS = (IndexError, ValueError, TypeError)


class Keys:
    """Makes random keys for a shape, some of them wrong."""

    def __init__(self, r, shape):
        self.r, self.shape = r, shape

    def integer(self, n):
        return self.r.randint(-n - 1, n) if self.r.random() < 0.1 else self.r.randint(-n, max(n - 1, -n))

    def slice(self, n):
        def end():
            return self.r.choice([None, None, self.r.randint(-n - 3, n + 3)])

        step = self.r.choice([None, None, None, 1, 2, 3, -1, -1, -2, n + 1, -n - 1] + [0] * (self.r.random() < 0.1))
        return slice(end(), end(), step)

    def integers(self, n, shape):
        a = np.array([self.integer(n) if self.r.random() < 0.03 else self.r.randint(-n, n - 1) if n else 0
                      for _ in range(int(np.prod(shape)))], np.int64)
        a = a.reshape(shape).astype(self.r.choice(["i8", "i8", "i4", "i1", "u1", ">i2"]))
        return a.tolist() if self.r.random() < 0.3 else a

    def mask(self, d):
        k = self.r.randint(1, min(2, len(self.shape) - d))
        shape = list(self.shape[d : d + k])
        if self.r.random() < 0.05:
            shape[0] += 1
        mask = np.array([self.r.random() < 0.3 for _ in range(int(np.prod(shape)))], bool).reshape(shape)
        return mask, k

    def key(self):
        r = self.r
        if r.random() < 0.02:
            return r.choice([1.5, "x", [0.5], [True], True, False, np.True_, (), ..., None, [], np.array([]), np.array(1), {}, b"0",
                             np.zeros(3), [[0], [1, 2]], slice(1.5, None), slice("a", "b"), (..., ...)])
        points = r.choice([(), (3,), (2, 3), (1,), (2, 1), (0,)] if r.random() < 0.5 else [(4,), (4,), (4, 1)])
        items, d, dots = [], 0, False
        arrays = r.random() < 0.5
        while d < len(self.shape) and r.random() < 0.85:
            kind = r.random()
            n = self.shape[d]
            if kind < 0.07:
                items.append(None)
                continue
            if kind < 0.12 and not dots:
                items.append(...)
                dots = True
                d += r.randint(0, len(self.shape) - d)
                continue
            if arrays and kind < 0.5:
                shape = points if r.random() < 0.9 else r.choice([(), (1,), (2, 3), (3,)])
                items.append(self.integers(n, shape))
            elif arrays and kind < 0.56:
                mask, k = self.mask(d)
                items.append(mask)
                d += k - 1
            elif arrays and kind < 0.58:
                items.append(r.choice([True, False]))
                continue
            elif kind < 0.8:
                items.append(self.slice(n))
            else:
                items.append(r.choice([int, np.int64, np.int16])(self.integer(n)))
            d += 1
        if r.random() < 0.02:
            items += [0] * (len(self.shape) + 1)
        return items[0] if len(items) == 1 and r.random() < 0.5 else tuple(items)


def outcome(f):
    """What a call returns, or the error that it raises."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return f(), None
    except REFUSALS as e:
        return None, e


class Indexing(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def make(self, r, n):
        """An array that has grown on several sides, and the same in NumPy."""
        rank = r.randint(1, 4)
        shape = [r.choice([0, 1, 2, 3, 5, 8] + [13, 40] * (rank < 3)) if r.random() < 0.9 else 1 for _ in range(rank)]
        dtype = r.choice(["i2", "f8", "u1", "c8", "i8", "f2"])
        a = drx.create(os.path.join(tempfile.mkdtemp(dir=self.folder.name), str(n)), shape, dtype, chunks=[r.randint(1, 5) for _ in shape], fill=7,
                       durability="none")
        for _ in range(2):
            a.extend(r.randrange(rank), r.randint(1, 4), low=r.random() < 0.5)
        want = np.arange(a.size).reshape(a.shape).astype(dtype)
        a[...] = want
        return a, want

    def same(self, got, want, context):
        self.assertEqual(type(got), type(want), context)
        self.assertEqual(got.dtype, want.dtype, context)
        self.assertEqual(np.shape(got), np.shape(want), context)
        np.testing.assert_array_equal(got, want, str(context))

    def refused_alike(self, mine, numpys, context):
        self.assertIsNotNone(numpys, f"{context}: DRX refuses with {mine!r}")
        self.assertIsNotNone(mine, f"{context}: NumPy refuses with {numpys!r}")
        kinds = [k for k in REFUSALS if isinstance(numpys, k)]
        self.assertIsInstance(mine, tuple(kinds), f"{context}: NumPy's {numpys!r}")

    def run_keys(self, seed, keys):
        r = random.Random(seed)
        refused = 0
        for n in range(keys // 100):
            a, want = self.make(r, n)
            maker = Keys(r, want.shape)
            for _ in range(100):
                key = maker.key()
                context = (want.shape, key)
                expected, error = outcome(lambda: want[key])
                got, mine = outcome(lambda: a[key])
                if error is not None or mine is not None:
                    self.refused_alike(mine, error, context)
                    refused += 1
                    continue
                self.same(got, expected, context)
                if r.random() < 0.4:
                    self.assign(r, a, want, key, expected, context)
            self.same(a[...], want, "at the end")
            a.close()
        self.assertLess(refused, keys // 2)

    def assign(self, r, a, want, key, expected, context):
        shape = np.shape(expected)
        if r.random() < 0.3:
            shape = tuple(1 if r.random() < 0.5 else n for n in shape)[r.randint(0, 1) * (len(shape) > 0 and shape[:1] == (1,)) :]
        if r.random() < 0.05:
            shape = shape + (2,)
        if r.random() < 0.05:
            shape = (1,) + shape
        values = (np.random.default_rng(r.randrange(1 << 30)).random(shape) * 100).astype(r.choice(["f8", "i2", ">i4", "u1"]))
        if values.dtype.kind == "f" and want.dtype.kind in "biu":
            values = np.floor(values)  # of others integers have an error of their own
        if want.dtype.kind == "b":
            values = (values > 50).astype(values.dtype)
        if values.ndim == 0 and r.random() < 0.5:
            values = values.item()
        elif r.random() < 0.2:
            values = values[..., None].repeat(2, -1)[..., 0]  # not contiguous
        _, error = outcome(lambda: want.__setitem__(key, values))
        _, mine = outcome(lambda: a.__setitem__(key, values))
        if error is not None or mine is not None:
            self.refused_alike(mine, error, (context, "=", values))
        else:
            self.same(a[...], want, (context, "=", values))

    def test_random_keys(self):
        self.run_keys(1, KEYS)

    def test_random_keys_without_dense_boxes(self):
        """The other ways to elements, which arrays as small as these would not take."""
        for dense, small in (0, 1000), (0, 1):
            saved = _fancy.DENSE, _fancy.SMALL, _fancy.BLOCK
            _fancy.DENSE, _fancy.SMALL, _fancy.BLOCK = -10_000, small, 5
            try:
                self.run_keys(2 + small, KEYS // 10)
            finally:
                _fancy.DENSE, _fancy.SMALL, _fancy.BLOCK = saved

    def test_own_indices(self):
        """at takes the indices that the array has, wherever they begin."""
        r = random.Random(5)
        for n in range(30):
            a, want = self.make(r, n)
            lo = [b[0] for b in a.bounds]
            for _ in range(30):
                d = r.randrange(a.ndim)
                first, last = sorted(r.randint(b - 3, e + 3) for b, e in [a.bounds[d]] for _ in range(2))
                step = r.choice([1, 1, 2, 3])
                key = (slice(None),) * d + (slice(first, last, step),)
                positions = [i - lo[d] for i in range(first, last, step)]
                clipped = range(max(first, lo[d]) , min(last, a.bounds[d][1]), step)
                where = (slice(None),) * d + ([i - lo[d] for i in clipped],)
                self.same(a.at[key], want[where], (a.bounds, key))
                back = (slice(None),) * d + (slice(last, first, -step),)
                hi = a.bounds[d][1]
                downwards = [i - lo[d] for i in range(min(last, hi - 1), max(first, lo[d] - 1), -step)]
                self.same(a.at[back], want[(slice(None),) * d + (downwards,)], (a.bounds, back))
                if 0 not in a.shape:
                    index = tuple(r.randint(b, e - 1) for b, e in a.bounds)
                    self.same(a.at[index], want[tuple(i - b for i, b in zip(index, lo))], index)
                    self.same(a.at[([index[0]],)], want[([index[0] - lo[0]],)], index)
                with self.assertRaises(IndexError):
                    a.at[lo[0] - 1]
                with self.assertRaises(IndexError):
                    a.at[a.bounds[0][1]]
            a.close()

    def test_orthogonal(self):
        r = random.Random(6)
        for n in range(40):
            a, want = self.make(r, n)
            for _ in range(20):
                key, arrays = [], []
                for extent in want.shape:
                    if extent and r.random() < 0.6:
                        index = np.array([r.randint(-extent, extent - 1) for _ in range(r.randint(0, 6))], int)
                        arrays.append(index)
                    else:
                        index = Keys(r, want.shape).slice(extent)
                        if index.step == 0:
                            index = slice(None)
                        arrays.append(np.arange(extent)[index])
                    key.append(index)
                for dense in 4, -1:
                    saved, _fancy.DENSE = _fancy.DENSE, dense
                    self.same(a.oindex[tuple(key)], want[np.ix_(*arrays)], key)
                    _fancy.DENSE = saved
                values = np.random.default_rng(n).integers(0, 100, [len(i) for i in arrays])
                a.oindex[tuple(key)] = values
                want[np.ix_(*arrays)] = values
                self.same(a[...], want, key)
            with self.assertRaises(IndexError):
                a.oindex[np.zeros((1, 1), int)]
            a.close()


if __name__ == "__main__":
    unittest.main()
