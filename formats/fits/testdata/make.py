"""Makes FITS files for the tests with astropy: python3 make.py FOLDER."""

import gzip
import shutil
import sys

import numpy
from astropy.io import fits

folder = sys.argv[1]
random = numpy.random.default_rng(1)


def write(name, *hdus):
    fits.HDUList(list(hdus)).writeto(f"{folder}/{name}", output_verify="silentfix+ignore")


def numbers(dtype, shape):
    if numpy.dtype(dtype).kind == "f":
        return random.normal(size=shape).astype(dtype)
    info = numpy.iinfo(dtype)
    return random.integers(info.min, info.max, shape, dtype, endpoint=True)


types = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]
write("types.fits", fits.PrimaryHDU(numbers("float32", (2, 3, 4, 5))),
      *[fits.ImageHDU(numbers(t, (3, 5)), name=t) for t in types])

scaled = fits.PrimaryHDU(numbers("int16", (4, 6)))
scaled.header["BLANK"] = -7
scaled.header["BSCALE"] = 0.25
scaled.header["BZERO"] = 100
nan = fits.ImageHDU(numpy.array([[1, numpy.nan], [numpy.inf, -0.0]]), name="NAN")
blank = fits.ImageHDU(numbers("uint16", (2, 2)), name="BLANK")
blank.header["BLANK"] = -32768
write("scaled.fits", scaled, nan, blank)

cards = fits.PrimaryHDU(numbers("uint8", (2, 3)))
h = cards.header
h["SHORT"], h["LONG"] = "it's", "long text with 'quotes' and more " * 9
h["NUM"], h["REAL"], h["YES"], h["PAIR"], h["BIG"] = -3, 1.5e-7, True, 1 + 2j, 2 ** 63 + 1
h["HIERARCH ESO DET mode"] = "fast"
h["CTYPE1"], h["CNAME1"], h["CNAME2"] = "RA---TAN", "x", "y"
h["EMPTY"] = ""
h.add_comment("first remark")
h.add_comment("second remark")
h.add_history("made by a test")
write("cards.fits", cards, fits.ImageHDU(name="ONLY"), fits.ImageHDU(numbers("int16", (2,)), name="SCI", ver=1),
      fits.ImageHDU(numbers("int16", (3,)), name="SCI", ver=2), fits.ImageHDU(numbers("int16", (3,)), name="../x"))

table = fits.BinTableHDU.from_columns([fits.Column(name="a", format="J", array=[1, 2])], name="EVENTS")
write("table.fits", fits.PrimaryHDU(), table)
write("groups.fits", fits.GroupsHDU(fits.GroupData(numbers("float32", (3, 1, 2, 4)), parnames=["u"], bitpix=-32, pardata=[numpy.zeros(3)])))

smooth = (numpy.add.outer(numpy.arange(70), numpy.arange(50)) + random.integers(0, 5, (70, 50))).astype("int16")
tiled = [fits.PrimaryHDU()]
for kind, data, more in [
    ("RICE_1", smooth, {}), ("GZIP_1", smooth, {"tile_size": (16, 8)}), ("GZIP_2", smooth.astype("int32"), {"tile_size": (50, 7)}),
    ("PLIO_1", abs(smooth) % 100, {}), ("HCOMPRESS_1", smooth, {"tile_size": (50, 10)}), ("RICE_1", smooth.astype("uint16") + 40000, {}),
    ("RICE_1", smooth.astype("float32") / 3, {"quantize_level": 16}), ("GZIP_2", numbers("float64", (9, 8, 7)), {"quantize_level": 0}),
    ("RICE_1", random.integers(0, 255, (20, 20)).astype("uint8"), {}),
]:
    name = f"{kind}_{len(tiled)}"
    tiled.append(fits.CompImageHDU(data, name=name, compression_type=kind, **more))
write("tiled.fits", *tiled)
with open(f"{folder}/types.fits", "rb") as plain, gzip.open(f"{folder}/types.fits.gz", "wb") as packed:
    shutil.copyfileobj(plain, packed)
