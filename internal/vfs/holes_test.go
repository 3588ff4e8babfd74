package vfs_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"drx/internal/vfs"
)

// full is a file system without holes, such as FAT.
type full struct{ vfs.FS }

type fullFile struct{ vfs.File }

func (f full) Create(name string) (vfs.File, error) {
	file, err := f.FS.Create(name)
	return fullFile{file}, err
}

func (f fullFile) Allocated() (int64, error) { return f.Size() }

// Holes are detected if they are supported, and the temporary file is removed.
func TestHasHoles(t *testing.T) {
	dir := t.TempDir()
	for what, c := range map[string]struct {
		fsys vfs.FS
		want bool
	}{"system": {vfs.OS, true}, "memory": {vfs.NewMem(), true}, "full": {full{vfs.OS}, false}} {
		if has, err := vfs.HasHoles(c.fsys, dir); err != nil || has != c.want {
			t.Errorf("%s: %v, %v", what, has, err)
		}
	}
	if files, _, err := vfs.OS.List(dir); err != nil || len(files) > 0 {
		t.Errorf("left: %q, %v", files, err)
	}
	if _, err := vfs.HasHoles(vfs.OS, filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}
