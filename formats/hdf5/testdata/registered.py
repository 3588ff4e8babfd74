"""Makes the file FILE with datasets behind the filters gzip, shuffle, fletcher32, blosc, lz4 and
zstd, and the same ones plain.

    python3 registered.py FILE SEED

Each seed has a quarter of the types, so that four have all.
Blosc and lz4 are encoded by the plugins of libhdf5, zstd by libzstd, as it has no plugin here.
"""

import sys
import zlib

import h5py
import numcodecs
import numpy

GZIP, SHUFFLE, SUM, BLOSC, LZ4, ZSTD = 1, 2, 3, 32001, 32004, 32015
rng = numpy.random.default_rng(int(sys.argv[2]))
KINDS = ["i1", "<i2", ">i2", "<i4", ">i4", "<i8", "u1", ">u2", "<u4", ">u8", "<f2", "<f4", ">f4", "<f8", ">f8", "?", "<c8", ">c16"]
KINDS += [h5py.enum_dtype({"A": 0, "B": 50}, order + "i2") for order in "<>"]


def values(kind):
    shape = tuple(rng.integers(1, 40, rng.integers(1, 4)))
    n = int(numpy.prod(shape))
    a = numpy.arange(n) // 3 + rng.integers(0, 3, n)
    return (a % 2 if numpy.dtype(kind) == bool else a % 100).astype(kind).reshape(shape)


def shuffled(data, size):
    return numpy.frombuffer(data, "u1").reshape(-1, size).T.tobytes()


def masked(data, size):
    """A chunk that has passed some of the filters shuffle and gzip, and the mask of the others."""
    mask = int(rng.integers(0, 4))
    data = data if mask & 1 else shuffled(data, size)
    return mask, data if mask & 2 else zlib.compress(data)


def create(f, name, a, chunk, filters, fill=None):
    """Creates a dataset with filters, which need not be there: a number and parameters each."""
    plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plan.set_chunk(chunk)
    if fill is not None:
        plan.set_fill_value(numpy.array(fill, a.dtype))
    for number, *options in filters:
        if number == SHUFFLE:
            plan.set_shuffle()
        elif number == SUM:
            plan.set_fletcher32()
        else:
            plan.set_filter(number, h5py.h5z.FLAG_OPTIONAL, tuple(options))
    space = h5py.h5s.create_simple(a.shape)
    lcpl = h5py.h5p.create(h5py.h5p.LINK_CREATE)
    lcpl.set_create_intermediate_group(True)
    h5py.h5d.create(f.id, name.encode(), h5py.h5t.py_create(a.dtype, logical=True), space, plan, lcpl)
    return f[name]


def store(d, a, encode, skip=()):
    """Writes the chunks of a by encode, but for those to skip."""
    for index in numpy.ndindex(*(-(-n // c) for n, c in zip(a.shape, d.chunks))):
        if index in skip:
            continue
        chunk = numpy.zeros(d.chunks, a.dtype)
        corner = tuple(i * c for i, c in zip(index, d.chunks))
        part = a[tuple(slice(at, at + c) for at, c in zip(corner, d.chunks))]
        chunk[tuple(slice(n) for n in part.shape)] = part
        mask, data = encode(chunk.tobytes())
        d.id.write_direct_chunk(corner, data, mask)


def compressions(size):
    for inner in (0, 1, 2, 4, 5):
        for shuffle in (0, 1, 2):
            yield "blosc%d%d" % (inner, shuffle), [(BLOSC, 0, 0, 0, 0, int(rng.integers(1, 10)), shuffle, inner)], None
    yield "blosc", [(BLOSC,)], None
    yield "lz4", [(LZ4,)], None
    yield "lz4blocks", [(LZ4, 64)], None
    yield "shufflelz4", [(SHUFFLE,), (LZ4, 0)], None
    yield "lz4sum", [(LZ4,), (SUM,)], None
    yield "shufflebloscsum", [(SHUFFLE,), (BLOSC,), (SUM,)], None
    yield "lz4blosc", [(LZ4,), (BLOSC,)], None
    level = int(rng.integers(1, 10))
    yield "gzip", [(GZIP, level)], None
    yield "shufflegzip", [(SHUFFLE,), (GZIP, level)], None
    yield "shufflegzipsum", [(SHUFFLE,), (GZIP, level), (SUM,)], None
    yield "sumshufflegzip", [(SUM,), (SHUFFLE,), (GZIP, level)], None
    yield "gzipshuffle", [(GZIP, level), (SHUFFLE,)], None
    yield "gzipblosc", [(GZIP, level), (BLOSC,)], None
    yield "anymasked", [(SHUFFLE,), (GZIP, level)], lambda b: masked(b, size)
    level = int(rng.integers(1, 20))
    zstd = numcodecs.Zstd(level)
    yield "zstd", [(ZSTD, level)], lambda b: (0, zstd.encode(b))
    yield "zstdbare", [(ZSTD,)], lambda b: (0, zstd.encode(b))
    yield "shufflezstd", [(SHUFFLE,), (ZSTD, 3)], lambda b: (0, zstd.encode(shuffled(b, size)))
    yield "shufflemasked", [(SHUFFLE,), (ZSTD, 3)], lambda b: (1, zstd.encode(b))
    yield "allmasked", [(ZSTD, 3)], lambda b: (1, b)


with h5py.File(sys.argv[1], "w") as f:
    for i, kind in list(enumerate(KINDS))[int(sys.argv[2]) % 4 :: 4]:
        for name, filters, encode in compressions(numpy.dtype(kind).itemsize):
            a = values(kind)
            chunk = tuple(int(rng.integers(1, n + 1)) for n in a.shape)
            name = "%s_%d" % (name, i)
            d = create(f, name, a, chunk, filters, 1)
            if encode is None:
                d[...] = a
            else:
                missing = [tuple(0 for _ in a.shape)] if i % 3 == 0 else []
                for index in missing:
                    a[tuple(slice(c) for c in chunk)] = 1
                store(d, a, encode, missing)
            f["plain/" + name] = a
