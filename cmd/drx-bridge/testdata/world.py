"""Makes a NetCDF file with coordinates that FITS has, and others: python3 world.py FILE."""

import sys

import numpy
import netCDF4

with netCDF4.Dataset(sys.argv[1], "w") as d:
    def variable(name, dtype, dims, values, **attrs):
        for dim, n in zip(dims, numpy.shape(values)):
            if dim not in d.dimensions:
                d.createDimension(dim, n)
        v = d.createVariable(name, dtype, dims)
        v.setncatts(attrs)
        v.set_auto_maskandscale(False)
        v[:] = values

    variable("t", "f4", ("time", "lat", "lon"), numpy.arange(60).reshape(4, 3, 5), units="K")
    variable("time", "i4", ("time",), [0, 6, 12, 18], units="hours since 2024-01-28 06:00")
    variable("lat", "f4", ("lat",), [50.1, 50.2, 50.3], units="degrees_north")
    variable("lon", "f8", ("lon",), [-1.5, -1.4, -1.3, -1.2, -1.1], units="degrees_east")
    variable("s", "i2", ("month", "depth"), numpy.arange(12).reshape(3, 4))
    variable("month", "i4", ("month",), [0, 1, 2], units="months since 2024-01-01")
    variable("depth", "f8", ("depth",), [0, 1, 10, 100], units="m")
    variable("u", "i2", ("wavelength", "row"), numpy.arange(6).reshape(2, 3))
    variable("wavelength", "f8", ("wavelength",), [1, 2], units="bananas")
    variable("row", "i2", ("row",), [3, 2, 1], scale_factor=0.1, add_offset=7.0)
    variable("n", "i2", ("day",), [1, 2])
    variable("day", "i4", ("day",), [1, 2], units="days since 2024-01-01", calendar="noleap")
