"""Reads elements of a DRX array as internal/metalog/FORMAT.md describes it, without any DRX code.
usage: read_xta.py ARRAY < indices, one "i,j,..." a line; prints each element's bytes in hex."""
import json, re, struct, sys
from itertools import product
from math import prod
name = sys.argv[1]
commits = [json.loads(line[9:]) for line in open(name + ".xmd")]
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

def place(index, box, first=None, low=False):            # position in a box, dimension `first` slowest
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
        return place([index[d] for d in dims], [(0, chunk[d]) for d in dims])
    if not keys:
        levels = max(c - 1 for c in chunk).bit_length()
        of = {e: curve(e, long, levels, head["order"] == "hilbert") for e in product(*map(range, chunk))}
        keys.update((e, at) for at, e in enumerate(sorted(of, key=of.get)))
    return keys[index]

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
data, table = open(name + ".xta", "rb"), open(name + ".xck", "rb")
presence = None                                          # which arrays of version 1 do not have
if head["drx"] > 1 or any("format" in r for r in records):
    presence = open(name + ".xpm", "rb")
for line in sys.stdin:
    index = [int(i) for i in line.split(",")]
    at = [i // c for i, c in zip(index, chunk)]
    d, low, first, box = next(s for s in segments if all(a <= i < b for i, (a, b) in zip(at, s[3])))
    q = first + place(at, box, d, low)
    table.seek(16 * q)
    written = struct.unpack("<IIII", table.read(16).ljust(16, b"\0"))[1]
    if not written and presence:
        presence.seek(64 + q)
        if presence.read(1).strip(b"\0"):
            sys.exit(f"{name}.xck: the entry of chunk {q} is lost")
    data.seek(q * slot + size * position(tuple(i % c for i, c in zip(index, chunk))))
    print(data.read(size).hex() if written else "unwritten")
