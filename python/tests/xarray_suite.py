"""xarray's own tests of what every backend must do: python3 -m pytest xarray_suite.py."""

import contextlib

import pytest
import xarray as xr
from xarray.tests import test_backends

from drx.xarray import DrxBackend, to_drx

#: Tests of what DRX does not have, with the reasons.
LEFT_OUT = {
    "test_append_overwrite_values": "overwrites a variable of another shape in place; to_drx never removes what is there: write a new dataset, or a region",
    "test_append_with_invalid_dim_raises": "checks to_netcdf's argument mode, which to_drx has not: append_dim and region say what is meant",
    "test_append_write": "adds variables by to_netcdf(mode='a'); to_drx refuses new variables and says so: create_variable makes them",
    "test_encoding_kwarg_fixed_width_string": "asks for the storage type S1, characters of NetCDF, and looks for it; the text itself comes back",
    "test_roundtrip_string_with_fill_value_nchar": "wants an error for text with missing values, which NetCDF lacks; DRX stores it",
    "test_write_store": "writes through a class inside xarray, which only its own backends have",
}


class Drx:
    """How a test of xarray writes and reads."""

    engine = DrxBackend
    file_format = None

    def save(self, dataset, path, **kwargs):
        return to_drx(dataset, path, **kwargs)

    @contextlib.contextmanager
    def open(self, path, **kwargs):
        with xr.open_dataset(path, engine=DrxBackend, **kwargs) as ds:
            yield ds


class TestDrx(Drx, test_backends.CFEncodedBase):
    @pytest.fixture(autouse=True)
    def left_out(self, request):
        reason = LEFT_OUT.get(request.node.originalname)
        if reason:
            pytest.skip(reason)


#: Tests of Zarr's appending, regions and encoding that have a meaning for DRX; the others are about stores, modes, and delayed
#: writes of Zarr.
OF_ZARR = {
    "test_save_emptydim", "test_no_warning_from_open_emptydim_with_chunks",
    "test_encoding_chunksizes", "test_write_read_select_write", "test_auto_chunk", "test_write_uneven_dask_chunks",
    "test_write_region",
}


class TestZarr(Drx, test_backends.ZarrBase):
    """Zarr's tests, with to_zarr and open_zarr standing for those of DRX."""

    @contextlib.contextmanager
    def create_zarr_target(self):
        with test_backends.create_tmp_file(suffix=".new") as path:
            yield path

    @pytest.fixture(autouse=True)
    def mapped(self, request, monkeypatch):
        if request.node.originalname not in OF_ZARR:
            pytest.skip("it is about stores and modes of Zarr")
        if request.node.callspec.params.get("compute") is False if hasattr(request.node, "callspec") else False:
            pytest.skip("to_drx writes at once")

        def write(ds, store=None, *, append_dim=None, region=None, encoding=None, **_):
            return to_drx(ds, store, append_dim=append_dim, region=region, encoding=encoding)

        monkeypatch.setattr(xr.Dataset, "to_zarr", write)
        monkeypatch.setattr(xr, "open_zarr", lambda store, **_: xr.open_dataset(store, engine=DrxBackend, chunks={}))
        real = xr.open_dataset
        monkeypatch.setattr(xr, "open_dataset", lambda path, **k: real(path, **{**k, "engine": DrxBackend}))


def test_append_data_of_zarr(tmp_path):
    first, second = (ds.drop_vars("string_var_fixed_length") for ds in test_backends.create_append_test_data()[:2])  # bytes become text
    to_drx(first, tmp_path / "d")
    to_drx(second, tmp_path / "d", append_dim="time")
    with xr.open_dataset(tmp_path / "d", engine=DrxBackend) as got:
        xr.testing.assert_equal(got.load(), xr.concat([first, second], dim="time"))


def test_left_out_exist():
    for name in LEFT_OUT:
        assert hasattr(test_backends.CFEncodedBase, name), name
