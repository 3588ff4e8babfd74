"""The peer DRX in Python: the package drx over libdrx. The argument is the folder of DRX with lib
and python."""

import os
import sys

import numpy as np
import pypeer

os.environ["DRX_LIBRARY"] = os.path.join(sys.argv[1], "lib", "libdrx.so")
sys.path.insert(0, os.path.join(sys.argv[1], "python"))

import drx  # noqa: E402


class Peer(pypeer.Peer):
    """The store; a is its drx.Array."""

    def create_array(self, q):
        self.close_array()
        if drx.exists(q.text("path")):
            drx.remove(q.text("path"))
        self.path = q.text("path")
        self.a = drx.create(
            self.path, q.numbers("shape"), "f8", chunks=q.numbers("chunk"), durability="full" if q.number("durable", 1) else "none"
        )

    def open_array(self, q):
        self.close_array()
        self.a = drx.open(self.path, "r+" if q.number("write", 0) else "r")

    def close_array(self):
        if self.a is not None:
            self.a.close()
        self.a = None

    def read_box(self, at, size, order="row"):
        part = self.a[tuple(slice(a, a + n) for a, n in zip(at, size))]
        return part if order == "row" else np.ascontiguousarray(part.T)

    def one(self, at):
        return float(self.a[tuple(at)])

    def write_box(self, lo, values):
        self.a[tuple(slice(a, a + n) for a, n in zip(lo, values.shape))] = values

    def extend_by(self, dim, by):
        self.a.extend(dim, by)

    def sync(self, q, durable, since=0.0):
        if durable:
            self.a.sync()

    def write_dataset(self, q, dataset, path, chunk):
        from drx.xarray import to_drx

        to_drx(dataset, path, encoding={"v": {"chunksizes": chunk}})

    def open_dataset(self, path):
        import xarray as xr
        from drx.xarray import DrxBackend

        return xr.open_dataset(path, engine=DrxBackend, chunks={})


pypeer.main(Peer())
