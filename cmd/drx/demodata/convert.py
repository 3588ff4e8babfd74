#!/usr/bin/python3
"""Turn KNMI radar composites (HDF5) into 16-bit grey PNG pictures, value by value.

    convert.py SOURCE [DESTINATION]

SOURCE holds RAD_NL25_RAP_5min_YYYYMMDDHHMM.h5, DESTINATION (default: the folder
of this script) receives radar_HHMM.png. A PNG sample is the sample of
/image1/image_data, unchanged, missing data (65535) included. Every picture is
read back and compared before the script goes on. Needs h5py, numpy, Pillow and
the zopflipng program.
"""

import pathlib
import subprocess
import sys

import h5py
import numpy
from PIL import Image

DAY = "20100826"
FIRST, IMAGES, STEP = 3 * 60 + 30, 24, 10  # minutes of the day; 03:30 to 07:20
SHAPE = (765, 700)
MISSING = 65535


def read(path):
    """Return the samples of one composite, after checking what they mean."""
    with h5py.File(path) as file:
        image = file["image1"]
        calibration = image["calibration"].attrs
        assert calibration["calibration_formulas"] == b"GEO=0.01*PV+0.0", path
        assert calibration["calibration_missing_data"] == MISSING, path
        assert calibration["calibration_out_of_image"] == MISSING, path
        assert image.attrs["image_geo_parameter"] == b"ACCUMULATED_PRECIPITATION_[MM]", path
        samples = image["image_data"][:]
    assert samples.shape == SHAPE and samples.dtype == numpy.uint16, path
    return samples


def write(samples, path):
    """Write one picture, make it as small as it gets, and compare it."""
    Image.fromarray(samples).save(path)
    subprocess.run(["zopflipng", "-y", "--filters=p", path, path], check=True, stdout=subprocess.DEVNULL)
    with Image.open(path) as picture:
        back = numpy.asarray(picture)
    assert numpy.array_equal(back, samples), f"{path}: differs from its source"


def main():
    source = pathlib.Path(sys.argv[1])
    destination = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).parent
    total = 0
    for minute in range(FIRST, FIRST + IMAGES * STEP, STEP):
        clock = f"{minute // 60:02d}{minute % 60:02d}"
        samples = read(source / f"RAD_NL25_RAP_5min_{DAY}{clock}.h5")
        path = destination / f"radar_{clock}.png"
        write(samples, path)
        seen = samples[samples != MISSING]
        total += path.stat().st_size
        print(f"{path.name}  {path.stat().st_size} bytes  {samples.size - seen.size} missing  "
              f"{numpy.count_nonzero(seen)} wet  sum {seen.sum()}  max {seen.max()}")
    print(f"{IMAGES} images, {total} bytes")


if __name__ == "__main__":
    main()
