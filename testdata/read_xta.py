"""Reads elements of a DRX array as internal/metalog/FORMAT.md describes it, or
internal/onefile/FORMAT.md one in one file, alone (rain.drx) or with others (weather.drx/rain),
without any DRX code. usage: read_xta.py ARRAY < indices, one "i,j,..." a line; prints each
element's bytes in hex."""
import json, re, struct, sys
from itertools import product
from math import prod
from os.path import isfile
name = sys.argv[1]

def crc32c(data):
    crc = 0xffffffff
    for b in data:
        crc ^= b
        for _ in range(8): crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff

def whole_copy(c, n):                                    # of record or entry n
    return any(c) and struct.unpack("<I", c[:4])[0] == crc32c(c[4:] + struct.pack("<Q", n))

class OneFile:                                           # extents of streams, and the shapes of groups
    def __init__(self, name, inside=""):
        self.file, self.extents, self.shapes, self.log_stream = open(name, "rb"), {}, {}, 0
        head = self.file.read(8192)
        assert {head[:8], head[4096:4104]} & ({b"DRXFILE2", b"DRXFILE4"} if inside else {b"DRXFILE1", b"DRXFILE3"}), name
        first, second, n, end = 512, 4608, 0, 56         # a record block: where its two copies are, and its records
        while n < end:
            copies = [self.bytes(at, 64) for at in (first, second)]
            whole = [struct.unpack("<IIIIQQQ", c[:40]) for c in copies if whole_copy(c, n)]
            if whole:
                _, kind, stream, _, a, b, c = max(whole, key=lambda r: r[6])
                if kind == 3: first, second, end = b - 64, b + c // 2 - 64, n + 1 + c // 128
                elif kind == 2: self.shapes[stream] = a, b, c
                else: self.extents.setdefault(stream, []).append((a, b, c))
            first, second, n = first + 64, second + 64, n + 1
        if inside: self.log_stream = self.find(inside if inside.endswith(".drx") else inside + ".drx")
        self.shape = self.shapes[self.log_stream + 1]

    def find(self, name):                                # the stream of the log of an array, in the directory
        names, entries = {}, b"".join(self.stream(0, start, size) for start, _, size in self.extents[0])
        for n in range(len(entries) // 1024):
            for copy in entries[1024 * n:][:512], entries[1024 * n + 512:][:512], self.stream(65536, 512 * n, 512):
                if whole_copy(copy, n):
                    kind, stream, length = struct.unpack("<III", copy[4:16])
                    given = copy[16:16 + length].decode()
                    names = {s: other for s, other in names.items() if s != stream and other != given}
                    if kind == 1: names[stream] = given
                    break
        return next(s for s, given in names.items() if given == name)

    def bytes(self, at, length):
        self.file.seek(at)
        return self.file.read(length).ljust(length, b"\0")

    def groups(self, at, length): return self.stream(self.log_stream + 1, at, length)

    def stream(self, n, at, length):                     # zeros behind the end
        for start, offset, size in self.extents.get(n, []):
            if start <= at < start + size:
                self.file.seek(offset + at - start)
                return self.file.read(min(length, start + size - at)).ljust(length, b"\0")
        return bytes(length)

    def log(self):
        text = b"".join(self.stream(self.log_stream, start, size) for start, _, size in self.extents[self.log_stream])
        return text.rstrip(b"\0").decode().splitlines()

    def locate(self, q):                                 # of the entries of its group, and the number in the group
        slot, per, unit = self.shape
        up = lambda n: -(-n // unit) * unit
        front = up(17 * per)
        return unit + q // per * (front + up(slot * per)), front, q % per

    def head(self):                                      # of the presence map
        return self.stream(65536 + self.log_stream, 0, 32) if 65536 + self.log_stream in self.extents else self.groups(0, 32)

    def entry(self, q):
        group, _, i = self.locate(q)
        return self.groups(group + 16 * i, 16)

    def present(self, q):
        if 65536 + self.log_stream in self.extents: return self.stream(65536 + self.log_stream, 64 + q, 1)
        group, _, i = self.locate(q)                     # as files of versions 1 and 2 have it
        return self.groups(group + 16 * self.shape[1] + i, 1)

    def chunk(self, q, at, n):
        group, front, i = self.locate(q)
        return self.groups(group + front + self.shape[0] * i + at, n)

class Files:                                             # four files
    def __init__(self, name):
        self.data, self.table = open(name + ".xta", "rb"), open(name + ".xck", "rb")
        self.map = None                                  # which arrays of version 1 do not have
        if head["drx"] > 1 or any("format" in r for r in records):
            self.map = open(name + ".xpm", "rb")

    def read(self, file, at, n):
        file.seek(at)
        return file.read(n).ljust(n, b"\0")

    def head(self): return self.read(self.map, 0, 32) if self.map else bytes(32)
    def entry(self, q): return self.read(self.table, 16 * q, 16)
    def present(self, q): return self.map and self.read(self.map, 64 + q, 1)
    def chunk(self, q, at, n): return self.read(self.data, q * slot + at, n)

at = next((m.end() for m in re.finditer(r"\.drx(?=/)", name) if isfile(name[:m.end()])), 0)
one = OneFile(name[:at], name[at + 1:]) if at else OneFile(name) if name.endswith(".drx") else None
commits = [json.loads(line[9:]) for line in (one.log() if one else open(name + ".xmd"))]
head, *records = [r for c in commits for r in (c if isinstance(c, list) else [c])]
lo, hi, chunk = head["lo"], head["hi"], head["chunk"]
size = int(re.sub(r"\D", "", head["dtype"]) or 8) // 8                 # a bool takes 8 bits
grid = [[a // c, -(-b // c) if b > a else a // c] for a, b, c in zip(lo, hi, chunk)]
segments, total = [], 0                                  # of (dimension, low side, first number, box)

def adjoin(d, low, box):
    global total
    if prod(b - a for a, b in box):
        segments.append((d, low, total, box))
        total += prod(b - a for a, b in box)

def number(index, box, first=None, low=False):           # position in a box, dimension `first` slowest
    at = 0
    for d in sorted(range(len(box)), key=lambda d: (d != first, d)):
        a, b = box[d]
        at = at * (b - a) + (b - 1 - index[d] if low and d == first else index[d] - a)
    return at

def curve(index, long, levels, hilbert):                 # along the Morton or the Hilbert curve
    k, key, flip, turn = len(long), 0, 0, 0
    rotate = lambda w, n: (w << n | w >> (k - n)) & ((1 << k) - 1)     # k bits, left by n of 0..k
    for s in reversed(range(levels)):
        w = int("".join(str(index[d] >> s & 1) for d in long), 2)
        if hilbert:
            gray, w = rotate(w ^ flip, turn), 0
            for bit in reversed(range(k)):
                w |= ((gray ^ w >> 1) >> bit & 1) << bit
            other = [bit for bit in range(k) if (w >> bit ^ w) & 1] or [0]
            t = (w ^ w >> 1) ^ 1
            t ^= (t.bit_count() & 1) << other[0]
            flip, turn = flip ^ rotate(t, k - turn), (turn + k - 1 - other[0]) % k
        key = key << k | w
    return key

def position(index):                                     # in a chunk
    long = [d for d, c in enumerate(chunk) if c > 1]
    if head["order"] in ("row", "col") or len(long) < 2:
        dims = range(len(chunk))[::-1 if head["order"] == "col" else 1]
        return number([index[d] for d in dims], [(0, chunk[d]) for d in dims])
    if not keys:
        levels = max(c - 1 for c in chunk).bit_length()
        of = {e: curve(e, long, levels, head["order"] == "hilbert") for e in product(*map(range, chunk))}
        keys.update((e, at) for at, e in enumerate(sorted(of, key=of.get)))
    return keys[index]

def lz4(block):                                          # literals, then a copy of what is `back` bytes before, by turns
    out, at = bytearray(), 0
    while at < len(block):
        token, at = block[at], at + 1
        for n, copy in (token >> 4, False), (token & 15, True):
            if copy and at >= len(block): break          # the last literals have no copy behind them
            if copy: back, at = block[at] | block[at + 1] << 8, at + 2
            more = n == 15
            while more: n, more, at = n + block[at], block[at] == 255, at + 1
            if copy:
                for _ in range(n + 4): out.append(out[-back])
            else: out, at = out + block[at:at + n], at + n
    return bytes(out)

def decode(frame):                                       # of a compressed chunk, which says by which codec
    whole = prod(chunk) * size
    word = lambda at: struct.unpack("<I", frame[at:at + 4])[0]
    kind = "zstd" if frame[:4] == b"(\xb5/\xfd" else "lz4" if word(0) == whole else "blosc"
    if kind == "blosc": assert frame[0] in (1, 2) and word(4) == whole and word(12) == len(frame), f"{name}: a frame of no codec"
    try:
        if kind == "zstd":
            import zstandard
            elements = zstandard.decompress(frame)
        elif kind == "lz4": elements = lz4(frame[4:])
        else:
            import blosc
            elements = blosc.decompress(frame)
    except ImportError as missing:
        sys.exit(f"{name}: chunks are compressed by {kind}, which takes Python's module {missing.name}")
    assert len(elements) == whole, f"{name}: a frame has {len(elements)} bytes of a chunk, not {whole}"
    return elements

keys = {}
assert head["order"] in ("row", "col", "morton", "hilbert"), head["order"]
adjoin(None, False, [tuple(g) for g in grid])
for r in records:
    if "adddim" in r:
        for l, v in (lo, 0), (hi, 1), (chunk, 1), (grid, [0, 1]): l.append(v)
        segments = [(d, low, q, box + [(0, 1)]) for d, low, q, box in segments]
    elif "shrink" in r:
        (lo if r.get("low") else hi)[r["shrink"]] += r["by"] if r.get("low") else -r["by"]
    elif "extend" in r:
        d, low = r["extend"], r.get("low", False)
        (lo if low else hi)[d] += -r["by"] if low else r["by"]
        for side in (not low, low):
            old, end = grid[d][not side], lo[d] // chunk[d] if side else -(-hi[d] // chunk[d])
            if end < old if side else end > old:
                grid[d][not side] = end
                adjoin(d, side, [(min(old, end), max(old, end)) if e == d else tuple(g) for e, g in enumerate(grid)])
slot = -(-prod(chunk) * size // head.get("align", 1)) * head.get("align", 1)
files = one or Files(name)
known = files.head()                                     # what the presence map says of the log
if known[:8] == b"DRXPRES1" and known[28:] == struct.pack("<I", crc32c(known[:28])):
    assert struct.unpack("<Q", known[8:16])[0] <= len(commits), f"{name}: lines of its log are lost"
for line in sys.stdin:
    index = [int(i) for i in line.split(",")]
    at = [i // c for i, c in zip(index, chunk)]
    d, low, first, box = next(s for s in segments if all(a <= i < b for i, (a, b) in zip(at, s[3])))
    q = first + number(at, box, d, low)
    _, written, _, _ = struct.unpack("<IIII", files.entry(q))
    if not written and (files.present(q) or b"").strip(b"\0"):
        sys.exit(f"{name}.xck: the entry of chunk {q} is lost")
    if not written:
        print("unwritten")
        continue
    first = size * position(tuple(i % c for i, c in zip(index, chunk)))
    if written == prod(chunk) * size: element = files.chunk(q, first, size)
    else: element = decode(files.chunk(q, 0, written))[first:first + size]
    print(element.hex())
