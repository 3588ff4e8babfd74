"""Writes files with dimensions and coordinates in groups to the folder in argv[1]."""

import os
import shutil
import sys

import h5py
import netCDF4
import numpy as np

os.chdir(sys.argv[1])

with netCDF4.Dataset("outer.nc", "w") as f:  # groups with dimensions that have the name of an outer one
    f.createDimension("x", 3)
    f.createVariable("x", "f4", ("x",))[:] = [7, 8, 9]
    f.createVariable("r", "f4", ("x",))[:] = [1, 2, 3]
    for group, n in (("other", 2), ("same", 3), ("longer", 5)):  # none has a coordinate
        g = f.createGroup(group)
        g.createDimension("x", n)
        g.createVariable("q", "f4", ("x",))[:] = np.arange(n) + 10
    g = f["longer"].createGroup("deep")
    g.createVariable("q", "f4", ("x",))[:] = np.arange(5) + 20  # has longer's dimension
    f.createGroup("inner").createVariable("q", "f4", ("x",))[:] = [4, 5, 6]  # has the outer one

shutil.copy("outer.nc", "outer.h5")  # NetCDF-4 files are HDF5 files

with netCDF4.Dataset("lateral.nc", "w") as f:  # the coordinate of an outer dimension in a group beside the variable
    f.createDimension("lat", 3)
    f.createGroup("coords").createVariable("lat", "f4", ("lat",))[:] = [50, 51, 52]
    f.createGroup("data").createVariable("t", "f4", ("lat",))[:] = [1, 2, 3]

with h5py.File("scales.h5", "w") as f:  # scales in other groups, two of one name and extent
    for group, values in (("coords", [50.0, 51, 52]), ("fine", [60.0, 61, 62])):
        f[group + "/lat"] = np.array(values)
        f[group + "/lat"].make_scale("lat")
    for name, group in (("t", "coords"), ("u", "fine")):
        f["data/" + name] = np.array([1, 2, 3])
        f["data/" + name].dims[0].attach_scale(f[group + "/lat"])
    f["top"] = np.array([1, 2, 3])
    f["top"].dims[0].attach_scale(f["fine/lat"])
