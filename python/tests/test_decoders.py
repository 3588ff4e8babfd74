"""Decoders: whatever reads an array says the same of what its numbers mean, and xarray says it of
the file they came from."""

import json
import os
import subprocess
import tempfile
import unittest
import warnings

import numpy as np

try:
    import netCDF4
    import xarray as xr
except ImportError as e:
    if os.environ.get("CI") == "true":
        raise
    raise unittest.SkipTest(f"{e}; Debian: python3-xarray python3-netcdf4") from None

import drx
from drx.xarray import DrxBackend

if "DRX_COMMAND" not in os.environ:
    raise unittest.SkipTest("needs drx and drx-bridge")

NUMBERS = np.array([[[-1, -2, 3, 21, 22, 27], [4, 5, 100, 23, 20, 25]], [[7, 8, 9, 31, 36, 33], [10, -1, 12, 34, 37, 39]]])
# What is stored besides these numbers: the type, the fill value and the attributes.
VARIABLES = {
    "unsigned": ("i1", -1, dict(_Unsigned="true", scale_factor=0.5, add_offset=1.0)),
    "unsigned_alone": ("i1", -1, dict(_Unsigned="true")),
    "unsigned_missing": ("i2", None, dict(_Unsigned="true", missing_value=np.int16(-2))),
    "signed": ("u1", None, dict(_Unsigned="false", scale_factor=0.25)),
    "several": ("i2", None, dict(missing_value=np.array([-1, -2], "i2"), scale_factor=0.5)),
    "several_alone": ("i2", None, dict(missing_value=np.array([-1, 9], "i2"))),
    "both": ("i2", -1, dict(missing_value=np.int16(-2))),
    "valid": ("i2", -2, dict(valid_range=np.array([0, 10], "i2"))),
    "zero": ("i2", 3, dict(missing_value=np.int16(0), add_offset=-3.0)),
    "float": ("f4", 100, {}),
    "float_packed": ("f4", None, dict(missing_value=np.float32(-2), scale_factor=np.float32(2))),
    "cannot_hold": ("i2", None, dict(missing_value=-1e20)),
    "negative_scale": ("i2", -2, dict(scale_factor=-0.5, add_offset=10.0)),
    "int64": ("i8", -2, {}),
}
# xarray of Debian casts the first to the type, and does not find the second, which is written with
# a sign.
NOT_BY_XARRAY = "cannot_hold", "unsigned_missing"


class Decoders(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        warnings.simplefilter("ignore")
        cls.folder = tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path, cls.file = os.path.join(cls.folder.name, "d"), os.path.join(cls.folder.name, "f.nc")
        with netCDF4.Dataset(cls.file, "w") as d:
            for dim, n in zip(("band", "y", "x"), NUMBERS.shape):
                d.createDimension(dim, n)
            for name, (dtype, fill, attrs) in VARIABLES.items():
                v = d.createVariable(name, dtype, ("band", "y", "x"), fill_value=fill)
                v.setncatts(attrs)
                v.set_auto_maskandscale(False)
                v[:] = NUMBERS.astype(dtype)
        cls.run_drx("import", cls.file, cls.path)

    @classmethod
    def run_drx(cls, *args):
        """What a command prints, without its notes."""
        done = subprocess.run([os.environ["DRX_COMMAND"], *args], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, (args, done.stderr)
        return done.stdout

    def want(self, name):
        """The values by the CF conventions, computed here."""
        dtype, fill, attrs = VARIABLES[name]
        stored = NUMBERS.astype(dtype)
        missing = [*np.atleast_1d(attrs.get("missing_value", [])), *([] if fill is None else [fill])]
        missing = np.isin(stored.astype("f8"), [float(x) for x in missing])
        if attrs.get("_Unsigned") == "true":
            stored = stored.view("u" + dtype[1:])
        if attrs.get("_Unsigned") == "false":
            stored = stored.view("i" + dtype[1:])
        values = stored.astype("f8") * float(attrs.get("scale_factor", 1)) + float(attrs.get("add_offset", 0))
        return np.where(missing, np.nan, values)

    def equal(self, who, got, want):
        np.testing.assert_allclose(np.asarray(got, "f8"), want, rtol=1e-12, err_msg=who)

    def test_all(self):
        ours = xr.open_dataset(self.path, engine=DrxBackend)
        theirs = xr.open_dataset(self.file)
        for name in VARIABLES:
            with self.subTest(name):
                want, array = self.want(name), f"{self.path}/{name}"
                if name not in NOT_BY_XARRAY:
                    self.equal("xarray of the file", theirs[name].values, want)
                self.equal("xarray of the array", ours[name].values, want)
                self.equal("read", self.table(self.run_drx("read", array, "--limit", "0")).reshape(want.shape), want)
                self.sums(array, want)
                for band in range(2):
                    view = json.loads(self.run_drx("view", array, "--at", f"band={band}", "--json"))
                    self.equal("view", [view["min"], view["max"], view["missing"]],
                               [np.nanmin(want[band]), np.nanmax(want[band]), np.isnan(want[band]).sum()])
                    self.equal("csv", self.csv(name, band), want[band])
                for scene in array, self.file:
                    self.hyper(name, scene, want)
                for format in "netcdf", "zarr2", "hdf5":
                    self.exported(name, format, want)

    def table(self, text):
        """The numbers of a printed table."""
        rows = [line.split() for line in text.splitlines() if line.strip() and "=" not in line and "/" not in line]
        return np.array([[float(x) for x in row[1:]] for row in rows])

    def sums(self, array, want):
        for flag, compute in (("--mean", np.nanmean), ("--min", np.nanmin), ("--max", np.nanmax), ("--count", lambda a: np.sum(~np.isnan(a))), (None, np.nansum)):
            said = json.loads(self.run_drx("sum", array, "--json", *([flag] if flag else [])))
            self.equal(f"sum {flag}", said["statistics"][0]["values"], [compute(want)])

    def csv(self, name, band):
        out = os.path.join(self.folder.name, "t.csv")
        try:
            self.run_drx("export", f"{self.path}/{name}", out, "--at", f"band={band}")
            values = np.genfromtxt(out, delimiter=",")
        finally:
            if os.path.exists(out):
                os.remove(out)
        if name == "int64":  # float64 has no such numbers, so they are written as they are, with a note
            values[values == -2] = np.nan
        return values

    def hyper(self, name, scene, want):
        """A factor of all bands alone is not applied, which changes no shape of a spectrum; the
        rest is."""
        if scene == self.file:
            one = os.path.join(self.folder.name, "one.nc")
            with xr.open_dataset(scene, mask_and_scale=False) as d:
                d[[name]].to_netcdf(one)
            scene = one
        _, _, attrs = VARIABLES[name]
        numbers = want if float(attrs.get("add_offset", 0)) else want / float(attrs.get("scale_factor", 1))
        usable = ~np.isnan(numbers).any(axis=0)
        said = json.loads(self.run_drx("hyper", "stats", scene, "--dims", "y,x,band", "--json"))
        self.assertEqual(said["pixels"], usable.sum(), scene)
        self.equal("hyper", [s["mean"] for s in said["statistics"]], [numbers[b][usable].mean() for b in range(2)])

    def exported(self, name, format, want):
        out = os.path.join(self.folder.name, "e")
        self.run_drx("export", f"{self.path}/{name}", out, "--format", format)
        try:
            if name in NOT_BY_XARRAY:
                return
            with xr.open_dataset(out, engine={"netcdf": "netcdf4", "hdf5": "netcdf4", "zarr2": "zarr"}[format]) as d:
                self.equal(format, d[name].values, want)
        finally:
            subprocess.run(["rm", "-r", out], check=True)


if __name__ == "__main__":
    unittest.main()
