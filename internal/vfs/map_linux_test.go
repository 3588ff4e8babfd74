package vfs_test

import (
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"drx/internal/vfs"
)

// A cachedMapping reports which of its bytes are in the system's cache.
type cachedMapping interface {
	vfs.Mapping
	Cached(from, to int) bool
}

// Written pages are in the system's cache until they are dropped explicitly, and Ahead reads them
// again.
func TestCached(t *testing.T) {
	const n = 4 * vfs.MapAlign
	f := create(t, vfs.OS, filepath.Join(t.TempDir(), "a"))
	if _, err := f.WriteAt(make([]byte, n), vfs.MapAlign); err != nil { // behind a hole
		t.Fatal(err)
	}
	m := mapped(t, f, vfs.MapAlign, 2*n).(cachedMapping)
	var stat unix.Cachestat_t
	fd := int(descriptor(f))
	if err := unix.Cachestat(uint(fd), &unix.CachestatRange{Off: vfs.MapAlign, Len: n}, &stat, 0); errors.Is(err, unix.ENOSYS) || stat.Cache == 0 {
		if m.Cached(0, n) {
			t.Error("cached, on a system that does not tell")
		}
		t.Skipf("this system does not tell what is cached: %v", err)
	}
	if !m.Cached(0, n) || !m.Cached(vfs.MapAlign+4096, 2*vfs.MapAlign+1) {
		t.Error("what was just written is not cached")
	}
	if m.Cached(0, n+1) || m.Cached(n, 2*n) {
		t.Error("what is behind the end is cached")
	}
	if err := errors.Join(f.Sync(), unix.Fadvise(fd, 3*vfs.MapAlign, vfs.MapAlign, unix.FADV_DONTNEED)); err != nil {
		t.Fatal(err)
	}
	if m.Cached(0, n) != m.Cached(2*vfs.MapAlign, 3*vfs.MapAlign) { // tmpfs keeps it
		t.Error("a whole is cached, and a part of it is not")
	}
	if err := m.Ahead(2*vfs.MapAlign, vfs.MapAlign); err != nil {
		t.Error(err)
	}
	if !m.Cached(2*vfs.MapAlign, 2*vfs.MapAlign+1) { // at least: read-ahead is limited
		t.Error("what was asked for is not cached")
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if m.Cached(0, vfs.MapAlign) {
		t.Error("cached, of a file that is closed")
	}
	if err := m.Ahead(0, n); err != nil {
		t.Error(err)
	}
}
