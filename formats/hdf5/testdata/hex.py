"""Prints the elements of datasets of FILE, little-endian, in hexadecimal digits, each in a line."""

import sys

import h5py

with h5py.File(sys.argv[1]) as f:
    for name in sys.argv[2:]:
        a = f[name][...]
        print(a.astype(a.dtype.newbyteorder("<")).tobytes().hex())
