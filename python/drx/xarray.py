"""The bridge to xarray: ``xr.open_dataset("weather", engine="drx")``, and ``to_drx`` for the way
back.

The engine is known to xarray if the package was installed by pip. Otherwise give the class:
``engine=DrxBackend``.
"""

from __future__ import annotations

import os
import sys
import warnings
from functools import partial
from typing import Any, Iterable, Mapping

import numpy as np
import xarray as xr
from xarray.backends import BackendArray, BackendEntrypoint
from xarray.core import indexing

from ._array import Array, open
from ._dataset import Dataset, open_dataset
from ._errors import DatasetError, InvalidError
from ._fancy import Outer
from ._files import has_several
from ._index import Axes, Basic, is_fancy, parse
from ._manage import exists
from ._meaning import NODATA
from ._modes import group_path
from ._text import BYTES, STRINGS, lookup
from ._to_drx import NAMELESS, OWN, SCALAR, to_drx
from ._types import NONFINITE, attribute_value, netcdf_default

__all__ = ["DrxBackend", "to_drx"]

PACKING = ("scale_factor", "add_offset", "_FillValue", "missing_value", "_Unsigned")


class _Elements(BackendArray):
    """The elements of an array for xarray, with the bounds at the time of opening.

    It is pickled by the array's name. Bounds may be larger when it is unpickled: it uses the
    indices of the array, which keep their elements.
    """

    def __init__(self, a: Array, strings: list[str] | None) -> None:
        self._a, self._lo, self._strings = a, a._lo, strings
        self.shape = () if a.attrs.get(SCALAR) is True else a.shape
        self.dtype = a.dtype if strings is None else np.dtype(object)
        self._axes = Axes(a.name, a.dims, a.shape)

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER, self._read)

    def _read(self, key: tuple[Any, ...]) -> np.ndarray:
        entries = parse(key if self.shape == self._axes.shape else (0,), self._axes)
        if is_fancy(entries):
            found = Outer(entries, self._lo, self._a.name).read(self._a)
        else:
            box = Basic(entries, self._lo)
            found = np.empty(box.extents, self._a.dtype)
            self._a._read_box(box.lo, box.hi, box.step, found)
            found = found[box.view]
        if self._strings is None:
            return found
        texts = lookup(self._strings, self._a.attrs.get(BYTES) is True)
        return np.asarray(texts[np.where((found >= 0) & (found < len(self._strings)), found, -1).astype(int)], object)


class _Bands(_Elements):
    """Elements with a scale, or a mark of missing values, for each index of a dimension, which
    xarray does not support: as float64, NaN where missing."""

    def __init__(self, a: Array, dim: int, scales: np.ndarray, offsets: np.ndarray, missing: np.ndarray, marks: np.ndarray,
                 unsigned: bool) -> None:
        super().__init__(a, None)
        self.dtype = np.dtype(np.float64)
        self._dim, self._scales, self._offsets, self._unsigned = dim, scales, offsets, unsigned
        self._missing, self._marks = missing, marks

    @classmethod
    def of(cls, a: Array, attrs: Mapping[str, Any]) -> _Bands | None:
        """The elements of an array, None if it has one scale for all of them, or none."""
        scales, offsets = np.ravel(attrs.get("scale_factor", 1.0)), np.ravel(attrs.get("add_offset", 0.0))
        nodata = attrs.get(NODATA)
        marks = nodata if isinstance(nodata, (list, np.ndarray)) and any(x != nodata[0] for x in nodata) else [None]
        n = max(len(scales), len(offsets), len(marks))
        if n < 2 or scales.dtype.kind not in "iuf" or offsets.dtype.kind not in "iuf" or n not in a.shape:
            return None
        missing = np.ravel([x for name in ("_FillValue", "missing_value") for x in np.ravel(attrs.get(name, []))])
        named = a.dims.index("band") if "band" in a.dims and a.shape[a.dims.index("band")] == n else a.shape.index(n)
        return cls(a, named, np.broadcast_to(scales, n), np.broadcast_to(offsets, n), missing.astype(a.dtype),
                   np.broadcast_to([np.nan if x is None else float(x) for x in marks], n),
                   str(attrs.get("_Unsigned")).lower() == "true" and a.dtype.kind == "i")

    def _read(self, key: tuple[Any, ...]) -> np.ndarray:
        stored = super()._read(key)
        found = stored.astype(np.float64) if not self._unsigned else stored.view(f"u{stored.dtype.itemsize}").astype(np.float64)
        at = np.arange(len(self._scales))[key[self._dim]]
        if at.ndim:  # the dimensions before it that are still there
            before = sum(not isinstance(k, (int, np.integer)) for k in key[:self._dim])
            at = at.reshape((-1,) + (1,) * (found.ndim - before - 1))
        missing = np.isin(stored, self._missing) | (stored == self._marks[at])
        return np.where(missing, np.nan, found * self._scales[at] + self._offsets[at])


class DrxBackend(BackendEntrypoint):
    """Opens datasets and single arrays of DRX, lazily. dask's chunks are the chunks of the arrays.
    """

    description = "Datasets and arrays of DRX"
    open_dataset_parameters = (
        "filename_or_obj", "mask_and_scale", "decode_times", "concat_characters", "decode_coords", "drop_variables",
        "use_cftime", "decode_timedelta", "group", "cache_bytes", "goroutines", "commit",
    )

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        try:
            name = os.fspath(filename_or_obj)
        except TypeError:
            return False
        name = os.fsdecode(name)
        return name.endswith((".xmd", ".drx")) or any(os.path.exists(name + end) for end in ("/.dataset.xmd", ".xmd", ".drx"))

    def open_dataset(self, filename_or_obj: Any, *, mask_and_scale: bool = True, decode_times: bool = True,
                     concat_characters: bool = True, decode_coords: Any = True,
                     drop_variables: str | Iterable[str] | None = None, use_cftime: bool | None = None,
                     decode_timedelta: bool | None = None, group: str | None = None, cache_bytes: int | None = None,
                     goroutines: int | None = None, commit: int | str | Mapping[str, int | str] | None = None) -> xr.Dataset:
        """Opens an array or a dataset. With commit all that read the result, in whatever process,
        find the elements of one time, or get ``GoneError`` for chunks that were overwritten or
        dropped since: "last"; for an array also a number or an ``Array.snapshot``; for a dataset
        one for each variable. ``encoding["commit"]`` of the result is what opens the same again.
        """
        drop = {drop_variables} if isinstance(drop_variables, str) else set(drop_variables or ())
        options: dict[str, Any] = {"cache": cache_bytes, "goroutines": goroutines}
        name = os.fspath(filename_or_obj)
        if not os.path.lexists(name) and not exists(name) and has_several(os.fsdecode(name) + ".drx"):
            name = os.fsdecode(name) + ".drx"
        if not (os.path.isdir(name) or has_several(os.fsdecode(name))) or exists(name):
            source: Any = open(name, commit=commit, **options)
            arrays, attrs = {_stem(source.path): source}, {}
        else:
            source = open_dataset(name, **options)
            arrays, attrs = _of_group(source, group_path(group))
            if isinstance(commit, Mapping) and (unknown := [str(n) for n in commit if n not in arrays]):
                raise InvalidError(f"commit: there are no variables {', '.join(unknown)}")
            if commit is not None:
                arrays = _as_of(arrays, commit, options)
        variables = _variables({n: a for n, a in arrays.items() if n not in drop}, mask_and_scale)
        variables, attrs, coords = xr.conventions.decode_cf_variables(
            variables, attrs, concat_characters, mask_and_scale, decode_times, decode_coords, drop_variables, use_cftime,
            decode_timedelta,
        )
        ds = xr.Dataset(variables, attrs=attrs)
        ds = ds.set_coords(coords & set(variables))
        _warn_of_many_chunks(ds, _asked_chunks())
        ds.set_close(source.close if commit is None else partial(_close, [source, *arrays.values()]))
        ds.encoding["source"] = os.path.abspath(name)
        if commit is not None:
            taken = {n: a.snapshot for n, a in arrays.items()}
            ds.encoding["commit"] = taken if isinstance(source, Dataset) else source.snapshot
        return ds


MANY_CHUNKS = 100_000  # dask needs about a kilobyte and a millisecond for each


def _asked_chunks() -> Any:
    """The argument ``chunks`` of the call of xarray that has called the engine; None without one.

    xarray does not pass it on: engines say which chunks they prefer, and never see what is made of
    them.
    """
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_name == "open_dataset" and frame.f_globals.get("__name__") == "xarray.backends.api":
            return frame.f_locals.get("chunks")
        frame = frame.f_back
    return None


def _warn_of_many_chunks(ds: xr.Dataset, chunks: Any) -> None:
    """Warns of variables that dask would divide into more than MANY_CHUNKS, with a way out."""
    if not isinstance(chunks, Mapping):  # "auto" and numbers choose the chunks; None has none
        return
    for name, v in ds.variables.items():
        preferred = v.encoding.get("preferred_chunks", {})
        count = 1
        for dim, n in zip(v.dims, v.shape):
            each = chunks.get(dim) or preferred.get(dim, n)
            if isinstance(each, str):  # "auto"
                count = 0
            elif isinstance(each, tuple):
                count *= len(each)
            elif each > 0:
                count *= -(-n // each)
        if count > MANY_CHUNKS:
            warnings.warn(f"dask makes {count} chunks of {name}, a task for each, which takes minutes before it computes: open it with "
                          f'chunks="auto", which joins the chunks of the array, or give larger ones', stacklevel=4)


def _stem(path: str) -> str:
    name = os.path.basename(path)
    return name[:-4] if name.endswith(".drx") else name


def _close(all_of: Iterable[Array | Dataset]) -> None:
    for x in all_of:
        if not x.closed:
            x.close()


def _as_of(arrays: Mapping[str, Array], commit: Any, options: dict[str, Any]) -> dict[str, Array]:
    """The arrays of a dataset as they were after their commits, with the bounds that they had in
    common.

    A dataset has no commits of its own: each variable has. A dimension has grown when its
    coordinate, or else the last of its variables, has: so its bounds are what all have.
    """
    if commit != "last" and not isinstance(commit, Mapping):
        raise InvalidError(f'commit={commit!r}: of a dataset want "last", or a commit for each variable, as encoding["commit"] has them')
    if commit != "last" and (missing := [n for n in arrays if n not in commit]):
        raise InvalidError(f"commit: it lacks the variables {', '.join(missing)}")
    then = {n: open(a.path, commit="last" if commit == "last" else commit[n], **options) for n, a in arrays.items()}
    common: dict[str, tuple[int, int]] = {}
    for n, a in then.items():
        for dim, (lo, hi) in zip(a.dims, a.bounds):
            if dim:
                common[dim] = max(lo, common.get(dim, (lo, hi))[0]), min(hi, common.get(dim, (lo, hi))[1])
    for n, a in then.items():
        bounds = [common.get(dim, own) for dim, own in zip(a.dims, a.bounds)]
        a._set_bounds(tuple(lo for lo, _ in bounds), tuple(max(lo, hi) for lo, hi in bounds), a.dims)
    return then


def _of_group(d: Dataset, group: str) -> tuple[dict[str, Array], dict[str, Any]]:
    """The arrays of a group by their names in it, with the coordinates that its dimensions have in
    enclosing folders."""
    info = d.info()
    if group and group not in info["groups"]:
        raise DatasetError(f"{d.name}: no group {group!r}: it has {', '.join(d.groups) or 'none'}")
    broken = {n: v["error"] for n, v in info["variables"].items() if "error" in v and os.path.dirname(n) == group}
    if broken:
        raise DatasetError(f"{d.name}: {'; '.join(f'{n}: {e}' for n, e in broken.items())}")
    arrays = {os.path.basename(n): d[n] for n in info["variables"] if os.path.dirname(n) == group}
    for n in [n for n in info["variables"] if os.path.dirname(n) == group]:
        for dim in info["variables"][n]["dims"]:  # with the path of the group that it belongs to
            name = os.path.basename(dim)
            if name not in arrays and dim in info["variables"]:
                arrays[name] = d[dim]
    return arrays, _attributes(d.group_attrs(group))


def _variables(arrays: Mapping[str, Array], scaled: bool = True) -> dict[Any, xr.Variable]:
    variables: dict[Any, xr.Variable] = {}
    labels: dict[str, list[str | None]] = {}
    for name, a in arrays.items():
        attrs = _attributes(a.attrs)
        strings = a.attrs.get(STRINGS)
        if strings is not None:
            missing_texts = [x for n in ("_FillValue", "missing_value") for x in np.ravel(np.asarray(attrs.get(n, []), object))]
            strings = [None if s in missing_texts else s for s in strings]
        data = indexing.LazilyIndexedArray(_Elements(a, strings))
        dims = () if not data.shape and a.ndim == 1 else tuple(_dim_names(name, a))
        if "_FillValue" not in attrs and strings is None and a.dtype.kind != "b" and not netcdf_default(a.fill_value):
            attrs["_FillValue"] = a.fill_value
        if not {"_FillValue", "missing_value"} & attrs.keys() and np.size(attrs.get(NODATA, [])) == 1:
            attrs["_FillValue"] = attrs[NODATA]
        for n in {"_FillValue", "missing_value"} & attrs.keys():
            missing = _missing(attrs.pop(n), a)
            if missing is not None and strings is None:
                attrs[n] = missing
        encoding = _encoding(a, dims)
        if scaled and strings is None and (bands := _Bands.of(a, attrs)) is not None:
            data = indexing.LazilyIndexedArray(bands)
            for n in (*PACKING, NODATA):  # not into the encoding: xarray would apply the list along the last dimension
                attrs.pop(n, None)
        if strings is not None and "_Encoding" in attrs:  # the text has been decoded
            encoding["_Encoding"] = attrs.pop("_Encoding")
        variables[name] = xr.Variable(dims, data, attrs, encoding)
        for dim, texts in a.labels.items():
            labels.setdefault(os.path.basename(dim), texts)
    if NAMELESS in variables:
        variables[None] = variables.pop(NAMELESS)
    used = {dim for v in variables.values() for dim in v.dims}
    for name in [n for n in used if n in variables and n not in variables[n].dims]:
        warnings.warn(f"variable {name} is left out: xarray has no variable with the name of a dimension that it lacks", stacklevel=4)
        del variables[name]
    for dim, texts in labels.items():
        if dim not in variables:
            variables[dim] = xr.Variable((dim,), np.array([t or "" for t in texts], object))
    return variables


def _missing(value: Any, a: Array) -> Any:
    """Missing values in the type of the array: JSON does not distinguish float32 from float64. None
    if the type has none of them.

    A number that the type cannot represent, and text, are no elements. With _Unsigned it may be the
    same bits with another sign.
    """
    found = []
    for x in np.ravel(np.asarray(value, object)):
        if isinstance(x, (str, bytes)) or x is None:
            continue
        if a.dtype.kind in "iu":
            number = _as(x, a.dtype) if np.isfinite(x) else None
            if number is not None and (int(number) == x or "_Unsigned" in a.attrs):
                found.append(number)
        else:
            found.append(np.asarray(x).astype(a.dtype)[()])
    return None if not found else found[0] if len(found) == 1 else np.array(found, a.dtype)


def _as(x: Any, dtype: np.dtype) -> Any:
    """A number in an integer type, even if it means the same bits with another sign; None if the
    type lacks it."""
    whole = int(x) if float(x) == int(x) else None
    if whole is None:
        return None
    info = np.iinfo(dtype)
    if not info.min <= whole <= info.max:
        whole += 2**info.bits if whole < 0 else -(2**info.bits)
    return dtype.type(whole) if info.min <= whole <= info.max else None


def _dim_names(name: str, a: Array) -> Iterable[str]:
    for d, dim in enumerate(a.dims):
        yield os.path.basename(dim) or f"{name}_{d}"


def _attributes(attrs: Mapping[str, Any]) -> dict[str, Any]:
    special = attrs.get(NONFINITE, [])
    return {n: attribute_value(n, v, n in special) for n, v in attrs.items() if not n.startswith(OWN)}


def _encoding(a: Array, dims: tuple[str, ...]) -> dict[str, Any]:
    """The encoding from which ``to_drx`` recreates the array, and the chunks that dask prefers."""
    if not dims:
        return {}
    preferred: dict[str, Any] = {}
    for dim, c, lo, n in zip(dims, a.chunks, a._lo, a.shape):
        first = c - lo % c  # the elements of the first chunk, which begins below the low bound if that is within it
        if first == c:
            preferred[dim] = min(c, n) if n else c
        elif n:
            rest = max(0, n - first)
            preferred[dim] = (min(first, n),) + (c,) * (rest // c) + ((rest % c,) if rest % c else ())
    codec = a.info().get("codec")
    return {"chunksizes": a.chunks, "preferred_chunks": preferred, "lo": a._lo, **({"codec": codec} if codec else {})}


@xr.register_dataset_accessor("drx")
class _Accessor:
    """``ds.drx.to("weather")`` is ``to_drx(ds, "weather")``."""

    def __init__(self, ds: xr.Dataset) -> None:
        self._ds = ds

    def to(self, path: Any, **options: Any) -> Any:
        return to_drx(self._ds, path, **options)
