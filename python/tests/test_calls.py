"""Many calls: no memory and no files are left behind. With DRX_SOAK, as make soak sets it, a
million of each kind."""

import gc
import os
import tempfile
import time
import unittest

import numpy as np

import drx

SOAK = bool(os.environ.get("DRX_SOAK"))
OPENS = 1_000_000 if SOAK else 5_000
READS = 1_000_000 if SOAK else 100_000  # 64 bytes that each leaves behind are noticed


def resident():
    """The memory of this process in KiB."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024


class Calls(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.name = os.path.join(folder.name, "a")
        with drx.create(self.name, (64, 64), "i4", chunks=(16, 16)) as a:
            a[...] = np.arange(64 * 64).reshape(64, 64)

    def steady(self, what, f, n):
        """Calls f, and again: the second time nothing may be left behind."""
        for _ in range(n // 5 + 1):
            f()
        gc.collect()
        memory, files, start = resident(), len(os.listdir("/proc/self/fd")), time.monotonic()
        for _ in range(n):
            f()
        seconds = time.monotonic() - start
        gc.collect()
        memory, files = resident() - memory, len(os.listdir("/proc/self/fd")) - files
        print(f"{what}: {n} calls, {seconds / n * 1e6:.3g} us each, take {memory} KiB and {files} files more")
        self.assertLess(memory, 6 * 1024)
        self.assertEqual(files, 0)

    def test_open_and_close(self):
        def with_statement():
            with drx.open(self.name) as a:
                self.assertEqual(a[3, 4], 196)

        def dropped():
            self.assertEqual(drx.open(self.name).shape, (64, 64))  # the garbage collector closes it

        self.steady("open, read, close", with_statement, OPENS)
        self.steady("open, drop", dropped, OPENS // 5)

    def test_read(self):
        with drx.open(self.name) as a:
            self.steady("one element", lambda: a[5, 6], READS)
            self.steady("a section", lambda: a[3:11, 5:13], READS)
            self.steady("a column", lambda: a[::2, 5], READS // 10)
            self.steady("points", lambda: a[[1, 2, 3], [4, 5, 6]], READS // 10)

    def test_failures(self):
        def fail():
            with self.assertRaises(drx.NotFoundError):
                drx.open(self.name + "2")
            with self.assertRaises(IndexError):
                a[64, 0]

        with drx.open(self.name) as a:
            self.steady("failures", fail, OPENS // 2)
