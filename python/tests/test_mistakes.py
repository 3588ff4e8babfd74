"""What a newcomer does wrong: errors say what, which limit and what to do, and name arrays."""

import os
import tempfile
import unittest

import numpy as np

import drx


class Mistakes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        np.save("x.npy", np.arange(4))
        os.mkdir("folder")
        with drx.create("a", (3, 4), "f4", dims=("time", "x")) as a:
            a[...] = 1
        with drx.create_dataset("d") as d:
            d.create_variable("rain", "f4", ["time", "x"], shape=[3, 2])
        self.a, self.w, self.d = drx.open("a"), drx.create("w", (2, 2)), drx.open_dataset("d")
        for x in self.a, self.w, self.d:
            self.addCleanup(x.close)

    def test_mistakes(self):
        a, w, d = self.a, self.w, self.d
        closed = drx.open("a")
        closed.close()
        with drx.open_dataset("d") as other:
            gone = other["rain"]
        for error, says, f in [
            (FileNotFoundError, r'^no array "nope" in "/', lambda: drx.open("nope")),
            (FileNotFoundError, r'^no array "x": there is no folder "/', lambda: drx.open("no/x")),
            (FileNotFoundError, "folder is a folder, not an array", lambda: drx.open("folder")),
            (FileNotFoundError, "x.npy is a file, but not one of DRX: import it", lambda: drx.open("x.npy")),
            (FileNotFoundError, "d is a dataset, not an array", lambda: drx.open("d")),
            (FileNotFoundError, "not empty", lambda: drx.open("")),
            (TypeError, "name: want text or a path, not 3", lambda: drx.open(3)),
            (ValueError, "mode 'w': want .* drx.create makes a new one", lambda: drx.open("a", "w")),
            (FileNotFoundError, 'no dataset "nope"', lambda: drx.open_dataset("nope")),
            (FileNotFoundError, "a is an array, not a dataset", lambda: drx.open_dataset("a")),
            (FileNotFoundError, "x.npy is a file", lambda: drx.open_dataset("x.npy")),
            (FileExistsError, "a: there is an array of this name already: remove it", lambda: drx.create("a", (2,))),
            (FileExistsError, "d: there is a dataset of this name", lambda: drx.create("d", (2,))),
            (FileExistsError, "a: there is an array of this name", lambda: drx.create_dataset("a")),
            (FileNotFoundError, 'no array "b": there is no folder', lambda: drx.create("no/b", (2,))),
            (TypeError, r"shape \(2, 2.5\): want an integer", lambda: drx.create("b", (2, 2.5))),
            (TypeError, "shape '22': want an integer", lambda: drx.create("b", "22")),
            (TypeError, "maxshape.*every dimension can grow", lambda: drx.create("b", (2,), maxshape=(None,))),
            (TypeError, r"data.*a\[...\] = data", lambda: drx.create("b", (2,), data=[1, 2])),
            (drx.SizeError, r"w: values of shape \(3,\).*want \(any, 2\)", lambda: w.append(np.ones(3))),
            (drx.RankError, "w: no dimension 'x': its dimensions have no names", lambda: w.extend("x")),
            (drx.RankError, "a: no dimension 'y': it has time, x", lambda: a._dim("y")),
            (drx.ClosedError, "^a: it was closed before", lambda: closed[0]),
            (drx.ClosedError, "^a: it was closed before", lambda: closed.mean()),
            (drx.ClosedError, "^d/rain: it was closed before", lambda: gone.info()),
            (drx.InvalidError, "d/rain: it belongs to a dataset: Dataset.close", lambda: d["rain"].close()),
            (drx.InvalidError, "d/rain: it belongs to a dataset: Dataset.sync", lambda: d["rain"].sync()),
            (drx.InvalidError, "d/rain: it belongs to a dataset", lambda: d["rain"].shrink(0)),
            (drx.InvalidError, "w: labels 'ab': want a list", lambda: w.labels.__setitem__(0, "ab")),
            (drx.SelectionError, '^w: .*"a" occurs twice', lambda: w.labels.__setitem__(0, ["a", "a"])),
            (TypeError, "no option 'weights'", lambda: a.mean("x", weights=1)),
            (TypeError, "axis=0 and dim='x' mean the same", lambda: a.mean("x", axis=0)),
            (TypeError, "no out", lambda: np.mean(a, out=np.empty(()))),
            (AttributeError, "shape", lambda: setattr(a, "shape", (4, 3))),
            (AttributeError, "dtype", lambda: setattr(a, "dtype", "i2")),
            (FileNotFoundError, '^no array "nope"', lambda: drx.remove("nope")),
            (FileNotFoundError, '^no array "nope"', lambda: drx.rename("nope", "n")),
            (FileNotFoundError, '^no array "nope"', lambda: drx.copy_files("nope", "n")),
            (FileNotFoundError, '^no array "nope"', lambda: drx.recover("nope", "n")),
            (FileNotFoundError, 'there is no folder "nope"', lambda: drx.ls("nope")),
            (FileExistsError, "d: there is a dataset of this name", lambda: drx.rename("a", "d")),
            (drx.InvalidError, "n: import: there are no files", lambda: drx.import_file([], "n")),
            (drx.InvalidError, "w: it is open in mode 'r\\+', and export takes", lambda: drx.export_file(w, "y.npy")),
            (TypeError, "diff: want text or a path, not array", lambda: drx.diff("a", np.ones(3))),
            (TypeError, "memory '1GB': want a number of bytes", lambda: drx.set_memory("1GB")),
            (drx.InvalidError, "rtol=nan", lambda: drx.diff("a", "a", rtol=np.nan)),
            (drx.InvalidError, "can only be opened for reading", lambda: drx.open("a", "r+", commit=1)),
        ]:
            with self.subTest(says), self.assertRaisesRegex(error, says) as caught:
                f()
            self.assertNotRegex(str(caught.exception), "handle 0x|drx_|DRX_|\n")

    def test_numpy_functions(self):
        """np.mean and its kin are the statistics of the library."""
        self.assertEqual(np.mean(self.a), 1)
        np.testing.assert_array_equal(np.sum(self.a, axis=0), [3, 3, 3, 3])
        np.testing.assert_array_equal(np.max(self.a, axis="x"), [1, 1, 1])
        self.assertEqual(np.std(self.a, axis=(0, 1), ddof=1), 0)


if __name__ == "__main__":
    unittest.main()
