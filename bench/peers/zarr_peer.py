"""The peer Zarr: zarr-python with a directory of chunk files, uncompressed.

Options: memory=1 keeps the chunks in a dict; packed=1 compresses datasets of xarray as zarr does by
default. There is no chunk cache to size: the operating system's page cache serves every read, which
is how zarr is used on one machine.
"""

import os
import shutil

import numpy as np
import pypeer
import zarr


class Peer(pypeer.Peer):
    """The store; a is its zarr array."""

    def create_array(self, q):
        path = q.text("path")
        if not q.number("memory", 0):
            shutil.rmtree(path, ignore_errors=True)
        store = zarr.MemoryStore() if q.number("memory", 0) else zarr.DirectoryStore(path)
        self.a = zarr.create(
            q.numbers("shape"), chunks=q.numbers("chunk"), dtype="f8", compressor=None, store=store, fill_value=0.0
        )
        self.path = path

    def read_box(self, at, size, order="row"):
        part = self.a[tuple(slice(a, a + n) for a, n in zip(at, size))]
        return part if order == "row" else np.ascontiguousarray(part.T)

    def one(self, at):
        return float(self.a[tuple(at)])

    def write_box(self, lo, values):
        self.a[tuple(slice(a, a + n) for a, n in zip(lo, values.shape))] = values

    def extend_by(self, dim, by):
        shape = list(self.a.shape)
        shape[dim] += by
        self.a.resize(shape)

    def sync(self, q, durable, since=0.0):
        """Durable: every file changed since is synced; zarr itself syncs none."""
        if not durable or q.number("memory", 0):
            return
        for entry in os.scandir(self.path):
            if entry.stat().st_mtime >= since:
                fd = os.open(entry.path, os.O_RDONLY)
                os.fsync(fd)
                os.close(fd)

    def open_array(self, q):
        self.a = zarr.open_array(zarr.DirectoryStore(self.path), mode="r+" if q.number("write", 0) else "r")

    def write_dataset(self, q, dataset, path, chunk):
        shutil.rmtree(path, ignore_errors=True)
        compressor = {} if q.number("packed", 0) else {"compressor": None}
        dataset.to_zarr(path, encoding={"v": {"chunks": chunk, **compressor}})

    def open_dataset(self, path):
        import xarray as xr

        return xr.open_zarr(path)


pypeer.main(Peer())
