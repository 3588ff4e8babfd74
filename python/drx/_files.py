"""The mapped files of an array, for drx.raw: four files, one that ends in .drx, or one shared with
other arrays, as in weather.drx/rain."""

from __future__ import annotations

import os

import numpy as np

from ._errors import CorruptError, ExistsError, InvalidError, NotFoundError
from ._header import WITNESS, Header, Stream, names_of

NOTHING = np.empty(0, np.uint8)


def split(name: str) -> tuple[str, str]:
    """The file of an array in one file and, if the file has several arrays, the array's name in it:
    weather.drx and rain.drx."""
    at = name.find(".drx/")
    while at >= 0:
        file, inside = name[: at + 4], os.path.normpath("/" + name[at + 5 :]).lstrip("/")
        if os.path.basename(file) != ".drx" and not os.path.isdir(file) and inside:
            return file, inside if inside.endswith(".drx") else inside + ".drx"
        at = name.find(".drx/", at + 1)
    return name, ""


def journal(name: str) -> str:
    """The name of an array's journals, without their extension. In a file with several arrays they
    are beside the file."""
    file, inside = split(name)
    return f"{file}.{inside[:-4].replace('%', '%25').replace('/', '%2F')}" if inside else name


def resolve(name: str) -> str:
    """The name of the array: without the extension of a file, unless it is in one. If an
    interrupted conversion has left two files of one name, the marked one counts."""
    if split(name)[1]:
        return name
    for ext in ".xmd", ".xta", ".xck", ".xpm":
        if name.endswith(ext) and name != ext:
            name = name[: -len(ext)]
            break
    one = name + ".drx"
    if name.endswith(".drx") or not os.path.exists(one):
        return name
    if not os.path.exists(name + ".xmd") or os.path.getsize(name + ".xmd") == 0:
        return one
    if has_several(one):
        return name
    for form in one, name:
        if os.path.exists(form + ".xcv"):
            return form
    raise ExistsError(f"there are {name}.xmd and {one}, which are two arrays: give the name with its extension")


def has_several(name: str) -> bool:
    """Whether a name is that of a file with several arrays."""
    if not name.endswith(".drx") or not os.path.isfile(name):
        return False
    with open(name, "rb") as f:
        head = f.read(4104)
    return any(word in (head[:8], head[4096:]) for word in (b"DRXFILE2", b"DRXFILE4"))


class Files:
    """The files of an array in several files."""

    def __init__(self, name: str) -> None:
        self.name, self.log_name, self.data_name, self.table_name = name, name + ".xmd", name + ".xta", name + ".xck"
        if os.path.exists(name + ".xcp"):
            raise CorruptError(f"{name}.xcp: a compaction was interrupted: open the array for writing once, with drx")
        if not os.path.exists(self.log_name):
            raise NotFoundError(f"{name}: no such array: there is no file {self.log_name}")

    def head(self) -> bytes:
        """The head of the presence map, which has the length of the log, and an announcement; empty
        if there is none."""
        try:
            with open(self.name + ".xpm", "rb") as f:
                return f.read(64)
        except FileNotFoundError:
            return b""

    def log(self) -> bytes:
        with open(self.log_name, "rb") as f:
            return f.read()

    def map(self, slot: int, version: int) -> None:
        """Maps the files other than the log. slot is the distance of two chunks in bytes."""
        self.slot = slot
        self._data, self._table = _mapped(self.data_name), _mapped(self.table_name)
        self._presence = _mapped(self.name + ".xpm") if version > 1 else NOTHING

    def entry(self, q: int) -> np.ndarray:
        """The entry of chunk q in the table; shorter at the end of the table."""
        return self._table[16 * q : 16 * q + 16]

    def present(self, q: int) -> np.ndarray:
        return self._presence[64 + q : 65 + q]

    def chunk(self, q: int, size: int) -> np.ndarray:
        return self._data[q * self.slot : q * self.slot + size]


class OneFile:
    """An array in one file, alone or one of several: the streams of its log and of its groups of
    chunks."""

    def __init__(self, name: str) -> None:
        file, inside = split(name)
        self.log_name = self.data_name = self.table_name = name
        if not os.path.exists(file):
            raise NotFoundError(f"{name}: no such array: there is no file {file}")
        self._bytes = _mapped(file)
        header = Header(file, self._bytes)
        log = 0
        if header.several:
            log = self._find(header, name, inside)
        elif inside:
            raise NotFoundError(f"{name}: no such array: {file} has one array, which has the name of the file")
        self._log, self._groups = (header.streams.get(n, Stream()) for n in (log, log + 1))
        if not self._log.length or not self._groups.length or not self._groups.shape:
            if inside:
                raise NotFoundError(f"{name}: no such array: its creation was interrupted")
            raise header.corrupt("its header lacks the extents of the log or of the groups")
        self._shape = self._groups.shape
        self._presence = header.streams.get(WITNESS + log)  # files of before have it in the fronts of groups
        if inside and not self.log():
            raise NotFoundError(f"{name}: no such array: its creation was interrupted")

    def _find(self, header: Header, name: str, inside: str) -> int:
        """The stream of the log of an array in a file with several."""
        directory = header.streams.get(0, Stream())
        if not directory.length:
            raise header.corrupt("its header lacks the extents of the directory")
        names = names_of(header, self._all(directory), self._all(header.streams.get(WITNESS, Stream())))
        shown = sorted(n[:-4] for n in names if n.endswith(".drx") and not os.path.basename(n).startswith("."))
        there = f"there are {', '.join(shown[:10])}{', ...' if len(shown) > 10 else ''}" if shown else "there are none"
        if not inside:
            raise InvalidError(f"{name}: it is a file with several arrays, not one: give the name of one, as {name}/NAME; {there}")
        if inside not in names:
            raise NotFoundError(f"{name}: no such array in {header.name}: {there}")
        return names[inside]

    def _all(self, s: Stream) -> bytes:
        return b"".join(self._bytes[offset : offset + length].tobytes() for _, offset, length in s.extents)

    def head(self) -> bytes:
        """The head of the presence map, which says how long the log is, and an announcement."""
        return self._part(self._presence or self._groups, 0, 64).tobytes()

    def log(self) -> bytes:
        return self._all(self._log).rstrip(b"\0")

    def map(self, slot: int, version: int) -> None:
        if slot != self._shape.slot:
            raise CorruptError(f"{self.log_name}: its chunks are {self._shape.slot} bytes apart, the log says {slot}")

    def entry(self, q: int) -> np.ndarray:
        return self._read(self._group(q) + 16 * (q % self._shape.per), 16)

    def present(self, q: int) -> np.ndarray:
        if self._presence:
            return self._part(self._presence, 64 + q, 1)
        return self._read(self._group(q) + 16 * self._shape.per + q % self._shape.per, 1)

    def chunk(self, q: int, size: int) -> np.ndarray:
        return self._read(self._group(q) + self._shape.front + q % self._shape.per * self._shape.slot, size)

    def _group(self, q: int) -> int:
        """The offset of the group of chunk q in its stream."""
        return self._shape.unit + q // self._shape.per * self._shape.group

    def _read(self, at: int, size: int) -> np.ndarray:
        """Some bytes of the groups, which are adjacent in the file; fewer at the end."""
        return self._part(self._groups, at, size)

    def _part(self, s: Stream, at: int, size: int) -> np.ndarray:
        for start, offset, length in s.extents:
            if start <= at < start + length:
                return self._bytes[offset + at - start : offset + min(at + size - start, length)]
        return NOTHING


def _mapped(path: str) -> np.ndarray:
    """The bytes of a file, mapped; none if it is empty or missing."""
    if not os.path.exists(path) or os.path.getsize(path) == 0:
        return NOTHING
    return np.memmap(path, np.uint8, "r").view(np.ndarray)
