"""What numbers mean: random pairs of datasets, of which the second is joined to the first, and what
is refused."""

import collections
import os
import tempfile
import unittest
import warnings

import numpy as np

import drx

try:
    import pandas as pd
    import xarray as xr

    from drx.xarray import DrxBackend, to_drx
except ImportError as e:
    if os.environ.get("CI") == "true":
        raise
    raise unittest.SkipTest(f"{e}; Debian: python3-xarray python3-dask") from None

PAIRS = 100_000 if os.environ.get("DRX_SOAK") else 2_000


def opened(path):
    with xr.open_dataset(path, engine=DrxBackend) as ds:
        return ds.load()


class Oracle(unittest.TestCase):
    """Either DRX refuses, or what it reads is what xarray has of the second dataset, within the
    step of the array."""

    KINDS = ("packing", "unsigned", "missing", "fill", "units", "times", "calendar", "coordinate", "type", "durations")

    def test_pairs(self):
        warnings.simplefilter("ignore")
        rng = np.random.default_rng(37)
        counts = collections.Counter()
        with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
            for i in range(PAIRS):
                kind, how = self.KINDS[i % len(self.KINDS)], ("append", "region")[i // len(self.KINDS) % 2]
                counts[kind, how, self.pair(rng, kind, how, os.path.join(folder, f"{i}.drx"))] += 1
        for key in sorted(counts):
            print(*key, counts[key])
        for kind in self.KINDS:
            for how in "append", "region":
                for outcome in "joined", "refused":
                    self.assertGreater(counts[kind, how, outcome], 0, (kind, how, outcome))

    def pair(self, rng, kind, how, path):
        first, second, encoding, step = getattr(self, kind)(rng)
        to_drx(first, path, encoding=encoding)
        before = opened(path)
        n = second.sizes["t"]
        if how == "region":
            second = second.assign_coords(t=first.t[:n]) if second.t.dtype == first.t.dtype else second
        where = {"append_dim": "t"} if how == "append" else {"region": {"t": slice(0, n)}}
        try:
            to_drx(second, path, **where)
        except (drx.Error, ValueError):
            self.assertTrue(opened(path).identical(before), (kind, how))
            os.remove(path)
            return "refused"
        after = opened(path)
        os.remove(path)
        part = after.isel(t=slice(before.sizes["t"], None) if how == "append" else slice(0, n))
        want = xr.decode_cf(second)
        for name in want.variables:
            got, w = part[name].values, want[name].values
            if name == "v" and want.v.attrs.get("units") == "degC" and part.v.attrs.get("units") == "K":
                w = w + 273.15
            self.assertEqual(got.shape, w.shape)
            if w.dtype.kind == "c" or got.dtype.kind == "c":
                np.testing.assert_allclose(got, w, rtol=1e-6)
            elif w.dtype.kind in "iufb" and got.dtype.kind in "iufb":
                tolerance = step if name == "v" else 0
                np.testing.assert_allclose(got.astype("f8"), w.astype("f8"), rtol=1e-6, atol=tolerance * 0.5001, err_msg=str((kind, how, name)))
            else:
                self.assertTrue(np.all((got == w) | (pd.isnull(got) & pd.isnull(w))), (kind, how, name, got, w))
        return "joined"

    @staticmethod
    def base(v, first=True, x=(0.0, 10.0, 20.0), **attrs):
        v = np.asarray(v)
        t = pd.date_range("2000-01-01" if first else "2000-02-01", periods=len(v))
        return xr.Dataset({"v": (("t", "x"), v, attrs)}, {"t": t, "x": np.asarray(x)[: v.shape[1]]})

    def packing(self, rng):
        scale, offset = rng.choice([0.01, 0.1, 0.5]), rng.choice([0.0, 273.15])
        one = self.base(rng.random((3, 3)) * 20 + 270)
        two = self.base(rng.random((2, 3)) * rng.choice([20, 2e4]) + 270, False)
        two.v.encoding.update(scale_factor=0.007, add_offset=3.0, dtype="i2")
        if rng.random() < 0.3:  # not decoded
            two["v"] = (("t", "x"), rng.integers(-300, 300, (2, 3)).astype("i2"), {"scale_factor": 0.05, "add_offset": 280.0})
        return one, two, {"v": {"dtype": "i2", "scale_factor": scale, "add_offset": offset, "_FillValue": -32768}}, scale

    def unsigned(self, rng):
        one, two = self.base(rng.integers(0, 250, (3, 3)).astype("f4")), self.base(rng.integers(0, rng.choice([250, 400]), (2, 3)).astype("f4"), False)
        return one, two, {"v": {"dtype": "u1", "_FillValue": 255}}, 0

    def missing(self, rng):
        one, v = self.base(rng.random((3, 3)).round(2)), rng.random((2, 3)).round(2)
        v[0, 0] = np.nan
        fill = {"_FillValue": -1} if rng.random() < 0.5 else {}
        if not fill:
            one = self.base(rng.integers(0, 9, (3, 3)).astype("i2"))
            return one, self.base(v, False), {}, 0
        return one, self.base(v, False), {"v": {"dtype": "i2", "scale_factor": 0.01, **fill}}, 0.01

    def fill(self, rng):
        one = self.base(rng.integers(0, 90, (3, 3)).astype("f8"))
        v = rng.integers(0, 90, (2, 3)).astype("f8")
        if rng.random() < 0.5:
            v[1, 1] = -9  # which means missing in the array
        if rng.random() < 0.5:
            v[0, 1] = np.nan
        return one, self.base(v, False), {"v": {"dtype": "i4", "_FillValue": -9}}, 0

    def units(self, rng):
        one = self.base(rng.random((3, 3)) * 20 + 270, units="K")
        return one, self.base(rng.random((2, 3)) * 20, False, units=rng.choice(["K", "degC", "m", "furlong"])), {}, 0

    def times(self, rng):
        one, two = self.base(np.zeros((3, 3))), self.base(np.zeros((2, 3)), False)
        late = rng.choice(["0h", "12h", "1s", "1D"])
        one["w"] = ("t", pd.date_range("2001-01-01", periods=3))
        two["w"] = ("t", pd.date_range("2001-02-01", periods=2) + pd.Timedelta(str(late)))
        return one, two, {"w": {"units": str(rng.choice(["days since 2000-01-01", "hours since 1999-12-31 06:00"])), "dtype": "i4"}}, 0

    def calendar(self, rng):
        import cftime

        def ds(calendar, day, first):
            w = np.array([cftime.datetime(2001, 2, day + i, calendar=calendar) for i in range(2)], object)
            return self.base(np.zeros((2, 3)), first).assign(w=("t", w))

        return ds("noleap", 1, True), ds(str(rng.choice(["noleap", "360_day"])), 20, False), {"w": {"units": "days since 2000-01-01"}}, 0

    def coordinate(self, rng):
        x = [(0.0, 10.0, 20.0), (20.0, 10.0, 0.0), (5.0, 15.0, 25.0), (0.0, 10.0 + 1e-15, 20.0), (10.0, 0.0, 20.0)][rng.integers(5)]
        return self.base(rng.random((3, 3))), self.base(rng.random((2, 3)), False, x), {}, 0

    def type(self, rng):
        one = self.base(rng.integers(0, 9, (3, 3)).astype(rng.choice(["i2", "u1", "f4", "i8", "b1", "c8"])))
        v = (rng.random((2, 3)) * rng.choice([1, 9, 1e9])).astype(rng.choice(["i2", "i8", "f8", ">f8", ">i4", "b1", "c16"]))
        return one, self.base(v, False), {}, 0

    def durations(self, rng):
        def ds(hours, first):
            return self.base(np.zeros((2, 3)), first).assign(w=("t", np.array(hours, "m8[h]").astype("m8[ns]")))

        return ds([24, 48], True), ds([72, int(rng.choice([96, 100]))], False), {}, 0


class Refused(unittest.TestCase):
    """What is refused says why, and leaves what is there."""

    def setUp(self):
        warnings.simplefilter("ignore")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "w")

    def ds(self, t, x=(0.0, 10.0, 20.0), v=0.0):
        t = pd.to_datetime(list(t))
        return xr.Dataset({"r": (("t", "x"), np.full((len(t), len(x)), v))}, {"t": t, "x": list(x)})

    def refused(self, words, ds, **how):
        before = opened(self.path)
        with self.assertRaisesRegex((drx.Error, ValueError), words):
            to_drx(ds, self.path, **how)
        self.assertTrue(opened(self.path).identical(before))

    def test_coordinates(self):
        to_drx(self.ds(["2000-01-01", "2000-01-02"]), self.path)
        for words, ds in (("is reversed", self.ds(["2000-01-03"], [20.0, 10.0, 0.0])), ("permuted", self.ds(["2000-01-03"], [10.0, 0.0, 20.0])),
                          ("shifted by 5", self.ds(["2000-01-03"], [5.0, 15.0, 25.0])), ("is there already", self.ds(["2000-01-02"])),
                          ("order is x, t", self.ds(["2000-01-03"]).transpose("x", "t")), ("order of the array", self.ds(["1999-01-02"])),
                          ("no variable 'w'", self.ds(["2000-01-03"]).assign(w=1)), ("are missing", self.ds(["2000-01-03"]).drop_vars("r")),
                          ("no whole number in the units", self.ds(["2000-01-03 12:00"])), ("units is none, that of the array is", self.ds(["2000-01-03"]).assign_coords(t=[5]))):
            self.refused(words, ds, append_dim="t")
        self.refused("region: coordinate t", self.ds(["2000-01-03"]), region={"t": slice(0, 1)})
        self.refused("is reversed", self.ds(["2000-01-01"], [20.0, 10.0, 0.0]), region={"t": slice(0, 1)})
        self.refused("dict of slices", self.ds(["2000-01-01"]), region={})
        self.refused("has a step", self.ds(["2000-01-01"]), region={"t": slice(0, 1, 2)})
        with self.assertRaisesRegex(drx.InvalidError, "want the path of a dataset"):
            to_drx(self.ds(["2000-01-01"]), "")
        self.refused("what is written is", self.ds(["2000-01-01"]), mode="a")
        to_drx(self.ds(["2000-01-03"], v=3.0), self.path, append_dim="t")
        to_drx(self.ds(["2000-01-02"], v=2.0), self.path, region={"t": slice(1, 2)})
        to_drx(self.ds([]), self.path, append_dim="t")
        self.assertEqual(opened(self.path).r[:, 0].values.tolist(), [0, 2, 3])

    def test_spellings_of_a_coordinate_system(self):
        wkt = ('GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],'
               'UNIT["degree",0.0174532925199433],AUTHORITY["EPSG","4326"]]')
        to_drx(self.ds(["2000-01-01"]).assign(crs=((), 0, {"crs_wkt": wkt})), self.path)
        to_drx(self.ds(["2000-01-02"]).assign(crs=((), 0, {"crs_wkt": "EPSG:4326"})), self.path, append_dim="t")
        self.refused("WGS 84", self.ds(["2000-01-03"]).assign(crs=((), 0, {"crs_wkt": "EPSG:32632"})), append_dim="t")
        self.assertEqual(opened(self.path).sizes["t"], 2)

    def test_units_of_coordinates_and_places(self):
        ds = self.ds(["2000-01-01"]).assign(crs=0, f=("t", np.array([1], "i1"), {"flag_values": [0, 1], "flag_meanings": "sea land"}))
        ds.x.attrs["units"], ds.crs.attrs["crs_wkt"], ds.r.attrs["units"] = "km", "here", "K"
        to_drx(ds, self.path)
        later = ds.assign_coords(t=pd.to_datetime(["2000-01-02"]))
        miles, metres, there = later.copy(deep=True), later.copy(deep=True), later.copy(deep=True)
        miles.x.attrs["units"], there.crs.attrs["crs_wkt"] = "m", "there"
        self.refused("coordinate|variable x", miles, append_dim="t")
        self.refused('variable crs: coordinate system is "there", that of the array is "here"', there, append_dim="t")
        to_drx(ds.assign(crs=((), 0, {"grid_mapping_name": "m", "semi_major_axis": 1.0})), self.path + "g")
        with self.assertRaisesRegex(drx.InvalidError, "semi_major_axis of the array is 1.0"):
            to_drx(later.assign(crs=((), 0, {"grid_mapping_name": "m", "semi_major_axis": 2.0})), self.path + "g", append_dim="t")
        turned = later.copy(deep=True)
        turned.f.attrs["flag_meanings"] = "land sea"
        self.refused("flag_meanings is 0 land, 1 sea", turned, append_dim="t")
        metres = metres.assign_coords(x=("x", later.x.values * 1000, {"units": "m"}))
        to_drx(metres, self.path, append_dim="t")
        bare = later.assign_coords(t=pd.to_datetime(["2000-01-03"]))
        for n in "r", "f":
            bare[n].attrs = {}  # as arithmetic leaves it
        to_drx(bare, self.path, append_dim="t")
        self.assertEqual(opened(self.path).sizes["t"], 3)

    def test_a_new_variable_whose_type_is_too_narrow(self):
        for i, (x, fits) in enumerate([(1e9, False), (-1e9, False), (np.inf, False), (3.4, True), (np.nan, True)]):
            for chunked in False, True:
                ds = xr.Dataset({"r": ("x", np.array([1.0, x]))})
                ds.r.encoding.update(dtype="i2", scale_factor=0.5, _FillValue=-9)
                path = f"{self.path}{i}{chunked}"
                if fits:
                    to_drx(ds.chunk(x=1) if chunked else ds, path)
                    self.assertEqual(opened(path).r.values[0], 1)
                    continue
                with self.assertRaisesRegex(drx.DTypeError, "variable r: .* does not fit int16"):
                    to_drx(ds.chunk(x=1) if chunked else ds, path)
                self.assertFalse(os.path.exists(path))
        ds = xr.Dataset({"r": ("x", np.array([255.0, 1.0]))})
        ds.r.encoding.update(dtype="i1", _Unsigned="true", _FillValue=-9)
        to_drx(ds, self.path)
        self.assertEqual(opened(self.path).r.values.tolist(), [255, 1])

    def test_other_quantities(self):
        ds = self.ds(["2000-01-01"])
        ds.r.attrs.update(standard_name="air_temperature", cell_methods="time: mean", positive="up")
        ds.x.attrs["standard_name"] = "projection_x_coordinate"
        to_drx(ds, self.path)
        later = ds.assign_coords(t=pd.to_datetime(["2000-01-02"]))
        for name, value in {"standard_name": "sea_surface_temperature", "cell_methods": "time: maximum", "positive": "down"}.items():
            other = later.copy(deep=True)
            other.r.attrs[name] = value
            self.refused(f"variable r: {name} is .*{value}.*, that of the array is .*; raw=True moves", other, append_dim="t")
        east = later.copy(deep=True)
        east.x.attrs["standard_name"] = "longitude"
        self.refused("x: standard_name is longitude", east, append_dim="t")
        later.r.attrs.update(cell_methods="time: mean (interval: 1 hour)", positive="Up", long_name="other")
        to_drx(later, self.path, append_dim="t")
        del later.r.attrs["standard_name"]
        to_drx(later.assign_coords(t=pd.to_datetime(["2000-01-03"])), self.path, append_dim="t")
        self.assertEqual(opened(self.path).sizes["t"], 3)

    def test_bytes_of_the_other_order(self):
        ds = self.ds(["2000-01-01", "2000-01-02"]).assign(i=("t", np.array([1, 2], ">i4")))
        to_drx(ds, self.path)
        for i, dtype in enumerate((">i2", ">i4", "<i8", ">f8")):
            to_drx(ds.assign(i=("t", np.array([3, 4], dtype))).assign_coords(t=ds.t + np.timedelta64(2 * i + 2, "D")), self.path, append_dim="t")
        self.assertEqual(opened(self.path).i.values.tolist(), [1, 2] + [3, 4] * 4)

    def test_several_marks_of_missing_values(self):
        for encoding in ({"missing_value": np.array([-9, -8], "f4")}, {"missing_value": np.float32(-9), "_FillValue": np.float32(-1)},
                         {"dtype": "i2", "missing_value": np.array([-9, -8], "i2"), "_FillValue": np.int16(-1), "scale_factor": 0.5},
                         {"missing_value": np.array([-9.0]), "_FillValue": -9.0}, {"missing_value": np.nan, "_FillValue": np.nan}):
            with tempfile.TemporaryDirectory() as folder:
                to_drx(xr.Dataset({"r": xr.Variable("t", [1.0, np.nan, 2.0], {}, dict(encoding))}), folder + "/A")
                np.testing.assert_array_equal(opened(folder + "/A").r.values, [1, np.nan, 2])

    def test_other_valid_ranges_are_noted(self):
        def of(t, valid, **encoding):
            r = xr.Variable("t", np.array([float(t)]), {"units": "K", **valid}, encoding)
            return xr.Dataset({"r": r}, {"t": [t]})

        for first, second, encoding, noted in (
            ({"valid_range": [0.0, 5.0]}, {"valid_range": [0.0, 9.0]}, {}, True),
            ({"valid_range": [0.0, 5.0]}, {"valid_min": 0.0, "valid_max": 5.0}, {}, False),
            ({"valid_range": [0.0, 5.0]}, {}, {}, False),  # arithmetic drops attributes
            ({}, {"valid_max": 5.0}, {}, True),
            ({"valid_max": 5.0}, {"valid_max": 10}, {"dtype": "int16", "scale_factor": 0.5}, False),  # of packed numbers
        ):
            with tempfile.TemporaryDirectory() as folder:
                to_drx(of(0, first), folder + "/A")
                for where in ({"append_dim": "t"}, {"region": {"t": slice(1, 2)}}):
                    with warnings.catch_warnings(record=True) as said:
                        warnings.simplefilter("always")
                        to_drx(of(1, second, **encoding), folder + "/A", **where)
                    texts = [str(w.message) for w in said if "valid values" in str(w.message)]
                    self.assertEqual(bool(texts), noted, (first, second, encoding, texts))
                    self.assertEqual(opened(folder + "/A").r.values.tolist(), [0, 1])

    def test_bounds(self):
        """Bounds have the units of their coordinate, also where they do not say so."""
        def ds(day, decode):
            t = pd.date_range("2000-01-01", periods=2) + pd.Timedelta(day, "D")
            made = xr.Dataset({"b": (("t", "nv"), np.stack([t, t + pd.Timedelta(12, "h")], 1))}, {"t": ("t", t, {"bounds": "b"})})
            if decode:
                return made
            hours = xr.Dataset({"b": (("t", "nv"), (made.b.values - np.datetime64("2000-01-01")) / np.timedelta64(1, "h"))})
            return hours.assign_coords(t=("t", hours.b.values[:, 0], {"bounds": "b", "units": "hours since 2000-01-01"}))

        to_drx(ds(0, True), self.path, encoding={"t": {"units": "minutes since 1999-01-01", "dtype": "i4"}})
        to_drx(ds(2, True), self.path, append_dim="t")
        to_drx(ds(4, False), self.path, append_dim="t")
        xr.testing.assert_equal(opened(self.path), xr.concat([ds(0, True), ds(2, True), ds(4, True)], "t"))
        self.refused("units is none", ds(6, True).assign(b=(("t", "nv"), ds(6, False).b.values)), append_dim="t")

    def test_unsigned_that_is_not_decoded(self):
        ds = self.ds(["2000-01-01"]).assign(i=("t", np.array([7], "u1")))
        to_drx(ds, self.path)
        raw = ds.assign_coords(t=pd.to_datetime(["2000-01-02"])).assign(i=("t", np.array([-1], "i1"), {"_Unsigned": "true"}))
        to_drx(raw, self.path, append_dim="t")
        self.assertEqual(opened(self.path).i.values.tolist(), [7, 255])

    def test_repeated_after_rounding_and_missing(self):
        """A value is there already, too, if it is the same in the type and the packing of the
        coordinate."""
        for encoding in {"dtype": "f4"}, {"dtype": "i2", "scale_factor": 0.1}:
            self.path += "x"
            ds = xr.Dataset({"r": ("t", [1.0, 2.0])}, {"t": [50.0, 50.1]})
            to_drx(ds, self.path, encoding={"t": encoding})
            self.refused("is there already", ds.isel(t=[1]), append_dim="t")
            self.refused("is there already", ds.assign_coords(t=[50.2, 50.2 + 1e-9]), append_dim="t")
            self.refused("missing", ds.assign_coords(t=[50.2, np.nan]), append_dim="t")
            to_drx(ds.assign_coords(t=[50.2, 50.3]), self.path, append_dim="t")

    def test_times_of_two_kinds(self):
        """Times of cftime that the array reads as those of NumPy are in its order, and where they
        are, too."""
        import cftime

        def ds(year, day=1):
            t = np.array([cftime.datetime(year, 2, day + i, calendar="standard") for i in range(2)], object)
            return xr.Dataset({"r": (("t",), [0.0, 1.0])}, {"t": t})

        to_drx(ds(2001), self.path)
        self.refused("in the order|order of the array", ds(1999), append_dim="t")
        self.refused("is there already", ds(2001, 2), append_dim="t")
        self.refused("region: coordinate t", ds(2002), region={"t": slice(0, 2)})
        to_drx(ds(2001) + 5, self.path, region="auto")
        to_drx(ds(2002), self.path, append_dim="t")
        self.assertEqual(opened(self.path).r.values.tolist(), [5, 6, 0, 1])

    def test_encoding_of_what_exists(self):
        to_drx(self.ds(["2000-01-01"]), self.path)
        for how in {"append_dim": "t"}, {"region": {"t": slice(0, 1)}}:
            self.refused("already exists, but encoding was provided", self.ds(["2000-01-02"]), encoding={"r": {"dtype": "i2"}}, **how)

    def test_fill_values_that_the_type_lacks(self):
        ds = xr.Dataset({"a": ("x", np.array([1, 44], "i1"), {"missing_value": 300}), "b": ("x", np.array([1, 255], "u1"), {"_FillValue": -1}),
                         "c": ("x", np.array([1, 2], "i2"), {"_FillValue": 1.5}), "d": ("x", np.array([1, 2], "i2"), {"missing_value": np.nan})})
        to_drx(ds, self.path)
        got = opened(self.path)
        for n in ds:
            np.testing.assert_array_equal(got[n], ds[n])

    def test_numbers_that_are_not_decoded(self):
        ds = self.ds(["2000-01-01"], v=280.0)
        to_drx(ds, self.path, encoding={"r": {"dtype": "i2", "scale_factor": 0.1, "add_offset": 270.0, "_FillValue": -1}})
        raw = xr.Dataset({"r": (("t", "x"), np.array([[0, 200, -9]], "i2"), {"scale_factor": 0.05, "add_offset": 271.0, "missing_value": -9})},
                         {"t": ("t", [48.0], {"units": "hours since 2000-01-01"}), "x": ds.x})
        to_drx(raw, self.path, append_dim="t")
        got = opened(self.path)
        np.testing.assert_allclose(got.r[1], [271, 281, np.nan])
        self.assertEqual(got.t.values[1], np.datetime64("2000-01-03"))
        self.refused("units is .m., that of the array", ds.assign_coords(t=pd.to_datetime(["2000-01-04"])).assign(r=ds.r.variable.copy()).assign(
            r=(("t", "x"), ds.r.values, {"units": "m"})), append_dim="t")

    def test_a_new_path_that_fails_leaves_nothing(self):
        def fail(block):
            raise ZeroDivisionError

        ds = self.ds(["2000-01-01"])
        bad = ds.assign(r=xr.apply_ufunc(fail, ds.r.chunk({"t": 1}), dask="parallelized", output_dtypes=["f8"]))
        for path in self.path, self.path + ".drx":
            with self.assertRaises(ZeroDivisionError):
                to_drx(bad, path)
            self.assertEqual(os.listdir(os.path.dirname(path)), [])
        with self.assertRaisesRegex(drx.InvalidError, "no value of JSON"):
            to_drx(ds.assign_attrs(a=object()), self.path)
        self.assertEqual(os.listdir(os.path.dirname(self.path)), [])
        with drx.create_dataset(os.path.join(os.path.dirname(self.path), ".w.partial")):
            pass  # as a process leaves it that was killed
        to_drx(ds, self.path)
        self.assertEqual(os.listdir(os.path.dirname(self.path)), ["w"])

    def test_text_and_attributes(self):
        attrs = {"no_data": np.nan, "both": [np.nan, np.inf], "text": "NaN"}
        ds = xr.Dataset({"s": ("x", ["ab", "cd"], {"_FillValue": b" "}), "u": ("x", [1.0, 2.0], attrs)}, attrs={"upper": np.inf})
        to_drx(ds, self.path)
        got = opened(self.path)
        self.assertEqual(got.s.values.tolist(), ["ab", "cd"])
        self.assertEqual((got.attrs["upper"], got.u.attrs["text"]), (np.inf, "NaN"))
        np.testing.assert_array_equal(got.u.attrs["both"], attrs["both"])
        with drx.open_dataset(self.path, "r+") as d:
            d["s"].attrs.update(_FillValue="cd")
        self.assertEqual(opened(self.path).s.values.tolist()[0], "ab")
        self.assertEqual(opened(self.path).s.isnull().values.tolist(), [False, True])
        with drx.open_dataset(self.path, "r+") as d:
            d["u"].attrs.update(missing_value="none")
        self.assertEqual(opened(self.path).u.values.tolist(), [1, 2])
        self.assertEqual(dict(drx.open_dataset(self.path).attrs)["upper"], "Infinity")

    def test_assignment(self):
        cases = (("i2", 1e9, 32767), ("i2", 70000, 32767), ("u1", -1, 0), ("i4", 1.5, 2), ("f4", 2**24 + 1, 2**24), ("f8", 2**53 + 1, 2**53),
                 ("f4", 1e300, np.finfo("f4").max), ("i8", 2**63, 2**63 - 1), ("u8", -5, 0), ("?", 2, True), ("i8", 2.0**63, 2**63 - 1),
                 ("i8", np.uint64(2**63), 2**63 - 1), ("f2", 70000.0, 65504))
        for i, (dtype, value, nearest) in enumerate(cases):
            with drx.create(f"{self.path}{i}", (2, 3), dtype) as a:
                for write in (lambda: a.__setitem__(0, value), lambda: a.append([[value] * 3]), lambda: a.at.__setitem__((0, [0, 1]), value),
                              lambda: a.oindex.__setitem__(([0], [1]), np.array(value))):
                    with self.assertRaisesRegex(drx.DTypeError, "value .* is n"):
                        write()
                self.assertEqual(a.shape, (2, 3))
                self.assertFalse(a[...].any())
                a.write(value, 1, clip=True)
                self.assertEqual(a[1, 2], nearest, (dtype, value))
        with drx.create(self.path, (2,), "i4") as a:
            for value in np.nan, 1j, np.datetime64("2000-01-01"), np.timedelta64(1, "D"):
                with self.assertRaises(drx.DTypeError):
                    a[0] = value
                with self.assertRaises(drx.DTypeError):
                    a.write(value, 0, clip=True) if value != 1j else a.__setitem__(0, value)
            a[...] = [True, 3.0]
            self.assertEqual(a[...].tolist(), [1, 3])


if __name__ == "__main__":
    unittest.main()
