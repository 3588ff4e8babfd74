"""drx.mpi in processes of MPI, beside a NumPy array in each of them: every test is collective.

mpirun -n 3 python3 -m unittest mpi_suite
"""

import os
import random
import re
import shutil
import tempfile
import unittest

import numpy as np
from mpi4py import MPI

import drx
import drx.mpi

COMM = MPI.COMM_WORLD
ME, PROCS = COMM.rank, COMM.size


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = COMM.bcast(tempfile.mkdtemp() if ME == 0 else None)
        self.name = os.path.join(self.dir, "a")

    def tearDown(self):
        for a in list(drx.mpi._open):
            a.discard()
        COMM.Barrier()
        if ME == 0:
            shutil.rmtree(self.dir)

    def everywhere(self, error, call, text=""):
        """A call that fails in all processes, each of which may have its own error."""
        with self.assertRaises(error) as caught:
            call()
        self.assertIn(text, str(caught.exception))


class Model:
    """An array in memory, with its low bounds."""

    def __init__(self, a):
        self.values = np.full(a.shape, -1, a.dtype)
        self.lo = [lo for lo, _ in a.bounds]

    def extend(self, d, by, low):
        widths = [(0, 0)] * self.values.ndim
        widths[d] = (by, 0) if low else (0, by)
        self.values = np.pad(self.values, widths, constant_values=-1)
        self.lo[d] -= by if low else 0

    def shrink(self, d, by, low):
        n = self.values.shape[d]
        self.values = self.values.take(range(by, n) if low else range(n - by), d)
        self.lo[d] += by if low else 0

    def part(self, key):
        return self.values[tuple(slice(k.start - lo, k.stop - lo, k.step) for k, lo in zip(key, self.lo))]

    def zone(self, a, proc):
        return np.ix_(*(i - lo for i, lo in zip(a.zone_indices(proc), self.lo)))


def rows_of(a, proc):
    """The section of a process if the first dimension is divided."""
    lo, hi = a.bounds[0]
    return (slice(lo + (hi - lo) * proc // PROCS, lo + (hi - lo) * (proc + 1) // PROCS), *(slice(*b) for b in a.bounds[1:]))


class TestHistories(Case):
    def step(self, r, a, m):
        """One random operation, the same in all processes."""
        d, low, by = r.randrange(2), r.random() < 0.5, r.randint(1, 4)
        kind = r.choice(["extend", "shrink", "rows", "zone", "mine", "redistribute", "sync"])
        if kind == "extend":
            new = a.extend(d, by, low=low)
            m.extend(d, by, low)
            self.assertEqual(new[d].stop - new[d].start, by)
        elif kind == "shrink" and a.shape[d] > by:
            a.shrink(a.dims[d], by, low=low)
            m.shrink(d, by, low)
        elif kind == "rows":
            for proc in range(PROCS):
                part = m.part(rows_of(a, proc))
                part[...] = np.arange(part.size).reshape(part.shape) + proc
            a.write_all(m.part(rows_of(a, ME)), rows_of(a, ME))
        elif kind == "zone":
            for proc in range(PROCS):
                m.values[m.zone(a, proc)] = 10 * proc + by
            a.write_zone(10 * ME + by)
        elif kind == "mine" and ME == 0:  # by one process, and a sync by all
            a.write(by, tuple(slice(lo, hi, 2) for lo, hi in a.bounds))
        elif kind == "redistribute":
            a.redistribute(distribution=[r.choice(["block", "cyclic", "cyclic(2)"]) for _ in range(2)])
        if kind == "mine":
            m.values[::2, ::2] = by
        a.sync()

    def test_histories(self):
        for seed in range(4):
            r = random.Random(seed)
            a = drx.mpi.create(COMM, f"{self.name}{seed}", (4, 5), "int32", dims=("y", "x"), chunks=(3, 2), fill=-1, codec=r.choice(["none", "zstd:1"]))
            m = Model(a)
            for _ in range(15):
                self.step(r, a, m)
                self.assertEqual((a.shape, [lo for lo, _ in a.bounds]), (m.values.shape, m.lo))
                np.testing.assert_array_equal(a.read_zone(), m.values[m.zone(a, ME)])
                key = tuple(slice(lo + ME % 2, hi, 1 + ME) for lo, hi in a.bounds)
                np.testing.assert_array_equal(a.read_all(key), m.part(key))
                np.testing.assert_array_equal(a.read(), m.values)
            a.close()
            with drx.mpi.open(COMM, f"{self.name}{seed}") as b:
                np.testing.assert_array_equal(b.read_all(), m.values)
            np.testing.assert_array_equal(drx.open(f"{self.name}{seed}")[...], m.values)


class TestArrays(Case):
    def test_zones(self):
        a = drx.mpi.create(COMM, self.name, (7, 6), chunks=(2, 3), lo=(-3, 2), grid=(PROCS, 1), distribution=["cyclic", "block"])
        owners = np.full(a.shape, -1)
        for proc in range(PROCS):
            for box in a.zone_of(proc):
                owners[tuple(slice(k.start - lo, k.stop - lo) for k, (lo, _) in zip(box, a.bounds))] = proc
        self.assertEqual(a.zone, a.zone_of(ME))
        self.assertEqual([[a.owner((y, x)) for x in range(2, 8)] for y in range(-3, 4)], owners.tolist())
        self.assertEqual(a.read_zone().shape, tuple(len(i) for i in a.zone_indices()))

    def test_types(self):
        for dtype in ["bool", "uint8", "int64", "float16", "bfloat16", "float32", "complex64", "complex128"]:
            name = f"{self.name}-{dtype}"
            with drx.mpi.create(COMM, name, (2 * PROCS,), dtype, chunks=(2,)) as a:
                a.write_zone([0, 1])
                a.write_all([True, False] if ME == 0 else None, slice(0, 2) if ME == 0 else None)
                self.assertEqual(a.read_all(slice(0, 2)).tolist(), [1, 0])
            want = [1, 0] + [0, 1] * (PROCS - 1)
            self.assertEqual(drx.open(name)[...].tolist(), want)

    def test_keys(self):
        with drx.mpi.create(COMM, self.name, (4, 3), "int64", lo=(-2, 0)) as a:
            a.write_all(np.arange(12).reshape(4, 3) if ME == 0 else None, ... if ME == 0 else None)
            self.assertEqual(a.read_all(-1).tolist(), [3, 4, 5])
            self.assertEqual(int(a.read_all((1, 2))), 11)
            self.assertEqual(a.read((..., slice(None, None, -2))).tolist(), [[2, 0], [5, 3], [8, 6], [11, 9]])
            self.assertIsNone(a.read_all(None))

    def test_attributes_and_dimensions(self):
        with drx.mpi.create(COMM, self.name, (2,), dims=("t",), attrs={"units": "K"}) as a:
            a.attrs["long_name"] = "heat"
            del a.attrs["units"]
            self.assertEqual(dict(a.attrs), {"long_name": "heat"})
            self.assertEqual((a.add_dim("x"), a.dims, a.shape), (1, ("t", "x"), (2, 1)))
            self.assertIn("'r+'", repr(a))
        self.assertIn("closed", repr(a))
        a.close()

    def test_parts_of_the_processes(self):
        """Processes that are a group of their own have an array of their own."""
        part = COMM.Split(ME % 2, ME)
        name = f"{self.name}{ME % 2}"
        with drx.mpi.create(part, name, (3 * part.size,), "int32", chunks=(3,)) as a:
            a.write_zone(ME)
        np.testing.assert_array_equal(drx.open(name)[...], np.repeat(np.arange(ME % 2, PROCS, 2), 3))
        part.Free()

    def test_refresh(self):
        drx.mpi.create(COMM, self.name, (2,), "int8").close()
        a = drx.mpi.open(COMM, self.name)
        if ME == 0:
            with drx.open(self.name, "r+") as b:
                b.append([7])
        COMM.Barrier()
        self.assertTrue(a.refresh())
        self.assertEqual(a.read_all().tolist(), [0, 0, 7])
        self.assertFalse(a.refresh())


class TestGuide(Case):
    def test_guide(self):
        """The program of docs/PYTHON.md."""
        guide = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "PYTHON.md")
        with open(guide) as f:
            program = re.search(r"## Processes of MPI\n.*?```python\n(.*?)```", f.read(), re.S)[1]
        here = os.getcwd()
        os.chdir(self.dir)
        self.addCleanup(os.chdir, here)
        names = {}
        exec(program, names)
        a = drx.open("plate")
        self.assertEqual((a.bounds, dict(a.attrs)), (((0, 64), (-16, 32)), {"units": "K"}))
        self.assertEqual(set(np.unique(a[...])), set(range(PROCS)))
        self.assertEqual(names["edge"].tolist(), a.at[0:2, -16].tolist())


class TestMistakes(Case):
    def test_mistakes_of_one(self):
        """A mistake of the last process is an error in all, nobody waits, the array works on."""
        mine = ME == PROCS - 1
        a = drx.mpi.create(COMM, self.name, (4, 4), "int16", dims=("y", "x"))
        self.everywhere(drx.Error, lambda: a.read_all([1, 2] if mine else None), "" if mine else f"proc {PROCS - 1}: ")
        self.everywhere(drx.Error, lambda: a.read_all(9 if mine else None), "index 9 is out of bounds")
        self.everywhere(drx.Error, lambda: a.write_all(np.zeros(3) if mine else 1, (0, slice(0, 2)) if mine else None), "cannot be broadcast")
        self.everywhere(drx.Error, lambda: a.write_zone(70000 if mine else 1), "70000")
        self.everywhere(drx.Error, lambda: a.extend("z" if mine else "x"), "no dimension 'z'" if mine else "along 'z'")
        if PROCS > 1:
            self.everywhere(drx.mpi.DisagreeError, lambda: a.extend(0, 2 if mine else 1))
            self.everywhere(drx.mpi.DisagreeError, lambda: a.sync() if mine else a.read_all())
            self.everywhere(drx.mpi.DisagreeError, lambda: drx.mpi.open(COMM, "x" if mine else self.name))
        self.everywhere(Exception, lambda: a.extend(0, "x" if mine else 1))
        self.everywhere(Exception, lambda: a.add_dim(7 if mine else "z"))
        self.everywhere(Exception, lambda: a.redistribute(grid=["x", 1] if mine else [PROCS, 1]))
        self.everywhere(drx.Error, lambda: a.attrs.__setitem__("k", object() if mine else 1))
        self.everywhere(Exception, lambda: a.attrs.__delitem__("k" if mine else "j"))
        self.everywhere(drx.Error, lambda: drx.mpi.open(COMM, self.name, "w" if mine else "r"), "drx.mpi.create" if mine else "")
        self.everywhere(Exception, lambda: drx.mpi.create(COMM, self.name, 3, maxshape=3) if mine else drx.mpi.open(COMM, self.name))
        a.write_zone(5)
        self.assertEqual((a.read_all().sum(), a.shape, dict(a.attrs)), (80, (4, 4), {}))

    def test_mistakes_of_all(self):
        self.everywhere(drx.NotFoundError, lambda: drx.mpi.open(COMM, self.name))
        self.everywhere(drx.InvalidError, lambda: drx.mpi.open(COMM, self.name, "w"), "drx.mpi.create")
        self.everywhere(TypeError, lambda: drx.mpi.open(0, self.name), "mpi4py")
        self.everywhere(TypeError, lambda: drx.mpi.create(COMM, self.name, 3, maxshape=4), "every dimension can grow")
        self.everywhere(drx.InvalidError, lambda: drx.mpi.create(COMM, self.name, (3,), engine="steam"), "steam")
        with drx.mpi.create(COMM, self.name, (3,)):
            self.everywhere(drx.ExistsError, lambda: drx.mpi.create(COMM, self.name, (3,)))
        with drx.mpi.open(COMM, self.name) as a:
            self.everywhere(drx.ReadOnlyError, lambda: a.write_zone(1))
        self.everywhere(drx.ClosedError, lambda: a.read_all())

    def test_exceptions_discard(self):
        drx.mpi.create(COMM, self.name, (3,)).close()
        with self.assertRaises(ZeroDivisionError):
            with drx.mpi.open(COMM, self.name, "r+") as a:
                a.write_zone(1)
                1 / 0
        self.assertEqual(drx.open(self.name)[...].tolist(), [0, 0, 0])


if __name__ == "__main__":
    unittest.main()
