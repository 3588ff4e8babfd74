"""The modes of to_drx, which resemble those of xarray's to_zarr, and the replacement of an existing
dataset or group."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
from typing import Any

from ._dataset import Dataset, open_dataset
from ._errors import Error, ExistsError, InvalidError, LockedError, NotFoundError
from ._files import has_several
from ._manage import exists, ls, remove

MODES = {"w-": "makes what must not exist", "w": "makes, in the place of what exists", "a": "makes variables, and writes over those that exist",
         "a-": "appends, with append_dim", "r+": "writes over variables that exist"}


def chosen(mode: Any, append_dim: Any, region: Any) -> str:
    """The effective mode, or an error if it contradicts other arguments."""
    if mode is None:
        return "a" if append_dim is not None else "r+" if region is not None else "w-"
    if mode not in MODES:
        raise InvalidError(f"mode {mode!r}: the modes are {', '.join(f'{m!r}, which {what}' for m, what in MODES.items())}")
    if append_dim is not None and mode not in ("a", "a-"):
        raise InvalidError(f"mode {mode!r} and append_dim {append_dim!r}: appending is mode 'a'")
    if region is not None and mode not in ("a", "r+"):
        raise InvalidError(f"mode {mode!r} and region: a region is written with mode 'r+' or 'a'")
    if mode == "a-" and append_dim is None:
        raise InvalidError("mode 'a-' appends: it needs append_dim")
    return str(mode)


def group_path(group: Any) -> str:
    """The path of a group in the dataset; "" is the dataset itself."""
    if group is None:
        return ""
    if not isinstance(group, str):
        raise InvalidError(f"group {group!r}: want the path of a group, as 'model/winter'")
    return group.strip("/")


def is_there(path: str) -> bool:
    """Whether a dataset's name exists, other than as an empty folder."""
    return os.path.lexists(path) and not (os.path.isdir(path) and not os.listdir(path))


def to_replace(path: str) -> Dataset:
    """Opens a dataset that another one will replace, which locks it. Anything that is no dataset,
    or has other files, stays."""
    known = f"{path}: mode 'w' replaces datasets of DRX, and this is "
    if not os.path.isdir(path) and not has_several(path):
        raise ExistsError(f"{known}none: remove it, or give another path")
    try:
        d = open_dataset(path, "r+")
    except NotFoundError:
        raise ExistsError(f"{known}a folder that is none: remove it, or give another path") from None
    other = _foreign(path) if os.path.isdir(path) else None
    if other is not None:
        d.discard()
        raise ExistsError(f"{known}one with other files in it, as {other}: move them, or give another path")
    return d


def _foreign(path: str) -> str | None:
    """A file in a folder that belongs to no array, if there is one."""
    for folder, _, files in os.walk(path):
        arrays = set(ls(folder)["arrays"])
        for file in files:
            stems = {file[:i] for i, c in enumerate(file) if c == "."} | {file}
            if not stems & arrays:
                return os.path.join(folder, file)
    return None


def publish(part: str, path: str, old: Dataset | None) -> None:
    """Gives a complete dataset its name, replacing the present one."""
    if old is None:
        os.rename(part, path)
    elif os.path.isfile(path):
        old.discard()  # which leaves no journals beside the file
        os.replace(part, path)
    else:
        _exchange(part, path)
        old.discard()
        shutil.rmtree(part)
    with contextlib.suppress(OSError):  # some file systems cannot sync a folder
        f = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
        try:
            os.fsync(f)
        finally:
            os.close(f)


def _exchange(a: str, b: str) -> None:
    """Exchanges the names of two folders: atomically where the system can, as Linux does, otherwise
    with a moment without b."""
    call = getattr(ctypes.CDLL(None), "renameat2", None)
    at_cwd, exchange = -100, 2
    if call is not None and call(at_cwd, os.fsencode(a), at_cwd, os.fsencode(b), exchange) == 0:
        return
    aside = a + ".old"
    os.rename(b, aside)
    try:
        os.rename(a, b)
    except BaseException:
        os.rename(aside, b)
        raise
    os.rename(aside, a)


def clear(part: str) -> None:
    """Removes an incomplete dataset, unless another process is writing it."""
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


def remove_group(d: Dataset, group: str) -> None:
    """Removes the variables, the groups and the attributes of a group, and closes the dataset,
    whose catalogue still has them."""
    info = d.info()
    inside = [n for n in info["variables"] if n.startswith(group + "/")]
    for n, v in info["variables"].items():
        used = [dim for dim in v.get("dims", []) if dim.startswith(group + "/")]
        if used and n not in inside:
            d.discard()
            raise InvalidError(f"{d.name}: group {group} has the dimension {used[0]} of variable {n}, which is outside of it: it cannot be replaced")
    d.discard()
    markers = [f"{g}/.dataset" for g in info["groups"] if g == group or g.startswith(group + "/")]
    for n in [*inside, *markers]:
        for name in (f"{d.path}/{n}", f"{d.path}/{n}.drx"):
            if exists(name):
                remove(name)
                break
