//go:build hdf5 && cgo

package hdf5

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx/formats"
)

// A name may be followed through symbolic links only as long as they stay in the folder of the file
// or below it.
func TestBeside(t *testing.T) {
	top := t.TempDir()
	folder := filepath.Join(top, "folder")
	err := errors.Join(os.MkdirAll(filepath.Join(folder, "below"), 0o700), os.WriteFile(filepath.Join(top, "secret"), nil, 0o600),
		os.WriteFile(filepath.Join(folder, "below", "part"), nil, 0o600), os.Symlink("../secret", filepath.Join(folder, "link")),
		os.Symlink("..", filepath.Join(folder, "up")), os.Symlink("below/part", filepath.Join(folder, "inside")),
		os.Symlink("folder", filepath.Join(top, "alias")))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{folder, filepath.Join(top, "alias")} {
		path := filepath.Join(dir, "a.h5")
		for _, name := range []string{"link", "up/secret", "up/folder/link", "../secret", filepath.Join(top, "secret")} {
			if there, err := beside(path, name); err == nil {
				t.Errorf("%s: %s is followed to %s", path, name, there)
			}
		}
		for _, name := range []string{"below/part", "inside", "up/folder/inside"} {
			if _, err := beside(path, name); err != nil {
				t.Errorf("%s: %s: %v", path, name, err)
			}
		}
	}
}

// linksScript makes files whose external storage, link, or part of a virtual dataset lies behind
// symbolic links.
const linksScript = `
import os, sys, numpy, h5py
top = sys.argv[1]
os.makedirs(top + "/folder/below")
open(top + "/secret", "wb").write(b"0123456789abcdef")
with h5py.File(top + "/other.h5", "w") as f:
    f["x"] = numpy.arange(16, dtype="u1")
os.chdir(top + "/folder")
os.link("../secret", "below/in")
os.link("../other.h5", "below/in.h5")
for name, to in {"out": "../secret", "in": "below/in", "out.h5": "../other.h5", "in.h5": "below/in.h5"}.items():
    os.symlink(to, name)
for name in "out", "in":
    with h5py.File(name + "-storage.h5", "w") as f:
        f.create_dataset("v", shape=(16,), dtype="u1", external=[(name, 0, 16)])
    with h5py.File(name + "-link.h5", "w") as f:
        f["v"] = h5py.ExternalLink(name + ".h5", "x")
    layout = h5py.VirtualLayout(shape=(16,), dtype="u1")
    layout[:] = h5py.VirtualSource(name + ".h5", "x", shape=(16,))
    with h5py.File(name + "-virtual.h5", "w") as f:
        f.create_virtual_dataset("v", layout)
`

// A file that another one names must be read through a symbolic link that stays in the folder, and
// refused through one that leads out.
func TestLinksOutOfTheFolder(t *testing.T) {
	top := t.TempDir()
	bridge.Python(t, "-c", linksScript, top)
	for _, kind := range []string{"storage", "link", "virtual"} {
		for _, name := range []string{"out", "in"} {
			path := filepath.Join(top, "folder", name+"-"+kind+".h5")
			r, err := formats.Open(path, formats.Options{Variable: "v"})
			buf := make([]byte, 16)
			if err == nil {
				err = errors.Join(r.ReadSection(nil, buf), r.Close())
			}
			switch {
			case name == "in" && (err != nil || buf[15] == 0):
				t.Errorf("%s: %v, %v", path, err, buf)
			case name == "out" && err == nil:
				t.Errorf("%s gives %q", path, buf)
			case name == "out" && kind != "link" && !strings.Contains(err.Error(), "leads by a symbolic link out of the folder"):
				t.Error(err)
			}
		}
	}
}

// storageScript makes files whose elements are in one or two other files.
const storageScript = `
import os, sys, h5py
os.chdir(sys.argv[1])
for name, parts in {"one": [("a.raw", 4, 16)], "two": [("b.raw", 0, 10), ("c.raw", 0, h5py.h5f.UNLIMITED)]}.items():
    with h5py.File(name + ".h5", "w") as f:
        f.create_dataset("v", shape=(16,), dtype="u1", external=parts)[...] = range(1, 17)
`

// Elements in another file that is truncated must be refused; libhdf5 would read zeros.
func TestStorageCutOff(t *testing.T) {
	dir := t.TempDir()
	bridge.Python(t, "-c", storageScript, dir)
	for _, c := range []struct {
		file, part string
		size       int64
		whole      bool
	}{
		{"one.h5", "a.raw", 20, true},
		{"two.h5", "c.raw", 6, true},
		{"one.h5", "a.raw", 19, false},
		{"two.h5", "c.raw", 5, false},
		{"two.h5", "b.raw", 9, false},
	} {
		if err := os.Truncate(filepath.Join(dir, c.part), c.size); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, c.file)
		r, err := formats.Open(path, formats.Options{Variable: "v"})
		if c.whole {
			buf := make([]byte, 16)
			if err == nil {
				err = errors.Join(r.ReadSection(nil, buf), r.Close())
			}
			if err != nil || buf[15] != 16 {
				t.Errorf("%s: %v, %v", path, err, buf)
			}
		} else if err == nil || !strings.Contains(err.Error(), "cut off") {
			t.Errorf("%s of which %s has %d bytes: %v", path, c.part, c.size, err)
		}
	}
}
