"""Writes the PAM and PFM files in this folder, with their arrays as .npy, from the descriptions of
the formats.

    python3 netpbm.py

The JPEG files were made by cjpeg of libjpeg-turbo (-quality 92, with -sample 1x1, -sample 2x2,
-progressive -sample 2x1, and -grayscale); the files in jpeg are what its djpeg -nosmooth -dct int
reads of them.
"""
import numpy as np

rng = np.random.default_rng(3)


def pam(name, a, largest, tuple_type):
    h, w, d = a.shape
    with open(name, "wb") as f:
        f.write(b"P7\n# a comment\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n" % (w, h, d, largest, tuple_type))
        f.write(a.astype(">u2" if largest > 255 else "u1").tobytes())
    np.save(name + ".npy", a[:, :, 0] if d == 1 else a)


pam("grey.pam", rng.integers(0, 256, (5, 7, 1), "u1"), 255, b"GRAYSCALE")
pam("rgba.pam", rng.integers(0, 256, (4, 3, 4), "u1"), 255, b"RGB_ALPHA")
pam("bits.pam", rng.integers(0, 2, (4, 9, 1), "u1"), 1, b"BLACKANDWHITE")
pam("bands.pam", rng.integers(0, 1001, (3, 4, 6), "u2"), 1000, b"SIX BANDS")


def pfm(name, a, scale):
    h, w = a.shape[:2]
    with open(name, "wb") as f:
        f.write(b"%s\n%d %d\n%s\n" % (b"PF" if a.ndim == 3 else b"Pf", w, h, scale))
        f.write(a[::-1].astype("<f4" if scale[:1] == b"-" else ">f4").tobytes())
    np.save(name + ".npy", a)


pfm("grey.pfm", rng.standard_normal((5, 7)).astype("f4"), b"-1.0")
pfm("colour.pfm", rng.standard_normal((6, 3, 3)).astype("f4"), b"1.0")
