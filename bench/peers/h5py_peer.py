"""The peer h5py: HDF5 in Python, with the chunk cache that h5py has by default."""

import os

import h5py
import numpy as np
import pypeer


class Peer(pypeer.Peer):
    """The store; a is its h5py.Dataset."""

    file = None

    def create_array(self, q):
        self.close_array()
        self.path = q.text("path")
        self.file = h5py.File(self.path, "w")
        shape = q.numbers("shape")
        self.a = self.file.create_dataset("a", shape, "f8", chunks=q.numbers("chunk"), maxshape=(None,) * len(shape))

    def open_array(self, q):
        self.close_array()
        self.file = h5py.File(self.path, "r+" if q.number("write", 0) else "r")
        self.a = self.file["a"]

    def close_array(self):
        if self.file is not None:
            self.file.close()
        self.a = self.file = None

    def read_box(self, at, size, order="row"):
        part = self.a[tuple(slice(a, a + n) for a, n in zip(at, size))]
        return part if order == "row" else np.ascontiguousarray(part.T)

    def one(self, at):
        return float(self.a[tuple(at)])

    def write_box(self, lo, values):
        self.a[tuple(slice(a, a + n) for a, n in zip(lo, values.shape))] = values

    def extend_by(self, dim, by):
        self.a.resize(self.a.shape[dim] + by, dim)

    def sync(self, q, durable, since=0.0):
        """Durable: flushed and synced; HDF5 itself syncs nothing."""
        self.file.flush()
        if durable:
            fd = os.open(self.path, os.O_RDONLY)
            os.fsync(fd)
            os.close(fd)


pypeer.main(Peer())
