"""Other processes: the end of the interpreter, Ctrl-C, fork, pickling, and a machine without the
library."""

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

import drx


def total(a):
    """Runs in another process, which gets the array by its name."""
    return int(a[...].sum())


class Processes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.name = os.path.join(folder.name, "a")

    def program(self, text, **environment):
        """Runs a program and returns its exit status and what it wrote."""
        run = subprocess.run([sys.executable, "-W", "always", "-c", text, self.name], capture_output=True, text=True, timeout=60,
                             env={**os.environ, **environment})
        return run.returncode, run.stdout + run.stderr

    def value(self):
        with drx.open(self.name) as a:
            return a[0]

    create = "import drx, sys; a = drx.create(sys.argv[1], 1, 'i4'); a[0] = 1; a.sync(); a[0] = 2\n"

    def test_exit(self):
        """Open arrays are committed at the end, as files are, but not after an exception; what was
        synced is safe."""
        for end, status, value, said in (
            ("", 0, 2, "it is committed"),
            ("sys.exit(3)", 3, 2, "it is committed"),
            ("1 / 0", 1, 1, "it is discarded"),
            ("raise KeyboardInterrupt", -signal.SIGINT, 1, "it is discarded"),
            ("a.close()", 0, 2, ""),
            ("del a", 0, 2, "it is committed now"),
            ("import os; os._exit(0)", 0, 1, ""),
            ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -9, 1, ""),
            ("import threading; threading.Thread(target=lambda: a.close()).start()", 0, 2, ""),
        ):
            with self.subTest(end=end):
                got, output = self.program(self.create + end)
                self.assertEqual(got, status, output)
                self.assertEqual(self.value(), value)
                self.assertIn(said, output)
                self.assertEqual("ResourceWarning" in output, said != "", output)
                drx.remove(self.name)

    def test_interrupts(self):
        """Ctrl-C ends long calls and those that wait."""
        with drx.create(self.name, (4000, 4000), "f8", chunks=(50, 50), durability="none") as a:
            a[...] = 1
        for call in (
            "a.relayout(sys.argv[1] + '2', chunks=(3, 4000), memory=1 << 20)",
            "list(a.follow())",
            "\nwhile True: a.verify()",
        ):
            with self.subTest(call=call):
                text = ("import drx, sys\na = drx.open(sys.argv[1])\nprint('now', flush=True)\n"
                        f"try:\n    {call.replace(chr(10), chr(10) + '    ')}\nexcept KeyboardInterrupt: print('interrupted')")
                p = subprocess.Popen([sys.executable, "-c", text, self.name], stdout=subprocess.PIPE, text=True)
                self.addCleanup(p.kill)
                self.assertEqual(p.stdout.readline(), "now\n")
                time.sleep(0.1)
                p.send_signal(signal.SIGINT)
                began = time.monotonic()
                self.assertEqual(p.communicate(timeout=60)[0], "interrupted\n")
                self.assertLess(time.monotonic() - began, 60)
                self.assertFalse(drx.exists(self.name + "2"))

    def test_fork(self):
        """A child made by fork gets an error, and leaves the parent's array alone, also at its end.
        """
        text = self.create + """
import os
pid = os.fork()
if pid == 0:
    try:
        a[0]
    except drx.ForkError as e:
        print("refused:", e)
    sys.exit(7)
assert os.waitpid(pid, 0)[1] >> 8 == 7
a[0] = 3
a.close()"""
        status, output = self.program(text)
        self.assertEqual(status, 0, output)
        self.assertIn("refused:", output)
        self.assertNotIn("ResourceWarning", output)
        self.assertEqual(self.value(), 3)

    def test_pools(self):
        """Arrays go to other processes by their names."""
        with drx.create(self.name, 1000, "i8", durability="none") as a:
            a[...] = np.arange(1000)
        with drx.open(self.name) as a:
            for method in "spawn", "forkserver":
                with self.subTest(method=method), multiprocessing.get_context(method).Pool(2) as pool:
                    self.assertEqual(pool.map(total, [a, a, a]), [499500] * 3)

    def test_without_library(self):
        """Whatever needs the library says where it was looked for; drx.raw works."""
        with drx.create(self.name, 3, "i4") as a:
            a[...] = 5
        text = "import drx.raw, sys\nprint(drx.raw.open(sys.argv[1])[...])\ntry: drx.open\nexcept ImportError as e: print(e)"
        status, output = self.program(text, DRX_LIBRARY="/no/such/library.so")
        self.assertEqual(status, 0, output)
        self.assertRegex(output, r"\[5 5 5\]\nlibdrx was not found \(/no/such/library.so: no such file\); .*DRX_LIBRARY")
        other = subprocess.run([sys.executable, "-c", "import ctypes.util; print(ctypes.util.find_library('m'))"],
                               capture_output=True, text=True).stdout.strip()
        status, output = self.program("import drx; drx.open", DRX_LIBRARY=other)
        self.assertIn("not libdrx: it has no function drx_abi", output)


if __name__ == "__main__":
    unittest.main()
