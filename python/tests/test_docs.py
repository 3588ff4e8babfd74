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
