"""Grows an array by images, writes and reopens it, and follows it: PYTHONPATH=python python3
examples/python/grow.py"""

import os
import tempfile
import threading

import numpy as np

import drx


def write(name: str) -> None:
    """Appends three images, each of them one commit."""
    with drx.open(name, "r+") as radar:
        for hour in range(3):
            image = np.add.outer(np.arange(100), np.arange(200)).astype("i2") + 100 * hour
            radar.append(image, dim="time")
            radar.attrs["hours"] = hour + 1
            radar.sync()


def main() -> None:
    name = os.path.join(tempfile.mkdtemp(), "radar")
    with drx.create(name, shape=(0, 100, 200), dtype="i2", dims=("time", "y", "x")):
        pass

    reader = drx.open(name)
    writer = threading.Thread(target=write, args=(name,))
    writer.start()
    for change in reader.follow(timeout=30):  # sees each commit, also of other processes
        if change["kind"] == "extend":
            print("the reader sees", change["shape"])
        if reader.attrs.get("hours") == 3 and len(reader) == 3:
            break
    writer.join()
    reader.close()

    with drx.open(name, "r+") as radar:
        new = radar.extend("x", 10, low=True)  # to the west: x begins at -10
        radar.at[new] = -1
    with drx.open(name) as radar:
        print("x from {} to {}".format(*radar.bounds[2]))
        print("pixel 50,7:", radar.at[:, 50, 7], "in the west:", radar.at[0, 50, -10])
        for part in radar.walk(written=True):
            print("chunk", part.number, "mean", radar.at[part.section].mean())
        radar.verify()
    drx.remove(name)


if __name__ == "__main__":
    main()
