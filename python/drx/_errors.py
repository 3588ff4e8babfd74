"""Errors. Each code of the C library has a class, which also derives from the Python class that
fits."""

from __future__ import annotations

import errno
import io
from typing import Any

__all__ = [
    "BoundsError", "BusyError", "CancelledError", "ClosedError", "CorruptError", "DatasetError", "DTypeError",
    "Error", "ExistsError", "FencedError", "ForkError", "GoneError", "HandleError", "IncompleteError",
    "InternalError", "InvalidError", "LibraryError", "LockedError", "MismatchError", "NoAttributeError",
    "NoSpaceError", "NotAllowedError", "NotFoundError", "OutOfMemoryError", "RankError", "ReadOnlyError",
    "SelectionError", "SizeError", "StaleError", "StorageError", "TooLargeError", "VersionError",
]


class Error(Exception):
    """The base of all errors of this package. ``code`` is the number DRX_E... of drx.h, 0 for none.
    """

    code = 0

    def __str__(self) -> str:  # KeyError would quote the message
        return str(self.args[0]) if self.args else ""


class LibraryError(Error, ImportError):
    """libdrx was not found, or is too old."""


class HandleError(Error, ValueError):
    code = 1


class ClosedError(Error, ValueError):
    """The array or dataset was closed."""

    code = 2


class InvalidError(Error, ValueError):
    """An argument that is never valid."""

    code = 3


class RankError(Error, IndexError, ValueError):
    """A wrong number of dimensions, or a dimension that does not exist."""

    code = 4


class BoundsError(Error, IndexError):
    """An index, a section or an extent outside of its limits."""

    code = 5


class TooLargeError(Error, OverflowError):
    """Sizes that cannot be counted in 64 bits."""

    code = 6


class DTypeError(Error, TypeError):
    """A wrong element type, or a value that does not fit it."""

    code = 7


class SizeError(Error, ValueError):
    """A buffer of the wrong size, or strides that overlap."""

    code = 8


class ReadOnlyError(Error, io.UnsupportedOperation):
    """A change of an array that is not open for it."""

    code = 9


class LockedError(Error, BlockingIOError):
    """Somebody else has the array open for writing."""

    code = 10
    errno = errno.EAGAIN


class VersionError(Error):
    """Written by a newer version of DRX."""

    code = 11


class CorruptError(Error, OSError):
    """A file does not hold what was written to it. ``report`` is the report of ``verify``, if it
    found the damage."""

    code = 12
    report: dict[str, Any] | None = None


class IncompleteError(Error, OSError):
    """The target of a copy that is not complete."""

    code = 13


class NotFoundError(Error, FileNotFoundError):
    code = 14
    errno = errno.ENOENT


class ExistsError(Error, FileExistsError):
    code = 15
    errno = errno.EEXIST


class NotAllowedError(Error, PermissionError):
    """The file system does not permit it."""

    code = 16
    errno = errno.EACCES


class NoSpaceError(Error, OSError):
    """The disk or the quota is full."""

    code = 17
    errno = errno.ENOSPC


class StorageError(Error, OSError):
    """Any other error of the file system."""

    code = 18


class NoAttributeError(Error, KeyError):
    code = 19


class OutOfMemoryError(Error, MemoryError):
    code = 20


class MismatchError(Error, ValueError):
    """A copy that should be resumed was another copy."""

    code = 21


class DatasetError(Error, KeyError):
    """A variable, dimension or group that the dataset does not have, or that contradicts it."""

    code = 22


class SelectionError(Error, KeyError):
    """A value or label that no index has, or a condition with a mistake."""

    code = 23


class CancelledError(Error):
    code = 24


class BusyError(Error, RuntimeError):
    """A callback closes the object of its own call."""

    code = 25


class ForkError(Error, RuntimeError):
    """Called in a child process made by fork: start processes by spawn or forkserver."""

    code = 26


class InternalError(Error, RuntimeError):
    """A fault of the library: please report it with the message."""

    code = 27


class StaleError(Error, OSError):
    """The file system shows an old state of a file that others have changed: try again."""

    code = 28
    errno = errno.ESTALE


class FencedError(Error, OSError):
    """Another process has taken the lock over: what was not committed by then is lost. Open the
    array again."""

    code = 29


class GoneError(Error, LookupError):
    """Elements of an earlier commit that were overwritten or dropped since, or that cannot be told
    from later ones."""

    code = 30


# Of drx.mpi.


class DisagreeError(Error, RuntimeError):
    """Processes make different calls, or the same call with arguments that must be equal."""

    code = 100


class FailedError(Error, RuntimeError):
    """Another process could not go on."""

    code = 101


class TimedOutError(Error, TimeoutError):
    """Another process did not come."""

    code = 102


class ThreadError(Error, RuntimeError):
    """This thread must not call MPI."""

    code = 103


def _classes() -> dict[int, type[Error]]:
    found, todo = {}, [Error]
    while todo:
        c = todo.pop()
        todo += c.__subclasses__()
        if c.code:
            found[c.code] = c
    return found


_by_code = _classes()


def error_of(code: int, message: str) -> Error:
    """The exception for a code and a message of the library."""
    e = _by_code.get(code, Error)(message)
    if not e.code:
        e.code = code
    return e


for _name in __all__:
    globals()[_name].__module__ = "drx"
