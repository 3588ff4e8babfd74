"""Makes small HDF5 files of every kind for the tests.

    python3 make.py FOLDER
"""

import os
import sys

import h5py
import numpy

os.chdir(sys.argv[1])
os.mkdir("below")
rng = numpy.random.default_rng(1)


def numbers(shape, dtype="f8"):
    return (rng.standard_normal(shape) * 50).astype(dtype)


def raw(f, name, kind, data, layout=None, memory=None):
    """A dataset of a type that NumPy does not have. The library converts data, or takes them as
    elements of memory."""
    d = h5py.h5d.create(f.id, name.encode(), kind, h5py.h5s.create_simple(data.shape), layout)
    d.write(h5py.h5s.ALL, h5py.h5s.ALL, data, memory)


def small(size, mantissa, exponent, bias):
    """A floating-point type of few bits."""
    t = h5py.h5t.IEEE_F32LE.copy()
    t.set_fields(8 * size - 1, mantissa, exponent, 0, mantissa)
    t.set_size(size)
    t.set_ebias(bias)
    return t


with h5py.File("numbers.h5", "w") as f:
    for t in ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", "?"]:
        for order in "<>":
            name = numpy.dtype(t).name + {"<": "_le", ">": "_be"}[order]
            data = numbers((3, 5))
            data = (numpy.abs(data) if t[0] == "u" else data).astype(t)
            f.create_dataset("contiguous/" + name, data=data.astype(order + t))
            f.create_dataset("chunked/" + name, data=data.astype(order + t), chunks=(2, 2), compression=3, shuffle=True)
    f["scalar"] = numpy.float64(2.5)
    f["empty"] = numpy.zeros((0, 4), "f4")
    f["extremes"] = numpy.array([-(2**63), 2**63 - 1])
    f["special"] = numpy.array([numpy.nan, numpy.inf, -numpy.inf, -0.0], ">f2")
    f["parts"] = numpy.array([(1, 2), (3, 4)], [("Real", "<f4"), ("Imag", "<f4")])
    f["uneven"] = numpy.array([(1, 2), (3, 4)], [("r", "<f4"), ("i", "<f8")])

with h5py.File("odd.h5", "w") as f:
    three = h5py.h5t.STD_I32BE.copy()
    three.set_precision(24)
    three.set_size(3)
    raw(f, "int24", three, numpy.array([-(2**23), -1, 0, 2**23 - 1], "i4"))
    raw(f, "bfloat16", small(2, 7, 8, 127), numpy.array([1, -2.5, 3.3895314e38, 0.15625], "f4"))
    raw(f, "float8", small(1, 3, 4, 7), numpy.array([1, -2.5, 0.25, 208], "f4"))
    raw(f, "bits", h5py.h5t.STD_B16BE, numpy.array([1, 0x8001, 0xFF00], ">u2"), memory=h5py.h5t.STD_B16BE)
    nbit = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    nbit.set_chunk((4,))
    nbit.set_filter(h5py.h5z.FILTER_NBIT)
    twelve = h5py.h5t.STD_I16LE.copy()
    twelve.set_precision(12)
    raw(f, "nbit", twelve, numpy.array([-2048, -1, 0, 1, 2047], "i2"), nbit)
    raw(f, "longdouble", h5py.h5t.NATIVE_LDOUBLE, numpy.array([1.5, 2], "f8"))
    opaque = h5py.h5t.create(h5py.h5t.OPAQUE, 4)
    opaque.set_tag(b"x")
    h5py.h5d.create(f.id, b"opaque", opaque, h5py.h5s.create_simple((3,)))
    d = f.create_dataset("sequences", (2,), dtype=h5py.vlen_dtype("i4"))
    d[0], d[1] = [1, 2], [3]
    f.create_dataset("references", (2,), dtype=h5py.ref_dtype)
    for name, wide in ("int128", h5py.h5t.STD_I64LE.copy()), ("bits128", h5py.h5t.STD_B64LE.copy()):
        wide.set_size(16)
        h5py.h5d.create(f.id, name.encode(), wide, h5py.h5s.create_simple((3,)))
    f["nothing"] = h5py.Empty("f4")
    f.create_dataset("texts", (2,), dtype=numpy.dtype((h5py.string_dtype("ascii", 3), (2,))))

with h5py.File("filters.h5", "w") as f:
    data = numbers((30, 20), "i4")
    for name, how in {
        "deflate": dict(compression=9), "shuffle": dict(shuffle=True), "fletcher32": dict(fletcher32=True),
        "all": dict(compression=1, shuffle=True, fletcher32=True), "scaleoffset": dict(scaleoffset=0),
        "lzf": dict(compression="lzf"), "lzf_shuffle": dict(compression="lzf", shuffle=True, fletcher32=True),
    }.items():
        f.create_dataset(name, data=data, chunks=(7, 6), **how)
    f.create_dataset("lzf_long", data=numpy.repeat(numbers(300, "u1"), 400), chunks=(50000,), compression="lzf")
    f.create_dataset("lzf_random", data=rng.integers(0, 256, 5000, "u1"), chunks=(1000,), compression="lzf")
    optional = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    optional.set_chunk((7, 6))
    optional.set_filter(32123, h5py.h5z.FLAG_OPTIONAL, (1,))
    h5py.h5d.create(f.id, b"unknown", h5py.h5t.STD_I32LE, h5py.h5s.create_simple(data.shape), optional)
    compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    compact.set_layout(h5py.h5d.COMPACT)
    raw(f, "compact", h5py.h5t.STD_I32BE, data, compact)
    sparse = f.create_dataset("sparse", (100, 100), "i2", chunks=(10, 10), fillvalue=-7, maxshape=(None, 200))
    sparse[35:47, 8:9] = 1

with h5py.File("compounds.h5", "w") as f:
    inner = numpy.dtype([("x", ">f4"), ("y", "<i2", (2, 3)), ("label", "S4")])
    kind = numpy.dtype([("id", "u1"), ("at", inner), ("z", "c8"), ("on", "?")])
    data = numpy.zeros((4, 3), kind)
    data["id"] = numpy.arange(12).reshape(4, 3)
    data["at"]["x"] = numbers((4, 3), "f4")
    data["at"]["y"] = numbers((4, 3, 2, 3), "i2")
    data["at"]["label"] = data["id"] % 3
    data["z"] = numbers((4, 3)) + 1j
    data["on"] = data["id"] % 2 == 1
    f.create_dataset("table", data=data, chunks=(2, 2), maxshape=(None, 3))
    f.create_dataset("vectors", (5,), dtype=numpy.dtype((">i4", (2, 3))))[...] = numbers((5, 2, 3), "i4")

with h5py.File("strings.h5", "w") as f:
    texts = ["b", "a", "", "b", "zwölf", "a" * 300]
    f.create_dataset("variable", data=texts, dtype=h5py.string_dtype())
    f["fixed"] = numpy.array([t.encode() for t in texts], h5py.string_dtype("utf-8", 301))
    f.create_dataset("chunked", data=[texts] * 3, dtype=h5py.string_dtype(), chunks=(2, 2), compression=1)
    f["one"] = "hello"
    f.create_dataset("unwritten", (3,), dtype=h5py.string_dtype())
    f["many"] = numpy.array([b"%d" % (n % 1000) for n in range(20000)]).reshape(100, 200)
    f.create_dataset("manyvariable", data=[str(n % 1000) for n in range(20000)], dtype=h5py.string_dtype())
    spaces = h5py.h5t.FORTRAN_S1.copy()
    spaces.set_size(4)
    raw(f, "spaces", spaces, numpy.array([b"ab  ", b" c  ", b"    "], "S4"), memory=spaces)
    zero = h5py.h5t.C_S1.copy()
    zero.set_size(4)
    raw(f, "zero", zero, numpy.array([b"ab", b"abc", b""], "S4"), memory=zero)
    f["latin1"] = numpy.array([b"Gr\xf6\xdfe"])

with h5py.File("links.h5", "w", track_order=True) as f:
    f["zz/data"] = numbers((4,), "i4")
    f["aa/hard"] = f["zz/data"]
    f["aa/soft"] = h5py.SoftLink("/zz/data")
    f["aa/cycle"] = f["/"]
    f["dangling"] = h5py.SoftLink("/nowhere")
    f["external"] = h5py.ExternalLink("below/other.h5", "x")
    f["absent"] = h5py.ExternalLink("absent.h5", "x")
    f["outside"] = h5py.ExternalLink("../outside.h5", "x")
    f["absolute"] = h5py.ExternalLink(os.path.abspath("below/other.h5"), "x")
    f["around"] = h5py.SoftLink("/absolute")
with h5py.File("below/other.h5", "w") as f:
    f["x"] = numpy.arange(5, dtype="u2")

for i in range(3):
    with h5py.File(f"part{i}.h5", "w") as f:
        f["d"] = numpy.arange(4, dtype="i4") + 10 * i
with h5py.File("external.h5", "w") as f:
    f.create_dataset("inside", data=numpy.arange(4, dtype="i4"), external=[("inside.raw", 0, 8), ("below.raw", 0, 8)])
    f.create_dataset("absolute", (4,), "i4", external=[("/etc/passwd", 0, 16)])
    f.create_dataset("above", (4,), "i4", external=[("../x.raw", 0, 16)])
    f.create_dataset("absent", (4,), "i4", external=[("absent.raw", 0, 16)])
    f.create_dataset("folder", (4,), "i4", external=[("below", 0, 16)])


def virtual(f, name, shape, *sources):
    layout = h5py.VirtualLayout(shape, "i4")
    for i, (file, dataset) in enumerate(sources):
        layout[i if len(shape) > 1 else slice(None)] = h5py.VirtualSource(file, dataset, (4,))
    f.create_virtual_dataset(name, layout, fillvalue=-1)


with h5py.File("virtual.h5", "w") as f:
    f["here"] = numpy.arange(4, dtype="i4")
    virtual(f, "rows", (3, 4), *((f"part{i}.h5", "d") for i in range(3)))
    virtual(f, "same", (4,), (".", "here"))
    virtual(f, "missing", (2, 4), ("part0.h5", "d"), ("part9.h5", "d"))
    virtual(f, "missing_dataset", (4,), ("part0.h5", "e"))
    virtual(f, "outside", (4,), (os.path.abspath("part0.h5"), "d"))
    virtual(f, "secret", (4,), ("external.h5", "absolute"))
    numbered = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    numbered.set_fill_value(numpy.array(-1, "i4"))
    whole = h5py.h5s.create_simple((3, 4), (h5py.h5s.UNLIMITED, 4))
    whole.select_hyperslab((0, 0), (h5py.h5s.UNLIMITED, 1), block=(1, 4), stride=(1, 1))
    numbered.set_virtual(whole, b"part%b.h5", b"d", h5py.h5s.create_simple((4,)))
    h5py.h5d.create(f.id, b"numbered", h5py.h5t.STD_I32LE, whole, numbered)

with h5py.File("cycle.h5", "w") as f:  # h5py crashes when it reads these
    virtual(f, "itself", (4,), (".", "itself"))
    virtual(f, "a", (4,), ("cycle.h5", "b"))
    virtual(f, "b", (4,), (".", "a"))

with h5py.File("scales.h5", "w") as f:
    for name, n in {"time": 3, "lat": 4, "g/lat": 5, "h/lat": 4}.items():
        f[name] = numpy.arange(n, dtype="f4")
        f[name].make_scale()
    for name, scales in {"t": "time lat", "g/t": "time g/lat", "h/t": "h/lat"}.items():
        scales = scales.split()
        f[name] = numbers([f[s].shape[0] for s in scales] + [2])
        for d, s in enumerate(scales):
            f[name].dims[d].attach_scale(f[s])
    f["labels"] = numbers((3, 7))
    f["labels"].dims[0].label = "time"
    f["labels"].dims[1].label = "x"
    f["clash"] = numbers((9,))
    f["clash"].dims[0].label = "x"

with h5py.File("attributes.h5", "w") as f:
    a = f.create_dataset("d", data=numbers((2,), "f4"), fillvalue=-1).attrs
    a["_FillValue"] = numpy.float32(1e20)
    a["int"], a["uint"], a["real"] = -5, numpy.uint64(2**64 - 1), 0.1
    a["single"] = numpy.float32(0.1)
    a["list"] = [1, 2, 3]
    a["matrix"] = numpy.array([[1.5, numpy.nan], [numpy.inf, -numpy.inf]])
    a["text"], a["bytes"] = "zwölf", numpy.bytes_(b"abc")
    a["texts"] = ["a", "bc"]
    a["bool"], a["bools"] = True, [True, False]
    a.create("named", 2, dtype=h5py.enum_dtype({"RED": 1, "GREEN": 2}, "u1"))
    a["complex"] = 1 + 2j
    a["record"] = numpy.array((1, 2.5), [("n", "i4"), ("x", "f8")])[()]
    a["empty"], a["nothing"] = h5py.Empty("f4"), h5py.Empty("S1")
    a["reference"] = f["d"].ref
    f.attrs["title"] = "all"
    f.create_group("g/h").attrs["n"] = 1
    f.create_dataset("enum", data=numpy.array([1, 2, 7], "u1"), dtype=h5py.enum_dtype({"light rain": 1, "SNOW": 2}, "u1"))
    f.create_dataset("missing", data=numpy.array([1, 2], "i2")).attrs["missing_value"] = [-99, -98]
    f.create_dataset("misfit", data=numpy.array([1, 2], "u1"), fillvalue=9).attrs["_FillValue"] = -99

with h5py.File("block.h5", "w", userblock_size=512) as f:
    f["x"] = numpy.arange(3)
with open("block.h5", "r+b") as f:
    f.write(b"#!/bin/sh\n")
