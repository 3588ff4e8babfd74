"""The metadata log and the mapping from chunks to their numbers, as specified in FORMAT.md, for
drx.raw."""

from __future__ import annotations

import itertools
import json
import struct
from math import prod
from typing import Any, Callable, Iterator, NamedTuple

from ._errors import CorruptError, VersionError

Box = "list[tuple[int, int]]"


def _crc_table() -> list[int]:
    table = []
    for i in range(256):
        for _ in range(8):
            i = i >> 1 ^ (0x82F63B78 if i & 1 else 0)
        table.append(i)
    return table


_TABLE = _crc_table()


def crc32c(data: bytes) -> int:
    """CRC-32C, a byte at a time: for the lines of a log."""
    c = 0xFFFFFFFF
    for b in data:
        c = _TABLE[(c ^ b) & 0xFF] ^ c >> 8
    return c ^ 0xFFFFFFFF


def read_log(name: str, text: bytes) -> tuple[list[dict[str, Any]], int, bytes]:
    """The records of a log, the number of its commits and the digits of the last one. A last line
    that a crash has truncated is ignored."""
    records: list[dict[str, Any]] = []
    digits, n = b"", 0
    lines = text.split(b"\n")
    for i, line in enumerate(lines):
        last = i == len(lines) - 1
        if last and not line:
            break
        if line[:8] != b"%08x" % crc32c(digits + line[9:]):
            if last or i == len(lines) - 2 and (not lines[-1]) and b"\0" * 512 in line:
                break
            raise CorruptError(f"{name}: line {i + 1} does not agree with its checksum")
        digits, n = line[:8], n + 1
        commit = json.loads(line[9:])
        records += commit if isinstance(commit, list) else [commit]
    return records, n, digits


def check_end(name: str, head: bytes, commits: int, digits: bytes) -> None:
    """Refuses a log that has lost lines that the head of the presence map knows. The head must be
    read before the log."""
    if (known := known_commits(head)) is None:
        return
    if known > commits:
        raise CorruptError(f"{name}: lines at its end are missing: it has {commits}, the presence map knows of {known}")
    if known == commits and head[16:24] != digits:
        raise CorruptError(f"{name}: line {commits} begins with {digits.decode()}, the presence map knows it as "
                           f"{head[16:24].decode('ascii', 'replace')}: one of them is of another time")


def known_commits(head: bytes) -> int | None:
    """The number of commits in the head of the presence map, None if the head is invalid."""
    if len(head) < 32 or head[:8] != b"DRXPRES1" or head[28:32] != struct.pack("<I", crc32c(head[:28])):
        return None
    return int(struct.unpack("<Q", head[8:16])[0])


def check_announced(name: str, head: bytes, commits: int, digits: bytes, chunks: int, has: Callable[[int], bool]) -> None:
    """Refuses a table that has lost entries of the last commit, whose writer died before it set
    their presence bytes. has reports whether a chunk has an entry."""
    known = known_commits(head)
    said = head[32:60]
    if known is not None and known >= commits or len(said) < 28 or said[:8] != digits or said[24:] != struct.pack("<I", crc32c(said[:24])):
        return
    first, announced = struct.unpack("<qq", said[8:24])
    found = sum(has(q) for q in range(first, chunks))
    if found < announced:
        raise CorruptError(f"{name}: {announced - found} entries of chunks from {first} on are lost that commit {commits} has written")


class Segment(NamedTuple):
    """The chunks added by one uninterrupted extension: on the low side or not, of a dimension (None
    for the creation)."""

    dim: int | None
    low: bool
    first: int
    box: list[tuple[int, int]]

    def number(self, index: tuple[int, ...]) -> int:
        """The number of a chunk of this segment: row-major, but with its dimension slowest and, if
        low, descending."""
        dims = [d for d in range(len(index)) if d != self.dim]
        at = 0
        for d in ([] if self.dim is None else [self.dim]) + dims:
            a, b = self.box[d]
            at = at * (b - a) + (b - 1 - index[d] if self.low and d == self.dim else index[d] - a)
        return self.first + at

    def chunks(self, lo: list[int], hi: list[int]) -> Iterator[tuple[int, ...]]:
        """The indices of its chunks in a box of the grid."""
        return itertools.product(*(range(max(a, c), min(b, e)) for (a, b), c, e in zip(self.box, lo, hi)))


class State:
    """The state that results from the records of a log."""

    def __init__(self, name: str, records: list[dict[str, Any]]) -> None:
        if not records:
            raise CorruptError(f"{name}: it has no first line")
        head = records[0]
        if head.get("drx") not in (1, 2):
            raise VersionError(f"{name}: version {head.get('drx')} of the format: drx.raw reads 1 and 2")
        self.version: int = head["drx"]
        self.dtype: str = head["dtype"]
        self.order: str = head["order"]
        self.fill: Any = head["fill"]
        self.align: int = head.get("align", 1)
        self.lo, self.hi, self.chunk = list(head["lo"]), list(head["hi"]), list(head["chunk"])
        self.dims: list[str] = list(head.get("dims") or [""] * len(self.lo))
        self.attrs: dict[str, Any] = {}
        self.codecs = {head.get("codec", "none")}  # codecs that chunks may be compressed by
        self.segments: list[Segment] = []
        self.total = 0
        self._grid = [[a // c, -(-b // c) if b > a else a // c] for a, b, c in zip(self.lo, self.hi, self.chunk)]
        self._adjoin(None, False, [(a, b) for a, b in self._grid])
        for r in records[1:]:
            self._apply(name, r)
        if used := self.codecs - {"none"}:
            raise VersionError(f"{name}: its chunks are compressed by {' and '.join(sorted(used))}: drx.raw reads chunks as they are, open it with drx.open")

    def _apply(self, name: str, r: dict[str, Any]) -> None:
        if "extend" in r:
            self._extend(r["extend"], r["by"], r.get("low", False))
        elif "shrink" in r:
            side, by = (self.lo, r["by"]) if r.get("low") else (self.hi, -r["by"])
            side[r["shrink"]] += by
        elif "adddim" in r:
            for values, v in (self.lo, 0), (self.hi, 1), (self.chunk, 1), (self.dims, r["adddim"]):
                values.append(v)  # type: ignore[arg-type]
            self._grid.append([0, 1])
            self.segments = [s._replace(box=[*s.box, (0, 1)]) for s in self.segments]
        elif "renamedim" in r:
            self.dims[r["renamedim"]] = r["name"]
        elif "attr" in r:
            self.attrs.update(r["attr"])
        elif "delattr" in r:
            for n in r["delattr"]:
                self.attrs.pop(n, None)
        elif "format" in r:
            self.version = r["format"]
        elif "recompress" in r:
            self.codecs.add(r["recompress"])
        elif "recompressed" in r:
            self.codecs = {r["recompressed"]}
        elif not {"journal", "reserve", "id", "shared"} & r.keys():
            raise VersionError(f"{name}: the log has the record {json.dumps(r)}, which a newer version of DRX has written")

    def _extend(self, d: int, by: int, low: bool) -> None:
        if low:
            self.lo[d] -= by
        else:
            self.hi[d] += by
        for side in (not low, low):  # the other side too, if the dimension was empty within a chunk
            old = self._grid[d][0 if side else 1]
            end = self.lo[d] // self.chunk[d] if side else -(-self.hi[d] // self.chunk[d])
            if end < old if side else end > old:
                self._grid[d][0 if side else 1] = end
                box = [(a, b) for a, b in self._grid]
                box[d] = (min(old, end), max(old, end))
                self._adjoin(d, side, box)

    def _adjoin(self, d: int | None, low: bool, box: list[tuple[int, int]]) -> None:
        n = prod(b - a for a, b in box)
        if not n:
            return
        last = self.segments[-1] if self.segments else None
        if last and last.dim == d and last.low == low and d is not None and all(
            e == d or x == y for e, (x, y) in enumerate(zip(last.box, box))
        ):  # it continues the formula of the last one
            both = list(last.box)
            both[d] = (min(last.box[d][0], box[d][0]), max(last.box[d][1], box[d][1]))
            self.segments[-1] = last._replace(box=both)
        else:
            self.segments.append(Segment(d, low, self.total, box))
        self.total += n
