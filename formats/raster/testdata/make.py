#!/usr/bin/env python3
"""Writes the pictures of this folder with Pillow, each beside a .npy file of the
samples that reading it must give."""
import numpy as np
from PIL import Image

H, W = 5, 11


def ramp(*shape, top=256):
    return (np.arange(np.prod(shape)) * 37 + 11) % top


GREY = Image.fromarray(ramp(H, W).reshape(H, W).astype("u1"))
RGB = Image.fromarray(ramp(H, W, 3).reshape(H, W, 3).astype("u1"))
RGBA = Image.fromarray(ramp(H, W, 4).reshape(H, W, 4).astype("u1"))
LA = Image.fromarray(ramp(H, W, 2).reshape(H, W, 2).astype("u1"), "LA")
TWO = Image.fromarray((ramp(H, W).reshape(H, W) % 3 == 0))
DEEP = Image.fromarray((ramp(H, W, top=65536) * 1171 % 65536).reshape(H, W).astype("u2"))
PALETTE = RGB.quantize(7)


def save(name, img, want=None, **options):
    img.save(name, **options)
    np.save(name + ".npy", np.asarray(img) if want is None else want)


rgb_of_palette = np.asarray(PALETTE.convert("RGB"))
two_tone = np.asarray(TWO.convert("L"))

save("grey.png", GREY)
save("rgb.png", RGB)
save("rgba.png", RGBA)
save("grey_alpha.png", LA, np.asarray(LA.convert("RGBA")))
save("two_tone.png", TWO, two_tone)
save("deep.png", DEEP)
save("palette.png", PALETTE, rgb_of_palette)
PALETTE.save("palette_alpha.png", transparency=2)
np.save("palette_alpha.png.npy", np.asarray(Image.open("palette_alpha.png").convert("RGBA")))
RGB.save("rgb_key.png", transparency=RGB.getpixel((3, 2)))
np.save("rgb_key.png.npy", np.asarray(Image.open("rgb_key.png").convert("RGBA")))

for compression in ("raw", "tiff_lzw", "tiff_adobe_deflate", "packbits"):
    save("grey_%s.tif" % compression, GREY, compression=compression)
save("rgb_lzw_predictor.tif", RGB, compression="tiff_lzw", tiffinfo={317: 2})
save("deep_deflate_predictor.tif", DEEP, compression="tiff_adobe_deflate", tiffinfo={317: 2})
save("rgba.tif", RGBA)
save("palette.tif", PALETTE, rgb_of_palette)
for compression in ("raw", "group3", "group4"):
    save("two_tone_%s.tif" % compression, TWO, two_tone, compression=compression)
for compression in ("raw", "group3", "group4"):
    name = "white_is_zero_%s.tif" % compression
    (GREY if compression == "raw" else TWO).save(name, compression=compression, tiffinfo={262: 0})
    np.save(name + ".npy", np.asarray(Image.open(name).convert("L")))
pages = [Image.fromarray((np.asarray(GREY) + 50 * i).astype("u1")) for i in range(3)]
save("stack.tif", pages[0], np.stack(pages), save_all=True, append_images=pages[1:], compression="tiff_lzw")

save("two_tone.pbm", TWO, two_tone)
save("grey.pgm", GREY)
save("rgb.ppm", RGB)
Image.fromarray(np.asarray(DEEP).astype("i4")).save("deep.pgm")
np.save("deep.pgm.npy", np.asarray(DEEP))
