package vfs_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

// Allocate does not change the contents, for any range.
func TestAllocate(t *testing.T) {
	for what, f := range map[string]vfs.File{
		"OS":     create(t, vfs.OS, filepath.Join(t.TempDir(), "a")),
		"Mem":    create(t, vfs.NewMem(), "a"),
		"Crash":  create(t, vfstest.NewCrash(), "a"),
		"Faulty": create(t, vfstest.Faulty{FS: vfs.NewMem(), Fail: func(vfstest.Op, string) error { return nil }}, "a"),
	} {
		text := []byte("some bytes")
		if _, err := f.WriteAt(text, 0); err != nil {
			t.Fatal(what, err)
		}
		for _, off := range []int64{0, 4, 1 << 20, -1} {
			f.Allocate(off, 1<<20)
		}
		got := make([]byte, len(text))
		if _, err := f.ReadAt(got, 0); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s: %q, %v", what, got, err)
		}
		if n, err := f.Size(); err != nil || n != int64(len(text)) {
			t.Errorf("%s: size %d, %v", what, n, err)
		}
	}
}
