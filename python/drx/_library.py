"""Finds libdrx, loads it with ctypes, and declares the functions of drx.h."""

from __future__ import annotations

import ctypes
import ctypes.util
import json
import math
import os
import signal
import sys
import threading
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p
from typing import Any, Callable

from ._errors import CorruptError, InvalidError, LibraryError, error_of

ABI = 1  # the interface that this package needs

READ, WRITE, SHARED = 0, 1, 2
HIGH, LOW = 0, 1
UNCHECKED = -1
CANCELLED = 24

PROGRESS = CFUNCTYPE(c_int, c_void_p, c_int64, c_int64)
PART = CFUNCTYPE(c_int, c_void_p, c_int, POINTER(c_int64), POINTER(c_int64), c_int64)

_handle, _text, _ints, _ptr = c_uint64, c_char_p, c_void_p, c_void_p
_out = POINTER(c_void_p)  # text that the library allocates

# The arguments of the functions; all but those of _results return a code. Bounds, strides and
# elements are pointers without a type: bytes, made by struct, pass as they are, and that is the
# fastest way.
_functions: dict[str, list[Any]] = {
    "drx_free": [_ptr], "drx_error": [], "drx_version": [], "drx_abi": [], "drx_code_name": [c_int],
    "drx_dtype_name": [c_int], "drx_dtype_size": [c_int], "drx_dtype_parse": [_text],
    "drx_exists": [_text, _ptr], "drx_remove": [_text], "drx_rename": [_text, _text],
    "drx_copy_files": [_text, _text, PROGRESS, _ptr], "drx_list": [_text, _out],
    "drx_set_memory": [c_int64, _ptr], "drx_set_locks": [_text],
    "drx_diff": [_text, _text, _text, PROGRESS, _ptr, _out], "drx_cut": [_text, _text, _text, PROGRESS, _ptr, _out],
    "drx_sort": [_text, _text, _text, _text, PROGRESS, _ptr, _out],
    "drx_coarsen": [_text, _text, _text, PROGRESS, _ptr, _out], "drx_regrid": [_text, _text, _text, PROGRESS, _ptr, _out],
    "drx_recover": [_text, _text, c_int, PROGRESS, _ptr, _out], "drx_accept_loss": [_text],
    "drx_open": [_text, c_int, _text, _ptr], "drx_create": [_text, c_int, c_int, _ints, _text, _ptr],
    "drx_sync": [_handle], "drx_close": [_handle], "drx_discard": [_handle],
    "drx_rank": [_handle, _ptr], "drx_dtype": [_handle, _ptr], "drx_mode": [_handle, _ptr],
    "drx_bounds": [_handle, c_int, _ptr, _ptr], "drx_chunk": [_handle, c_int, _ptr],
    "drx_dim_name": [_handle, c_int, _out], "drx_name": [_handle, _out],
    "drx_fill_value": [_handle, c_int, _ptr], "drx_info": [_handle, _out], "drx_history": [_handle, _out], "drx_snapshot": [_handle, _out],
    "drx_labels": [_handle, c_int, _out], "drx_set_labels": [_handle, c_int, _text],
    "drx_extend": [_handle, c_int, c_int64, c_int, c_int, _ptr, _ptr],
    "drx_reserve": [_handle, c_int, c_int64, c_int, c_int, _ptr, _ptr],
    "drx_reserve_key": [_handle, _text, c_int, c_int64, c_int, c_int, _ptr, _ptr],
    "drx_shrink": [_handle, c_int, c_int64, c_int], "drx_add_dim": [_handle, _text, _ptr], "drx_rename_dim": [_handle, c_int, _text],
    "drx_compact": [_handle, PROGRESS, _ptr], "drx_recompress": [_handle, _text, PROGRESS, _ptr],
    "drx_read": [_handle, c_int, _ints, _ints, _ints, c_int, _ptr, c_int64, _ints],
    "drx_write": [_handle, c_int, _ints, _ints, _ints, c_int, _ptr, c_int64, _ints],
    "drx_fill": [_handle, c_int, _ints, _ints, _ints, c_int, _ptr],
    "drx_get": [_handle, c_int, _ints, c_int, _ptr], "drx_set": [_handle, c_int, _ints, c_int, _ptr],
    "drx_gather": [_handle, c_int, c_int64, _ints, c_int, _ptr],
    "drx_scatter": [_handle, c_int, c_int64, _ints, c_int, _ptr],
    "drx_attrs": [_handle, _out], "drx_attr": [_handle, _text, _out], "drx_set_attr": [_handle, _text, _text],
    "drx_delete_attr": [_handle, _text],
    "drx_refresh": [_handle, _ptr], "drx_poll": [_handle, c_double, _out],
    "drx_walk": [_handle, c_int, _ints, _ints, _ints, c_int, PART, _ptr],
    "drx_verify": [_handle, PROGRESS, _ptr, _out], "drx_stats": [_handle, _text, PROGRESS, _ptr, _out],
    "drx_relayout": [_handle, _handle, _text, PROGRESS, _ptr, _out],
    "drx_meaning_compare": [_text, _text, _text, _out], "drx_meaning_convert": [_text, _text, _text, c_int64, _ptr, _ptr],
    "drx_import": [_text, c_int, POINTER(_text), _text, PROGRESS, _ptr, _out],
    "drx_export": [_text, _text, _text, PROGRESS, _ptr, _out],
    "drx_select": [_handle, _text, c_int, _out], "drx_select_points": [_handle, _text, c_int, _out],
    "drx_dataset_create": [_text, _text, _ptr], "drx_dataset_open": [_text, c_int, _text, _ptr],
    "drx_dataset_sync": [_handle], "drx_dataset_close": [_handle], "drx_dataset_discard": [_handle],
    "drx_dataset_release": [_handle], "drx_dataset_prepare": [_handle], "drx_dataset_refresh": [_handle], "drx_dataset_info": [_handle, _out],
    "drx_dataset_variable": [_handle, _text, _ptr],
    "drx_dataset_create_variable": [_handle, _text, c_int, c_int, _ints, _text, _ptr],
    "drx_dataset_create_group": [_handle, _text],
    "drx_dataset_extend": [_handle, _text, c_int64, c_int, _ptr, _ptr],
    "drx_dataset_rename": [_handle, _text, _text], "drx_dataset_dim": [_handle, _text, _ptr, _ptr],
    "drx_dataset_coordinate": [_handle, _text, c_int64, c_int64, _ptr],
    "drx_dataset_coordinate_text": [_handle, _text, c_int64, c_int64, _out],
    "drx_dataset_attrs": [_handle, _text, _out], "drx_dataset_set_attr": [_handle, _text, _text, _text],
    "drx_dataset_delete_attr": [_handle, _text, _text],
}
_results = {
    "drx_error": c_char_p, "drx_version": c_char_p, "drx_code_name": c_char_p, "drx_dtype_name": c_char_p,
    "drx_dtype_size": c_size_t, "drx_free": None,
}


def _candidates() -> list[str]:
    """The possible locations of the library, in the order of the search. In a program of MPI that
    of libdrxmp, which has all of libdrx, come first."""
    found = []
    for name in ["drxmp", "drx"] if "mpi4py.MPI" in sys.modules else ["drx"]:
        file = f"lib{name}.dylib" if sys.platform == "darwin" else f"lib{name}.so"
        beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), file)
        system = ctypes.util.find_library(name)
        found += [beside] + ([system] if system else []) + [file]
    return found


def _load() -> ctypes.CDLL:
    """Loads the library: DRX_LIBRARY and no other or, without it, one beside the package or of the
    system."""
    chosen = os.environ.get("DRX_LIBRARY")
    failures = []
    for path in [chosen] if chosen else _candidates():
        if os.path.isabs(path) and not os.path.exists(path):
            failures.append(f"{path}: no such file")
            continue
        try:
            return ctypes.CDLL(path)
        except OSError as e:
            failures.append(str(e) if path in str(e) else f"{path}: {e}")
    raise LibraryError(
        f"libdrx was not found ({'; '.join(failures)}); build it with 'make lib', and install it or set DRX_LIBRARY to "
        "its file; drx.raw reads arrays without it"
    )


def _declare(library: ctypes.CDLL) -> ctypes.CDLL:
    if not hasattr(library, "drx_abi"):
        raise LibraryError(f"{library._name}: not libdrx: it has no function drx_abi")
    if library.drx_abi() < ABI:
        raise LibraryError(f"{library._name}: interface {library.drx_abi()}, this package needs {ABI}: install a newer libdrx")
    for name, arguments in _functions.items():
        f = getattr(library, name)
        f.argtypes, f.restype = arguments, _results.get(name, c_int)
    return library


lib = _declare(_load())


def check(code: int) -> None:
    """Raises the error of the last call of this thread, if there was one."""
    if code:
        raise error_of(code, (lib.drx_error() or b"").decode("utf-8", "replace"))


def call(name: str, *args: Any) -> None:
    check(getattr(lib, name)(*args))


def encode(text: Any, what: str) -> bytes:
    """Text for C, which ends in a NUL. Names of files may be any path-like objects."""
    try:
        text = os.fspath(text)
    except TypeError:
        raise TypeError(f"{what}: want text or a path, not {text!r:.100}") from None
    if isinstance(text, str):
        text = text.encode("utf-8", "surrogateescape")
    if b"\0" in text:
        raise InvalidError(f"{what} {text!r}: it has a NUL")
    return text


def take(name: str, *args: Any) -> str:
    """Calls a function whose last argument is for text, and returns the text."""
    out = c_void_p()
    code = getattr(lib, name)(*args, ctypes.byref(out))
    try:
        check(code)
        return ctypes.string_at(out).decode("utf-8", "surrogateescape") if out else ""
    finally:
        lib.drx_free(out)


def options(values: dict[str, Any]) -> bytes | None:
    """Options as JSON, which has no NaN and no infinities, without those that are None."""
    given = {k: v for k, v in values.items() if v is not None}
    for k, v in given.items():
        if isinstance(v, float) and not math.isfinite(v):
            raise InvalidError(f"{k}={v}: want a finite number")
    return json.dumps(given).encode() if given else None


class Callback:
    """Calls a Python function from C. An exception in it ends the call of C, and ``run`` raises it
    again.

    Python handles Ctrl-C only while it runs Python code: a long call without a callback could not
    be interrupted. So every long call gets a callback, even an empty one. Python would raise
    KeyboardInterrupt at the first instruction of the callback, where nothing can catch it, and
    ctypes would drop it. So a handler records the signal while the call runs, and the program's
    handler is called when the call has ended.
    """

    def __init__(self, kind: Any, f: Callable[..., Any] | None) -> None:
        self._f = f
        self._failure: BaseException | None = None
        self._signal: tuple[int, Any] | None = None
        self.c = kind(self._called)

    def _called(self, _user: Any, *args: Any) -> int:
        try:
            if self._f is not None and self._signal is None:
                self._f(*args)
        except BaseException as e:
            self._failure = e
        return int(self._failure is not None or self._signal is not None)

    def _note(self, number: int, frame: Any) -> None:
        self._signal = number, frame

    def run(self, call: Callable[[], int]) -> None:
        """Makes the call, and raises the exception of the function or the error of the library."""
        handler: Any = signal.getsignal(signal.SIGINT)
        ours = callable(handler) and threading.current_thread() is threading.main_thread()
        if ours:
            signal.signal(signal.SIGINT, self._note)
        try:
            code = call()
        finally:
            if ours:
                signal.signal(signal.SIGINT, handler)
        if self._signal is not None:
            handler(*self._signal)
        if self._failure is not None:
            raise self._failure
        check(code)


def long_call(name: str, *args: Any, progress: Callable[[int, int], Any] | None = None, text: bool = False) -> str:
    """Calls a function whose arguments end in a progress callback and, with text, in a pointer for
    text."""
    back = Callback(PROGRESS, progress)
    out = c_void_p()
    tail = (ctypes.byref(out),) if text else ()
    try:
        back.run(lambda: getattr(lib, name)(*args, back.c, None, *tail))
        return ctypes.string_at(out).decode() if out else ""
    except CorruptError as e:
        e.report = json.loads(ctypes.string_at(out)) if out else None
        raise
    finally:
        lib.drx_free(out)


# In a child made by fork the library does not work; whatever it inherits must not be touched.
_pid = os.getpid()


def forked() -> bool:
    """Whether this process is a child made by fork after the library was loaded."""
    return os.getpid() != _pid
