"""Text in arrays, stored as by ``drx import``: the elements are numbers of strings, which are in an
attribute.

null among the strings is missing text, like None and NaN. Bytes are stored as text, with a mark
that turns them back to bytes.
"""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
import pandas as pd
import xarray as xr

from ._errors import DTypeError, InvalidError

STRINGS, BYTES = "import.strings", "import.bytes"


def is_text(v: xr.Variable, name: Any = "") -> bool:
    """Whether a variable has text. A mixture of text and bytes is an error."""
    if v.dtype.kind != "O":
        return v.dtype.kind in "US"
    values = np.ravel(v.values)
    there = values[~pd.isnull(values)]
    if not all(isinstance(x, (str, bytes)) for x in there):
        return False
    if len({isinstance(x, bytes) for x in there}) > 1:
        raise DTypeError(f"variable {name}: text and bytes are not stored together: convert it with astype")
    return bool(there.size or not values.size)


def is_bytes(v: xr.Variable) -> bool:
    """Whether the text of a variable is bytes. Characters of NetCDF, which xarray represents as
    bytes, are text."""
    if "char_dim_name" in v.encoding:
        return False
    return v.dtype.kind == "S" or v.dtype.kind == "O" and any(isinstance(x, bytes) for x in np.ravel(v.values))


def texts(v: xr.Variable, name: Any = "") -> np.ndarray:
    """The text of a variable as str, None for missing text."""
    made = np.empty(v.shape, object)
    for at, x in np.ndenumerate(v.values):
        if isinstance(x, bytes):
            try:
                made[at] = x.decode()
            except UnicodeDecodeError:
                raise DTypeError(f"variable {name}: the bytes {x!r} at {list(at)} are no UTF-8: decode them, or store their numbers") from None
        elif isinstance(x, str):
            made[at] = str(x)
    return made


def numbered(v: xr.Variable, known: Sequence[str | None] = (), name: Any = "") -> xr.Variable:
    """Text as numbers of strings; unknown strings follow the known ones."""
    all_texts = texts(v, name)
    strings = list(dict.fromkeys([*known, *all_texts.flat]))
    number = {s: i for i, s in enumerate(strings)}
    data = np.array([number[s] for s in all_texts.flat], np.uint32).reshape(v.shape)
    attrs = {**v.attrs, STRINGS: strings}
    if is_bytes(v):
        attrs[BYTES] = True
    encoding = v.encoding.get("_Encoding") or ("utf-8" if v.encoding.get("dtype") == "S1" else None)
    if encoding:
        attrs["_Encoding"] = encoding
        for s in all_texts.flat:
            _check_encodable(s or "", encoding, name)
    return xr.Variable(v.dims, data, attrs)


def _check_encodable(s: str, encoding: Any, name: Any) -> None:
    try:
        s.encode(encoding)
    except (LookupError, UnicodeEncodeError) as e:
        raise InvalidError(f"variable {name}: {s!r} in the encoding {encoding!r}: {e}") from None


def lookup(strings: Sequence[str | None], as_bytes: bool) -> np.ndarray:
    """The strings for the numbers; the last one is for numbers without a string."""
    found = [np.nan if s is None else s.encode() if as_bytes else s for s in (*strings, "")]
    made = np.empty(len(found), object)
    made[:] = found
    return made


def comparable(values: np.ndarray) -> np.ndarray:
    """Values in a comparable form: bytes become text."""
    if values.dtype.kind == "S" or values.dtype.kind == "O" and any(isinstance(x, bytes) for x in values.flat):
        return texts(xr.Variable([f"d{i}" for i in range(values.ndim)], values))
    return values
