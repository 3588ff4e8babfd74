//go:build hdf5 && cgo

package hdf5

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A name is followed through symbolic links only as long as they stay in the folder of the file or below it.
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
