"""The header and the directory of a file with arrays, as specified in internal/onefile/FORMAT.md,
for drx.raw. Any contradiction to the specification is a CorruptError, so that no value of a damaged
header is used."""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np

from ._errors import CorruptError, VersionError
from ._log import crc32c

PAGE = 4096
WITNESS = 1 << 16  # and the number of a stream: that of the stream which vouches for it
_BLOCK = 1 << 16  # witnesses have blocks for themselves
_RECORDS = 512  # where they begin in each of the two copies
_HEADER_RECORDS = (PAGE - _RECORDS) // 64
_MAX_END = 1 << 62
_MAX_GROUP = 1 << 60


class Shape(NamedTuple):
    """The groups of a stream: the distance of chunks in bytes, the chunks of a group, and the unit,
    which divides the length of all parts."""

    slot: int
    per: int
    unit: int

    def up(self, n: int) -> int:
        return -(-n // self.unit) * self.unit

    @property
    def front(self) -> int:
        return self.up(17 * self.per)

    @property
    def group(self) -> int:
        return self.front + self.up(self.slot * self.per)

    def possible(self) -> bool:
        return (0 < self.slot <= _MAX_GROUP // max(1, self.per) and 0 < self.per <= 1 << 20
                and 0 < self.unit <= 1 << 42 and self.unit % PAGE == 0)

    def ends_well(self, length: int, last: bool) -> bool:
        """Whether a stream can have a length: it ends with a group or, if it is the last of the
        file, after a front."""
        within = (length - self.unit) % self.group
        return length >= self.unit and (within == 0 or last and within >= self.front)


class Stream:
    """The extents of a stream, (start, offset in the file, length), which are adjacent in the
    stream."""

    def __init__(self) -> None:
        self.extents: list[tuple[int, int, int]] = []
        self.shape: Shape | None = None
        self.length = 0


class Header:
    """The contents of a file's header: its streams by number, and whether it has several arrays."""

    def __init__(self, name: str, data: np.ndarray) -> None:
        self.name, self._data = name, data
        self.several = self._start()
        self.streams: dict[int, Stream] = {}
        self._end, self._last = 2 * PAGE, Stream()  # of the extents so far, and the stream of the last one
        first, apart, count, n = _RECORDS, PAGE, _HEADER_RECORDS, 0
        while count:
            at, apart, more = self._block(first, apart, count, n)
            first, n, count = at, n + count, more
        self._check_end()

    def corrupt(self, text: str) -> CorruptError:
        return CorruptError(f"{self.name}: {text}: the file is damaged, see drx recover")

    def _start(self) -> bool:
        """Checks the sector that never changes, of which one copy may be damaged."""
        copies = [self._data[at : at + _RECORDS].tobytes() for at in (0, PAGE)]
        for c in sorted(copies, reverse=True):  # of two versions the newer one counts
            if c[:7] == b"DRXFILE" and c[7:8] in (b"1", b"2", b"3", b"4") and c[8:60] == struct.pack("<I", 2 * PAGE) + bytes(48):
                if c[60:64] == struct.pack("<I", crc32c(c[:60])) and not any(c[64:]):
                    self.witnesses = c[7:8] > b"2"
                    return c[7:8] in (b"2", b"4")
        if not any(c[:7] == b"DRXFILE" for c in copies):
            raise CorruptError(f"{self.name}: bytes 0 to 7 are not those of an array in one file")
        version = next(c[7:8] for c in copies if c[:7] == b"DRXFILE")
        if version not in (b"1", b"2", b"3", b"4"):
            raise VersionError(f"{self.name}: version {version!r} of the form of one file: drx.raw reads 1 to 4")
        raise self.corrupt("bytes 8 to 511 are not as they were written")

    def _block(self, first: int, apart: int, count: int, n: int) -> tuple[int, int, int]:
        """Reads records n, n+1, ..., whose copies are at first and apart bytes behind it. Returns
        the same of the next record block."""
        ended = False
        for i in range(count):
            record = self._record(n + i, first + 64 * i, apart)
            if record is None:
                ended = True
            elif ended:
                raise self.corrupt(f"record {n + i - 1} of its header is missing")
            elif record[0] == 3:
                return self._next_block(n + i, record, i == count - 1)
            else:
                self._add(n + i, record)
        return 0, 0, 0

    def _record(self, n: int, at: int, apart: int) -> tuple[int, int, int, int, int] | None:
        """The kind of a record, its stream and its three numbers; None if it was never used."""
        copies = [self._data[a : a + 64].tobytes() for a in (at, at + apart)]
        good = []
        for c in copies[: 1 if copies[0] == copies[1] else 2]:
            if len(c) == 64 and c[:4] == struct.pack("<I", crc32c(c[4:] + struct.pack("<Q", n))) and not any(c[12:16] + c[40:]):
                good.append(struct.unpack("<4xII4xQQQ", c[:40]))
        if not good:
            if all(any(c) for c in copies) or any(len(c) < 64 for c in copies):
                raise self.corrupt(f"record {n} of its header is damaged")
            return None
        if any(g[:4] != good[0][:4] or g != good[0] and g[0] != 1 for g in good):
            raise self.corrupt(f"the two copies of record {n} of its header contradict each other")
        return max(good, key=lambda g: g[4])

    def _next_block(self, n: int, record: tuple[int, int, int, int, int], last: bool) -> tuple[int, int, int]:
        _, stream, a, b, c = record
        most = 2 * (-(-64 * (n + 1) // PAGE) * PAGE)  # as large as all before it
        wrong = stream or a or b % PAGE or b < self._end or not 0 < c <= most or c % (2 * PAGE) or b + c > self._data.size
        if wrong or not last:
            raise self.corrupt(f"record {n} of its header, {c} bytes of records at byte {b}, cannot be")
        self._check_last(n)
        self._end, self._last = b + c, Stream()
        return b, c // 2, c // 128

    def _add(self, n: int, record: tuple[int, int, int, int, int]) -> None:
        kind, number, a, b, c = record
        vouched = number - WITNESS if number >= WITNESS else number
        known = vouched < WITNESS if self.several else vouched < 2
        known = known and (number == vouched or self.witnesses and number % 2 == 0)
        if kind not in (1, 2) or not known or self.several and number == 1:
            raise self.corrupt(f"record {n} of its header has kind {kind} and stream {number}")
        s = self.streams.setdefault(number, Stream())
        if kind == 2:
            if s.shape or s.length or number % 2 == 0 or not Shape(a, b, c).possible():
                raise self.corrupt(f"record {n} of its header, the shape {a}, {b}, {c} of stream {number}, cannot be")
            s.shape = Shape(a, b, c)
            return
        wrong = a != s.length or b < self._end or not c or b % PAGE or c % PAGE or c > _MAX_END or b > _MAX_END - c
        if not wrong and number % 2:
            wrong = not s.shape or bool(b % s.shape.unit) or not s.shape.ends_well(a + c, True)
        if number >= WITNESS:
            wrong = wrong or bool(b % _BLOCK or c % _BLOCK)
        if wrong:
            raise self.corrupt(f"record {n} of its header, {c} bytes of stream {number} at byte {b}, cannot be")
        self._check_last(n)
        s.extents.append((a, b, c))
        s.length, self._end, self._last = a + c, b + c, s

    def _check_last(self, n: int) -> None:
        """Checks that a stream that is not the last ends with a group."""
        s = self._last
        if s.shape and not s.shape.ends_well(s.length, False):
            raise self.corrupt(f"the extent before that of record {n} of its header ends within a group")

    def _check_end(self) -> None:
        size = self._data.size
        if size < self._end:
            raise self.corrupt(f"it is cut short at byte {size}: it has {self._end} bytes")
        for at in range(self._end, size, 1 << 24):
            if self._data[at : at + (1 << 24)].any():
                raise self.corrupt(f"it has {size - self._end} bytes behind its end, byte {self._end}, and not all are zeros")


def names_of(header: Header, entries: bytes, mirror: bytes) -> dict[str, int]:
    """The names of the arrays in a file with several, each with the stream of its log."""
    names: dict[str, int] = {}
    ended, latest, count = False, 0, 0
    for n in range(len(entries) // 1024):
        entry = _entry(header, n, entries[1024 * n : 1024 * n + 1024], mirror[512 * n : 512 * n + 512])
        if entry and ended:
            raise header.corrupt(f"entry {n - 1} of its directory is missing")
        ended = not entry
        if entry:
            kind, stream, name = entry
            latest, count = max(latest, stream), n + 1
            names = {other: s for other, s in names.items() if s != stream and other != name}
            if kind == 1:
                names[name] = stream
    lost = [s % WITNESS // 2 * 2 for s in header.streams if s % WITNESS // 2 * 2 > latest]
    if lost:  # an array gets its name before its first record
        raise header.corrupt(f"entry {count} of its directory, or a later one, is lost: it has an array in stream {min(lost)}, and no name for it")
    return names


def _entry(header: Header, n: int, raw: bytes, mirror: bytes) -> tuple[int, int, str] | None:
    """The kind, stream and name of an entry; None if it was never used."""
    copies = [raw[:512], raw[512:]]
    good = []
    for c in copies[: 1 if copies[0] == copies[1] else 2]:
        if any(c) and c[:4] == struct.pack("<I", crc32c(c[4:] + struct.pack("<Q", n))):
            good.append(c)
    if not good and any(mirror) and mirror[:4] == struct.pack("<I", crc32c(mirror[4:] + struct.pack("<Q", n))):
        good.append(mirror)  # the directory has lost it
    if not good and (any(mirror) or all(any(c) for c in copies)):
        raise header.corrupt(f"entry {n} of its directory is damaged")
    if len(good) == 2:
        raise header.corrupt(f"the two copies of entry {n} of its directory contradict each other")
    if not good:
        return None
    kind, stream, length = struct.unpack("<III", good[0][4:16])
    name = good[0][16 : 16 + length].decode("utf-8", "replace")
    ends = name.endswith((".drx", ".drx.new")) if kind == 1 else not length
    if kind not in (1, 2) or stream < 2 or stream % 2 or length > 496 or any(good[0][16 + length :]) or not ends:
        raise header.corrupt(f"entry {n} of its directory has kind {kind}, stream {stream} and name {name!r}")
    return kind, stream, name
