"""Makes the file FILE with datasets behind filters, and checks what was appended to them.

    python3 appended.py make|check FILE

The datasets are 8 x 10, in chunks of 4 x 7 and with the fill value 7. The appended bytes are those
of the test.
"""

import itertools
import sys

import h5py
import numpy

FILTERS = [dict(zip(("compression", "shuffle", "fletcher32"), f)) for f in itertools.product((None, "gzip"), (False, True), (False, True))]

with h5py.File(sys.argv[2], "w" if sys.argv[1] == "make" else "r+") as f:
    wrong = []
    for i, (kind, filters) in enumerate(itertools.product(("u1", "<i2", ">i4", "<f4", "<i8", "?"), FILTERS)):
        name, old = "d%02d" % i, (numpy.arange(80).reshape(8, 10) % 2).astype(kind)
        if sys.argv[1] == "make":
            d = f.create_dataset(name, data=old, chunks=(4, 7), maxshape=(None, None), fillvalue=numpy.array(7, kind), **filters)
            continue
        d = f[name]
        size = d.dtype.itemsize
        at = numpy.arange(13 * 10) * size
        new = (at * at >> 5 & 63).reshape(13, 10)
        d.resize((24, 14))
        got, want = d[...], numpy.full((24, 14), numpy.array(7, kind))
        want[:8, :10], want[8:21, :10] = old, (new != 0) if kind == "?" else new
        if not (got == want).all():
            wrong.append("%s %s %s" % (name, kind, filters))
    print("\n".join(wrong) or "ok")
