package vfs_test

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"unsafe"

	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

// testMap runs on all file systems: those that cannot map a file return an error that names it.
func testMap(t *testing.T, fsys vfs.FS, name func(string) string) {
	f := create(t, fsys, name("a"))
	write(t, f, vfs.MapAlign+5, "hello")
	m, err := f.Map(vfs.MapAlign, 4096)
	if errors.Is(err, errors.ErrUnsupported) {
		wantError(t, err, errors.ErrUnsupported, name("a"))
		if fsys == vfs.OS && runtime.GOOS == "linux" && strconv.IntSize == 64 {
			t.Errorf("the system's files: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := string(m.Bytes()[5:10]); got != "hello" {
		t.Errorf("%q in place", got)
	}
	if err := m.Unmap(); err != nil {
		t.Error(err)
	}
}

// mapped maps a file of the system, and skips the test if files cannot be mapped.
func mapped(t *testing.T, f vfs.File, off int64, n int) vfs.Mapping {
	t.Helper()
	m, err := f.Map(off, n)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Unmap() })
	return m
}

// A mapping shows what is written, within it and beyond the old end, also after it was forgotten
// and after the file was closed.
func TestMappingIsTheFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	f := create(t, vfs.OS, name)
	const n = 3*vfs.MapAlign + 1
	reader := open(t, vfs.OS, name, false)
	m := mapped(t, reader, vfs.MapAlign, n)
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	b := m.Bytes()
	if len(b) != n || uintptr(unsafe.Pointer(&b[0]))%vfs.MapAlign != 0 {
		t.Fatalf("%d bytes at %p, want %d at a multiple of %d", len(b), &b[0], n, vfs.MapAlign)
	}
	for i, text := range []string{"one", "two", "three"} {
		at := i * vfs.MapAlign
		write(t, f, vfs.MapAlign+int64(at), text)
		for range 2 {
			if got := string(b[at : at+len(text)]); got != text {
				t.Errorf("%q at %d, want %q", got, at, text)
			}
			if err := m.Forget(at, vfs.MapAlign); err != nil {
				t.Error(err)
			}
		}
		if err := m.Ahead(at, vfs.MapAlign); err != nil {
			t.Error(err)
		}
	}
	if !bytes.Equal(b[100:200], make([]byte, 100)) {
		t.Error("a hole is not zeros")
	}
}

func TestMapRefuses(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	f := create(t, vfs.OS, name)
	mapped(t, f, 0, 1)
	for _, c := range []struct {
		off int64
		n   int
	}{{1, 1}, {4096, 1}, {-vfs.MapAlign, 1}, {0, 0}, {0, -1}, {1<<63 - vfs.MapAlign, vfs.MapAlign}, {0, 1<<(strconv.IntSize-1) - 1}} {
		if _, err := f.Map(c.off, c.n); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%d bytes at %d: %v", c.n, c.off, err)
		}
	}
	// More than the address space is refused by the system, with the name.
	if _, err := f.Map(0, 1<<(strconv.IntSize-3)); err == nil {
		t.Error("mapped more than all addresses")
	} else {
		wantError(t, err, err, name)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := f.Map(0, 1)
	wantError(t, err, fs.ErrClosed, name)
}

func TestMappingRefusesAdvice(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	m := mapped(t, create(t, vfs.OS, name), 0, 10_000)
	for _, c := range []struct {
		off, n int
		ok     bool
	}{
		{0, 10_000, true},
		{5000, 5000, true},
		{5000, 10, true}, // not a whole page
		{10_000, 0, true},
		{0, 10_001, false},
		{-1 << 20, 10, false},
		{5000, -1, false},
		{1 << 20, 10, false},
		{5000, 5001, false},
	} {
		for what, advise := range map[string]func(off, n int) error{"forget": m.Forget, "ahead": m.Ahead} {
			if err := advise(c.off, c.n); c.ok != (err == nil) {
				t.Errorf("%s %d bytes at %d of 10000: %v", what, c.n, c.off, err)
			}
		}
	}
	if err := m.Unmap(); err != nil {
		t.Fatal(err)
	}
	wantError(t, m.Forget(0, 10_000), fs.ErrClosed, name)
	wantError(t, m.Ahead(0, 10_000), fs.ErrClosed, name)
	wantError(t, m.Unmap(), fs.ErrClosed, name)
	if m.Bytes() != nil {
		t.Error("bytes after Unmap")
	}
}

// Advice given while a mapping ends never affects other memory.
func TestForgetDuringUnmap(t *testing.T) {
	f := create(t, vfs.OS, filepath.Join(t.TempDir(), "a"))
	for range 200 {
		m := mapped(t, f, 0, 4*vfs.MapAlign)
		var wg sync.WaitGroup
		wg.Go(func() {
			for m.Forget(0, 4*vfs.MapAlign) == nil {
			}
		})
		wg.Go(func() {
			if err := m.Unmap(); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
	}
}

// A Faulty calls Fail before it maps, and maps files that its file system can map.
func TestFaultyMap(t *testing.T) {
	errFault := errors.New("injected")
	var fail error
	fsys := vfstest.Faulty{FS: vfs.OS, Fail: func(op vfstest.Op, _ string) error {
		if op == vfstest.OpMap {
			return fail
		}
		return nil
	}}
	f := create(t, fsys, filepath.Join(t.TempDir(), "a"))
	write(t, f, 0, "x")
	if m := mapped(t, f, 0, 1); m.Bytes()[0] != 'x' {
		t.Errorf("%q in place", m.Bytes())
	}
	fail = errFault
	if _, err := f.Map(0, 1); !errors.Is(err, errFault) {
		t.Errorf("%v, want %v", err, errFault)
	}
}
