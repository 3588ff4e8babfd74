"""Compresses and decompresses by numcodecs for the tests of package codec.

A request is a line, "encode" or "decode", the codec, the bytes of an element, and the length of the
data, which follow it. The answer is a line with the length of the result, or -1 and an error, and
the result. "time" answers with the least seconds of a compression and a decompression by C-Blosc,
and the bytes of the container, as a text. "store" answers with what HDF5's filter of a number, the
second word, stores for a chunk, and "load" with the chunk of as many bytes as the third word says.
"""

import ctypes
import sys
import time

import numcodecs
import numpy

SHUFFLES = {"noshuffle": 0, "shuffle": 1, "bitshuffle": 2}


def codec(text):
    name, *rest = text.split(":")
    if name == "zstd":
        return numcodecs.Zstd(level=int(rest[0]))
    if name == "lz4":
        return numcodecs.LZ4()
    blocksize = int(rest[3]) if len(rest) > 3 else 0
    return numcodecs.Blosc(rest[0], int(rest[1]), SHUFFLES[rest[2]], blocksize)


def least(f, seconds=0.4):
    """Returns the least time of calls of f for some seconds."""
    times, end = [], time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return min(times)


def measure(text, size, data):
    """Returns the times of C-Blosc with one thread, without those of Python's objects."""
    blosc = ctypes.CDLL("libblosc.so.1")
    _, inner, level, shuffle = text.split(":")
    n, encoded, decoded = len(data), ctypes.create_string_buffer(len(data) + 16), ctypes.create_string_buffer(len(data))
    length = ctypes.c_size_t

    def encode():
        return blosc.blosc_compress_ctx(int(level), SHUFFLES[shuffle], length(size), length(n), data,
                                        encoded, length(n + 16), inner.encode(), length(0), 1)

    def decode():
        return blosc.blosc_decompress_ctx(encoded, decoded, length(n), 1)

    stored = encode()
    if decode() != n or decoded.raw != data:
        raise ValueError("C-Blosc does not decode its own container")
    return "%r %r %d" % (least(encode), least(decode), stored)


def dataset(number, size, length):
    """Returns a dataset in memory of one chunk of elements of some bytes with a filter of HDF5."""
    import h5py

    options = (0, 0, 0, 0, 5, 1, 1) if number == 32001 else ()  # of blosc: level 5, shuffle, lz4
    file = h5py.File("x", "w", driver="core", backing_store=False)
    kind = {1: "u1", 2: "<u2", 4: "<u4", 8: "<u8"}[size]
    return file.create_dataset("x", (length // size,), kind, chunks=(length // size,),
                               compression=number, compression_opts=options)


def store(number, size, data):
    d = dataset(number, size, len(data))
    d[:] = numpy.frombuffer(data, d.dtype)
    d.file.flush()
    return d.id.read_direct_chunk((0,))[1]


def load(number, length, stored):
    d = dataset(number, 1, length)
    d.id.write_direct_chunk((0,), stored)
    return d[:].tobytes()


numcodecs.blosc.set_nthreads(1)
while line := sys.stdin.buffer.readline():
    verb, text, size, length = line.decode().split()
    data = sys.stdin.buffer.read(int(length))
    try:
        if verb == "encode":
            data = numpy.frombuffer(data, "V" + size) if int(size) > 1 else data
            result = bytes(codec(text).encode(data))
        elif verb == "time":
            result = measure(text, int(size), data).encode()
        elif verb == "store":
            result = store(int(text), int(size), data)
        elif verb == "load":
            result = load(int(text), int(size), data)
        else:
            result = bytes(codec(text).decode(data))
        sys.stdout.buffer.write(b"%d\n%s" % (len(result), result))
    except Exception as e:
        sys.stdout.buffer.write(("-1 %s\n" % e).encode())
    sys.stdout.buffer.flush()
