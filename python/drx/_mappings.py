"""Attributes and labels as mappings of Python."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, MutableMapping, Sequence

from ._errors import ExistsError, InvalidError
from ._library import call, encode, lib, take, check
from ._types import json_value

if TYPE_CHECKING:
    from ._array import Array


def to_json(value: Any, what: str) -> bytes:
    """A value as JSON, which has no NaN and no infinities."""
    try:
        return json.dumps(value, allow_nan=False, default=json_value).encode()
    except (TypeError, ValueError) as e:
        raise InvalidError(f"{what}: {e}; values are numbers, text, booleans, None, and lists and dicts of these") from None


class Attrs(MutableMapping[str, Any]):
    """The attributes of an array, a dataset or a group: JSON values by name. ``sync`` makes changes
    durable.

    Lists and dicts that are read are copies: to change one, set the attribute again.
    """

    def __init__(self, what: str, get: Callable[[], str], put: Callable[[bytes, bytes], int], delete: Callable[[bytes], int]):
        self._what, self._get, self._put, self._delete = what, get, put, delete

    def _all(self) -> dict[str, Any]:
        return json.loads(self._get())

    def __getitem__(self, name: str) -> Any:
        return self._all()[name]

    def __setitem__(self, name: str, value: Any) -> None:
        if not isinstance(name, str):
            raise InvalidError(f"{self._what}: attribute {name!r}: names are text")
        check(self._put(encode(name, "attribute"), to_json(value, f"{self._what}: attribute {name}")))

    def __delitem__(self, name: str) -> None:
        if name not in self._all():
            raise KeyError(name)
        check(self._delete(encode(name, "attribute")))

    def rename(self, name: str, new: str) -> None:
        """Gives an attribute another name."""
        if new in self._all():
            raise ExistsError(f"{self._what}: attribute {new}: there is one of this name already")
        self[new] = self[name]
        del self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return f"Attrs({self._all()!r})"


def array_attrs(a: Array) -> Attrs:
    return Attrs(  # the functions keep the array, which may be a temporary one
        a.name, lambda: take("drx_attrs", a._handle), lambda n, v: lib.drx_set_attr(a._handle, n, v),
        lambda n: lib.drx_delete_attr(a._handle, n),
    )


class Labels(Mapping[str, "list[str | None]"]):
    """The labels of the array by dimension: one for each index from the low bound on, None for an
    index without a label.

    Only dimensions with labels are in the mapping. ``a.labels["store"] = [...]`` replaces those of
    a dimension.
    """

    def __init__(self, a: Array) -> None:
        self._a = a

    def _of(self, dim: int | str) -> list[str | None]:
        d = self._a._dim(dim)
        found = json.loads(take("drx_labels", self._a._handle, d))
        if not found["labels"]:
            return []
        by_index = dict(enumerate(found["labels"], found["first"]))
        lo, hi = self._a.bounds[d]
        return [by_index.get(i) for i in range(lo, hi)]

    def __getitem__(self, dim: int | str) -> list[str | None]:
        labels = self._of(dim)
        if not labels:
            raise KeyError(dim)
        return labels

    def __setitem__(self, dim: int | str, labels: Sequence[str]) -> None:
        if isinstance(labels, (str, bytes)):
            raise InvalidError(f"{self._a.name}: labels {labels!r}: want a list with a label for each index")
        text = to_json([str(x) for x in labels], f"{self._a.name}: labels")
        call("drx_set_labels", self._a._handle, self._a._dim(dim), text)

    def __iter__(self) -> Iterator[str]:
        return (name or str(d) for d, name in enumerate(self._a.dims) if self._of(d))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"Labels({dict(self)!r})"
