"""Exits: arrays of random meanings are exported, and read by the libraries of the formats: same
values, same place, same attributes."""

import collections
import os
import shutil
import tempfile
import unittest
import warnings

import numpy as np

import drx

try:
    import h5py
    import netCDF4
    import rasterio
    import xarray as xr
    import zarr
    from astropy.io import fits
except ImportError as e:
    if os.environ.get("CI") == "true":
        raise
    raise unittest.SkipTest(f"{e}; Debian: python3-xarray python3-netcdf4 python3-h5py python3-zarr python3-rasterio python3-astropy") from None

if "DRX_BRIDGE" not in os.environ:
    raise unittest.SkipTest("needs drx-bridge")

ROUNDS = 200 if os.environ.get("DRX_SOAK") else 2
ENCODINGS = ("scale_factor", "add_offset", "_FillValue", "missing_value", "_Unsigned", "units", "calendar", "dtype", "coordinates", "grid_mapping")


class Exits(unittest.TestCase):
    """An export is refused, or the file has what xarray decodes from the numbers and attributes
    that were stored."""

    KINDS = ("packing", "unsigned", "missing", "fill", "valid", "units", "times", "flags", "text", "bounds", "place", "bands", "special", "low")
    FORMATS = ("netcdf", "netcdf3", "hdf5", "zarr2", "zarr3", "geotiff", "fits")

    def test_random(self):
        warnings.simplefilter("ignore")
        rng = np.random.default_rng(37)
        counts, wrong = collections.Counter(), []
        with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
            for _ in range(ROUNDS):
                for kind in self.KINDS:
                    raw, lo = getattr(self, kind)(rng)
                    path = os.path.join(folder, str(rng.choice(["d", "d.drx"])))
                    make(path, raw, lo, rng.choice(CODECS))
                    for format in self.FORMATS:
                        try:
                            counts[kind, format, self.trial(path, raw, lo, format)] += 1
                        except AssertionError as e:
                            wrong.append(f"{kind} {e}")
                    shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        for key in sorted(counts):
            print(*key, counts[key])
        self.assertFalse(wrong, "\n".join([f"{len(wrong)} wrong", *wrong[:10]]))
        seen = collections.defaultdict(set)
        for kind, format, outcome in counts:
            seen[kind].add(outcome)
            seen[format].add(outcome)
        for name in self.KINDS + self.FORMATS:
            self.assertIn("kept", seen[name], name)
        for name in "text", "bands", "geotiff", "netcdf3":
            self.assertTrue(seen[name] & {"refused", "noted"}, name)

    def trial(self, path, raw, lo, format):
        out = os.path.join(os.path.dirname(path), "f.tif" if format == "geotiff" else "f")
        with warnings.catch_warnings(record=True) as notes:
            warnings.simplefilter("always")
            try:
                drx.export_file(path, out, format=format, var="v")
            except drx.Error as e:
                self.assertFalse(os.path.exists(out))
                self.assertNotIn("internal", str(e))
                return "refused"
        try:
            if format == "geotiff":
                self.raster(out, raw, lo)
            elif format == "fits":
                self.fits(out, raw, lo)
            else:
                self.cf(out, raw, lo, format)
        except AssertionError as e:
            raise AssertionError(f"{format}: {raw.v.attrs} {raw.v.dtype}: {e}") from None
        finally:
            shutil.rmtree(out) if os.path.isdir(out) else os.remove(out)
        return "noted" if notes else "kept"

    def test_files_of_numbers(self):
        """Files without attributes have the numbers that _Unsigned says; of a scale and of missing
        values a note says that they are lost."""
        with tempfile.TemporaryDirectory() as folder:
            stored = np.arange(-30, 30).reshape(3, 4, 5).astype("i1")
            path, out = os.path.join(folder, "d"), os.path.join(folder, "f")
            make(path, field(stored, {"_Unsigned": "true", "_FillValue": -1, "scale_factor": 0.5}))
            for format in "npy", "mat", "png":
                with self.assertWarnsRegex(Warning, "no scale_factor and add_offset and no missing values"):
                    drx.export_file(path, out + format, format=format, var="v", sel="t=0", alone=True)
            np.testing.assert_array_equal(np.load(out + "npy")[0], stored.view("u1")[0])
            with rasterio.open(out + "png") as f:
                np.testing.assert_array_equal(f.read()[0], stored.view("u1")[0])
            drx.export_file(path, out + "csv", format="csv", var="v", sel="t=0")
            got = np.genfromtxt(out + "csv", delimiter=",", skip_header=1)[:, 1:]
            np.testing.assert_array_equal(got, stored.view("u1")[0] * 0.5)
            drx.export_file(path, out + "fits", format="fits", var="v", as_stored=True)
            with fits.open(out + "fits", do_not_scale_image_data=True) as f:
                cards = f["v"].header
                self.assertEqual((cards["_UNSIGNED"], cards["BSCALE"], cards["BZERO"]), ("true", 0.5, -64))  # of numbers with a sign

    def test_missing_values_of_fits(self):
        """Floats that mark missing values become NaN, and packed numbers without a sign are packed
        in FITS, too."""
        with tempfile.TemporaryDirectory() as folder:
            path, out = os.path.join(folder, "d"), os.path.join(folder, "f.fits")
            make(path, field(np.where(np.arange(60) % 3, np.arange(60), -999.0).reshape(3, 4, 5), {"_FillValue": -999.0, "missing_value": 7.0}))
            with self.assertWarnsRegex(Warning, "missing values become NaN"):
                drx.export_file(path, out, var="v")
            np.testing.assert_array_equal(np.isnan(fits.getdata(out, "v")).ravel(), (np.arange(60) % 3 == 0) | (np.arange(60) == 7))
            os.remove(out)
            for t in "u2", "u4", "i1":
                raw = field(np.arange(60).reshape(3, 4, 5).astype(t), {"scale_factor": 0.25, "add_offset": 100.0})
                make(path + t, raw)
                drx.export_file(path + t, out, var="v")
                np.testing.assert_array_equal(fits.getdata(out, "v").ravel(), np.arange(60) * 0.25 + 100)
                drx.import_file(out, path + t + "back")
                with drx.open_dataset(path + t + "back") as d:
                    a = d["v"]
                    np.testing.assert_array_equal(a[...].astype("f8").ravel() * a.attrs["scale_factor"] + a.attrs["add_offset"], np.arange(60) * 0.25 + 100)
                os.remove(out)

    def test_text_and_groups(self):
        """Text with missing values, and a group of a dataset with a dimension of its name, come out
        as they were."""
        from drx.xarray import to_drx

        text = xr.Dataset({"s": ("t", np.array(["a", "", "ä b"], object)), "v": (("t", "k"), np.arange(6.0).reshape(3, 2))}, {"t": [3, 2, 1], "k": ["one", "two"]})
        group = xr.Dataset({"v": ("t", np.arange(5, dtype="f4"), {"units": "K"})}, {"t": ("t", np.arange(5) * 2.5)})
        with tempfile.TemporaryDirectory() as folder:
            path, out = os.path.join(folder, "d"), os.path.join(folder, "f")
            to_drx(text, path)
            to_drx(group, path, group="a/b")
            for format in "netcdf", "hdf5", "zarr2":
                drx.export_file(path, out + format, format=format)
                options = {"engine": "zarr", "consolidated": False} if format == "zarr2" else {"engine": "netcdf4"}
                for name, want in ("", text), ("a/b", group):
                    with xr.open_dataset(out + format, group=name or None, **options) as got:
                        xr.testing.assert_equal(got.load()[list(want.variables)], want)

    def test_other_types(self):
        """--as takes the numbers that _Unsigned says."""
        with tempfile.TemporaryDirectory() as folder:
            raw = field(np.arange(-30, 30).reshape(3, 4, 5).astype("i1"), {"_Unsigned": "true", "_FillValue": -1})
            make(os.path.join(folder, "d"), raw)
            for t in "u1", "i2", "f4":
                out = os.path.join(folder, t)
                drx.export_file(os.path.join(folder, "d"), out, format="netcdf", dtype=t)
                same(self, "v", opened(out, "netcdf").v.values, xr.decode_cf(raw).v.values)
                with netCDF4.Dataset(out) as f:
                    self.assertEqual(f["v"].dtype, np.dtype(t))

    def test_as_stored(self):
        """What readers would misread is refused, or written as it is on demand."""
        with tempfile.TemporaryDirectory() as folder:
            raw, _ = self.bands(np.random.default_rng(1))
            path, out = os.path.join(folder, "d"), os.path.join(folder, "f.nc")
            make(path, raw)
            with self.assertRaisesRegex(drx.Error, "list of 3 numbers"):
                drx.export_file(path, out)
            drx.export_file(path, out, as_stored=True)
            with netCDF4.Dataset(out) as f:
                self.assertEqual(list(f["v"].scale_factor), [0.5, 2.0, 0.25])
            part = os.path.join(folder, "part.nc")
            drx.export_file(os.path.join(path, "v"), part, lo=(1, 0, 0), hi=(2, 4, 5), alone=True)
            same(self, "v", opened(part, "netcdf").v.values, raw.v.values[1:2] * 2.0)
            with self.assertWarnsRegex(Warning, "as they are stored"):
                raw, _ = self.packing(np.random.default_rng(1))
                make(path + "2", raw)
                drx.export_file(path + "2", os.path.join(folder, "f.npy"), var="v")

    def cf(self, out, raw, lo, format):
        """What xarray has of a file is what it has of the numbers that were stored."""
        if format == "zarr3":  # xarray of Debian reads version 2
            back = out + ".d"
            drx.import_file(out, back)
            drx.export_file(back, out + ".2", format="zarr2")
            shutil.rmtree(back)
            shutil.rmtree(out)
            os.rename(out + ".2", out)
        got = opened(out, format)
        want = xr.decode_cf(raw)
        for name in want.variables:
            self.assertIn(name, got.variables)
            same(self, name, got[name].values, want[name].values)
            attrs = {k: v for k, v in got[name].attrs.items() if k not in ENCODINGS}
            expected = {k: v for k, v in want[name].attrs.items() if k not in ENCODINGS}
            if "geotransform" in raw[name].attrs:
                expected = {k: v for k, v in expected.items() if k not in ("geotransform", "crs_wkt")}
            self.assertEqual(set(attrs), set(expected), name)
            for k in attrs:
                self.assertTrue(np.array_equal(attrs[k], expected[k]), (name, k, attrs[k], expected[k]))
        self.libraries(out, raw, format)
        if "geotransform" in raw.v.attrs:
            g = raw.v.attrs["geotransform"]
            n, m = raw.v.shape[-2:]
            np.testing.assert_allclose(got.x.values, g[0] + (np.arange(m) + lo + 0.5) * g[1], rtol=1e-12)
            np.testing.assert_allclose(got.y.values, g[3] + (np.arange(n) + lo + 0.5) * g[5], rtol=1e-12)
            mapping = got[got.v.attrs.get("grid_mapping") or got.v.encoding["grid_mapping"]]
            np.testing.assert_allclose([float(x) for x in mapping.attrs["GeoTransform"].split()], moved(g, lo))
            self.assertEqual(mapping.attrs["crs_wkt"], raw.v.attrs["crs_wkt"])

    def libraries(self, out, raw, format):
        """The stored numbers are those that were stored, as the library of the format itself reads
        them."""
        stored = raw.v.values
        if stored.dtype == object:
            return
        if format.startswith("netcdf"):
            with netCDF4.Dataset(out) as f:
                f.set_auto_maskandscale(False)
                self.assertTrue(np.array_equal(f["v"][...], stored, equal_nan=stored.dtype.kind == "f"))
        elif format == "hdf5":
            with h5py.File(out) as f:
                self.assertTrue(np.array_equal(f["v"][...], stored, equal_nan=stored.dtype.kind == "f"))
        elif format == "zarr2":
            self.assertTrue(np.array_equal(zarr.open(out, "r")["v"][...], stored, equal_nan=stored.dtype.kind == "f"))

    def raster(self, out, raw, lo):
        """What rasterio decodes, by no-data value, scale and offset, is what xarray has."""
        with rasterio.open(out) as f:
            values = f.read().astype("f8")
            for i, mark in enumerate(f.nodatavals):
                if mark is not None:
                    values[i][values[i] == mark] = np.nan
                values[i] = values[i] * f.scales[i] + f.offsets[i]
            if "units" in raw.v.attrs:
                self.assertEqual(f.units[0], raw.v.attrs["units"])
            if "geotransform" in raw.v.attrs:
                np.testing.assert_allclose(f.transform.to_gdal(), moved(raw.v.attrs["geotransform"], lo))
                self.assertEqual(f.crs.to_epsg(), 32633)
            for k in "title", "flag_meanings":
                if k in raw.v.attrs:
                    self.assertEqual(f.tags()[k], raw.v.attrs[k])
        want = each_band(raw)
        same(self, "v", values.reshape(want.shape), want)

    def fits(self, out, raw, lo):
        """What the standard of FITS says of the numbers in a file, by BSCALE, BZERO and BLANK, is
        what xarray has."""
        with fits.open(out, do_not_scale_image_data=True, memmap=False) as hdus:
            hdu = next(h for h in hdus if h.name in ("v", "V") or h.data is not None and len(hdus) == 1)
            stored, cards = hdu.data, hdu.header
            values = stored.astype("f8") * cards.get("BSCALE", 1) + cards.get("BZERO", 0)
            if "BLANK" in cards:
                values[stored == cards["BLANK"]] = np.nan
        if "units" in raw.v.attrs:
            self.assertEqual(cards["BUNIT"], raw.v.attrs["units"])
        same(self, "v", values, each_band(raw))
        for n, dim in enumerate(reversed(raw.v.dims), 1):
            at = (np.arange(raw.sizes[dim]) + 1 - cards.get(f"CRPIX{n}", 0)) * cards.get(f"CDELT{n}", 1) + cards.get(f"CRVAL{n}", 0)
            if raw[dim].attrs.get("calendar", "standard") not in ("standard", "gregorian", "proleptic_gregorian"):
                self.assertNotIn(f"CRVAL{n}", cards)  # which FITS has no calendar for
            elif dim in raw.coords and raw[dim].dtype.kind in "if":
                np.testing.assert_allclose(at, raw[dim].values.astype("f8"), err_msg=dim)
            if "geotransform" in raw.v.attrs and dim in ("x", "y"):
                g = raw.v.attrs["geotransform"]
                np.testing.assert_allclose(at, (g[0] if dim == "x" else g[3]) + (np.arange(raw.sizes[dim]) + lo + 0.5) * (g[1] if dim == "x" else g[5]), rtol=1e-12)
                self.assertEqual(cards[f"CUNIT{n}"], "m")

    # What is stored: a dataset that nothing has decoded, and the low bound of each dimension.

    def packing(self, rng):
        attrs = {"scale_factor": float(rng.choice([0.01, 0.1, 2.5])), "add_offset": float(rng.choice([0.0, 273.15]))}
        if rng.random() < 0.5:
            attrs["_FillValue"] = -32767
        return field(numbers(rng, "i2"), attrs), 0

    def unsigned(self, rng):
        t = rng.choice(["i1", "i2", "i4"])
        attrs = {"_Unsigned": "true"}
        if rng.random() < 0.5:
            attrs["_FillValue"] = -1
        if rng.random() < 0.5:
            attrs["scale_factor"] = 0.5
        return field(numbers(rng, t), attrs), 0

    def missing(self, rng):
        t = rng.choice(["i2", "f4", "i4"])
        v = numbers(rng, t)
        few = [-9, -8, 7][: rng.integers(1, 4)]
        v[rng.random(v.shape) < 0.3] = few[-1]
        attrs = {"missing_value": few if len(few) > 1 else few[0]}
        if rng.random() < 0.5:
            attrs["_FillValue"] = -9
        return field(v, attrs), 0

    def fill(self, rng):
        t = rng.choice(["i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8"])
        v = numbers(rng, t)
        fill = rng.choice([0, 5, 100])
        v[rng.random(v.shape) < 0.3] = fill
        return field(v, {"_FillValue": float(fill) if t[0] == "f" else int(fill)}), 0

    def valid(self, rng):
        attrs = {"valid_range": [0, 5]} if rng.random() < 0.5 else {"valid_min": 0, "valid_max": 9}
        return field(numbers(rng, "i2"), attrs), 0

    def units(self, rng):
        return field(numbers(rng, rng.choice(["f4", "f8"])), {"units": str(rng.choice(["K", "degC", "kg m-2 s-1", "%"])), "title": "Größe", "long_name": "a b"}), 0

    def times(self, rng):
        calendars = ["standard", "gregorian", "proleptic_gregorian", "julian", "noleap", "365_day", "all_leap", "366_day", "360_day"]
        attrs = {"units": f"{rng.choice(['hours', 'days', 'minutes'])} since 2001-02-03 04:05", "calendar": str(rng.choice(calendars))}
        raw = field(numbers(rng, "i4"), {})
        t = (np.arange(raw.sizes["t"]) * 3 + 5)[:: rng.choice([-1, 1])]
        return raw.assign_coords(t=("t", t.astype(rng.choice(["i4", "f8"])), attrs)), 0

    def flags(self, rng):
        attrs = {"flag_values": [0, 1, 2], "flag_meanings": "clear cloud snow", "title": "x"}
        return field(rng.integers(0, 3, (3, 4, 5)).astype("i1"), attrs), 0

    def text(self, rng):
        raw = field(numbers(rng, "i4"), {})
        return raw.assign_coords(t=("t", np.array([f"n{i}" for i in range(raw.sizes["t"])], dtype=object))), 0

    def bounds(self, rng):
        attrs = {"units": "days since 2001-01-01", "bounds": "t_bnds"}
        raw = field(numbers(rng, "f4"), {})
        n = raw.sizes["t"]
        raw = raw.assign_coords(t=("t", np.arange(n, dtype="i4"), attrs))
        raw["t_bnds"] = ("t", "two"), np.stack([np.arange(n), np.arange(n) + 1], axis=1).astype("i4")
        return raw, 0

    def place(self, rng):
        up = rng.choice([-1.0, 1.0])
        attrs = {"geotransform": [float(rng.integers(0, 10**6)), 30.0, 0.0, 4100000.25, 0.0, 12.5 * up], "crs_wkt": WKT}
        raw = field(numbers(rng, "f4"), attrs)
        return raw.drop_vars(["y", "x"]), 0

    def bands(self, rng):
        return xr.Dataset({"v": (("b", "y", "x"), numbers(rng, "i2"), {"scale_factor": [0.5, 2.0, 0.25]})}), 0

    def special(self, rng):
        v = numbers(rng, rng.choice(["f4", "f8"]))
        v[rng.random(v.shape) < 0.3] = np.nan
        return field(v, {"_FillValue": "NaN"} if rng.random() < 0.5 else {}), 0

    def low(self, rng):
        raw, _ = self.place(rng)
        return raw, -3


class Appends(unittest.TestCase):
    """An export that brings a file up to date is refused, or the file has the values of the array,
    within the step of its packing."""

    KINDS = ("same", "packing", "floats", "missing", "units", "other", "times", "calendar", "flags", "type", "repeated", "backwards", "reversed", "order", "bounds", "unsigned", "gap")

    def test_appends(self):
        warnings.simplefilter("ignore")
        rng = np.random.default_rng(38)
        counts = collections.Counter()
        with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
            for i in range(len(self.KINDS) * ROUNDS):
                kind, format = self.KINDS[i % len(self.KINDS)], ("netcdf", "hdf5")[i // len(self.KINDS) % 2]
                counts[kind, self.trial(rng, kind, format, folder)] += 1
        for key in sorted(counts):
            print(*key, counts[key])
        for kind in "same", "packing", "floats", "missing", "units", "times", "type", "bounds", "unsigned":
            self.assertGreater(counts[kind, "kept"], 0, kind)
        for kind in "other", "calendar", "flags", "repeated", "backwards", "reversed", "order", "gap":
            self.assertGreater(counts[kind, "refused"], 0, kind)
            self.assertEqual(counts[kind, "kept"], 0, kind)

    def trial(self, rng, kind, format, folder):
        first, second, step = self.pair(rng, kind)
        out = os.path.join(folder, "f.nc")
        for raw in first, second:
            path = os.path.join(folder, "d")
            make(path, raw)
            try:
                drx.export_file(path, out, format=format, append="t")
            except drx.Error as e:
                self.assertIs(raw, second, e)
                self.assertNotIn("protocol", str(e))
                self.assertTrue(opened(out, format).identical(before), kind)
                return "refused"
            finally:
                shutil.rmtree(path)
                if raw is second and os.path.exists(out):
                    got = opened(out, format)
                    os.remove(out)
            if raw is first:
                before = opened(out, format)
        want = xr.decode_cf(second)
        new = slice(first.sizes["t"], None)
        values, expected = got.v.values[new].astype("f8"), want.v.values[new].astype("f8")
        if kind == "units":
            expected = expected + 273.15
        np.testing.assert_allclose(values, expected, rtol=1e-6, atol=step * 0.5001, err_msg=kind)
        for name in set(want.variables) - {"v"}:
            self.assertTrue(np.array_equal(got[name].values, want[name].values), (kind, name, got[name], want[name]))
        return "kept"

    def pair(self, rng, kind):
        """Two datasets, the second longer, and the step of the first one's packing."""
        data = rng.normal(280, 5, (5, 4, 5)).round(2).astype("f4")
        t = np.arange(5) * 2
        coords = {"t": ("t", t.astype("i4"), {"units": "days since 2001-01-01"}), "y": ("y", 50 - np.arange(4) * 0.5), "x": ("x", np.arange(5) * 0.25)}

        def build(values, attrs, **changed):
            return xr.Dataset({"v": (("t", "y", "x"), values, attrs)}, {**coords, **changed})

        def packed(scale, offset, fill=-32767, **attrs):
            return np.round((data - offset) / scale).astype("i2"), {"scale_factor": scale, "add_offset": offset, "_FillValue": fill, **attrs}

        step = 0.0
        first, second = build(data, {"units": "K"}), build(data, {"units": "K"})
        if kind == "packing":
            step = 0.01
            first, second = build(*packed(0.01, 273.15)), build(*packed(float(rng.choice([0.02, 0.005])), 280.0, int(rng.choice([-32767, 32767]))))
        elif kind == "floats":  # with a fill value of their own, onto packed numbers
            step = 0.01
            v, attrs = packed(0.01, 273.15)
            first, second = build(v, attrs), build(data.astype(rng.choice(["f4", "f8"])), {"_FillValue": "NaN"} if rng.random() < 0.5 else {"_FillValue": -999.0})
        elif kind == "missing":
            v, attrs = packed(0.01, 273.15)
            first = build(v, attrs)
            v = np.where(rng.random(v.shape) < 0.3, np.int16(-9), v).astype("i2")
            second = build(v, {**attrs, "_FillValue": -9})
        elif kind == "units":
            second = build((data - 273.15).astype("f4"), {"units": "degC"})
        elif kind == "other":
            second = build(data, {"units": str(rng.choice(["m", "foo", ""]))})
        elif kind == "times":
            hours = np.arange(5) * 48
            second = build(data, {"units": "K"}, t=("t", hours.astype("i4"), {"units": "hours since 2001-01-01"}))
        elif kind == "calendar":
            second = build(data, {"units": "K"}, t=("t", t.astype("i4"), {"units": "days since 2001-01-01", "calendar": "noleap"}))
        elif kind == "flags":
            v = rng.integers(0, 3, data.shape).astype("i1")
            first = build(v, {"flag_values": [0, 1, 2], "flag_meanings": "a b c"})
            second = build(v, {"flag_values": [0, 1, 2], "flag_meanings": "b a c"})
        elif kind == "type":
            v = rng.integers(0, 100, data.shape)
            first, second = build(v.astype("i4"), {}), build(v.astype("i2"), {})
        elif kind == "unsigned":
            v = rng.integers(0, 256, data.shape)
            first, second = build(v.astype("i2"), {}), build(v.astype("u1").view("i1"), {"_Unsigned": "true"})
        elif kind in ("repeated", "backwards", "gap"):
            wrong = t.astype("f8")
            wrong[4] = {"repeated": wrong[3], "backwards": wrong[1] - 0.5, "gap": np.nan}[kind]
            attrs = {"units": "days since 2001-01-01"}
            first = build(data, {"units": "K"}, t=("t", t.astype("f8"), attrs))
            second = build(data, {"units": "K"}, t=("t", wrong, attrs))
        elif kind == "reversed":
            second = build(data, {"units": "K"}, y=("y", first.y.values[::-1].copy()))
        elif kind == "order":
            square = data[:, :, :4]
            first = xr.Dataset({"v": (("t", "y", "x"), square, {})}, {"t": coords["t"]})
            second = xr.Dataset({"v": (("t", "x", "y"), square, {})}, {"t": coords["t"]})
        elif kind == "bounds":
            both = []
            for units, factor in ("days since 2001-01-01", 1), ("hours since 2001-01-01", 24):
                d = build(data, {"units": "K"}, t=("t", (t * factor).astype("i4"), {"units": units, "bounds": "t_bnds"}))
                d["t_bnds"] = ("t", "two"), (np.stack([t, t + 1], axis=1) * factor).astype("i4")
                both.append(d)
            first, second = both
        return first.isel(t=slice(0, 3)), second, step


WKT = (
    'PROJCS["WGS 84 / UTM zone 33N",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],'
    'AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433],AUTHORITY["EPSG","4326"]],'
    'PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",15],PARAMETER["scale_factor",0.9996],'
    'PARAMETER["false_easting",500000],PARAMETER["false_northing",0],UNIT["metre",1],AXIS["Easting",EAST],AXIS["Northing",NORTH],'
    'AUTHORITY["EPSG","32633"]]'
)


def numbers(rng, t):
    """Numbers of a type, among them zero and its ends."""
    t = np.dtype(str(t))
    if t.kind == "f":
        return rng.normal(0, 50, (3, 4, 5)).round(2).astype(t)
    v = rng.integers(-10 if t.kind == "i" else 0, 11, (3, 4, 5)).astype(t)
    v[0, 0, :2] = np.iinfo(t).max, np.iinfo(t).min
    return v


def field(v, attrs):
    """A variable over times and a regular grid."""
    return xr.Dataset(
        {"v": (("t", "y", "x"), v, attrs)},
        {"t": ("t", np.arange(v.shape[0], dtype="i4")), "y": ("y", 50 - np.arange(v.shape[1]) * 0.5), "x": ("x", np.arange(v.shape[2]) * 0.25)},
    )


def moved(geotransform, lo):
    """That of an image whose first pixel has the indices lo."""
    g = list(geotransform)
    return [g[0] + lo * g[1], *g[1:3], g[3] + lo * g[5], *g[4:]]


def each_band(raw):
    """What xarray has, of numbers that have a scale for each band, too."""
    want = raw[["v"]]
    if isinstance(want.v.attrs.get("scale_factor"), list):
        want = want.assign(v=want.v.astype("f8") * np.array(want.v.attrs["scale_factor"])[:, None, None])
        want.v.attrs = {}
    return xr.decode_cf(want, decode_times=False).v.values


CODECS = (None, None, "zstd:3", "lz4", "blosc:zstd:5:shuffle")


def make(path, raw, lo=0, codec=None):
    """Stores numbers and attributes as they are."""
    codec = None if codec is None else str(codec)
    with drx.create_dataset(path) as d:
        for name, v in raw.variables.items():
            kwargs = {}
            values = v.values
            if values.dtype == object:
                continue
            if "_FillValue" in v.attrs:
                kwargs["fill"] = v.attrs["_FillValue"] if v.attrs["_FillValue"] != "NaN" else np.nan
            a = d.create_variable(name, values.dtype, list(v.dims), shape=v.shape, lo=[lo] * v.ndim, codec=codec, attrs=dict(v.attrs), **kwargs)
            a[...] = values
    for name, v in raw.variables.items():
        if v.values.dtype == object:
            with drx.open(os.path.join(path, "v"), "r+") as a:
                a.labels[v.dims[0]] = list(v.values)


def opened(out, format):
    if format.startswith("zarr"):
        return xr.open_zarr(out).load()
    with xr.open_dataset(out, engine="netcdf4") as ds:
        return ds.load()


def same(test, name, got, want):
    test.assertEqual(got.shape, want.shape)
    if want.dtype.kind in "iufb":
        np.testing.assert_allclose(got.astype("f8"), want.astype("f8"), rtol=1e-6, atol=1e-6, err_msg=name)
    else:
        test.assertTrue(np.all(np.asarray(got == want)), (name, got, want))


if __name__ == "__main__":
    unittest.main()
