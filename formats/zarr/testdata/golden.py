"""Writes golden.zarr, a store of Zarr version 3, and golden.json, what is in it.

It is written from the text of the specification (zarr-specs, v3 core and its codecs) with nothing
but Python's library, so that it shares no code and no author's error with package zarr:

    python3 golden.py       makes both beside this file, the same bytes each time
"""

import gzip
import itertools
import json
import os
import shutil
import struct
import zlib

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.join(here, "golden.zarr")
known = {}

codes = {
    "bool": "?", "int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint8": "B", "uint16": "H", "uint32": "I",
    "uint64": "Q", "float16": "e", "float32": "f", "float64": "d", "complex64": "ff", "complex128": "dd",
}


def crc32c(data):
    """The CRC of RFC 3720, bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def values(shape, kind):
    """The elements of an array, by index."""
    for i, index in enumerate(itertools.product(*map(range, shape))):
        if kind == "bool":
            v = i % 3 == 0
        elif kind.startswith("complex"):
            v = complex(i, -i / 2)
        elif kind.startswith("float"):
            v = i / 4 - 1
        elif kind == "string":
            v = ["", "b", "Ä€", "four"][i * i % 4]
        else:
            v = i % 100
        yield index, v


def pack(kind, v, endian):
    mark = "<" if endian == "little" else ">"
    return struct.pack(mark + codes[kind], *((complex(v).real, complex(v).imag) if kind.startswith("complex") else (v,)))


def blosc(data, size):
    """A chunk of C-Blosc: bytes shuffled, one block of one stream of zlib."""
    n = len(data) // size
    sorted_bytes = b"".join(data[b::size] for b in range(size))
    assert len(data) == n * size
    stream = zlib.compress(sorted_bytes, 6)
    body = struct.pack("<i", 20) + struct.pack("<i", len(stream)) + stream
    return struct.pack("<BBBBIII", 2, 1, 1 | 16 | 3 << 5, size, len(data), len(data), 16 + len(body)) + body


def encode(codecs, box, kind, get):
    """The bytes of a chunk; get gives the element at an index in the box, which has the given
    extents."""
    dims = list(range(len(box)))
    data = None
    for codec in codecs:
        name = codec if isinstance(codec, str) else codec["name"]
        conf = {} if isinstance(codec, str) else codec.get("configuration", {})
        if name == "transpose":
            dims = [dims[d] for d in conf["order"]]
        elif name in ("bytes", "vlen-utf8", "sharding_indexed"):
            shape = [box[d] for d in dims]

            def element(index):
                at = [0] * len(box)
                for i, d in zip(index, dims):
                    at[d] = i
                return get(tuple(at))

            if name == "sharding_indexed":
                data = shard(conf, shape, kind, element)
            else:
                row = [element(i) for i in itertools.product(*map(range, shape))]
                if name == "bytes":
                    data = b"".join(pack(kind, v, conf.get("endian", "little")) for v in row)
                else:
                    data = struct.pack("<I", len(row))
                    for s in row:
                        data += struct.pack("<I", len(s.encode())) + s.encode()
        elif name == "gzip":
            data = gzip.compress(data, conf["level"], mtime=0)
        elif name == "crc32c":
            data += struct.pack("<I", crc32c(data))
        elif name == "blosc":
            data = blosc(data, conf["typesize"])
        else:
            raise ValueError(name)
    return data


def shard(conf, shape, kind, element):
    """A shard: inner chunks of zeros alone are missing."""
    inner = conf["chunk_shape"]
    grid = [n // c for n, c in zip(shape, inner)]
    at_start = conf.get("index_location") == "start"
    index_size = 16 * len(list(itertools.product(*map(range, grid)))) + (4 if len(conf["index_codecs"]) > 1 else 0)
    body, entries = b"", []
    for where in itertools.product(*map(range, grid)):

        def get(i):
            return element(tuple(w * c + k for w, c, k in zip(where, inner, i)))

        if all(get(i) == 0 for i in itertools.product(*map(range, inner))):
            entries.append((2**64 - 1, 2**64 - 1))
            continue
        data = encode(conf["codecs"], inner, kind, get)
        entries.append((len(body) + (index_size if at_start else 0), len(data)))
        body += data
    mark = "<" if conf["index_codecs"][0]["configuration"]["endian"] == "little" else ">"
    index = b"".join(struct.pack(mark + "QQ", *e) for e in entries)
    if len(conf["index_codecs"]) > 1:
        index += struct.pack("<I", crc32c(index))
    return index + body if at_start else body + index


little = {"name": "bytes", "configuration": {"endian": "little"}}
big = {"name": "bytes", "configuration": {"endian": "big"}}


def write(path, data):
    path = os.path.join(root, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def array(name, kind, shape, chunk, codecs, fill, keys=None, skip=(), fill_value=None, **more):
    """fill is the value as JSON; fill_value what it means, if that is not the same. The chunks in
    skip are missing."""
    keys = keys or {"name": "default"}
    meta = {
        "zarr_format": 3, "node_type": "array", "shape": shape, "data_type": kind, "codecs": codecs, "fill_value": fill,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk}}, "chunk_key_encoding": keys, **more,
    }
    write(name + "/zarr.json", json.dumps(meta, indent=1).encode())
    elements = dict(values(shape, kind))
    missing = fill if fill_value is None else fill_value
    for where in itertools.product(*(range(-(-n // c)) for n, c in zip(shape, chunk))):
        origin = [w * c for w, c in zip(where, chunk)]
        if where in skip:
            for i in itertools.product(*map(range, chunk)):
                at = tuple(o + k for o, k in zip(origin, i))
                if at in elements:
                    elements[at] = missing
            continue

        def get(i):
            pad = "" if kind == "string" else 0
            return elements.get(tuple(o + k for o, k in zip(origin, i)), pad)

        separator = keys.get("configuration", {}).get("separator", "/" if keys["name"] == "default" else ".")
        key = separator.join((["c"] if keys["name"] == "default" else []) + [str(w) for w in where]) or "0"
        write(name + "/" + key, encode(codecs, chunk, kind, get))
    if kind == "string":
        known[name] = {"dtype": kind, "shape": shape, "text": list(elements.values())}
    else:
        known[name] = {"dtype": kind, "shape": shape, "hex": b"".join(
            v if isinstance(v, bytes) else pack(kind, v, "little") for v in elements.values()).hex()}


shutil.rmtree(root, ignore_errors=True)
write("zarr.json", b'{"zarr_format": 3, "node_type": "group", "attributes": {"title": "golden", "depth": 10, "scale": 0.5}}')
write("fill/zarr.json", b'{"zarr_format": 3, "node_type": "group"}')
for kind in codes:
    for codec in (little, big):
        array("type/%s_%s" % (kind, codec["configuration"]["endian"]), kind, [4, 5], [3, 2], [codec],
              False if kind == "bool" else [0, 0] if kind.startswith("complex") else 0, fill_value=0)
array("gzip", "float64", [4, 5], [2, 5], [little, {"name": "gzip", "configuration": {"level": 6}}], 0)
array("crc32c", "uint16", [4, 5], [2, 5], [little, {"name": "crc32c"}], 0)
array("both", "uint16", [4, 5], [2, 5], [big, {"name": "gzip", "configuration": {"level": 1}}, {"name": "crc32c"}], 0)
array("blosc", "int32", [40, 5], [20, 5], [little, {"name": "blosc", "configuration": {
    "cname": "zlib", "clevel": 6, "shuffle": "shuffle", "typesize": 4, "blocksize": 0}}], 0)
array("byte", "uint8", [7], [3], ["bytes"], 0)
array("scalar", "int32", [], [], [little], 0)
array("empty", "int32", [0, 3], [1, 2], [little], 0)
array("transposed", "int16", [3, 4, 5], [2, 3, 2], [{"name": "transpose", "configuration": {"order": [1, 2, 0]}}, little], 0)
array("twice", "int16", [3, 4, 5], [2, 3, 2], [
    {"name": "transpose", "configuration": {"order": [1, 2, 0]}}, {"name": "transpose", "configuration": {"order": [0, 2, 1]}}, little], 0)
for separator in "./":
    for name in ("default", "v2"):
        array("keys/%s_%s" % (name, "dot" if separator == "." else "slash"), "int8", [4, 4], [2, 2], ["bytes"], 0,
              {"name": name, "configuration": {"separator": separator}})
array("keys/v2_plain", "int8", [4, 4], [2, 2], ["bytes"], 0, {"name": "v2"})
array("keys/v2_scalar", "int8", [], [], ["bytes"], 0, {"name": "v2"})
for location in ("start", "end"):
    for checked in (False, True):
        array("shard/%s_%s" % (location, checked), "int16", [8, 12], [4, 6], [{"name": "sharding_indexed", "configuration": {
            "chunk_shape": [2, 3], "codecs": [little, {"name": "gzip", "configuration": {"level": 1}}],
            "index_codecs": [little, {"name": "crc32c"}] if checked else [big], "index_location": location}}], 0, skip=[(1, 1)])
array("shard/transposed", "int16", [8, 12], [4, 6], [
    {"name": "transpose", "configuration": {"order": [1, 0]}},
    {"name": "sharding_indexed", "configuration": {"chunk_shape": [3, 2], "codecs": [
        {"name": "transpose", "configuration": {"order": [1, 0]}}, little], "index_codecs": [little, {"name": "crc32c"}]}}], 0)
array("shard/holes", "int32", [8], [8], [{"name": "sharding_indexed", "configuration": {
    "chunk_shape": [1], "codecs": [little], "index_codecs": [little, {"name": "crc32c"}]}}], 0)
array("fill/nan", "float32", [4, 4], [2, 2], [little], "NaN", skip=[(0, 1)], fill_value=bytes.fromhex("0000c07f"))
array("fill/payload", "float32", [4, 4], [2, 2], [little], "0x7fc00001", skip=[(0, 1)], fill_value=bytes.fromhex("0100c07f"))
array("fill/infinity", "float64", [4, 4], [2, 2], [little], "-Infinity", skip=[(1, 0)], fill_value=float("-inf"))
array("fill/half", "float16", [4, 4], [2, 2], [little], 1.5, skip=[(1, 0)])
array("fill/complex", "complex64", [4, 4], [2, 2], [little], [1.5, "NaN"], skip=[(1, 1)], fill_value=bytes.fromhex("0000c03f0000c07f"))
array("fill/int", "int64", [4, 4], [2, 2], [little], -2**63, skip=[(1, 1)])
array("fill/uint", "uint64", [4, 4], [2, 2], [little], 2**64 - 1, skip=[(1, 1)])
array("fill/bool", "bool", [4, 4], [2, 2], ["bytes"], True, skip=[(1, 1)])
array("text", "string", [5, 3], [2, 2], ["vlen-utf8"], "none", skip=[(1, 0)])
array("described", "float32", [4, 4], [2, 2], [little], 0, attributes={"units": "K", "levels": [1, 2.5, "c"], "of": {"a": None}},
      dimension_names=["y", None], storage_transformers=[], extension={"must_understand": False, "name": "x"})
with open(os.path.join(here, "golden.json"), "w") as f:
    json.dump(known, f, indent=1, sort_keys=True)
