"""Writing datasets of xarray: to_drx.

It keeps to the conventions of ``drx import``: text that names the indices of a dimension becomes their labels, other text
numbers of strings; a variable without dimensions becomes an array of one element.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
from typing import Any, Iterator, Mapping

import numpy as np
import xarray as xr

from ._array import Array
from ._dataset import Dataset, create_dataset, open_dataset
from ._errors import DatasetError, DTypeError, Error, ExistsError, InvalidError, LockedError
from ._fitting import fitting, located
from ._meaning import Meaning, note_valid, with_bounds
from ._text import STRINGS, is_text, numbered, texts
from ._types import NUMBERS, attributes_json

SCALAR = "import.scalar"
NAMELESS = "__values__"  # a variable whose name is None, as xarray calls it in NetCDF files
ENCODING = {"chunksizes", "chunks", "preferred_chunks", "lo", "order", "align", "codec", "dtype", "scale_factor", "add_offset", "_FillValue",
            "missing_value", "_Unsigned", "_Encoding", "units", "calendar", "coordinates", "grid_mapping"}
OPTIONS = ("cache", "goroutines", "durability", "checking")
BLOCK = 64 << 20  # bytes at a time, of variables that are no dask arrays


def to_drx(ds: xr.Dataset | xr.DataArray, path: Any, *, append_dim: str | None = None,
           region: Mapping[str, slice | str] | str | None = None, encoding: Mapping[str, Mapping[str, Any]] | None = None,
           raw: bool = False, **options: Any) -> None:
    """Writes a dataset to a new dataset of DRX, or into one that exists.

    With append_dim the variables with this dimension are appended along it, the others stay as they are. With region,
    as ``{"time": slice(10, 20)}``, what has these dimensions is written there, in positions; with ``{"time": "auto"}``, or
    "auto" for all dimensions, where the coordinate of the dataset is in that of what exists. Without both the folder must
    not exist. Readers see all of it at one moment, or nothing; an exception leaves an existing dataset as it was,
    and no new one.

    encoding is that of xarray, with the keys chunksizes (the extents of a chunk), lo (low bounds), order, align and codec of DRX
    besides those of the CF conventions; what was opened with the engine drx has it already. An existing variable keeps
    its encoding: values are converted to its type, packing, missing value, units and calendar, within the rounding of its
    step, or refused. The coordinates along the other dimensions, and variables without the dimensions that are written,
    must be equal to those that exist, and what is appended must continue the coordinate of append_dim. With raw nothing
    is decoded, converted or compared: numbers are stored as they are.
    options are those of ``drx.open``. Arrays of dask are computed by threads, block by block.
    """
    unknown = options.keys() - OPTIONS
    if unknown:
        raise InvalidError(f"to_drx has no option {', '.join(f'{k}={options[k]!r}' for k in sorted(unknown))}: it has append_dim, "
                           f"region, encoding, raw and {', '.join(OPTIONS)}; without append_dim and region it makes a new dataset")
    _check_region(append_dim, region)
    ds = _as_dataset(ds, path).copy()
    if None in ds.variables:
        ds = ds.rename({None: NAMELESS})
    _check_names(ds, path)
    if append_dim is None and region is None:
        _check_encoding(ds, encoding or {})
        _write_whole(ds, os.fsdecode(path), options)
        return
    with open_dataset(path, "r+", **options) as d:
        with xr.open_dataset(path, engine=_backend()) as old, xr.open_dataset(path, engine=_backend(), decode_cf=False) as stored:
            ds, stored = with_bounds(ds), with_bounds(stored)
            _check_encodings_left(d.name, encoding or {}, old)
            _check_encoding(ds, encoding or {})
            region = located(ds, d.name, old, stored, region)
            names = fitting(ds, d.name, old, stored, append_dim, region, raw)
            if append_dim is not None and ds.sizes[append_dim] == 0:
                return
            where = {append_dim: d.extend(append_dim, ds.sizes[append_dim])} if append_dim is not None else {}
            where = {dim: slice(s.start - d.dims[dim][0], s.stop - d.dims[dim][0]) for dim, s in where.items()}
            _write_into(d, ds, names, {**where, **_sections(region, d)}, stored, raw)


def _check_region(append_dim: str | None, region: Any) -> None:
    if region is None:
        return
    if append_dim is not None:
        raise InvalidError("append_dim and region: want one of them")
    if isinstance(region, str) and region == "auto":
        return
    if not isinstance(region, Mapping) or not region:
        raise InvalidError(f"region {region!r}: want a dict of slices that is not empty, as {{'time': slice(10, 20)}}, or 'auto'")
    for dim, s in region.items():
        if not isinstance(s, slice) and not (isinstance(s, str) and s == "auto"):
            raise InvalidError(f"region of dimension {dim}: {s!r} is no slice, as slice(10, 20), and not 'auto'")


def _as_dataset(ds: xr.Dataset | xr.DataArray, path: Any) -> xr.Dataset:
    if not isinstance(ds, xr.DataArray):
        return ds
    name = ds.name or os.path.basename(os.path.abspath(os.fsdecode(path))).removesuffix(".drx")
    if name in ds.dims and ds.dims != (name,):
        raise InvalidError(f"{path}: the array is named {name!r}, as one of its dimensions {', '.join(map(str, ds.dims))}: rename "
                           "it, or give another path if it has no name")
    return ds.to_dataset(name=name)


def _check_encoding(ds: xr.Dataset, encoding: Mapping[str, Mapping[str, Any]]) -> None:
    """Checks an encoding and gives it to the variables."""
    for name, chosen in encoding.items():
        if name not in ds.variables:
            raise DatasetError(f"encoding: no variable {name!r}: the dataset has {', '.join(map(str, ds.variables))}")
        if not isinstance(chosen, Mapping):
            raise InvalidError(f"encoding of variable {name}: {chosen!r} must be castable to a dict")
        unknown = chosen.keys() - ENCODING
        if unknown:
            raise InvalidError(f"unexpected encoding of variable {name}: {', '.join(sorted(unknown))}; known are "
                               f"{', '.join(sorted(ENCODING))}")
        chosen = dict(chosen)
        for key in {"chunks", "chunksizes"} & chosen.keys():
            chosen[key] = _extents(name, key, chosen[key], ds[name].ndim)
        ds[name].encoding = {**ds[name].encoding, **chosen}


def _check_encodings_left(name: str, encoding: Mapping[str, Any], old: xr.Dataset) -> None:
    for n in encoding:
        if n in old.variables:
            raise InvalidError(f"{name}: variable {n!r} already exists, but encoding was provided: it keeps its own")


def _extents(name: Any, key: str, value: Any, rank: int) -> Any:
    """Extents of a chunk; one number is that of all dimensions."""
    if value is None or value is False:
        return None
    extents = [value] * rank if hasattr(value, "__index__") else value
    if not isinstance(extents, (list, tuple, np.ndarray)) or len(extents) != rank or not all(
        hasattr(c, "__index__") and int(c) > 0 for c in extents
    ):
        raise InvalidError(f"encoding of variable {name}: {key} {value!r}: want the extents of a chunk, {rank} positive numbers")
    return tuple(int(c) for c in extents)


def _check_names(ds: xr.Dataset, path: Any) -> None:
    for kind, names in ("variable", ds.variables), ("dimension", ds.dims), ("attribute", ds.attrs):
        for name in names:
            if not isinstance(name, str):
                raise DTypeError(f"{path}: {kind} {name!r}: a name must be a string or None, which a variable may have")
            if not name:
                raise InvalidError(f"{path}: {kind} {name!r}: a name is a string: string must be length 1 or greater")


def _backend() -> Any:
    from .xarray import DrxBackend

    return DrxBackend


def _encoded(ds: xr.Dataset) -> tuple[dict[str, xr.Variable], dict[str, Any]]:
    """The variables as they are stored, by the CF conventions. Text becomes numbers of strings."""
    variables, attrs = xr.conventions.encode_dataset_coordinates(ds)
    text = {n: numbered(v, name=n) for n, v in variables.items() if is_text(v, n)}
    variables, attrs = xr.conventions.cf_encoder({**variables, **text}, attrs)
    for name, v in variables.items():
        if v.attrs.get("dtype") == "bool":  # which DRX has
            attrs_left = {k: x for k, x in v.attrs.items() if k != "dtype"}
            variables[name] = xr.Variable(v.dims, v.data.astype(bool), attrs_left, v.encoding)
        elif v.dtype.name not in NUMBERS:
            raise DTypeError(f"variable {name}: type {v.dtype}: the types of DRX are {', '.join(NUMBERS)}, and text")
        elif v.dtype.kind in "iu" and name in ds.variables and ds.variables[name].dtype.kind == "f":
            variables[name] = _checked(name, ds.variables[name], v)
    return variables, attrs


def _checked(name: Any, v: xr.Variable, stored: xr.Variable) -> xr.Variable:
    """Floats that xarray has cast to integers, or an error for those out of range, which wrap around."""
    unsigned = str(stored.attrs.get("_Unsigned", "")).lower()
    kind = {"true": "u", "false": "i"}.get(unsigned, stored.dtype.kind)
    low, high = (float(x) for x in (np.iinfo(f"{kind}{stored.dtype.itemsize}").min, np.iinfo(f"{kind}{stored.dtype.itemsize}").max))
    scale, offset = stored.attrs.get("scale_factor", 1), stored.attrs.get("add_offset", 0)

    def check(values: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        x = np.rint((values.astype("f8") - offset) / scale)
        wrong = values[(x < low) | (x > high)]  # NaN is neither
        if wrong.size:
            raise DTypeError(f"variable {name}: {wrong[0]} does not fit {stored.dtype}, as which encoding has it stored: give another dtype or scale_factor")
        return numbers

    if stored.chunks is None:
        check(v.values, stored.values)
        return stored
    data = v.data.map_blocks(check, stored.data, dtype=stored.dtype, meta=np.empty((0,) * v.ndim, stored.dtype))
    return xr.Variable(stored.dims, data, stored.attrs, stored.encoding)


def _write_whole(ds: xr.Dataset, path: str, options: dict[str, Any]) -> None:
    """Makes a dataset under another name beside its own, and renames it when it is complete.

    So a failure leaves nothing, and what a process that was killed has left is replaced by the next call.
    """
    path = path.rstrip("/") or path
    folder, name = os.path.split(path)
    stem, form = (name[:-4], ".drx") if name.endswith(".drx") else (name, "")
    part = os.path.join(folder, f".{stem}.partial{form}")
    if os.path.lexists(path) and not (os.path.isdir(path) and not os.listdir(path)):
        raise ExistsError(f"{path}: it exists already: give another path, or append_dim= or region= to write into it")
    _clear(part)
    try:
        _write_new(ds, part, options)
        os.rename(part, path)
    except BaseException:
        with contextlib.suppress(Error):  # the first error counts
            _clear(part)
        raise
    with contextlib.suppress(OSError):  # some file systems cannot sync a folder
        f = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(f)
        finally:
            os.close(f)


def _clear(part: str) -> None:
    """Removes a dataset that is not complete, unless another process is writing it."""
    if not os.path.lexists(part):
        return
    try:
        open_dataset(part, "r+").discard()
    except LockedError:
        raise
    except Error:  # it was killed while it made the folder
        pass
    if os.path.isdir(part):
        shutil.rmtree(part)
    else:
        os.remove(part)


def _write_new(ds: xr.Dataset, path: Any, options: dict[str, Any]) -> None:
    variables, attrs = _encoded(ds)
    names = [n for n, v in variables.items() if STRINGS in v.attrs and _are_labels(n, ds.variables[n], variables)]
    labels = {n: texts(ds.variables[n]).tolist() for n in names}
    variables = {n: v for n, v in variables.items() if n not in labels}
    with create_dataset(path, attrs=attributes_json(attrs), **options) as d:
        for name, v in variables.items():
            _create(d, str(name), v, ds.variables[name].encoding)
        _store([(variables[name], d[str(name)], {}) for name in variables])
        for dim, known in labels.items():
            for a in d.values():
                if dim in a.dims:
                    a.labels[str(dim)] = known


def _are_labels(name: Any, v: xr.Variable, variables: Mapping[Any, xr.Variable]) -> bool:
    """Whether text names the indices of a dimension that other variables have."""
    known = texts(v).ravel().tolist()
    return v.dims == (name,) and known and len(set(known)) == len(known) and all(known) and any(
        name in o.dims for n, o in variables.items() if n != name
    )


def _create(d: Dataset, name: str, v: xr.Variable, encoding: Mapping[str, Any]) -> None:
    attrs = attributes_json(v.attrs)
    fill = v.attrs.get("_FillValue", v.attrs.get("missing_value"))
    if fill is not None and (np.ndim(fill) or v.dtype.kind in "cb" or STRINGS in v.attrs or isinstance(fill, (str, bytes))
                             or not _holds(v.dtype, fill)):
        fill = None
    if v.ndim == 0:
        d.create_variable(name, v.dtype, [""], shape=[1], fill=fill, attrs={**attrs, SCALAR: True})
        return
    chunks = encoding.get("chunksizes") or encoding.get("chunks")
    if chunks is not None and len(chunks) != v.ndim:
        chunks = None  # a selection of another rank
    lo = encoding.get("lo")
    d.create_variable(
        name, v.dtype, [str(dim) for dim in v.dims], shape=v.shape, attrs=attrs, fill=fill,
        chunks=[max(1, int(c)) for c in chunks] if chunks is not None else None,
        lo=lo if lo is not None and len(lo) == v.ndim and _same_extents(d, v, lo) else None, order=encoding.get("order"),
        align=encoding.get("align"), codec=encoding.get("codec"),
    )


def _holds(dtype: np.dtype, value: Any) -> bool:
    """Whether a type has a number; a fill value that it has not marks nothing."""
    with np.errstate(all="ignore"):
        return dtype.kind == "f" or bool(np.isfinite(value)) and float(np.asarray(value).astype(dtype)) == float(value)


def _same_extents(d: Dataset, v: xr.Variable, lo: Any) -> bool:
    """Whether low bounds agree with those that the dimensions have already."""
    known = d.dims
    return all(known.get(dim, (low, 0))[0] == low for dim, low in zip(v.dims, lo))


def _sections(region: Mapping[str, slice] | None, d: Dataset) -> dict[str, slice]:
    sections = {}
    for dim, s in (region or {}).items():
        lo, hi = d.dims[dim]
        start, stop, _ = s.indices(hi - lo)
        sections[dim] = slice(start, stop)
    return sections


def _write_into(d: Dataset, ds: xr.Dataset, names: list[Any], where: dict[str, slice], stored: xr.Dataset, raw: bool) -> None:
    """Writes variables at positions of dimensions, with the meaning of those that exist."""
    jobs = []
    for n in names:
        v, what = ds.variables[n], f"{d.name}: variable {n}"
        if str(n) not in d:
            _relabel(d, str(n), _label_texts(v, what), where.get(n, slice(None)))
            continue
        a = d[str(n)]
        strings = a.attrs.get(STRINGS)
        if strings is not None:
            if not is_text(v, n):
                raise InvalidError(f"{what}: the array has text, what is written has {v.dtype}: convert it with astype(str)")
            v = numbered(v, strings, n)
            if v.attrs[STRINGS] != strings:
                a.attrs[STRINGS] = v.attrs[STRINGS]
        elif raw:
            if not np.can_cast(v.dtype, a.dtype, "safe"):
                raise DTypeError(f"{what} is {a.dtype_name}, what is written is {v.dtype}")
        else:
            note_valid(what, v, stored.variables[n])
            v = Meaning(what, stored.variables[n]).encoded(v)
        jobs.append((v, a, where))
    _store(jobs)


def _label_texts(v: xr.Variable, what: str) -> list[str]:
    if not is_text(v, what):
        raise InvalidError(f"{what}: the array has text as labels, what is written has {v.dtype}: convert it with astype(str)")
    found: list[Any] = texts(v, what).tolist()
    if not all(found):
        raise InvalidError(f"{what}: label {found.index(next(x for x in found if not x))} is empty or missing: labels are text that is not empty")
    return found


def _relabel(d: Dataset, dim: str, texts: list[str], at: slice) -> None:
    """Sets labels at positions of a dimension."""
    for a in d.values():
        if dim in a.dims:
            known: list[Any] = list(a.labels.get(dim, []))
            known[at] = texts
            a.labels[dim] = known


def _store(jobs: list[tuple[xr.Variable, Array, dict[str, slice]]]) -> None:
    """Writes variables to arrays at positions; those of dask all together, so that what they share is computed once."""
    sources, targets, regions = [], [], []
    for v, a, where in jobs:
        section = tuple(where.get(dim, slice(None)) for dim in v.dims)
        if v.chunks is not None and v.ndim:
            sources.append(v.data)
            targets.append(a)
            regions.append(tuple(slice(*s.indices(n)) for s, n in zip(section, a.shape)))
        elif v.ndim == 0:
            a[0] = v.values
        else:
            for block, to in _blocks(v, a, section):
                a[to] = v[block].values
    if sources:
        import dask.array

        dask.array.store(sources, targets, regions=regions, lock=False, scheduler="threads")


def _blocks(v: xr.Variable, a: Array, section: tuple[slice, ...]) -> Iterator[tuple[tuple[slice, ...], tuple[slice, ...]]]:
    """Boxes of at most BLOCK bytes, in positions of the variable and of the array."""
    starts = [s.indices(n)[0] for s, n in zip(section, a.shape)]
    extents, size = list(v.shape), v.dtype.itemsize
    for d in reversed(range(v.ndim)):  # as many of the last dimensions as fit
        extents[d] = min(v.shape[d], max(1, BLOCK // size))
        size *= max(1, extents[d])
    for at in itertools.product(*(range(0, n, max(1, e)) for n, e in zip(v.shape, extents))):
        block = tuple(slice(i, min(i + e, n)) for i, e, n in zip(at, extents, v.shape))
        yield block, tuple(slice(b.start + s, b.stop + s) for b, s in zip(block, starts))
