"""Makes the file FILE with datasets whose second chunk is damaged in many ways.

    python3 damaged.py FILE
"""

import struct
import sys

import h5py
import numcodecs
import numpy

BLOSC, LZ4, ZSTD = 32001, 32004, 32015
a = numpy.arange(4000, dtype="<i4") // 5
chunk = a[1000:2000].tobytes()
lz4, blosc, zstd = numcodecs.LZ4().encode(chunk)[4:], numcodecs.Blosc("zstd").encode(chunk), numcodecs.Zstd(3).encode(chunk)


def lz4_of(size, block, length, data=lz4):
    return struct.pack(">QII", size, block, length) + data


def blosc_of(at, value):
    return blosc[:at] + struct.pack("<I", value) + blosc[at + 4 :]


n = len(chunk)
damaged = {
    LZ4: [
        lz4_of(1 << 62, n, len(lz4)), lz4_of((1 << 64) - 1, n, len(lz4)), lz4_of(n, 0, len(lz4)), lz4_of(n, n, len(lz4) + 1),
        lz4_of(n, n, 0xFFFFFFFF), lz4_of(n - 4, n, len(lz4)), lz4_of(n + 4, n, len(lz4)), lz4_of(n, n // 2, len(lz4)), b"\0" * 11,
        lz4_of(n, n, len(lz4) // 2, lz4[: len(lz4) // 2]), lz4_of(1 << 31, 1 << 31, len(lz4)), b"x",
    ],
    BLOSC: [
        blosc_of(4, 0x7FFFFFFF), blosc_of(4, n - 4), blosc_of(4, n + 4), blosc_of(8, 0), blosc_of(8, 0xFFFFFFFF), blosc_of(12, 0), blosc[:40],
        blosc[:15], blosc[:16] + b"\xff" * (len(blosc) - 16), b"\3" + blosc[1:], numcodecs.Blosc("lz4").encode(chunk[:400]),
    ],
    ZSTD: [
        zstd[: len(zstd) // 2], b"nothing of the kind", zstd[:5] + b"\xff\xff\xff\xff" + zstd[9:], zstd + b"more", numcodecs.Zstd(3).encode(chunk[:-4]),
        numcodecs.Zstd(3).encode(chunk + b"1234"), bytes.fromhex("28b52ffde0ffffffffffffff7f0100004100"), numcodecs.Zstd(3).encode(b"\0" * (1 << 26)),
    ],
}
with h5py.File(sys.argv[1], "w") as f:
    for number, kinds in damaged.items():
        for i, data in enumerate(kinds):
            plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            plan.set_chunk((1000,))
            plan.set_filter(number, h5py.h5z.FLAG_OPTIONAL, ())
            d = h5py.h5d.create(f.id, b"d%d_%d" % (number, i), h5py.h5t.STD_I32LE, h5py.h5s.create_simple((4000,)), plan)
            good = {LZ4: lz4_of(n, n, len(lz4)), BLOSC: blosc, ZSTD: zstd}[number]
            for at in (0, 2000, 3000):
                d.write_direct_chunk((at,), good)
            d.write_direct_chunk((1000,), data)
