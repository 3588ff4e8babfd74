"""Makes FITS files with world coordinates and says what astropy finds in each.

    python3 world.py FOLDER        makes the files, and prints what they have
    python3 world.py - FILE...     prints it for files that there are
    python3 world.py --names FILE...   the same, with an object by the names of images, not a list

It prints a JSON object: for each file a list with an object for each image, of the axes by the
number of their dimension, that do not depend on others and are linear. An axis has its values, in
the units of its CUNIT, and these.
"""

import json
import sys
import warnings

import numpy
from astropy import units
from astropy.io import fits
from astropy.wcs import WCS

warnings.simplefilter("ignore")


def unit(text):
    return units.Unit(text) if text else units.dimensionless_unscaled


def axes(hdu):
    """The linear axes of an image by the dimensions of its array."""
    found = {}
    w = WCS(hdu.header)
    n = hdu.header["NAXIS"]
    stated = [hdu.header.get(f"CUNIT{i + 1}", "").strip() for i in range(n)]
    types = [int(x) for x in w.wcs.axis_types[:n]]
    alone = w.axis_correlation_matrix
    for i in range(n):
        other = [k for k in range(n) if k != i and (alone[i, k] or alone[k, i])]
        if types[i] // 1000 == 2 or types[i] // 100 % 10 > 1 or other or hdu.data.shape[n - 1 - i] == 0:
            continue
        pixels = numpy.zeros((hdu.data.shape[n - 1 - i], w.naxis))
        pixels[:, i] = numpy.arange(len(pixels))
        values = w.wcs_pix2world(pixels, 0)[:, i]
        now = str(w.wcs.cunit[i])
        if stated[i] and stated[i] != now:
            values = values * unit(now).to(unit(stated[i]))
        found[n - 1 - i] = dict(values=values.tolist(), unit=stated[i] or now.replace(" ", ""), type=str(w.wcs.ctype[i]),
                                mjdref=(sum(w.wcs.mjdref) if types[i] // 1000 == 4 and any(w.wcs.mjdref == w.wcs.mjdref) else None))
    return found


def made(folder):
    """Files whose axes are of all kinds."""
    kinds = {
        "wave": dict(CTYPE3="WAVE", CRVAL3=6562.8, CDELT3=0.5, CRPIX3=3.0, CUNIT3="Angstrom"),
        "awav": dict(CTYPE3="AWAV", CRVAL3=4.75e-7, CD3_3=1.25e-10, CRPIX3=1.0, CD1_1=-1e-4, CD2_2=1e-4, CD1_2=1e-6, CD2_1=2e-6, CUNIT3="m"),
        "freq": dict(CTYPE3="FREQ", CRVAL3=1.37835117405e9, CDELT3=9.765625e4, CRPIX3=32.0, CUNIT3="Hz"),
        "velo": dict(CTYPE3="VRAD", CRVAL3=7000.0, CDELT3=-103.6813929677, CRPIX3=77.62811279297),
        "frame": dict(CTYPE3="VELO-LSR", CRVAL3=7.0, CDELT3=-0.5, CRPIX3=1.0, CUNIT3="km/s", RESTFRQ=1.4204e9),
        "time": dict(CTYPE3="TIME", CRVAL3=12.0, CDELT3=0.25, CRPIX3=1.0, CUNIT3="h", MJDREF=51544.5, TIMESYS="UTC"),
        "since": dict(CTYPE3="UTC", CRVAL3=0.0, CDELT3=10.0, CRPIX3=1.0, CUNIT3="s", DATEREF="2001-01-01T06:30:00"),
        "stokes": dict(CTYPE3="STOKES", CRVAL3=-1.0, CDELT3=-1.0, CRPIX3=1.0),
        "plain": dict(CTYPE3="", CRVAL3=5.0, CDELT3=2.5, CRPIX3=-4.0),
        "pc": dict(CTYPE3="ENER", CRVAL3=100.0, CDELT3=2.0, PC3_3=0.5, CRPIX3=1.0, CUNIT3="eV"),
        "nocrpix": dict(CTYPE3="WAVN", CRVAL3=100.0, CDELT3=2.0, CUNIT3="m-1"),
        "log": dict(CTYPE3="WAVE-LOG", CRVAL3=5e-7, CDELT3=1e-9, CRPIX3=1.0, CUNIT3="m"),
        "grism": dict(CTYPE3="VELO-F2V", CRVAL3=5e3, CDELT3=100.0, CRPIX3=1.0, CUNIT3="m/s", RESTFRQ=1.4204e9),
        "mixed": dict(CTYPE3="FREQ", CRVAL3=1e9, CDELT3=1e6, PC3_1=0.5, CRPIX3=1.0, CUNIT3="Hz"),
        "none": {},
    }
    sky = dict(CTYPE1="RA---TAN", CTYPE2="DEC--TAN", CRVAL1=10.0, CRVAL2=20.0, CRPIX1=2.0, CRPIX2=2.0, CDELT1=-1e-4, CDELT2=1e-4, CUNIT1="deg", CUNIT2="deg")
    for name, cards in kinds.items():
        hdu = fits.PrimaryHDU(numpy.zeros((7, 4, 3), "f4"))
        for key, value in {**sky, **cards}.items():
            if not (key.startswith("CDELT") and "CD3_3" in cards):
                hdu.header[key] = value
        hdu.writeto(f"{folder}/{name}.fits")
        yield f"{folder}/{name}.fits"


out = {}
for path in (sys.argv[2:] if sys.argv[1] in ("-", "--names") else list(made(sys.argv[1]))):
    with fits.open(path) as file:
        images = [hdu for hdu in file if hdu.is_image and hdu.header["NAXIS"] > 0]
        if sys.argv[1] == "--names":
            out[path] = {hdu.header.get("EXTNAME", ""): axes(hdu) for hdu in images}
        else:
            out[path] = [axes(hdu) for hdu in images]
print(json.dumps(out))
