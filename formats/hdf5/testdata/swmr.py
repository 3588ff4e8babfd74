"""Appends to the variable t of a file as a SWMR writer, while a SWMR reader in another process has
the file open.

    python3 swmr.py FILE
"""

import subprocess
import sys

import h5py

READER = """
import sys, h5py
with h5py.File(sys.argv[1], "r", swmr=True) as f:
    print(f["t"].shape, flush=True)
    sys.stdin.readline()
    f["t"].id.refresh()
    print(f["t"].shape, int(f["t"][3].max()), flush=True)
"""

with h5py.File(sys.argv[1], "r+", libver="latest") as f:
    d = f["t"]
    f.swmr_mode = True
    reader = subprocess.Popen([sys.executable, "-c", READER, sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    before = reader.stdout.readline().strip()
    d.resize(4, 0)
    d[3] = 5
    d.flush()
    reader.stdin.write("\n")
    reader.stdin.flush()
    after = reader.stdout.readline().strip()
    reader.communicate()
print("ok" if (before, after) == ("(3, 4, 6)", "(4, 4, 6) 5") else f"{before} {after}")
