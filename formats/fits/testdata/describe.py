"""Says what astropy finds in FITS files, for the tests to compare with what the bridge finds.

    python3 describe.py FILE...

It prints a line of JSON for each file: a list with an object for each image with data. Its
elements, as they are stored except for the convention for unsigned integers, are given by the
SHA-256 of their bytes, little-endian and row-major.
"""

import hashlib
import json
import math
import sys
import warnings

import numpy
from astropy.io import fits

warnings.simplefilter("ignore")
ZEROS = {("uint8", -128): "int8", ("int16", 2 ** 15): "uint16", ("int32", 2 ** 31): "uint32", ("int64", 2 ** 63): "uint64"}


def elements(hdu):
    zero, scale = hdu.header.get("BZERO", 0), hdu.header.get("BSCALE", 1)
    data = hdu.data
    data = data.astype(data.dtype.newbyteorder("<"))
    other = ZEROS.get((data.dtype.name, zero)) if scale == 1 else None
    if other:
        bits = 8 * data.dtype.itemsize
        data = (data.view(f"<u{bits // 8}") ^ numpy.array(1 << (bits - 1), f"<u{bits // 8}")).view(other)
    return data


def number(v):
    if isinstance(v, str) and len(v) > 60 and "'" in v:
        return None  # astropy 5.2 loses text between quotes in continued strings
    if isinstance(v, (bool, str, int)):
        return v
    return v if isinstance(v, float) and math.isfinite(v) else None


for path in sys.argv[1:]:
    out = []
    with fits.open(path, do_not_scale_image_data=True, ignore_blank=True) as f:
        for i, hdu in enumerate(f):
            if not hdu.is_image or isinstance(hdu, fits.GroupsHDU) or hdu.header["NAXIS"] == 0:
                continue
            a = elements(hdu)
            skip = {"BSCALE", "BZERO"} if a.dtype.kind in "ui" and a.dtype.name not in ("uint8", "int16", "int32", "int64") else set()
            skip |= {"SIMPLE", "XTENSION", "BITPIX", "NAXIS", "EXTEND", "PCOUNT", "GCOUNT", "COMMENT", "HISTORY", "", "CHECKSUM", "DATASUM", "EXTNAME"}
            skip |= {f"NAXIS{n}" for n in range(9)}
            attrs = {c.keyword: number(c.value) for c in hdu.header.cards if c.keyword not in skip}
            out.append(dict(hdu=i, dtype=a.dtype.name, shape=a.shape, sha256=hashlib.sha256(a.tobytes()).hexdigest(),
                            attrs={k: v for k, v in attrs.items() if v is not None}))
    print(json.dumps(out))
