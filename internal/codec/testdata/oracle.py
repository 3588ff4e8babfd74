"""Compresses and decompresses by numcodecs for the tests of package codec.

A request is a line, "encode" or "decode", the codec, the bytes of an element, and the length of the
data, which follow it. The answer is a line with the length of the result, or -1 and an error, and
the result.
"""

import sys

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


numcodecs.blosc.set_nthreads(1)
while line := sys.stdin.buffer.readline():
    verb, text, size, length = line.decode().split()
    data = sys.stdin.buffer.read(int(length))
    try:
        if verb == "encode":
            data = numpy.frombuffer(data, "V" + size) if int(size) > 1 else data
            result = bytes(codec(text).encode(data))
        else:
            result = bytes(codec(text).decode(data))
        sys.stdout.buffer.write(b"%d\n%s" % (len(result), result))
    except Exception as e:
        sys.stdout.buffer.write(("-1 %s\n" % e).encode())
    sys.stdout.buffer.flush()
