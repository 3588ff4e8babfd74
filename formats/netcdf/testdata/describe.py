"""Says what netCDF4 for Python finds in NetCDF files, for the tests to compare with what the bridge
finds.

    python3 describe.py FILE...

It prints a line of JSON for each file: a list with an object for each array, that is for each
variable and each member of its compounds. Their elements are given by the SHA-256 of their bytes,
little-endian and row-major. A variable that netCDF4 cannot read, or a file that crashes it, has
"error" instead.
"""

import hashlib
import json
import math
import os
import sys

import netCDF4
import numpy


def text(b):
    try:
        return b.decode("utf-8")
    except UnicodeDecodeError:
        return b.decode("latin-1")


def indices(texts, shape):
    """Strings as DRX has them: each one once, and indices."""
    labels = {}
    found = [labels.setdefault(t, len(labels)) for t in texts]
    return list(labels), numpy.array(found, "<u4").reshape(shape)


def is_char(var):
    return var.dtype is not str and getattr(var.dtype, "kind", "") == "S" and var.dtype.names is None


def counts(g, dim):
    """Whether a dimension counts something other than the characters of strings, for a variable of
    a group."""
    while g is not None:
        for v in g.variables.values():
            dims = v.get_dims()
            for i, d in enumerate(dims):
                same = (d.group().path, d.name) == (dim.group().path, dim.name)
                if same and (not is_char(v) or i < len(dims) - 1):
                    return True
        g = g.parent
    return False


def strings(var, data):
    if var.dtype is str:
        data = numpy.asarray(data, object)
        return indices([str(t) for t in data.reshape(-1)], data.shape)
    data = numpy.asarray(data)
    shape, width = data.shape, 1
    if data.ndim and not var.get_dims()[-1].isunlimited() and not counts(var.group(), var.get_dims()[-1]):
        shape, width = data.shape[:-1], data.shape[-1]
    b = data.astype("S1").tobytes()
    return indices([text(b[i:i + width].rstrip(b"\0")) for i in range(0, len(b), width)], shape)


COMPLEX = [("r", "i"), ("re", "im"), ("real", "imag"), ("real", "imaginary")]


def parts(name, a):
    names = a.dtype.names
    if names and tuple(n.lower() for n in names) in COMPLEX and a.dtype[0] == a.dtype[1]:
        return [(name, a[names[0]] + 1j * a[names[1]], None)]
    if names:
        return [p for member in names for p in parts(name + "." + member, a[member])]
    if a.dtype.kind not in "biufc":
        return []
    return [(name, a.astype(a.dtype.newbyteorder("<"), order="C"), None)]


def arrays(name, var):
    if var.dtype is not str and isinstance(var.datatype, netCDF4.VLType):
        raise TypeError("sequences")
    data = var[...]
    if var.dtype is str or var.dtype.kind == "S" and var.dtype.names is None:
        labels, data = strings(var, data)
        return [(name, data, labels)]
    a = numpy.asarray(data)
    if isinstance(var.datatype, netCDF4.EnumType):
        a = a.astype(var.datatype.dtype)
    if "dtype" in var.ncattrs() and var.getncattr("dtype") == "bool":
        a = a.astype(bool)
    return parts(name, a)


def number(v):
    """A single number, a text, or a list of texts, as JSON has it; other attributes are not
    compared."""
    if isinstance(v, str):
        return v.rstrip("\0")
    if isinstance(v, list) and all(isinstance(t, str) for t in v):
        return v
    if isinstance(v, (numpy.integer, numpy.floating)) and v.ndim == 0:
        if v.dtype == numpy.float32:
            v = float(str(v))
        v = v.item() if hasattr(v, "item") else v
        return v if math.isfinite(v) else None
    return None


def describe(prefix, var):
    name = prefix + var.name
    chunk = var.chunking()
    common = {
        "chunk": None if chunk in (None, "contiguous") else chunk,
        "outer": var.shape,
        "dims": [d.name for d in var.get_dims()],
        "grows": [d.isunlimited() for d in var.get_dims()],
        "attrs": {k: number(var.getncattr(k)) for k in var.ncattrs() if number(var.getncattr(k)) is not None},
    }
    try:
        for name, a, labels in arrays(name, var):
            yield dict(common, name=name, dtype=a.dtype.name, shape=a.shape, labels=labels,
                       sha256=hashlib.sha256(a.tobytes()).hexdigest())
    except Exception as e:
        yield dict(name=name, error=str(e))


def group(prefix, g):
    for var in g.variables.values():
        yield from describe(prefix, var)
    for name, inner in g.groups.items():
        yield from group(prefix + name + "/", inner)


def describe_file(path):
    try:
        with netCDF4.Dataset(path) as f:
            f.set_auto_maskandscale(False)
            f.set_auto_chartostring(False)
            return list(group("", f))
    except Exception as e:
        return [{"name": "", "error": str(e)}]


for path in sys.argv[1:]:  # each in a process of its own: the library crashes with some malformed files
    child = os.fork()
    if child == 0:
        print(json.dumps(describe_file(path)), flush=True)
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        print(json.dumps([{"name": "", "error": "netCDF4 crashes"}]), flush=True)
