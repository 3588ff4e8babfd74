"""Says what scipy (of files of MATLAB 7.3, h5py) finds in MAT files, for the tests to compare with
what the bridge finds.

    python3 describe.py FILE...

It prints a line of JSON for each file: an object with the arrays that it can compare. Numbers are
given by the SHA-256 of their bytes, little-endian and column-major, characters as the list of their
rows.
"""

import hashlib
import json
import sys
import warnings

import h5py
import numpy
import scipy.io

warnings.simplefilter("ignore")


def numbers(a):
    if a.dtype.kind == "c" and a.dtype.itemsize != 8:
        a = a.astype("complex128")
    a = a.astype(a.dtype.newbyteorder("<"))
    return dict(dtype=a.dtype.name, shape=a.shape, sha256=hashlib.sha256(a.tobytes(order="F")).hexdigest())


def describe(name, a, plain, out):
    """a has the classes of MATLAB, but no imaginary parts, which plain has."""
    if not isinstance(a, numpy.ndarray):
        return
    if plain.dtype.kind == "c":
        a = plain.astype("complex64" if a.dtype.name == "float32" else "complex128")
    if a.dtype.names and a.size == 1 and type(a).__name__ == "ndarray":
        for field in a.dtype.names:
            describe(f"{name}.{field}", a.flat[0][field], plain.flat[0][field], out)
    elif a.dtype.kind == "U":
        rows = [str(x) for x in a.flatten(order="F")]
        out[name] = dict(rows=[r.rstrip(" ") for r in rows] if len(rows) > 1 else rows)
    elif a.dtype.kind in "biufc":
        out[name] = numbers(a)


def describe73(name, d, out):
    if isinstance(d, h5py.Group):
        for field in d:
            describe73(f"{name}.{field}" if name else field, d[field], out)
        return
    a, kind = d[()].T, d.attrs["MATLAB_class"]
    if kind == b"char":
        out[name] = dict(rows=["".join(chr(c) for c in row) for row in a])
    elif kind == b"logical":
        out[name] = numbers(a.astype(bool))
    elif a.dtype.names:
        out[name] = numbers(a["real"] + 1j * a["imag"])
    else:
        out[name] = numbers(a)


for path in sys.argv[1:]:
    out = {}
    if h5py.is_hdf5(path):
        with h5py.File(path) as f:
            describe73("", f, out)
    else:
        plain = scipy.io.loadmat(path)
        for name, a in scipy.io.loadmat(path, mat_dtype=True).items():
            if name.startswith("__"):
                continue
            if scipy.io.matlab.matfile_version(path)[0] == 0:  # all numbers of MATLAB 4 are double
                a = a.astype("complex128" if plain[name].dtype.kind == "c" else "float64")
            describe(name, a, plain[name], out)
    print(json.dumps(out))
