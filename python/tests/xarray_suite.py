"""xarray's own tests of what every backend must do: python3 -m pytest xarray_suite.py."""

import contextlib

import pytest
import xarray as xr
from xarray.tests import test_backends

from drx.xarray import DrxBackend, to_drx

#: Tests of what DRX does not have, with the reasons.
LEFT_OUT = {
    "test_append_overwrite_values": "to_drx has no mode; regions overwrite",
    "test_append_with_invalid_dim_raises": "to_drx has no mode",
    "test_append_write": "to_drx has no mode",
    "test_encoding_kwarg_fixed_width_string": "text has no type in the file",
    "test_invalid_dataarray_names_raise": "the message has other words",
    "test_roundtrip_None_variable": "names are text",
    "test_roundtrip_bytes_with_fill_value": "bytes with missing values are refused",
    "test_roundtrip_object_dtype": "text with missing values is refused",
    "test_roundtrip_string_encoded_characters": "text has no encoding in the file",
    "test_roundtrip_string_with_fill_value_nchar": "text with missing values is refused",
    "test_write_store": "writes to xarray's own kind of store",
    "test_zero_dimensional_variable": "bytes become text",
}


class TestDrx(test_backends.CFEncodedBase):
    engine = DrxBackend
    file_format = None

    @pytest.fixture(autouse=True)
    def left_out(self, request):
        reason = LEFT_OUT.get(request.node.originalname)
        if reason:
            pytest.skip(reason)

    def save(self, dataset, path, **kwargs):
        return to_drx(dataset, path, **kwargs)

    @contextlib.contextmanager
    def open(self, path, **kwargs):
        with xr.open_dataset(path, engine=DrxBackend, **kwargs) as ds:
            yield ds


def test_left_out_exist():
    for name in LEFT_OUT:
        assert hasattr(test_backends.CFEncodedBase, name), name
