"""Makes the file FILE with datasets that pass the filters szip, scale-offset and n-bit.

    python3 filters.py FILE
"""

import sys

import h5py
import numpy

data = (numpy.arange(3700) * 7 % 97).reshape(37, 100)
with h5py.File(sys.argv[1], "w") as f:
    for kind in "<i1 <i2 >i4 <i8 <u1 >u2 <u4 <u8 <f4 >f8".split():
        array = data.astype(kind)
        f.create_dataset("szip_nn_" + kind[1:], data=array, chunks=(8, 50), compression="szip", compression_opts=("nn", 8))
        f.create_dataset("szip_ec_" + kind[1:], data=array, chunks=(9, 48), compression="szip", compression_opts=("ec", 16))
        if kind[1] in "iu":
            f.create_dataset("scale_" + kind[1:], data=array, chunks=(8, 50), scaleoffset=0, fillvalue=5)
        else:
            f.create_dataset("scale_" + kind[1:], data=array / 10, chunks=(8, 50), scaleoffset=1)
    for bits in (3, 7, 11, 24):
        narrow = h5py.h5t.STD_I32LE.copy()
        narrow.set_precision(bits)
        plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plan.set_chunk((10, 10))
        plan.set_filter(h5py.h5z.FILTER_NBIT)
        dataset = h5py.h5d.create(f.id, b"nbit_%d" % bits, narrow, h5py.h5s.create_simple((20, 30)), plan)
        half = 1 << (bits - 1)
        values = (numpy.arange(600) * 31 % (2 * half) - half).astype("<i4").reshape(20, 30)
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, values)
    f.create_dataset("shuffled", data=data.astype("<i4"), chunks=(8, 50), compression="szip", shuffle=True, fletcher32=True)
