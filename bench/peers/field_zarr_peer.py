"""The peer Zarr that compresses: zarr-python with a directory of chunk files.

codec=blosc:NAME:LEVEL:shuffle is numcodecs.Blosc, codec=zstd:LEVEL numcodecs.Zstd, codec=lz4
numcodecs.LZ4. The verbs are those of childcodec.go.
"""

import os
import shutil

import numcodecs
import numpy as np
import pypeer
import zarr

SHUFFLES = {"noshuffle": 0, "shuffle": 1, "bitshuffle": 2}


def codec_of(text):
    name, *rest = text.split(":")
    if name == "blosc":
        return numcodecs.Blosc(rest[0], int(rest[1]), SHUFFLES[rest[2]])
    if name == "zstd":
        return numcodecs.Zstd(int(rest[0]))
    if name == "lz4":
        return numcodecs.LZ4()
    if name == "none":
        return None
    raise pypeer.Unsupported(text)


def check_of(values):
    """The sum of childcodec.go's checkOf."""
    b = np.ascontiguousarray(values).view(np.uint8).reshape(-1)
    whole = b.size // 8 * 8
    words = b[:whole].view(np.uint64)
    factors = np.resize(np.arange(1, 1010, dtype=np.uint64), words.size)
    return int((words * factors).sum(dtype=np.uint64)) + int(b[whole:].sum(dtype=np.uint64))


class Peer:
    """The array that is open, as a."""

    a = None

    def store(self, q, clock):
        values = np.memmap(q.text("field"), dtype=q.text("type"), mode="r", shape=q.numbers("shape"))
        values.view(np.uint8).max()  # maps it
        shutil.rmtree(q.text("path"), ignore_errors=True)
        codec = codec_of(q.text("codec"))
        clock.begin()
        a = zarr.create(values.shape, chunks=q.numbers("chunk"), dtype=values.dtype, compressor=codec,
                        store=zarr.DirectoryStore(q.text("path")))
        a[...] = values
        clock.end(1)
        return 0

    def use(self, q, clock):
        self.a = zarr.open_array(zarr.DirectoryStore(q.text("path")), mode="r")
        return 0

    def close(self, q, clock):
        self.a = None
        return 0

    def whole(self, q, clock):
        found = np.ones(self.a.shape, self.a.dtype)  # touched
        clock.begin()
        self.a.get_basic_selection(Ellipsis, out=found)
        clock.end(1)
        return check_of(found)

    def part(self, q, clock):
        n, size, seed, check = q.number("n", 1), q.numbers("size"), q.number("seed", 1), 0
        for r in range(q.number("rounds", 1)):
            places = pypeer.starts(seed + 1000 * r, n, self.a.shape, size).tolist()
            clock.begin()
            for at in places:
                found = self.a[tuple(slice(a, a + n) for a, n in zip(at, size))]
            clock.end(n)
            if r == 0:
                check = check_of(found)
        return check

    def size(self, q, clock):
        return self.a.nbytes_stored


numcodecs.blosc.set_nthreads(len(os.sched_getaffinity(0)))
pypeer.VERBS = "store use close whole part size".split()
pypeer.main(Peer())
