"""Writing datasets of xarray: to_drx.

It follows the conventions of ``drx import``: text that names the indices of a dimension becomes
their labels, other text becomes numbers of strings; a variable without dimensions becomes an array
of one element.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import uuid
from typing import Any, Iterator, Mapping

import numpy as np
import xarray as xr

from ._array import Array
from ._dataset import Dataset, create_dataset, open_dataset
from ._encoding import KEYS, resolve_codec
from ._errors import DatasetError, DTypeError, Error, ExistsError, InvalidError, NotFoundError
from ._fitting import fitting, located
from ._meaning import Meaning, note_valid, with_bounds
from ._modes import chosen, clear, group_path, is_there, publish, remove_group, to_replace
from ._group_view import GroupView
from ._rounding import Rounded, asked, of_attrs
from ._target import array_of, is_local, make_durable, target_of, tidy
from ._text import STRINGS, is_text, numbered, texts
from ._types import NUMBERS, attributes_json

SCALAR = "import.scalar"
NAMELESS = "__values__"  # a variable whose name is None, as xarray calls it in NetCDF files
ENCODING = {"chunksizes", "chunks", "preferred_chunks", "lo", "order", "align", "codec", "dtype", "scale_factor", "add_offset", "_FillValue",
            "missing_value", "_Unsigned", "_Encoding", "units", "calendar", "coordinates", "grid_mapping", "significant_digits", "quantize_mode"}
ENDINGS = (".drx", ".xmd", ".xta", ".xck", ".xpm")
ORDERS = ("row", "col", "morton", "hilbert")
OWN = ("import.", "relayout.", "dataset.", "labels/", "levels/")  # attributes that have a meaning for DRX
OPTIONS = ("cache", "goroutines", "durability", "checking", "wait")
BLOCK = 64 << 20  # bytes at a time, of variables that are no dask arrays


def to_drx(ds: xr.Dataset | xr.DataArray, path: Any, *, mode: str | None = None, group: str | None = None, append_dim: str | None = None,
           region: Mapping[str, slice | str] | str | None = None, encoding: Mapping[str, Mapping[str, Any]] | None = None,
           raw: bool = False, compute: bool = True, **options: Any) -> Any:
    """Writes a dataset to a new dataset of DRX, or into one that exists.

    mode is that of xarray's to_zarr: "w-", the default, makes a dataset, and the path must not
    exist; "w" replaces one that exists; "a" makes the variables that do not exist, in a dataset
    that may exist, and writes over the others; "r+" writes over variables that exist. With
    append_dim the variables with this dimension are appended along it, the others stay as they are
    (mode "a"). With region, as ``{"time": slice(10, 20)}``, variables with these dimensions are
    written at these positions; with ``{"time": "auto"}``, or "auto" for all dimensions, at the
    positions of the dataset's coordinate in the existing one (mode "r+"). Readers see all that is
    new at one moment, or nothing; an exception leaves an existing dataset as it was, and no new
    one.

    group is the path of a group in the dataset, as "model/winter", with dimensions of its own: then
    the call applies to the group as it otherwise does to the dataset, and the rest of the dataset
    stays. Mode "w" removes an existing group before it writes the new one.

    encoding is that of xarray, with the keys chunksizes (the extents of a chunk), lo (low bounds),
    order, align and codec of DRX besides those of the CF conventions; a dataset opened with the
    engine drx has it already. An existing variable keeps its encoding and its attributes: values
    are converted to its type, packing, missing value, units and calendar, within the rounding of
    its step, or refused; and they are rounded as its attribute demands. significant_digits and
    quantize_mode, which is "BitGroom", "GranularBitRound" or "BitRound", round floating-point
    values as netCDF4 does, so that they compress better. The coordinates along the other
    dimensions, and variables without the dimensions that are written, must be equal to those that
    exist, and the appended part must continue the coordinate of append_dim. With raw nothing is
    decoded, converted or compared: numbers are stored as they are. options are those of
    ``drx.open``. Arrays of dask are computed and written block by block, by the scheduler that dask
    uses: by threads of this process or, with a cluster, by its workers, each of which writes its
    blocks. With compute=False the result is a delayed value of dask, whose computation writes and
    then shows a new dataset, or writes a region.
    """
    unknown = options.keys() - OPTIONS
    if unknown:
        raise InvalidError(f"to_drx has no option {', '.join(f'{k}={options[k]!r}' for k in sorted(unknown))}: it has mode, group, append_dim, "
                           f"region, encoding, raw, compute and {', '.join(OPTIONS)}")
    mode, group = chosen(mode, append_dim, region), group_path(group)
    _check_region(append_dim, region)
    ds = _as_dataset(ds, path).copy()
    if None in ds.variables:
        ds = ds.rename({None: NAMELESS})
    _check_names(ds, path)
    path = os.fsdecode(path)
    if not path:
        raise InvalidError("path '': want the path of a dataset")
    into = is_there(path) and (bool(group) or mode in ("a", "a-", "r+"))
    if into or append_dim is not None or mode == "r+":
        if not compute and (group or append_dim is not None or mode != "r+"):
            raise InvalidError("compute=False makes a new dataset, or writes a region or over variables with mode 'r+': compute the rest at once")
        return _write_existing(ds, path, group, mode, append_dim, region, encoding or {}, raw, options, compute)
    _check_encoding(ds, encoding or {})
    return _write_whole(ds, path, group, mode, options, compute)


def _write_existing(ds: xr.Dataset, path: str, group: str, mode: str, append_dim: str | None, region: Any, encoding: Mapping[str, Any],
                    raw: bool, options: dict[str, Any], compute: bool) -> Any:
    """Writes into an existing dataset, or creates a group in it."""
    with open_dataset(path, "r+", **options) as d:
        there = not group or group in d.groups
        if group and mode in ("w", "w-") or not there and mode == "a" and append_dim is None:
            if there and mode == "w-":
                raise ExistsError(f"{d.name}: group {group} exists already: give another one, mode='w' to replace it, or append_dim=, region= or "
                                  "mode='a' to write into it")
            _check_encoding(ds, encoding)
            if there:
                _encoded(ds)  # what cannot be stored is refused before anything is removed
                remove_group(d, group)
            else:
                return _make(d, ds, group, list(ds.variables))
        else:
            return _update(d, ds, group, mode, append_dim, region, encoding, raw, compute)
    with open_dataset(path, "r+", **options) as d:
        return _make(d, ds, group, list(ds.variables))


def _update(d: Dataset, ds: xr.Dataset, group: str, mode: str, append_dim: str | None, region: Any, encoding: Mapping[str, Any], raw: bool,
            compute: bool) -> Any:
    """Appends to variables, or overwrites them, and creates new ones."""
    chosen_group = {"group": group} if group else {}
    with xr.open_dataset(d.path, engine=_backend(), **chosen_group) as old, \
            xr.open_dataset(d.path, engine=_backend(), decode_cf=False, **chosen_group) as stored:
        ds, stored = with_bounds(ds), with_bounds(stored)
        _check_encodings_left(d.name, encoding, old)
        _check_encoding(ds, encoding)
        view = GroupView(d, group)
        region = located(ds, view.name, old, stored, region)
        over = append_dim is None and region is None
        names = fitting(ds, view.name, old, stored, append_dim, region, raw, over and mode == "a")
        if append_dim is not None and ds.sizes[append_dim] == 0:
            return None
        where = {}
        if append_dim is not None:
            view.check_alone(append_dim, [str(n) for n in names])
            new = d.extend(view.dims[append_dim], ds.sizes[append_dim])
            low = view.bounds[append_dim][0]
            where = {append_dim: slice(new.start - low, new.stop - low)}
        if over and mode == "a":
            _make(d, ds, group, [n for n in ds.variables if n not in old.variables])
        return _write_into(view, ds, names, {**where, **_sections(region, view)}, stored, raw, compute)


def _check_region(append_dim: str | None, region: Any) -> None:
    if append_dim is not None and not isinstance(append_dim, str):
        raise InvalidError(f"append_dim {append_dim!r}: want the name of a dimension")
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
        if isinstance(s, slice) and s.step not in (None, 1):
            raise InvalidError(f"region of dimension {dim}: {s!r} has a step: give a slice without one, as slice(10, 20)")


def _as_dataset(ds: xr.Dataset | xr.DataArray, path: Any) -> xr.Dataset:
    if isinstance(ds, xr.Dataset):
        return ds
    if not isinstance(ds, xr.DataArray):
        raise DTypeError(f"{path}: to_drx writes an xarray.Dataset or DataArray, and this is {type(ds).__module__}.{type(ds).__qualname__}: make one of it")
    name = ds.name or os.path.basename(os.path.abspath(os.fsdecode(path))).removesuffix(".drx")
    if name in ds.dims and ds.dims != (name,):
        raise InvalidError(f"{path}: the array is named {name!r}, as one of its dimensions {', '.join(map(str, ds.dims))}: rename "
                           "it, or give another path if it has no name")
    return ds.to_dataset(name=name)


def _check_encoding(ds: xr.Dataset, encoding: Mapping[str, Mapping[str, Any]]) -> None:
    """Checks an encoding and gives it to the variables."""
    if not isinstance(encoding, Mapping):
        raise InvalidError(f"encoding {encoding!r}: want a dict with an encoding for each variable, as {{'rain': {{'codec': 'zstd:3'}}}}")
    for name, chosen in encoding.items():
        if name not in ds.variables:
            raise DatasetError(f"encoding: no variable {name!r}: the dataset has {', '.join(map(str, ds.variables))}")
        if not isinstance(chosen, Mapping):
            raise InvalidError(f"encoding of variable {name}: {chosen!r} must be castable to a dict")
        unknown = chosen.keys() - ENCODING - set(KEYS)
        if "least_significant_digit" in unknown:
            raise InvalidError(f"encoding of variable {name}: least_significant_digit: to_drx rounds to digits of each number: give significant_digits, or "
                               "scale_factor and dtype")
        if unknown:
            raise InvalidError(f"unexpected encoding of variable {name}: {', '.join(map(str, sorted(unknown, key=str)))}; known are "
                               f"{', '.join(sorted(ENCODING))}, and the compression of NetCDF and Zarr")
        chosen = dict(chosen)
        _check_values(name, chosen, ds.variables[name])
        dtype = np.dtype(chosen.get("dtype") or ds[name].dtype)
        if asked(f"encoding of variable {name}", chosen) is not None and dtype.kind not in "fc":
            raise InvalidError(f"encoding of variable {name}: significant_digits: elements of type {dtype} have no fraction to round: leave it out")
        resolve_codec(f"encoding of variable {name}: ", chosen, dtype.itemsize if dtype.kind in "iufcbMm" else np.dtype(np.uint32).itemsize)
        for key in {"chunks", "chunksizes"} & chosen.keys():
            chosen[key] = _extents(name, key, chosen[key], ds[name].ndim)
        ds[name].encoding = {**ds[name].encoding, **chosen}


def _check_values(name: Any, chosen: Mapping[str, Any], v: xr.Variable) -> None:
    """Refuses values of an encoding from which xarray would make other numbers or an obscure error.
    """
    what = f"encoding of variable {name}:"
    try:
        np.dtype(chosen.get("dtype"))
    except TypeError:
        raise DTypeError(f"{what} dtype {chosen['dtype']!r}: the types of DRX are {', '.join(NUMBERS)}, and str") from None
    for key in "scale_factor", "add_offset":
        x = chosen.get(key)
        if x is not None and (np.asarray(x).dtype.kind not in "iuf" or not np.isfinite(x).all() or key == "scale_factor" and not np.all(x)):
            raise InvalidError(f"{what} {key} {x!r}: want a finite number{' that is not 0' if key == 'scale_factor' else ''}")
    stored = np.dtype(chosen.get("dtype") or v.dtype)
    for key in "_FillValue", "missing_value":
        if isinstance(chosen.get(key), (str, bytes)) and stored.kind in "iufcb":
            raise InvalidError(f"{what} {key} {chosen[key]!r}: want a number, as the elements are {stored}")
    if chosen.get("order") not in (None, *ORDERS):
        raise InvalidError(f"{what} order {chosen['order']!r}: the orders of elements in a chunk are {', '.join(ORDERS)}")
    lo = chosen.get("lo")
    if lo is not None and (not isinstance(lo, (list, tuple, np.ndarray)) or len(lo) != v.ndim or not all(hasattr(n, "__index__") for n in lo)):
        raise InvalidError(f"{what} lo {lo!r}: want the low bounds, {v.ndim} integers")


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
        raise InvalidError(f"encoding of variable {name}: {key} {value!r}: want the extents of a chunk, {rank} positive integers")
    return tuple(int(c) for c in extents)


def _check_names(ds: xr.Dataset, path: Any) -> None:
    for kind, names in ("variable", ds.variables), ("dimension", ds.dims), ("attribute", ds.attrs):
        for name in names:
            if not isinstance(name, str):
                raise DTypeError(f"{path}: {kind} {name!r}: a name must be a string or None, which a variable may have")
            if not name:
                raise InvalidError(f"{path}: {kind} {name!r}: a name is a string: string must be length 1 or greater")
            if kind != "attribute" and "/" in name:
                raise InvalidError(f"{path}: {kind} {name!r}: a slash parts the names of groups: rename it"
                                   + (f", or write it as {name.rpartition('/')[2]!r} with group={name.rpartition('/')[0]!r}" if kind == "variable" else ""))
            if kind == "variable" and (name.startswith(".") or name.endswith(ENDINGS)):
                raise InvalidError(f"{path}: {kind} {name!r}: a name does not begin with a dot, nor end in {', '.join(ENDINGS)}, as files of DRX do: rename it")
    for of, attrs in ("", ds.attrs), *((f"variable {n}: ", v.attrs) for n, v in ds.variables.items()):
        own = [k for k in attrs if isinstance(k, str) and k.startswith(OWN)]
        if own:
            raise InvalidError(f"{path}: {of}attribute {own[0]!r}: names that begin with {', '.join(OWN)} are DRX's own: rename it")


def _backend() -> Any:
    from .xarray import DrxBackend

    return DrxBackend


def _encoded(ds: xr.Dataset) -> tuple[dict[str, xr.Variable], dict[str, Any]]:
    """The variables as they are stored, by the CF conventions. Text becomes numbers of strings."""
    variables, attrs = xr.conventions.encode_dataset_coordinates(ds)
    variables = {n: _exact_if_empty(v) for n, v in variables.items()}
    text = {n: numbered(v, name=n) for n, v in variables.items() if is_text(v, n)}
    variables, attrs = xr.conventions.cf_encoder({**{n: _with_one_mark(v) for n, v in variables.items()}, **text}, attrs)
    for name, v in variables.items():
        if v.attrs.get("dtype") == "bool":  # which DRX has
            attrs_left = {k: x for k, x in v.attrs.items() if k != "dtype"}
            variables[name] = xr.Variable(v.dims, v.data.astype(bool), attrs_left, v.encoding)
        elif v.dtype.name not in NUMBERS:
            raise DTypeError(f"variable {name}: type {v.dtype}: the types of DRX are {', '.join(NUMBERS)}, and text")
        elif v.dtype.kind in "iu" and name in ds.variables and ds.variables[name].dtype.kind == "f":
            variables[name] = _checked(name, ds.variables[name], v)
    return variables, attrs


def _with_one_mark(v: xr.Variable) -> xr.Variable:
    """A variable whose encoding has one mark of missing values; they have been NaN since they were
    read.

    xarray can encode neither a list in missing_value nor a missing_value that differs from
    _FillValue, both of which occur in files.
    """
    fill, missing = v.encoding.get("_FillValue"), v.encoding.get("missing_value")
    if missing is None or v.dtype.kind not in "fMm" or isinstance(missing, (str, bytes)):
        return v
    marks = np.ravel(missing)
    if np.ndim(missing) == np.ndim(fill) == 0 and (fill is None or fill == missing or fill != fill and missing != missing):
        return v
    encoding = {k: x for k, x in v.encoding.items() if k != "missing_value"}
    if fill is None and marks.size:
        encoding["missing_value"] = marks[0]
    return xr.Variable(v.dims, v._data, v.attrs, encoding)


def _exact_if_empty(v: xr.Variable) -> xr.Variable:
    """Makes times of a still empty variable exact in nanoseconds; xarray would choose days."""
    if v.size or v.dtype.kind not in "Mm" or "units" in v.encoding or "dtype" in v.encoding:
        return v
    units = "nanoseconds" + (" since 1970-01-01" if v.dtype.kind == "M" else "")
    return xr.Variable(v.dims, v._data, v.attrs, {**v.encoding, "units": units, "dtype": np.dtype("i8")})


def _checked(name: Any, v: xr.Variable, stored: xr.Variable) -> xr.Variable:
    """Floats that xarray has cast to integers. Those out of range, which would wrap around, are an
    error."""
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


def _write_whole(ds: xr.Dataset, path: str, group: str, mode: str, options: dict[str, Any], compute: bool) -> Any:
    """Writes a dataset under another name beside its own, and renames it when it is complete.

    Thus a failure leaves nothing, or the previous dataset, and the next call replaces the remains
    of a killed process. A dataset that is computed later has a name that no other call uses.
    """
    path = path.rstrip("/") or path
    folder, name = os.path.split(path)
    stem, form = (name[:-4], ".drx") if name.endswith(".drx") else (name, "")
    token = "" if compute else f".{uuid.uuid4().hex[:12]}"
    part = os.path.join(folder, f".{stem}{token}.partial{form}")
    old = None
    if not os.path.isdir(folder or "."):
        raise NotFoundError(f"{path}: there is no folder {folder}")
    if is_there(path):
        if mode != "w":
            raise ExistsError(f"{path}: it exists already: give another path, mode='w' to replace it, or append_dim=, region= or mode='a' to write into it")
        old = to_replace(path)
    try:
        clear(part)
        try:
            later = _write_new(ds, part, group, options, compute)
            if not compute:
                return _finished_later(later, os.path.abspath(part), os.path.abspath(path), mode)
            publish(part, path, old)
        except BaseException as e:
            with contextlib.suppress(Error):  # the first error counts
                clear(part)
            if isinstance(e, Error) and e.args:  # it names what is hidden
                e.args = (str(e.args[0]).replace(part, path), *e.args[1:])
            raise
    finally:
        if old is not None:
            old.discard()
    return None


def _write_new(ds: xr.Dataset, path: Any, group: str, options: dict[str, Any], compute: bool) -> Any:
    with create_dataset(path, **options) as d:
        if group:
            d.create_group(group)
        later = _make(d, ds, group, list(ds.variables), pending=False, relaxed=compute, compute=compute)
    if compute and isinstance(later, Written):
        tidy(os.fsdecode(path))
        make_durable(os.fsdecode(path))
    return later


def _finished_later(later: Any, part: str, path: str, mode: str) -> Any:
    """A delayed value that gives a dataset its name when it is written."""
    import dask

    return dask.delayed(_finish, pure=False)(later, part, path, mode)


def _finish(_: Any, part: str, path: str, mode: str) -> None:
    if not os.path.exists(part) and os.path.exists(path):
        return  # a worker has done it, and was killed before it could say so
    old = None
    if is_there(path):
        if mode != "w":
            raise ExistsError(f"{path}: it exists by now: give another path, or mode='w' to replace it; what was written is {part}")
        old = to_replace(path)
    tidy(part)
    make_durable(part)
    try:
        publish(part, path, old)
    finally:
        if old is not None:
            old.discard()


def _make(d: Dataset, ds: xr.Dataset, group: str, new: list[Any], pending: bool = True, relaxed: bool = False, compute: bool = True) -> Any:
    """Creates the new variables of a dataset, in a group, and sets its attributes. If pending, they
    count with the next commit.

    Coordinates come first, because they make a dimension one of the group.
    """
    variables, attrs = _encoded(ds if len(new) == len(ds.variables) else ds[new])
    variables = {n: variables[n] for n in sorted(new, key=lambda n: variables[n].dims != (n,))}
    labels = {n: texts(ds.variables[n]).tolist() for n, v in variables.items() if STRINGS in v.attrs and _are_labels(n, ds.variables[n], ds.variables)}
    variables = {n: v for n, v in variables.items() if n not in labels}
    view = GroupView(d, group, pending)
    for name, v in variables.items():
        _create(view, str(name), v, ds.variables[name].encoding)
    if group and group not in d.groups:  # it has no variables
        d.create_group(group)
    d.group_attrs(group).update(attributes_json(attrs))
    view = GroupView(d, group)
    for dim, known in labels.items():
        for a in view.having(str(dim)):
            a.labels[str(dim)] = known
    jobs = []
    for name, v in variables.items():
        rounding = asked(f"encoding of variable {name}", ds.variables[name].encoding)
        a = view.array(str(name))
        if rounding is not None and v.dtype.kind in "fc":
            a.attrs[rounding.attr] = rounding.digits
            a = Rounded(f"encoding of variable {name}", a, rounding, v.attrs)
        jobs.append((v, a, {}))
    return _store(d, jobs, relaxed, compute)


def _are_labels(name: Any, v: xr.Variable, variables: Mapping[Any, xr.Variable]) -> bool:
    """Whether text names the indices of a dimension that other variables have, too."""
    known = texts(v).ravel().tolist()
    return v.dims == (name,) and known and len(set(known)) == len(known) and all(known) and any(
        name in o.dims for n, o in variables.items() if n != name
    )


def _create(view: GroupView, name: str, v: xr.Variable, encoding: Mapping[str, Any]) -> None:
    attrs = attributes_json(v.attrs)
    fill = v.attrs.get("_FillValue", v.attrs.get("missing_value"))
    if fill is not None and (np.ndim(fill) or v.dtype.kind in "cb" or STRINGS in v.attrs or isinstance(fill, (str, bytes))
                             or not _holds(v.dtype, fill)):
        fill = None
    if v.ndim == 0:
        view.create(name, v.dtype, [""], shape=[1], fill=fill, attrs={**attrs, SCALAR: True})
        return
    chunks = encoding.get("chunksizes") or encoding.get("chunks")
    if isinstance(chunks, (list, tuple, np.ndarray)) and len(chunks) != v.ndim:
        chunks = None  # a selection of another rank
    if isinstance(chunks, (list, tuple)):  # a dimension may have no elements
        chunks = tuple(max(1, c) if hasattr(c, "__index__") else c for c in chunks)
    view.create(
        name, v.dtype, [str(dim) for dim in v.dims], shape=v.shape, attrs=attrs, fill=fill,
        chunks=_extents(name, "chunks", chunks, v.ndim),
        lo=view.low(v.dims, encoding.get("lo")), order=encoding.get("order"), align=encoding.get("align"), codec=encoding.get("codec"),
    )


def _holds(dtype: np.dtype, value: Any) -> bool:
    """Whether a type can represent a number; a fill value that it cannot represent marks nothing.
    """
    with np.errstate(all="ignore"):
        return dtype.kind == "f" or bool(np.isfinite(value)) and float(np.asarray(value).astype(dtype)) == float(value)


def _sections(region: Mapping[str, slice] | None, view: GroupView) -> dict[str, slice]:
    sections = {}
    for dim, s in (region or {}).items():
        lo, hi = view.bounds[dim]
        start, stop, _ = s.indices(hi - lo)
        sections[dim] = slice(start, stop)
    return sections


def _write_into(view: GroupView, ds: xr.Dataset, names: list[Any], where: dict[str, slice], stored: xr.Dataset, raw: bool,
                compute: bool) -> Any:
    """Writes variables at positions of dimensions, with the meaning of the existing ones."""
    jobs = []
    for n in names:
        v, what = ds.variables[n], f"{view.name}: variable {n}"
        if str(n) not in view.full:
            _relabel(view, str(n), _label_texts(v, what), where.get(n, slice(None)))
            continue
        a = view.array(str(n))
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
        rounding = None if raw or v.dtype.kind not in "fc" else of_attrs(a.attrs)
        jobs.append((v, a if rounding is None else Rounded(what, a, rounding, a.attrs), where))
    return _store(view.dataset, jobs, False, compute)


def _label_texts(v: xr.Variable, what: str) -> list[str]:
    if not is_text(v, what):
        raise InvalidError(f"{what}: the array has text as labels, what is written has {v.dtype}: convert it with astype(str)")
    found: list[Any] = texts(v, what).tolist()
    if not all(found):
        raise InvalidError(f"{what}: label {found.index(next(x for x in found if not x))} is empty or missing: labels are text that is not empty")
    return found


def _relabel(view: GroupView, dim: str, texts: list[str], at: slice) -> None:
    """Sets labels at positions of a dimension."""
    for a in view.having(dim):
        known: list[Any] = list(a.labels.get(dim, []))
        known[at] = texts
        a.labels[dim] = known


class Written:
    """Records that other processes have written elements."""


def _store(d: Dataset, jobs: list[tuple[xr.Variable, Array | Rounded, dict[str, slice]]], relaxed: bool, compute: bool) -> Any:
    """Writes variables to arrays at positions; dask arrays all together, so that shared parts are
    computed once.

    If dask does not compute in this process, the computing processes write: the arrays are first
    closed here, with their contents and those of the dataset so far, which nobody sees yet. A
    coordinate that has grown stays open, and is written here.
    """
    sources: list[Any] = []
    targets: list[Array | Rounded] = []
    regions = []
    for v, a, where in jobs:
        section = tuple(where.get(dim, slice(None)) for dim in v.dims)
        if v.chunks is not None and v.ndim and not (where and v.dims == (os.path.basename(array_of(a)._variable),)):
            sources.append(v.data)
            targets.append(a)
            regions.append(tuple(slice(*s.indices(n)) for s, n in zip(section, a.shape)))
        elif v.ndim == 0:
            a[0] = v.values
        else:
            for block, to in _blocks(v, a, section):
                a[to] = v[block].values
    if not sources:
        return None

    import dask.array

    if compute and is_local(sources):
        dask.array.store(sources, targets, regions=regions, lock=False)
        return None
    elsewhere = [target_of(a, relaxed) for a in targets]
    d.prepare()
    later = dask.array.store(sources, elsewhere, regions=regions, lock=False, compute=compute)
    return Written() if compute else later


def _blocks(v: xr.Variable, a: Array | Rounded, section: tuple[slice, ...]) -> Iterator[tuple[tuple[slice, ...], tuple[slice, ...]]]:
    """Boxes of at most BLOCK bytes, in positions of the variable and of the array."""
    starts = [s.indices(n)[0] for s, n in zip(section, a.shape)]
    extents, size = list(v.shape), v.dtype.itemsize
    for d in reversed(range(v.ndim)):  # as many of the last dimensions as fit
        extents[d] = min(v.shape[d], max(1, BLOCK // size))
        size *= max(1, extents[d])
    for at in itertools.product(*(range(0, n, max(1, e)) for n, e in zip(v.shape, extents))):
        block = tuple(slice(i, min(i + e, n)) for i, e, n in zip(at, extents, v.shape))
        yield block, tuple(slice(b.start + s, b.stop + s) for b, s in zip(block, starts))
