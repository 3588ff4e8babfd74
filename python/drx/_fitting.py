"""Whether a dataset fits into one that exists: variables, dimensions, and coordinates."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np
import pandas as pd
import xarray as xr

from ._errors import DatasetError, InvalidError
from ._meaning import RAW, Meaning, compare_location, decoded
from ._text import comparable


def fitting(ds: xr.Dataset, name: str, old: xr.Dataset, stored: xr.Dataset, append_dim: str | None,
            region: Mapping[str, slice] | None, raw: bool, creates: bool = False) -> list[Any]:
    """Checks that a dataset fits into an existing one, and returns the variables to write. old is
    the existing dataset, stored the same without decoding. Without append_dim and region all
    existing variables are overwritten; creates allows new ones."""
    along = [append_dim] if append_dim is not None else list(region or {})
    _check_dimensions(ds, name, old, along, region)
    names = [n for n, v in ds.variables.items() if (set(along) & set(v.dims) if along else n in old.variables)]
    new = [str(n) for n in ds.variables if n not in old.variables]
    if new and not creates:
        raise DatasetError(f"{name}: no variable {', '.join(map(repr, new))}: leave it out with drop_vars, or write it before, alone, with mode='a'")
    if append_dim is not None:
        missing = [str(n) for n, v in old.variables.items() if append_dim in v.dims and n not in names]
        if missing:
            raise DatasetError(f"{name}: appending along {append_dim}: the variables {', '.join(missing)} are missing")
    for n in names:
        _check_shape(ds, name, old, n, along)
    if raw:
        return names
    region_of = {dim: (region or {}).get(dim, slice(None)) for dim in along}
    for n, v in ds.variables.items():
        if n in new:
            continue
        if n not in names or not along and _moves_others(n, v, ds, old):
            what = f"{name}: variable {n}"
            compare_location(what, v, stored.variables[n].attrs)
            _compare(what, _as_read(what, v, n, old, stored), old.variables[n], n in ds.coords)
        elif region is not None and v.dims == (n,):
            what = f"{name}: region: coordinate {n}"
            _compare(what, _as_read(what, v, n, old, stored), old.variables[n][region_of[n]], True, True)
    if append_dim in names:
        what, v = f"{name}: coordinate {append_dim}", ds.variables[append_dim]
        if append_dim in stored.variables and stored.variables[append_dim].dtype.kind in "iuf":
            v = Meaning(what, stored.variables[append_dim]).rounded(v)
        _check_continues(what, v, old.variables[append_dim])
    return names


def _moves_others(n: Any, v: xr.Variable, ds: xr.Dataset, old: xr.Dataset) -> bool:
    """Whether a variable is a coordinate of existing variables that are not written with it, whose
    positions would change."""
    return v.dims == (n,) and any(n in w.dims and other not in ds.variables for other, w in old.variables.items())


def _as_read(what: str, v: xr.Variable, n: Any, old: xr.Dataset, stored: xr.Dataset) -> xr.Variable:
    """The values of a variable, in the units of the existing one."""
    v = decoded(what, v)
    if n not in stored.variables or stored.variables[n].dtype.kind not in "iuf":
        return v
    return Meaning(what, stored.variables[n]).as_read(v, old.variables[n].dtype)


def located(ds: xr.Dataset, name: str, old: xr.Dataset, stored: xr.Dataset, region: Any) -> dict[Any, slice] | None:
    """A region in positions; "auto" means the positions of the dataset's coordinates in the
    existing one."""
    if region is None:
        return None
    if isinstance(region, str):
        region = {dim: region for dim in ds.dims}
    return {dim: s if isinstance(s, slice) else _located(ds, name, old, stored, dim) for dim, s in region.items()}


def _located(ds: xr.Dataset, name: str, old: xr.Dataset, stored: xr.Dataset, dim: Any) -> slice:
    what = f"{name}: region of dimension {dim}"
    if dim not in ds.variables and dim not in old.variables and ds.sizes.get(dim) == old.sizes.get(dim, -1):
        return slice(0, ds.sizes[dim])  # all of a dimension without coordinate
    if dim not in ds.variables or dim not in old.variables:
        lacking = "what is written" if dim not in ds.variables else "the dataset"
        raise InvalidError(f"{what}: {lacking} has no coordinate {dim}: give positions, as slice(10, 20)")
    v = ds.variables[dim]
    new = pd.Index(comparable(_as_read(what, v, dim, old, stored).values))
    there = pd.Index(comparable(old.variables[dim].values))
    if not there.is_unique:
        raise InvalidError(f"{what}: the coordinate of the dataset has a value twice: give positions, as slice(10, 20)")
    if new.size == 0:
        raise InvalidError(f"{what}: what is written has no values")
    at = there.get_indexer(new)
    if (at < 0).any() and new.dtype.kind == there.dtype.kind == "f" and there.is_monotonic_increasing:
        near = there.get_indexer(new, method="nearest")  # the last digits may differ
        at = np.where(close(new.values, there.values[near]), near, -1)
    if (at < 0).any():
        raise InvalidError(f"{what}: {new[at < 0][0]} is no value of the coordinate of the dataset: append it, or write what is there")
    if (np.diff(at) != 1).any():
        raise InvalidError(f"{what}: the values lie at the positions {', '.join(map(str, at[:8]))}{', ...' if at.size > 8 else ''} of the "
                           "dataset: a region is contiguous, in the order of the dataset")
    return slice(int(at[0]), int(at[-1]) + 1)


def _check_dimensions(ds: xr.Dataset, name: str, old: xr.Dataset, along: list[Any], region: Any) -> None:
    for dim in along:
        if dim not in ds.sizes or dim not in old.sizes:
            raise DatasetError(f"{name}: dimension {dim!r}: the dataset and what is written to it must both have it")
        if region is not None:
            start, stop, step = region[dim].indices(old.sizes[dim])
            if step != 1 or stop - start != ds.sizes[dim]:
                raise InvalidError(f"{name}: region of dimension {dim}: {start} to {stop} of {old.sizes[dim]} are not the "
                                   f"{ds.sizes[dim]} that are written")


def _check_shape(ds: xr.Dataset, name: str, old: xr.Dataset, n: Any, along: list[Any]) -> None:
    v, w = ds.variables[n], old.variables[n]
    if v.dims != w.dims and sorted(map(str, v.dims)) == sorted(map(str, w.dims)):
        raise InvalidError(f"{name}: variable {n}: order is {', '.join(map(str, v.dims))}, the array has {', '.join(map(str, w.dims))}: "
                           "transpose it")
    if v.dims != w.dims or any(ds.sizes[dim] != old.sizes[dim] for dim in w.dims if dim not in along):
        raise InvalidError(f"{name}: variable {n} is {dict(w.sizes)}, what is written is {dict(v.sizes)}")


def _compare(what: str, v: xr.Variable, w: xr.Variable, coordinate: bool, reserved: bool = False) -> None:
    """Raises an error if a variable differs from the existing one. With reserved, unwritten
    elements may have any value."""
    if v.dims != w.dims or v.shape != w.shape:
        raise InvalidError(f"{what}: it is {dict(v.sizes)}, the array has {dict(w.sizes)}: leave it out with drop_vars")
    new, stored = v.values, w.values
    if reserved and pd.isnull(stored).all():
        return
    same = close(new, stored)
    if same.all():
        return
    way = f"make them equal, or leave it out with drop_vars; {RAW}" if coordinate else f"leave it out with drop_vars, or write it alone; {RAW}"
    if new.ndim == 1 and new.size > 1 and close(new[::-1], stored).all():
        raise InvalidError(f"{what} is reversed: it begins with {new[0]}, that of the array with {stored[0]}: {way}")
    if new.ndim == 1 and new.size > 1 and new.dtype.kind == stored.dtype.kind and close(np.sort(new), np.sort(stored)).all():
        raise InvalidError(f"{what} is permuted: it has the values of the array in another order: {way}")
    at = tuple(int(i) for i in np.unravel_index(int(np.argmin(same)), same.shape)) if same.ndim else ()
    where = f" at {list(at)}" if at else ""
    shift = _shift(new, stored)
    raise InvalidError(f"{what}{shift} is {new[at]}{where}, that of the array {stored[at]}: {way}")


def _shift(new: np.ndarray, stored: np.ndarray) -> str:
    if new.ndim == 1 and new.size > 1 and {new.dtype.kind, stored.dtype.kind} <= set("iuf"):
        step = np.asarray(new, "f8") - np.asarray(stored, "f8")
        if np.allclose(step, step[0], rtol=1e-6):
            return f" is shifted by {step[0]:.9g}:"
    return ""


def close(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Where values are equal, numbers up to the last digits of the coarser type. Missing values are
    equal."""
    a, b = np.asarray(a), np.asarray(b)
    if {a.dtype.kind, b.dtype.kind} <= set("iufb") and "f" in (a.dtype.kind, b.dtype.kind):
        eps = max(float(np.finfo(x.dtype).eps) for x in (a, b) if x.dtype.kind == "f")
        x, y = a.astype("f8"), b.astype("f8")
        scale = np.maximum(np.abs(x), np.abs(y))
        with np.errstate(invalid="ignore"):
            return (np.abs(x - y) <= 4 * eps * scale) | (x == y) | (np.isnan(x) & np.isnan(y))
    if a.dtype.kind != b.dtype.kind and not {a.dtype.kind, b.dtype.kind} <= set("iu") and not {a.dtype.kind, b.dtype.kind} <= set("OSU"):
        return np.zeros(a.shape, bool)
    if {a.dtype.kind, b.dtype.kind} & set("OSU"):
        x, y = comparable(a).astype(object), comparable(b).astype(object)
        found = [p == q or bool(pd.isnull(p)) and bool(pd.isnull(q)) for p, q in zip(x.flat, y.flat)]
        return np.array(found, bool).reshape(a.shape)
    return np.asarray((a == b) | (pd.isnull(a) & pd.isnull(b)), bool)


def _check_continues(what: str, v: xr.Variable, w: xr.Variable) -> None:
    """Raises an error if appended values repeat existing ones, or reverse their order."""
    if v.dims != (w.dims[0],) or v.size == 0 or w.size == 0:
        return
    new, stored = pd.Index(comparable(v.values)), pd.Index(comparable(w.values))
    if new.dtype.kind != stored.dtype.kind and not {new.dtype.kind, stored.dtype.kind} <= set("iuf"):
        return  # values of another kind are refused when they are converted
    if new.hasnans:
        raise InvalidError(f"{what}: value {int(np.argmax(new.isna()))} of what is appended is missing: give each its value; {RAW}")
    repeated = new.isin(stored[~stored.isna()])
    if repeated.any() or not new[~new.isna()].is_unique:
        again = new[repeated][0] if repeated.any() else new[new.duplicated()][0]
        raise InvalidError(f"{what}: {again} is there already: region= writes over what is there; {RAW}")
    if new.dtype.kind == "O" and isinstance(new[0], str) or stored.hasnans:
        return
    if not stored.is_monotonic_increasing and not stored.is_monotonic_decreasing:
        return  # it has no order
    joined = stored.append(new)
    if not (joined.is_monotonic_increasing or joined.is_monotonic_decreasing):
        raise InvalidError(f"{what} ends with {stored[-1]}, what is appended begins with {new[0]} and ends with {new[-1]}: append in "
                           f"the order of the array; {RAW}")
