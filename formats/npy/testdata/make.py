#!/usr/bin/env python3
"""Writes the golden files of this folder with NumPy's own save.

The name says what is inside: type, extents ("s" for a scalar), C or F order, then
"big" for big-endian, "v2" or "v3" for the version of the header. The row-major,
little-endian bytes of every array are 11, 48, 85, ... (steps of 37, modulo 251);
bools are 1, 0, 1, ...
"""
import numpy as np

NAMES = ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
         "float16 float32 float64 complex64 complex128").split()


def array(name, shape):
    kind = np.dtype(np.uint16 if name == "bfloat16" else name).newbyteorder("<")
    size = int(np.prod(shape)) * kind.itemsize
    step = (lambda k: (k + 1) % 2) if name == "bool" else (lambda k: (11 + 37 * k) % 251)
    return np.frombuffer(bytes(step(k) for k in range(size)), kind).reshape(shape)


def path(name, shape, *words):
    return "_".join([name, "x".join(map(str, shape)) or "s", *words]) + ".npy"


def save(name, shape):
    a = array(name, shape)
    np.save(path(name, shape, "C"), a)
    np.save(path(name, shape, "F"), np.array(a, order="F"))
    if a.itemsize > 1:
        np.save(path(name, shape, "C", "big"), a.byteswap().newbyteorder())


def save_bfloat16(shape, order):
    """NumPy writes the header, with the type that ml_dtypes puts there."""
    a = np.array(array("bfloat16", shape), order=order)
    head = {"descr": "<V2", "fortran_order": order == "F", "shape": shape}
    with open(path("bfloat16", shape, order), "wb") as f:
        np.lib.format.write_array_header_1_0(f, head)
        f.write(a.tobytes(order))


def save_version(name, shape, version):
    with open(path(name, shape, "C", "v%d" % version), "wb") as f:
        np.lib.format.write_array(f, array(name, shape), (version, 0))


for name in NAMES:
    save(name, (2, 3))
for name in ("bool", "int16", "float64"):
    for shape in ((), (5,), (2, 3, 4), (0,), (3, 0, 2), (1, 4, 1), (123456, 0)):
        save(name, shape)
for order in "CF":
    save_bfloat16((2, 3), order)
for version in (2, 3):
    save_version("int32", (4, 2), version)
