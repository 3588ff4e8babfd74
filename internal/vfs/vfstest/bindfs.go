package vfstest

import (
	"os/exec"
	"path/filepath"
	"testing"

	"drx/internal/vfs"
)

// TwoMounts returns a folder, and two FUSE mounts of it. It skips the test if there is no FUSE.
func TwoMounts(t testing.TB) (real, one, two string) {
	t.Helper()
	dir := t.TempDir()
	real, one, two = filepath.Join(dir, "real"), filepath.Join(dir, "one"), filepath.Join(dir, "two")
	for _, folder := range []string{real, one, two} {
		if err := vfs.OS.Mkdir(folder); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := exec.LookPath("bindfs"); err != nil {
		t.Skip("bindfs is not installed, which mounts a folder by FUSE")
	}
	for _, mount := range []string{one, two} {
		if out, err := exec.Command("bindfs", real, mount).CombinedOutput(); err != nil {
			t.Skipf("FUSE cannot be mounted here: %v: %s", err, out)
		}
		t.Cleanup(func() {
			if out, err := exec.Command("fusermount", "-u", "-z", mount).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	return real, one, two
}
