"""Writes grid.json: a field with missing values on a global grid, and what CDO and xarray make of
it."""
import json
import os
import subprocess
import tempfile

import numpy as np
import xarray as xr

rng = np.random.default_rng(41)
lat, lon = 80 - 20.0 * np.arange(9), 10 + 30.0 * np.arange(12)
t = rng.normal(size=(9, 12))
t[2, 3] = t[5, 0:2] = t[7, 11] = np.nan
glat, glon = -70 + 28.0 * np.arange(6), -173 + 40.0 * np.arange(9)


def numbers(a):
    return [None if np.isnan(v) else float(v) for v in np.ravel(a)]


field = xr.DataArray(t, dims=("lat", "lon"), coords={"lat": lat, "lon": lon}, name="t", attrs={"units": "K"})
field.lat.attrs["units"], field.lon.attrs["units"] = "degrees_north", "degrees_east"
around = xr.concat([field.isel(lon=[-1]).assign_coords(lon=[lon[-1] - 360]), field, field.isel(lon=[0]).assign_coords(lon=[lon[0] + 360])], "lon")
out = {
    "lat": numbers(lat), "lon": numbers(lon), "t": numbers(t), "to_lat": numbers(glat), "to_lon": numbers(glon),
    "linear": numbers(around.interp(lat=glat, lon=glon % 360)),
    "nearest": numbers(around.sel(lat=glat, lon=glon % 360, method="nearest")),
    "coarsen": numbers(field.coarsen(lat=3, lon=4).mean()),
    "coarsen_max": numbers(field.coarsen(lat=2, lon=5, boundary="pad").max()),
}
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    field.to_netcdf("in.nc")
    with open("grid", "w") as f:
        f.write(f"gridtype=lonlat\nxsize={len(glon)}\nysize={len(glat)}\n")
        f.write(f"xvals={' '.join(map(str, glon))}\nyvals={' '.join(map(str, glat))}\n")
    subprocess.run(["cdo", "-s", "-b", "F64", "remapcon,grid", "in.nc", "out.nc"], check=True)
    out["mean"] = numbers(xr.open_dataset("out.nc").t.values)
    field.fillna(1).to_netcdf("whole.nc")
    subprocess.run(["cdo", "-s", "-b", "F64", "remapbil,grid", "whole.nc", "bil.nc"], check=True)
    out["cdo_linear"] = numbers(xr.open_dataset("bil.nc").t.values)
    out["cdo_whole"] = numbers(around.fillna(1).interp(lat=glat, lon=glon % 360))
    os.chdir("/")
del out["cdo_whole"]
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "grid.json"), "w") as f:
    json.dump(out, f, indent=None)
    f.write("\n")
