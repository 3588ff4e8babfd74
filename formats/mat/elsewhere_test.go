//go:build matio && cgo

package mat

import (
	"path/filepath"
	"testing"

	"drx/formats"
	"drx/formats/bridgetest"
)

// elsewhereScript makes files of MATLAB 7.3 whose variables lie in other files, and one that
// contains everything.
const elsewhereScript = `
import sys, numpy, h5py
folder = sys.argv[1]
def mark(what):
    text = h5py.h5t.C_S1.copy()
    text.set_size(5)
    h5py.h5a.create(what.id, b"MATLAB_class", text, h5py.h5s.create(h5py.h5s.SCALAR)).write(numpy.array(b"uint8"), text)
open(folder + "/secret", "wb").write(b"0123456789abcdef")
with h5py.File(folder + "/other.h5", "w") as f:
    f["x"] = numpy.full((1, 16), 65, "u1")
    mark(f["x"])
def virtual(f):
    layout = h5py.VirtualLayout(shape=(1, 16), dtype="u1")
    layout[:] = h5py.VirtualSource(folder + "/other.h5", "x", shape=(1, 16))
    f.create_virtual_dataset("v", layout)
def link(f):
    f["v"] = h5py.ExternalLink(folder + "/other.h5", "x")
def inside(f):
    f["v"] = numpy.zeros((1, 16), "u1")
for name, put in {"external": lambda f: f.create_dataset("v", shape=(1, 16), dtype="u1", external=[(folder + "/secret", 0, 16)]),
                  "virtual": virtual, "link": link, "inside": inside}.items():
    path = folder + "/" + name + ".mat"
    with h5py.File(path, "w", userblock_size=512) as f:
        put(f)
        if name != "link":
            mark(f["v"])
    with open(path, "r+b") as f:
        f.write(b"MATLAB 7.3 MAT-file, made by a test".ljust(124) + b"\0\2IM")
`

// A file of MATLAB 7.3 must not lead to another file: libmatio follows everything that libhdf5
// follows.
func TestNothingElsewhere(t *testing.T) {
	folder := t.TempDir()
	bridge.Python(t, "-c", elsewhereScript, folder)
	for _, name := range []string{"external", "virtual", "link"} {
		bridgetest.NotOpened(t, filepath.Join(folder, name+".mat"), formats.Options{Variable: "v"}, `variable "v" lies in another file`, formats.ErrType)
	}
	if info, _ := bridgetest.Get(t, filepath.Join(folder, "inside.mat"), formats.Options{Variable: "v"}); info.Shape[0] != 16 {
		t.Errorf("%+v", info)
	}
}
