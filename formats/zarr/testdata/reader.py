"""Reads stores of Zarr version 3, and says as JSON what is in them.

It is written from the text of the specification (zarr-specs, v3 core, its codecs and
zarr-extensions) with Python's library, NumPy and the decompressors of numcodecs, so that it shares
no code and no author's error with package zarr:

    python3 reader.py STORE...      each is a folder or a ZIP file

It is strict: a member of the metadata, a codec or a file that the specification does not have ends
it.
"""

import itertools
import json
import os
import struct
import sys
import zipfile
import zlib

import numcodecs
import numpy

# The bytes of each of the parts that an element consists of, and how many these are.
parts = {
    "bool": (1, 1), "int8": (1, 1), "int16": (2, 1), "int32": (4, 1), "int64": (8, 1), "uint8": (1, 1), "uint16": (2, 1), "uint32": (4, 1),
    "uint64": (8, 1), "float16": (2, 1), "bfloat16": (2, 1), "float32": (4, 1), "float64": (8, 1), "complex64": (4, 2), "complex128": (8, 2),
}
required = {"zarr_format", "node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs"}
optional = {"attributes", "dimension_names", "storage_transformers"}


def crc32c(data):
    """The CRC of RFC 3720, bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def checked(data):
    body, crc = data[:-4], struct.unpack("<I", data[-4:])[0]
    assert crc32c(body) == crc, "crc32c"
    return body


def inflated(data, bits):
    """One member of gzip (bits 31) or one stream of zlib (15), with nothing after it."""
    stream = zlib.decompressobj(bits)
    out = stream.decompress(data)
    assert stream.eof and not stream.unused_data, "deflate"
    return out


def blosc(data, conf):
    assert set(conf) == {"cname", "clevel", "shuffle", "typesize", "blocksize"}, conf
    assert conf["shuffle"] in ("noshuffle", "shuffle", "bitshuffle"), conf
    assert data[3] == conf["typesize"], "typesize"
    return numcodecs.blosc.decompress(data)


decoders = {
    "gzip": lambda data, conf: inflated(data, 31), "numcodecs.zlib": lambda data, conf: inflated(data, 15),
    "zstd": lambda data, conf: numcodecs.zstd.decompress(data), "numcodecs.lz4": lambda data, conf: numcodecs.lz4.decompress(data),
    "blosc": blosc, "crc32c": lambda data, conf: checked(data),
}


class Store:
    def __init__(self, path):
        self.zip = None if os.path.isdir(path) else zipfile.ZipFile(path)
        self.path = path
        if self.zip:
            self.keys = set(self.zip.namelist())
            assert len(self.keys) == len(self.zip.namelist()), "two files of one name"
        else:
            self.keys = {os.path.relpath(os.path.join(at, name), path) for at, _, names in os.walk(path) for name in names}

    def read(self, key):
        if self.zip:
            return self.zip.read(key)
        with open(os.path.join(self.path, key), "rb") as f:
            return f.read()


def named(extension):
    """Name and configuration of an extension, which is an object or the name alone."""
    if isinstance(extension, str):
        return extension, {}
    assert set(extension) <= {"name", "configuration"}, extension
    return extension["name"], extension.get("configuration", {})


def fill_bytes(kind, value):
    """The fill value as little-endian bytes."""
    size, count = parts[kind]
    if count == 2:
        half = {4: "float32", 8: "float64"}[size]
        return b"".join(fill_bytes(half, v) for v in value)
    if kind == "bool":
        assert isinstance(value, bool), value
        return bytes([value])
    if isinstance(value, str):
        if value.startswith("0x"):
            return int(value, 16).to_bytes(size, "little")
        assert value in ("NaN", "Infinity", "-Infinity") and "float" in kind, value
        if value == "NaN":  # the one with the first bit of the mantissa set, and no other
            return {"float16": b"\0\x7e", "bfloat16": b"\xc0\x7f", "float32": b"\0\0\xc0\x7f", "float64": b"\0\0\0\0\0\0\xf8\x7f"}[kind]
    if "int" in kind:
        assert isinstance(value, int) and not isinstance(value, bool), value
        return value.to_bytes(size, "little", signed=not kind.startswith("u"))
    number = float(str(value).replace("Infinity", "inf"))
    if kind == "bfloat16":  # the upper half of a float32, which must have it exactly
        b = struct.pack("<f", number)
        assert b[:2] == b"\0\0", value
        return b[2:]
    return struct.pack("<" + {"float16": "e", "float32": "f", "float64": "d"}[kind], number)


def decode(meta, data):
    """The elements of a chunk: an array of bytes with the size of an element as the last extent, or
    of strings."""
    kind, chunk = meta["data_type"], meta["chunk_grid"]["configuration"]["chunk_shape"]
    codecs = [named(c) for c in meta["codecs"]]
    orders = []
    while codecs[0][0] == "transpose":
        orders.append(codecs.pop(0)[1]["order"])
    (serializer, conf), rest = codecs[0], codecs[1:]
    for name, c in reversed(rest):
        data = decoders[name](data, c)
    shape = list(chunk)
    for order in orders:
        shape = [shape[d] for d in order]
    if kind == "string":
        assert serializer == "vlen-utf8", serializer
        a = numpy.array(strings(data), object).reshape(shape)
    else:
        assert serializer == "bytes", serializer
        size, count = parts[kind]
        a = numpy.frombuffer(data, "u1").reshape(shape + [count, size])  # fails unless the size is that of all elements
        assert size == 1 or conf["endian"] in ("little", "big"), conf
        if conf.get("endian") == "big":
            a = a[..., ::-1]
    for order in reversed(orders):  # dimension i of the transposed array is dimension order[i]
        inverse = [order.index(d) for d in range(len(order))]
        a = a.transpose(inverse + list(range(len(order), a.ndim)))
    return a


def strings(data):
    """vlen-utf8: how many, and each with the length of its bytes before it."""
    n, at, out = struct.unpack("<I", data[:4])[0], 4, []
    for _ in range(n):
        size = struct.unpack("<I", data[at:at + 4])[0]
        assert at + 4 + size <= len(data), "vlen-utf8"
        out.append(data[at + 4:at + 4 + size].decode("utf-8"))
        at += 4 + size
    assert at == len(data), "vlen-utf8"
    return out


def array(store, path, meta, used):
    assert required <= set(meta) <= required | optional, sorted(meta)
    assert not meta.get("storage_transformers"), "storage transformers"
    shape, kind = meta["shape"], meta["data_type"]
    grid, conf = named(meta["chunk_grid"])
    chunk = conf["chunk_shape"]
    assert grid == "regular" and len(chunk) == len(shape) and all(c > 0 for c in chunk), meta
    assert meta["chunk_key_encoding"]["name"] == "default", meta
    separator = named(meta["chunk_key_encoding"])[1].get("separator", "/")
    if kind == "string":
        fill = meta["fill_value"]
        a = numpy.full(shape, fill, object)
    else:
        fill = fill_bytes(kind, meta["fill_value"]).hex()
        size, count = parts[kind]
        a = numpy.empty(shape + [count, size], "u1")
        a[...] = numpy.frombuffer(bytes.fromhex(fill), "u1").reshape(count, size)
    for where in itertools.product(*(range(-(-n // c)) for n, c in zip(shape, chunk))):
        key = path + separator.join(["c"] + [str(w) for w in where])
        if key not in store.keys:
            continue
        used.add(key)
        part = tuple(slice(w * c, min(n, (w + 1) * c)) for w, c, n in zip(where, chunk, shape))
        a[part] = decode(meta, store.read(key))[tuple(slice(0, p.stop - p.start) for p in part)]
    names = meta.get("dimension_names")
    assert names is None or len(names) == len(shape), names
    known = {"dtype": kind, "shape": shape, "chunk": chunk, "fill": fill, "dims": names, "attrs": meta.get("attributes", {})}
    if kind == "string":
        known["text"] = a.reshape(-1).tolist()
    else:
        known["hex"] = a.tobytes().hex()
    return known


def store(path):
    s, used, arrays, groups = Store(path), set(), {}, {}
    for key in sorted(s.keys):
        if key != "zarr.json" and not key.endswith("/zarr.json"):
            continue
        used.add(key)
        meta = json.loads(s.read(key), parse_constant=lambda word: 1 / 0)  # JSON has no NaN
        assert meta["zarr_format"] == 3, meta
        prefix = key[:-len("zarr.json")]
        if meta["node_type"] == "array":
            arrays[prefix[:-1]] = array(s, prefix, meta, used)
        else:
            assert meta["node_type"] == "group" and set(meta) <= {"zarr_format", "node_type", "attributes"}, meta
            groups[prefix[:-1]] = meta.get("attributes", {})
    assert used == s.keys, sorted(s.keys - used)
    for name in list(arrays) + list(groups):  # each node but the root is in a group
        assert not name or (name.rpartition("/")[0]) in groups, name
    return {"arrays": arrays, "groups": groups}


json.dump({path: store(path) for path in sys.argv[1:]}, sys.stdout)
