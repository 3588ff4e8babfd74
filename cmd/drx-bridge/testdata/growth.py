"""Makes the files of a growing archive, and compares what drx exports with what xarray, h5py and
astropy assemble of them.

    python3 growth.py make FOLDER             # all files
    python3 growth.py netcdf FOLDER OUT       # compares OUT with the NetCDF files
    python3 growth.py hdf5 FOLDER OUT         # with the HDF5 frames
    python3 growth.py fits FOLDER OUT LOW...  # with the FITS frames

LOW are the new rows and columns on the low side. The comparison prints nothing and ends with an
exception if anything differs.
"""

import functools
import glob
import os
import sys
import warnings

import numpy

warnings.filterwarnings("ignore")

DAYS = 30
LATS = numpy.arange(56, 44, -0.5, dtype="float32")  # descending, as those of ERA5
LONS = numpy.arange(-8, 8, 0.5, dtype="float32")
NARROW = (slice(8, 13), slice(10, 16))  # of LATS and LONS: the domain of the first days
WIDE = (slice(5, 17), slice(6, 21))
WIDEST = (slice(3, 18), slice(6, 22))
STEPS = 4  # times of a day


def values(name, hours, lats, lons):
    """The value of each place at each time, as stored. Some are missing."""
    t, y, x = numpy.meshgrid(hours, lats, lons, indexing="ij")
    field = 37 * t + 100 * y + 3 * x + (5 if name == "t2m" else 0)
    missing = (numpy.round(2 * t + 4 * y + 6 * x)).astype(int) % 11 == 0
    if name == "t2m":
        return numpy.where(missing, -32767, field % 20011 - 10000).astype("int16")
    return numpy.where(missing, numpy.nan, field / 7).astype("float32")


def write_netcdf(path, day, count, domain):
    """A NetCDF file of count days from a day of 2024 on, whose times count from the first of them.
    """
    import netCDF4

    lats, lons = LATS[domain[0]], LONS[domain[1]]
    hours = numpy.arange(STEPS * count) * (24 // STEPS)
    with netCDF4.Dataset(path, "w") as f:
        f.title = "a growing archive"
        f.Conventions = "CF-1.8"
        f.createDimension("time", None)
        f.createDimension("lat", len(lats))
        f.createDimension("lon", len(lons))
        time = f.createVariable("time", "i4", ("time",))
        first = numpy.datetime64("2024-01-01") + day
        time.units = f"hours since {first} 00:00:00"
        time.calendar = "standard"
        time.standard_name = "time"
        time[:] = hours
        for name, v, units in ("lat", lats, "degrees_north"), ("lon", lons, "degrees_east"):
            c = f.createVariable(name, "f4", (name,))
            c.units = units
            c[:] = v
        t2m = f.createVariable("t2m", "i2", ("time", "lat", "lon"), fill_value=-32767, zlib=True)
        t2m.setncatts({"scale_factor": 0.01, "add_offset": 273.15, "units": "K", "long_name": "temperature"})
        rain = f.createVariable("rain", "f4", ("time", "lat", "lon"), fill_value=numpy.nan)
        rain.setncatts({"units": "mm", "levels": numpy.array([1, 5], "i4")})
        height = f.createVariable("height", "i2", ("lat", "lon"), fill_value=-1)
        height.units = "m"
        f.set_auto_maskandscale(False)
        for v in t2m, rain:
            v[:] = values(v.name, hours + 24 * day, lats, lons)
        height[:] = heights(lats, lons)


def heights(lats, lons):
    return (numpy.outer(lats, numpy.ones(len(lons))) * 10 + numpy.outer(numpy.ones(len(lats)), lons) * 2).astype("int16")


def make_netcdf(folder):
    for day in range(DAYS):
        write_netcdf(f"{folder}/day{day:02}.nc", day, 1, NARROW)
    # Strips for all days so far: to the north, to the south, and then, over all latitudes, to the
    # west and to the east.
    narrow, wide = NARROW, WIDE
    write_netcdf(f"{folder}/north.nc", 0, DAYS, (slice(wide[0].start, narrow[0].start), narrow[1]))
    write_netcdf(f"{folder}/south.nc", 0, DAYS, (slice(narrow[0].stop, wide[0].stop), narrow[1]))
    write_netcdf(f"{folder}/west.nc", 0, DAYS, (wide[0], slice(wide[1].start, narrow[1].start)))
    write_netcdf(f"{folder}/east.nc", 0, DAYS, (wide[0], slice(narrow[1].stop, wide[1].stop)))
    for day in range(DAYS, DAYS + 3):
        write_netcdf(f"{folder}/more{day:02}.nc", day, 1, WIDE)
    write_netcdf(f"{folder}/widest33.nc", 33, 1, WIDEST)
    write_netcdf(f"{folder}/narrow34.nc", 34, 1, NARROW)
    for day in -2, -1:
        write_netcdf(f"{folder}/late{day + 3}.nc", day, 1, WIDEST)


def check_netcdf(folder, out):
    import xarray

    def read(path):
        return xarray.open_dataset(path).load()

    files = [read(path) for path in sorted(glob.glob(f"{folder}/*.nc"))]
    want = functools.reduce(lambda a, b: a.combine_first(b), files)
    got = read(out)
    want = want.reindex(lat=got.lat).transpose(*[d for d in ("time", "lat", "lon")])
    assert list(got.lat.values) == list(LATS[WIDEST[0]]), got.lat
    assert list(got.lon.values) == list(LONS[WIDEST[1]]), got.lon
    assert got.sizes["time"] == STEPS * (DAYS + 5 + 2), got.sizes
    assert (numpy.diff(got.time.values) == numpy.timedelta64(24 // STEPS, "h")).all()
    for name in files[0].variables:
        g, w = got[name], files[0][name]
        assert set(g.attrs) == set(w.attrs), (name, g.attrs, w.attrs)
        for attr in w.attrs:
            assert numpy.array_equal(g.attrs[attr], w.attrs[attr]) and type(g.attrs[attr]) is type(w.attrs[attr]), (name, attr)
        for key in "scale_factor", "add_offset", "_FillValue", "units", "calendar", "dtype":
            assert numpy.array_equal(g.encoding.get(key), w.encoding.get(key), equal_nan=key == "_FillValue" and key in w.encoding), (name, key)
        xarray.testing.assert_equal(got[name].variable, want[name].variable)
    assert got.attrs == files[0].attrs, got.attrs
    assert got.encoding["unlimited_dims"] == {"time"}, got.encoding
    # Where no file has a value, there is the fill value: south of the domain of the early days.
    early = got.sel(time="2024-01-05", lat=slice(float(LATS[WIDE[0].stop - 1]) - 0.1, None))
    assert early.lat.size and early.t2m.isnull().all() and early.rain.isnull().all()
    narrow = got.sel(time="2024-02-04")
    assert narrow.t2m.notnull().any() and narrow.t2m.isnull().any()


def frame(number, rows, columns):
    """Frame of a picture whose pixels have values by their place."""
    y, x = numpy.meshgrid(rows, columns, indexing="ij")
    return (1000 * number + 20 * y + x).astype("int32")


FRAMES = 6
SMALL = (range(0, 7), range(0, 9))
LARGE = (range(-3, 8), range(-2, 13))


def domains():
    """The domain of each frame: the last ones are larger on all sides, and one is small again."""
    return [LARGE if i in (3, 4) else SMALL for i in range(FRAMES)]


def make_hdf5(folder):
    import h5py

    for i, (rows, columns) in enumerate(domains()):
        with h5py.File(f"{folder}/frame{i}.h5", "w") as f:
            f["counts"] = frame(i, rows, columns)
            f["counts"].attrs["unit"] = "photons"
            f["error"] = frame(i, rows, columns) / 10
            for k, (name, v) in enumerate((("y", rows), ("x", columns))):
                f[name] = numpy.array(v, "f8") / 4
                f[name].make_scale(name)
                for data in "counts", "error":
                    f[data].dims[k].attach_scale(f[name])
    for i in range(3):
        with h5py.File(f"{folder}/bare{i}.h5", "w") as f:
            f["image"] = frame(i, *SMALL)


def stacked(which):
    """The frames in an array of the larger domain."""
    all = numpy.zeros((len(which), len(LARGE[0]), len(LARGE[1])), "int32")
    for k, i in enumerate(which):
        rows, columns = domains()[i]
        all[k, rows.start - LARGE[0].start :, columns.start - LARGE[1].start :][: len(rows), : len(columns)] = frame(i, rows, columns)
    return all


def check_hdf5(folder, out):
    import h5py

    if os.path.basename(out).startswith("bare"):
        with h5py.File(out) as f:
            numpy.testing.assert_array_equal(f["bare"], [frame(i, *SMALL) for i in range(3)])
        return
    with h5py.File(out) as f:
        want = stacked(range(FRAMES))
        numpy.testing.assert_array_equal(f["counts"], want)
        assert f["counts"].dtype == want.dtype and f["counts"].attrs["unit"] in ("photons", b"photons")
        numpy.testing.assert_array_equal(f["error"], want / 10)
        assert f["counts"].dims[0][0].name == "/frame", f["counts"].dims[0][0]
        for k, name in (1, "y"), (2, "x"):
            numpy.testing.assert_array_equal(f["counts"].dims[k][name], numpy.array(LARGE[k - 1]) / 4)


def make_fits(folder):
    from astropy.io import fits

    for i, (rows, columns) in enumerate(domains()):
        h = fits.Header()
        h["CTYPE1"], h["CTYPE2"], h["CUNIT1"], h["CUNIT2"] = "RA---TAN", "DEC--TAN", "deg", "deg"
        h["CRVAL1"], h["CRVAL2"] = 83.8, -5.4
        h["CRPIX1"], h["CRPIX2"] = 4.5 - columns.start, 3.25 - rows.start
        h["CD1_1"], h["CD1_2"], h["CD2_1"], h["CD2_2"] = -2e-4, 1e-5, 1e-5, 2e-4
        h["OBJECT"] = "M 42"
        fits.writeto(f"{folder}/sky{i}.fits", frame(i, rows, columns), h)


def check_fits(folder, out, *part):
    """Each pixel of OUT, which begins at row part[0] and column part[1] and takes one pixel of
    part[2], is at its place on the sky."""
    from astropy.io import fits
    from astropy.wcs import WCS

    row, column, step = map(int, part)
    with fits.open(out) as f:
        got, header = f[0].data, f[0].header
    rows, columns = range(row, LARGE[0].stop, step), range(column, LARGE[1].stop, step)
    want = stacked(range(FRAMES))[:, row - LARGE[0].start :: step, column - LARGE[1].start :: step]
    numpy.testing.assert_array_equal(got, want)
    assert header["OBJECT"] == "M 42"
    y, x = numpy.meshgrid(rows, columns, indexing="ij")
    first = WCS(fits.getheader(f"{folder}/sky0.fits"))  # its pixel (0, 0) is index 0 of the array
    places = WCS(header).celestial.all_pix2world((x - column) / step, (y - row) / step, 0)
    numpy.testing.assert_allclose(places, first.all_pix2world(x, y, 0), rtol=0, atol=1e-10)


def main(command, folder, *more):
    if command == "make":
        os.makedirs(folder, exist_ok=True)
        for make in make_netcdf, make_hdf5, make_fits:
            make(folder)
        return
    {"netcdf": check_netcdf, "hdf5": check_hdf5, "fits": check_fits}[command](folder, *more)


main(*sys.argv[1:])
