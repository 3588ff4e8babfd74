"""DRX: arrays in files that grow along any dimension.

>>> import drx, numpy as np
>>> a = drx.create("radar", shape=(0, 4, 6), dtype="i2", dims=("time", "y", "x"))
>>> image = np.arange(24).reshape(4, 6)
>>> new = a.append(image, dim="time")
>>> new = a.extend("x", 2, low=True)
>>> a
<drx.Array 'radar' int16 (time: 1, y: 4, x: -2:6) 'r+'>
>>> a[0, 1]                          # positions, from 0; negative ones count from the end
array([ 0,  0,  6,  7,  8,  9, 10, 11], dtype=int16)
>>> a.at[0, 1, -2:2]                 # the array's own indices
array([0, 0, 6, 7], dtype=int16)
>>> a.close()                        # commits

Classes: Array, Dataset, and errors that are also Python's own (FileNotFoundError, IndexError, ...).
The module drx.raw reads arrays without the library, and drx.xarray is the bridge to xarray.
docs/PYTHON.md is the guide.
"""

from ._errors import *  # noqa: F403
from ._errors import LibraryError
from ._errors import __all__ as _errors

try:
    from ._array import Array, create, open
    from ._dataset import Dataset, create_dataset, open_dataset
    from ._elements import Part
    from ._exchange import export_file, import_file
    from ._library import lib as _lib
    from ._manage import accept_loss, copy_files, exists, ls, recover, remove, rename
    from ._memory import set_locks, set_memory
    from ._whole import append, coarsen, cut, diff, regrid, sort

    #: The version of the library.
    __version__ = _lib.drx_version().decode().lstrip("v")
except LibraryError as _e:  # drx.raw works without the library; whatever else is used raises this error
    _missing = _e

    def __getattr__(name: str) -> object:
        if name in __all__:
            raise _missing
        raise AttributeError(f"module 'drx' has no attribute {name!r}")


__all__ = [
    "Array", "Dataset", "Part", "accept_loss", "append", "coarsen", "copy_files", "create", "create_dataset", "cut", "diff",
    "exists", "export_file", "import_file", "ls", "open", "open_dataset", "recover", "regrid", "remove", "rename", "set_locks",
    "set_memory", "sort", *_errors,
]
