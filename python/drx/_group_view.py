"""xarray's view of a dataset, or a group of it: variables and dimensions by their names in it."""

from __future__ import annotations

import os
from typing import Any, Iterator, Sequence

from ._array import Array
from ._dataset import Dataset
from ._errors import DatasetError

HOME = "dataset.dim/"  # an attribute of a variable: the dimension that a name means


class GroupView:
    """The variables of a group, with the coordinates that its dimensions have in enclosing folders.
    """

    def __init__(self, d: Dataset, group: str, pending: bool = False) -> None:
        self._d, self._group, self._pending = d, group, pending
        self.dataset = d
        self.name = f"{d.name}/{group}".rstrip("/")
        self.variables = d.info()["variables"]
        self.full = {os.path.basename(n): n for n in self.variables if os.path.dirname(n) == group}
        self.dims: dict[str, str] = {}  # their names with the path of the group that they belong to
        for n in list(self.full.values()):
            for dim in filter(None, self.variables[n].get("dims", [])):
                self.dims[os.path.basename(dim)] = dim
                if dim in self.variables:
                    self.full.setdefault(os.path.basename(dim), dim)
        bounds = d.dims
        self.bounds = {own: bounds[dim] for own, dim in self.dims.items() if dim in bounds}

    def array(self, name: str) -> Array:
        return self._d[self.full[name]]

    def having(self, dim: str) -> Iterator[Array]:
        """The arrays that have a dimension, also those of other groups."""
        for n, v in self.variables.items():
            if dim in self.dims and self.dims[dim] in v.get("dims", []):
                yield self._d[n]

    def check_alone(self, dim: str, names: Sequence[str]) -> None:
        """Raises an error if a dimension belongs to variables other than the named ones, which
        would grow with it."""
        known = {self.full[n] for n in names if n in self.full}
        others = [n for n, v in self.variables.items() if self.dims[dim] in v.get("dims", []) and n not in known]
        if others:
            raise DatasetError(f"{self.name}: appending along {dim}: it is a dimension of {', '.join(others)}, too, which would have no values: "
                               "extend the dataset, and write all of these variables")

    def low(self, dims: Sequence[Any], chosen: Any) -> list[int] | None:
        """The low bounds of a new variable: those of existing dimensions, otherwise the chosen
        ones."""
        if chosen is not None and (len(chosen) != len(dims) or any(self.bounds.get(str(d), (low, 0))[0] != low for d, low in zip(dims, chosen))):
            chosen = None
        lows = [self.bounds[str(d)][0] if str(d) in self.bounds else 0 if chosen is None else int(chosen[i]) for i, d in enumerate(dims)]
        return lows if any(lows) else None

    def create(self, name: str, dtype: Any, dims: list[str], **spec: Any) -> None:
        """Creates a variable. In a group its dimensions are those that the group already has, or
        new ones of the group."""
        if self._group:
            homes = {HOME + dim: self.dims.get(dim, f"{self._group}/{dim}") for dim in dims if dim and [dim] != [name]}
            spec["attrs"] = {**spec["attrs"], **homes}
        full = f"{self._group}/{name}".lstrip("/")
        a = self._d.create_variable(full, dtype, dims, pending=self._pending, **spec)
        for dim, lo, n in zip(dims, a._lo, a.shape):
            if dim:
                self.dims.setdefault(dim, f"{self._group}/{dim}".lstrip("/"))
                self.bounds.setdefault(dim, (lo, lo + n))
