"""Says what h5py finds in HDF5 files, for the tests to compare with what the bridge finds.

    python3 describe.py FILE...

It prints a line of JSON for each file: a list with an object for each array, that is for each
dataset and each member of its compounds. Their elements are given by the SHA-256 of their bytes,
little-endian and row-major. A dataset that h5py cannot read has "error" instead.
"""

import hashlib
import json
import math
import os
import sys

import h5py
import numpy


def text(b):
    try:
        return b.decode("utf-8")
    except UnicodeDecodeError:
        return b.decode("latin-1")


def strings(ds, data):
    """Strings as DRX has them: each one once, and indices."""
    kind = ds.id.get_type()
    pad = None if kind.is_variable_str() else kind.get_strpad()
    labels, indices = {}, []
    for b in numpy.asarray(data).reshape(-1):
        b = bytes(b) if isinstance(b, (bytes, numpy.bytes_)) else (b.encode() if isinstance(b, str) else b"")
        if pad == h5py.h5t.STR_SPACEPAD:
            b = b.rstrip(b" ")
        elif pad == h5py.h5t.STR_NULLTERM:
            b = b.split(b"\0")[0]
        indices.append(labels.setdefault(text(b), len(labels)))
    return list(labels), numpy.array(indices, "<u4").reshape(numpy.shape(data))


def elements(a):
    """The array with elements that DRX has."""
    if a.dtype.kind in "iuf" and a.dtype.itemsize > 8:
        raise TypeError("larger than any type")
    return a.astype(a.dtype.newbyteorder("<"), order="C")


def arrays(ds):
    """The arrays of a dataset: name, array, labels."""
    if ds.shape is None:
        raise TypeError("null")
    string = h5py.check_string_dtype(ds.dtype)
    if string is not None:
        labels, data = strings(ds, ds[()])
        return [(ds.name, data, labels)]
    return parts(ds.name, numpy.asarray(ds[()]))


COMPLEX = [("r", "i"), ("re", "im"), ("real", "imag"), ("real", "imaginary")]


def parts(name, a):
    names = a.dtype.names
    if names and tuple(n.lower() for n in names) in COMPLEX and a.dtype[0] == a.dtype[1]:
        return [(name, elements(a[names[0]] + 1j * a[names[1]]), None)]
    if names is None:
        if a.dtype.kind not in "biufc":
            raise TypeError(str(a.dtype))
        return [(name, elements(a), None)]
    found = []
    for member in names:
        try:
            found += parts(name + "." + member, a[member])
        except TypeError as e:
            found.append((name + "." + member, e, None))
    return found


def describe(ds):
    common = {
        "chunk": ds.chunks, "outer": ds.shape,
        "grows": [m is None or m > n for m, n in zip(ds.maxshape or (), ds.shape or ())],
        "attrs": {k: v for k, v in attributes(ds) if v is not None},
    }
    try:
        for name, a, labels in arrays(ds):
            if isinstance(a, Exception):
                yield dict(name=name[1:], error=str(a))
                continue
            yield dict(common, name=name[1:], dtype=a.dtype.name, shape=a.shape, labels=labels,
                       sha256=hashlib.sha256(a.tobytes()).hexdigest())
    except Exception as e:
        yield dict(name=ds.name[1:], error=str(e))


def attributes(ds):
    for name, value in ds.attrs.items():
        names = h5py.check_enum_dtype(ds.attrs.get_id(name).dtype)
        if names and numpy.ndim(value) == 0 and name != "_FillValue":  # which is an element
            value = {v: k for k, v in names.items()}[value]
        yield name, number(value)


def number(v):
    """A single number or a text as JSON has it; other attributes are not compared."""
    if isinstance(v, (bool, numpy.bool_)):
        return bool(v)
    if isinstance(v, str):
        return v
    if isinstance(v, (numpy.integer, numpy.floating)) and v.ndim == 0:
        if v.dtype == numpy.float32:
            v = float(str(v))
        return v.item() if hasattr(v, "item") and math.isfinite(v) else v if isinstance(v, float) and math.isfinite(v) else None
    return None


def scale(ds):
    name = ds.attrs.get("NAME", b"")
    name = name.decode() if isinstance(name, bytes) else str(name)
    return name.startswith("This is a netCDF dimension but not a netCDF variable")


for path in map(os.path.abspath, sys.argv[1:]):
    os.chdir(os.path.dirname(path))  # where external storage is looked for
    out = []
    try:
        with h5py.File(path, "r") as f:
            def visit(_, o):
                if isinstance(o, h5py.Dataset) and not scale(o):
                    out.extend(describe(o))
            f.visititems(visit)
    except Exception as e:
        out = [{"name": "", "error": str(e)}]
    print(json.dumps(out))
