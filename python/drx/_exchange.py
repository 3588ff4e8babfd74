"""Files of other formats: import and export."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from ctypes import c_char_p
from typing import Any, Callable

from . import _library
from ._errors import InvalidError
from ._library import encode, long_call
from ._types import NAMES, number_of

Progress = Callable[[int, int], Any]


def name_of(source: Any, what: str) -> bytes:
    """The name of an array, a dataset or a file, which may also be an array or a dataset that is
    open for reading."""
    from ._array import Array
    from ._dataset import Dataset

    if not isinstance(source, (Array, Dataset)):
        return encode(source, what)
    if source.mode != "r" or source._options.get("commit") is not None:
        how = f"in mode {source.mode!r}" if source.mode != "r" else "as of an earlier commit"
        raise InvalidError(f"{source.name}: it is open {how}, and {what} takes what was committed last: close it, or give its name")
    return encode(source.path, what)


def import_file(
    src: Any, dst: Any, *, var: str | Sequence[str] | None = None, append: str | None = None, coordinate: str | None = None,
    format: str | None = None, dtype: Any = None, clip: bool = False, unscale: bool = False, expand: str | None = None,
    low: bool = False, widen: bool = False, any_order: bool = False, alone: bool = False, as_stored: bool = False,
    chunks: Sequence[int] | None = None, codec: str | None = None, digits: int | None = None, bits: int | None = None,
    na: str | Sequence[str] | None = None, decimal: str | None = None, dates: str | None = None, separator: str | None = None,
    units: str | None = None,
    memory: int | None = None, resume: bool = False, bridge: Any = None, progress: Progress | None = None,
) -> dict[str, Any]:
    """Imports a file of another format, or a list of files, into dst: a new array, a new dataset,
    or one that grows along append.

    It does what ``drx import`` does, with its flags; dtype is --as. The result is that of ``drx
    import --json``. bridge is the file of drx-bridge, which HDF5, NetCDF, FITS, MAT, Parquet and
    the formats of GDAL need. progress(done, total) counts bytes; an exception in it ends the
    import, and resume=True continues it. Notes become warnings.

    >>> import numpy as np
    >>> np.save("frame.npy", np.arange(6, dtype="i2").reshape(2, 3))
    >>> drx.import_file(["frame.npy", "frame.npy"], "frames", append="time", dtype="f4")["by"]
    2
    >>> with drx.open("frames") as a: a[-1]
    array([[0., 1., 2.],
           [3., 4., 5.]], dtype=float32)
    """
    files = [src] if isinstance(src, (str, bytes, os.PathLike)) else list(src)
    if not files:
        raise InvalidError(f"{os.fspath(dst)}: import: there are no files")
    names = (c_char_p * max(len(files), 1))(*[encode(f, "src") for f in files])
    chosen = {
        "var": list_of(var), "append": append, "coordinate": coordinate, "format": format, "as": _type_name(dtype), "expand": expand,
        "chunk": None if chunks is None else [int(n) for n in chunks], "codec": codec, "digits": digits, "bits": bits,
        "na": list_of(na), "decimal": decimal, "dates": dates, "separator": separator, "units": units,
        "memory": memory, "bridge": path_of(bridge), "caller": "python", **flags(
            clip=clip, unscale=unscale, low=low, widen=widen, any_order=any_order, alone=alone, as_stored=as_stored, resume=resume
        ),
    }
    return result_of(long_call("drx_import", encode(dst, "dst"), len(files), names, _library.options(chosen), progress=progress, text=True))


def export_file(
    src: Any, dst: Any, *, var: str | Sequence[str] | None = None, format: str | None = None, append: str | None = None,
    deflate: int | None = None, codec: str | None = None, digits: int | None = None, bits: int | None = None,
    dtype: Any = None, clip: bool = False,
    sel: str | Sequence[str] | None = None, exact: bool = False, lo: Sequence[int] | None = None, hi: Sequence[int] | None = None,
    step: Sequence[int] | None = None, alone: bool = False, as_stored: bool = False, name: str | None = None, memory: int | None = None,
    bridge: Any = None, progress: Progress | None = None,
) -> dict[str, Any]:
    """Writes an array or a dataset, as it was committed, to the file dst of another format. src is
    its name, or what is open for reading.

    It does what ``drx export`` does, with its flags; dtype is --as, and lo, hi and step are the
    section of an array. The result is that of ``drx export --json``. For bridge and progress see
    import_file.

    >>> a = drx.create("table", shape=(2, 3), dtype="i4")
    >>> a[...] = [[1, 2, 3], [4, 5, 6]]
    >>> a.close()
    >>> drx.export_file("table", "table.zarr", codec="zstd:5", hi=(2, 2), lo=(0, 0))["variables"]
    [{'name': 'table', 'dtype': 'int32', 'shape': [2, 2]}]
    """
    chosen = {
        "var": list_of(var), "format": format, "append": append, "deflate": deflate, "codec": codec,
        "digits": digits, "bits": bits, "as": _type_name(dtype),
        "sel": list_of(sel), "lo": _ints(lo), "hi": _ints(hi), "step": _ints(step), "name": name, "memory": memory,
        "bridge": path_of(bridge), "caller": "python", **flags(clip=clip, exact=exact, alone=alone, as_stored=as_stored),
    }
    return result_of(long_call("drx_export", name_of(src, "export"), encode(dst, "dst"), _library.options(chosen), progress=progress, text=True))


def list_of(value: str | Sequence[str] | None) -> list[str] | None:
    return [value] if isinstance(value, str) else None if value is None else list(value)


def _ints(values: Sequence[int] | None) -> list[int] | None:
    return None if values is None else [int(n) for n in values]


def path_of(value: Any) -> str | None:
    return None if value is None else os.fsdecode(value)


def _type_name(dtype: Any) -> str | None:
    return None if dtype is None else NAMES[number_of(dtype)]


def flags(**flags: bool) -> dict[str, bool]:
    return {name.replace("_", "-"): True for name, on in flags.items() if on}


def result_of(text: str) -> dict[str, Any]:
    result = json.loads(text)
    for note in result.pop("notes", []):
        warnings.warn(note, stacklevel=3)
    return result
