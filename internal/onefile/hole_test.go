package onefile

import (
	"path/filepath"
	"testing"
	"time"

	"drx/internal/cputest"
	"drx/internal/vfs"
)

// The end of a log with much reserved space, most of it a hole, is found without reading the hole.
func TestEndOfLogWithHole(t *testing.T) {
	f, err := vfs.OS.Create(filepath.Join(t.TempDir(), "a.drx"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := New(f)
	if err := c.Format(512, 1); err != nil {
		t.Fatal(err)
	}
	log := c.Log().(*logView)
	if _, err := log.WriteAt([]byte("a line\n"), 0); err != nil {
		t.Fatal(err)
	}
	if err := log.growTo(1 << 37); err != nil {
		t.Skip(err) // the file system does not support such long files
	}
	log.end.Store(0)
	cputest.Most(t, 2*time.Second, func() {
		if size, err := log.Size(); err != nil || size != 7 {
			t.Errorf("%d bytes, %v", size, err)
		}
	})
}
