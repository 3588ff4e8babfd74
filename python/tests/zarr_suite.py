"""zarr's own tests of indexing, with arrays of DRX: python3 -m pytest zarr_suite.py.

Where zarr refuses a key that NumPy takes, as a step below zero or arrays beside slices, DRX does
what NumPy does. So a test that wants an error is content with NumPy's result.
"""

import types

import numpy as np
import pytest
from zarr import indexing
from zarr.tests import test_indexing

import drx

#: Tests of what DRX does not have, with the reasons.
LEFT_OUT = {
    "test_normalize_integer_selection": "calls a function inside zarr, with no array",
    "test_replace_ellipsis": "calls a function inside zarr, with no array",
    "test_PartialChunkIterator": "calls a class inside zarr, with no array",
    "test_slice_selection_uints": "calls a function inside zarr, with no array",
    "test_accessed_chunks": "counts the keys that zarr asks its store for; DRX has no store of keys",
    "test_get_basic_selection_0d": "an array of DRX has one dimension at least; a scalar of xarray is one element",
    "test_set_basic_selection_0d": "an array of DRX has one dimension at least; a scalar of xarray is one element",
    "test_get_selections_with_fields": "elements of DRX are numbers: records are variables of a dataset",
    "test_set_selections_with_fields": "elements of DRX are numbers: records are variables of a dataset",
}


class Indexed:
    """An array with one kind of key, compared with NumPy if an error is wanted."""

    def __init__(self, z, keys, get, put):
        self.z, self.keys, self.get, self.put = z, keys, get, put

    def __getitem__(self, key):
        whole = self.z.a[...] if Wanted.now else None
        found = self.keys[key]
        if Wanted.now:
            np.testing.assert_array_equal(found, self.get(whole, key))
            Wanted.now.as_numpy = True
        return found

    def __setitem__(self, key, value):
        whole = self.z.a[...] if Wanted.now else None
        self.keys[key] = value
        if Wanted.now:
            self.put(whole, key, value)
            np.testing.assert_array_equal(self.z.a[...], whole)
            Wanted.now.as_numpy = True

    def select(self, key, out=None):
        if out is None:
            return self[key]
        if isinstance(out, Zarr):
            out.a[...] = self[key]
            return out
        return self.keys.read_into(out, key)


class Wanted:
    """pytest.raises that also takes what NumPy takes."""

    now = None

    def __init__(self, error):
        self.error, self.as_numpy = error, False

    def __enter__(self):
        Wanted.now = self

    def __exit__(self, kind, value, trace):
        Wanted.now = None
        if kind is None and not self.as_numpy:
            pytest.fail(f"did not raise {self.error}")
        return kind is None or issubclass(kind, self.error) or self.as_numpy  # what follows wants no elements at all


def outer(a, key):
    """Orthogonal indexing by zarr, which makes it from NumPy's, and knows no new axes."""
    return a[key] if key is None else indexing.oindex(a, key)


class Zarr:
    """An array of DRX with the methods of zarr's arrays."""

    def __init__(self, path, shape, chunks=None, dtype="f8", **_):
        shape = (shape,) if isinstance(shape, int) else shape
        chunks = [chunks] * len(shape) if isinstance(chunks, int) else chunks
        self.a = drx.create(path, shape, dtype, chunks=[max(1, min(c, n)) for c, n in zip(chunks or shape, shape)], durability="none")
        self.vindex = Indexed(self, self.a, lambda a, key: a[key], lambda a, key, value: a.__setitem__(key, value))
        self.oindex = Indexed(self, self.a.oindex, outer, indexing.oindex_set)
        self.get_basic_selection = self.get_coordinate_selection = self.get_mask_selection = self.vindex.select
        self.get_orthogonal_selection = self.oindex.select
        self.set_basic_selection = self.set_coordinate_selection = self.set_mask_selection = self.vindex.__setitem__
        self.set_orthogonal_selection = self.oindex.__setitem__

    def __getitem__(self, key):
        return self.vindex[key]

    def __setitem__(self, key, value):
        self.vindex[key] = value

    def __array__(self, dtype=None):
        return self.a[...]


TESTS = [name for name in vars(test_indexing) if name.startswith("test_")]


@pytest.mark.parametrize("name", TESTS)
def test_of_zarr(name, tmp_path, monkeypatch):
    if name in LEFT_OUT:
        pytest.skip(LEFT_OUT[name])
    made = []

    def create(shape, **options):
        made.append(Zarr(tmp_path / f"{len(made)}.drx", shape, **options))
        return made[-1]

    monkeypatch.setattr(test_indexing, "zarr", types.SimpleNamespace(create=create, zeros=create))
    monkeypatch.setattr(test_indexing, "pytest", types.SimpleNamespace(raises=Wanted, mark=pytest.mark))
    vars(test_indexing)[name]()
    assert made
    for z in made:
        z.a.discard()


def test_left_out_exist():
    assert set(LEFT_OUT) <= set(TESTS) and len(TESTS) > 25
