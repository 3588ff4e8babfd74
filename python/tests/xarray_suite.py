"""xarray's own tests of what every backend must do: python3 -m pytest xarray_suite.py."""

import contextlib

import numcodecs
import pytest
import xarray as xr
from xarray.tests import test_backends

import drx
from drx.xarray import DrxBackend, to_drx

#: Tests of what DRX does not have, with the reasons.
LEFT_OUT = {
    "test_append_with_invalid_dim_raises": "wants NetCDF's words; the same is refused, with the names of variable and dimension",
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


#: Zarr's tests of what DRX does not have, with the reasons. What every backend must do runs in TestDrx.
LEFT_OUT_OF_ZARR = {
    **dict.fromkeys(("test_roundtrip_consolidated", "test_read_non_consolidated_warning", "test_with_chunkstore", "test_hidden_zarr_keys"),
                    "is about the keys of Zarr's stores and their consolidated metadata"),
    **dict.fromkeys(("test_to_zarr_compute_false_roundtrip", "test_to_zarr_append_compute_false_roundtrip"),
                    "writes later, by compute=False; to_drx writes at once, so that readers see all of it or nothing"),
    **dict.fromkeys(("test_append_with_mode_rplus_fails", "test_append_with_mode_not_a_raises", "test_append_with_no_dims_raises",
                     "test_append_with_append_dim_not_set_raises"), "wants Zarr's words; the same is refused, and test_modes_refused has the words of DRX"),
    "test_write_region_errors": "wants Zarr's words; the same regions are refused, and test_regions has the words of DRX",
    "test_append_with_invalid_dim_raises": "wants Zarr's words; the same is refused, with the name of the dimension",
    "test_append_string_length_mismatch_raises": "wants an error for longer text; text of any length is appended",
    "test_non_existent_store": "wants the error of Zarr's store; that of DRX is FileNotFoundError, too",
    "test_chunk_encoding_with_dask": "wants Zarr's rule that a chunk is written by one task, and its errors; any task may write into any chunk of DRX",
    "test_deprecate_auto_chunk": "is about chunks='auto' of open_zarr, a function of its own",
    "test_attributes": "wants Zarr's words; attributes that JSON lacks are refused, and so named",
    "test_encoding_kwarg_fixed_width_string": "Zarr leaves it out, too",
    "test_dataset_caching": "Zarr leaves it out, too",
    "test_append_write": "Zarr leaves it out, too",
}


def zarr_encoding(ds):
    for v in ds.variables.values():
        if "codec" in v.encoding:
            kind, *options = v.encoding["codec"].split(":")
            if kind == "blosc":
                v.encoding["compressor"] = numcodecs.Blosc(options[0], int(options[1]), ("noshuffle", "shuffle", "bitshuffle").index(options[2]))
        if "chunksizes" in v.encoding:
            v.encoding["chunks"] = v.encoding["chunksizes"]
    return ds


class TestZarr(Drx, test_backends.ZarrBase):
    """Zarr's tests, with to_zarr and open_zarr standing for those of DRX."""

    def save(self, dataset, path, **kwargs):
        try:
            return to_drx(dataset, path, **kwargs)
        except FileExistsError as e:
            raise ValueError(str(e)) from None  # which Zarr's ContainsGroupError is
        except drx.InvalidError as e:
            raise (TypeError if "positive integers" in str(e) else ValueError)(str(e)) from None

    @contextlib.contextmanager
    def open(self, path, **kwargs):
        """With the encoding that Zarr has: its object for the codec, and its name of the extents of
        a chunk."""
        with super().open(path, **kwargs) as ds:
            yield zarr_encoding(ds)

    @contextlib.contextmanager
    def create_zarr_target(self):
        with test_backends.create_tmp_file(suffix=".new") as path:
            yield path

    @pytest.fixture(autouse=True)
    def mapped(self, request, monkeypatch):
        name = request.node.originalname
        if name not in vars(test_backends.ZarrBase):
            pytest.skip("TestDrx has it")
        if name in LEFT_OUT_OF_ZARR:
            pytest.skip(LEFT_OUT_OF_ZARR[name])
        if request.node.callspec.params.get("compute") is False if hasattr(request.node, "callspec") else False:
            pytest.skip("to_drx writes at once")

        def write(ds, store=None, *, mode=None, group=None, append_dim=None, region=None, encoding=None, **_):
            return to_drx(ds, store, mode=mode, group=group, append_dim=append_dim, region=region, encoding=encoding)

        monkeypatch.setattr(xr.Dataset, "to_zarr", write)
        monkeypatch.setattr(xr, "open_zarr", lambda store, use_cftime=None, **_: xr.open_dataset(store, engine=DrxBackend, chunks={}, use_cftime=use_cftime))
        real = xr.open_dataset
        monkeypatch.setattr(xr, "open_dataset", lambda path, **k: zarr_encoding(real(path, **{**k, "engine": DrxBackend})))


def test_append_data_of_zarr(tmp_path):
    first, second = (ds.drop_vars("string_var_fixed_length") for ds in test_backends.create_append_test_data()[:2])  # bytes become text
    to_drx(first, tmp_path / "d")
    to_drx(second, tmp_path / "d", append_dim="time")
    with xr.open_dataset(tmp_path / "d", engine=DrxBackend) as got:
        xr.testing.assert_equal(got.load(), xr.concat([first, second], dim="time"))


def test_left_out_exist():
    for name in LEFT_OUT:
        assert hasattr(test_backends.CFEncodedBase, name), name
    for name in LEFT_OUT_OF_ZARR:
        assert name in vars(test_backends.ZarrBase), name
