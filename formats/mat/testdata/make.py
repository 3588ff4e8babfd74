"""Makes MAT files for the tests.

    python3 make.py FOLDER

types.mat and packed.mat are of MATLAB 5, plain and compressed, types4.mat of MATLAB 4, types73.mat
of MATLAB 7.3.
"""

import sys

import h5py
import numpy
import scipy.io
import scipy.sparse

folder = sys.argv[1]
NUMBERS = "float64 float32 int8 uint8 int16 uint16 int32 uint32 int64 uint64".split()
CLASSES = dict(float64="double", float32="single")
random = numpy.random.default_rng(1)


def numbers(kind, shape):
    n = int(numpy.prod(shape))
    a = numpy.frombuffer(random.bytes(n * numpy.dtype(kind).itemsize), kind).copy()
    if a.dtype.kind == "f":
        a = numpy.nan_to_num(a, nan=1.5)
    return a.reshape(shape)


variables = {k: numbers(k, (7, 5, 3)) for k in NUMBERS}
variables |= {"small_" + k: numbers(k, (1, 1)) for k in NUMBERS}
variables["stored_small"] = numpy.arange(30.0).reshape(5, 6)
variables["yes"] = numbers("uint8", (4, 9)) > 99
variables["c64"] = (numbers("int16", (3, 4)) + 1j * numbers("int16", (3, 4))).astype("complex64")
variables["c128"] = numbers("int32", (6, 1)) - 2j * numbers("int32", (6, 1))
variables["none"] = numpy.zeros((0, 3))
variables["text"] = "a text"
variables["accents"] = "Größe µ €"
variables["rows"] = numpy.array(["one", "two", "three", "one"])
variables["s"] = dict(number=numbers("float32", (2, 3)), text="in", deep=dict(flag=numpy.array([[True, False]]), c=numpy.array([[1 + 2j]])))
variables["cells"] = numpy.array([1, "two"], dtype=object)
variables["many"] = numpy.zeros((1, 2), dtype=[("a", "f8")])
variables["thin"] = scipy.sparse.eye(5).tocsc()
scipy.io.savemat(folder + "/types.mat", variables)
scipy.io.savemat(folder + "/packed.mat", variables, do_compression=True)
scipy.io.savemat(folder + "/types4.mat", {"d": numbers("float64", (5, 4)), "f": numbers("float32", (2, 7)), "i": numbers("int32", (3, 3)),
                                          "c": numpy.array([[1 + 2j, 3 - 4j]])}, format="4")

with h5py.File(folder + "/types73.mat", "w", userblock_size=512) as f:
    def mark(what, kind):
        """Names the class as MATLAB does."""
        text = h5py.h5t.C_S1.copy()
        text.set_size(len(kind))
        a = h5py.h5a.create(what.id, b"MATLAB_class", text, h5py.h5s.create(h5py.h5s.SCALAR))
        a.write(numpy.array(kind.encode()), text)

    def put(group, name, value, kind, **attributes):
        d = group.create_dataset(name, data=value, **({"chunks": True, "compression": 4} if value.size > 50 else {}))
        mark(d, kind)
        for key, n in attributes.items():
            d.attrs[key] = n

    for k in NUMBERS:
        put(f, k, variables[k].T, CLASSES.get(k, k))
    put(f, "yes", variables["yes"].T.astype("uint8"), "logical", MATLAB_int_decode=numpy.int32(1))
    pair = numpy.zeros((4, 3), [("real", "f8"), ("imag", "f8")])
    pair["real"], pair["imag"] = numbers("float32", (4, 3)), 7
    put(f, "c128", pair, "double")
    put(f, "text", numpy.array([[ord(c)] for c in "a text €"], "uint16"), "char", MATLAB_int_decode=numpy.int32(2))
    s = f.create_group("s")
    mark(s, "struct")
    put(s, "number", variables["s"]["number"].T, "single")
with open(folder + "/types73.mat", "r+b") as f:
    f.write(b"MATLAB 7.3 MAT-file, made by a test".ljust(124) + b"\0\2IM")
