package vfs_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

// Every file system must pass these tests; name returns a name in its folder.
var conformance = map[string]func(t *testing.T, fsys vfs.FS, name func(string) string){
	"Create":             testCreate,
	"CreateAs":           testCreateAs,
	"OpenMissing":        testOpenMissing,
	"Remove":             testRemove,
	"Rename":             testRename,
	"Renamed":            testRenamed,
	"Link":               testLink,
	"Identity":           testIdentity,
	"ReadAtTheEnd":       testReadAtTheEnd,
	"Holes":              testHoles,
	"Truncate":           testTruncate,
	"Data":               testData,
	"Lock":               testLock,
	"Locked":             testLocked,
	"Locks":              testLocks,
	"ReadOnly":           testReadOnly,
	"Closed":             testClosed,
	"BadOffsets":         testBadOffsets,
	"ConcurrentTransfer": testConcurrentTransfer,
	"Map":                testMap,
	"List":               testList,
}

func TestConformance(t *testing.T) {
	for what, test := range conformance {
		t.Run("OS/"+what, func(t *testing.T) {
			dir := t.TempDir()
			test(t, vfs.OS, func(name string) string { return filepath.Join(dir, name) })
		})
		t.Run("Mem/"+what, func(t *testing.T) {
			test(t, vfs.NewMem(), func(name string) string { return "dir/" + name })
		})
		if what == "Rename" || what == "Identity" { // Compact relies on it
			t.Run("Crash/"+what, func(t *testing.T) {
				test(t, vfstest.NewCrash(), func(name string) string { return name })
			})
		}
		t.Run("Faulty/"+what, func(t *testing.T) {
			test(t, vfstest.Faulty{FS: vfs.NewMem(), Fail: func(vfstest.Op, string) error { return nil }}, func(name string) string { return name })
		})
		t.Run("Lazy/"+what, func(t *testing.T) {
			test(t, lazyFS{vfs.NewMem()}, func(name string) string { return name })
		})
		if what == "Holes" || what == "Data" {
			continue // a Crash keeps every byte
		}
		t.Run("Crash/"+what, func(t *testing.T) {
			test(t, vfstest.NewCrash(), func(name string) string { return "dir/" + name })
		})
	}
}

// lazyFS opens the files that there are by their first use.
type lazyFS struct{ vfs.FS }

func (l lazyFS) Open(name string, write bool) (vfs.File, error) {
	if _, err := l.Identity(name); err != nil {
		return l.FS.Open(name, write)
	}
	return vfs.Lazy(name, func() (vfs.File, error) { return l.FS.Open(name, write) }), nil
}

func create(t *testing.T, fsys vfs.FS, name string) vfs.File {
	t.Helper()
	f, err := fsys.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func open(t *testing.T, fsys vfs.FS, name string, write bool) vfs.File {
	t.Helper()
	f, err := fsys.Open(name, write)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func write(t *testing.T, f vfs.File, off int64, text string) {
	t.Helper()
	if n, err := f.WriteAt([]byte(text), off); n != len(text) || err != nil {
		t.Fatalf("wrote %d of %d: %v", n, len(text), err)
	}
}

func wantSize(t *testing.T, f vfs.File, want int64) {
	t.Helper()
	if size, err := f.Size(); size != want || err != nil {
		t.Errorf("size %d, %v, want %d", size, err, want)
	}
}

// wantError checks that err is want and names the file.
func wantError(t *testing.T, err, want error, name string) {
	t.Helper()
	if !errors.Is(err, want) || !strings.Contains(err.Error(), name) {
		t.Errorf("error %v, want %v of %s", err, want, name)
	}
}

func testCreate(t *testing.T, fsys vfs.FS, name func(string) string) {
	f := create(t, fsys, name("a"))
	if f.Name() != name("a") {
		t.Errorf("name %q, want %q", f.Name(), name("a"))
	}
	wantSize(t, f, 0)
	write(t, f, 0, "hello")
	_, err := fsys.Create(name("a"))
	wantError(t, err, fs.ErrExist, name("a"))
	wantSize(t, f, 5)
	if err := fsys.SyncDir(filepath.Dir(name("a"))); err != nil {
		t.Error(err)
	}
	if err := f.Sync(); err != nil {
		t.Error(err)
	}
	text := make([]byte, 5)
	if n, err := open(t, fsys, name("a"), false).ReadAt(text, 0); n != 5 || err != nil || string(text) != "hello" {
		t.Errorf("read %d, %v: %q", n, err, text)
	}
}

func testOpenMissing(t *testing.T, fsys vfs.FS, name func(string) string) {
	for _, write := range []bool{false, true} {
		_, err := fsys.Open(name("a"), write)
		wantError(t, err, fs.ErrNotExist, name("a"))
		_, err = fsys.OpenNoFollow(name("a"), write)
		wantError(t, err, fs.ErrNotExist, name("a"))
	}
	wantError(t, fsys.Remove(name("a")), fs.ErrNotExist, name("a"))
}

func testRemove(t *testing.T, fsys vfs.FS, name func(string) string) {
	f := create(t, fsys, name("a"))
	write(t, f, 0, "x")
	if err := fsys.Remove(name("a")); err != nil {
		t.Fatal(err)
	}
	_, err := fsys.Open(name("a"), false)
	wantError(t, err, fs.ErrNotExist, name("a"))
	wantSize(t, f, 1) // openings continue
	wantSize(t, create(t, fsys, name("a")), 0)
}

func testRename(t *testing.T, fsys vfs.FS, name func(string) string) {
	write(t, create(t, fsys, name("a")), 0, "new")
	old := create(t, fsys, name("b"))
	if err := fsys.Rename(name("a"), name("b")); err != nil {
		t.Fatal(err)
	}
	wantSize(t, open(t, fsys, name("b"), false), 3)
	wantSize(t, old, 0) // openings of the replaced file continue
	_, err := fsys.Open(name("a"), false)
	wantError(t, err, fs.ErrNotExist, name("a"))
	wantError(t, fsys.Rename(name("a"), name("b")), fs.ErrNotExist, name("a"))
}

// A file with two names is one file, until one of the names is removed.
func testLink(t *testing.T, fsys vfs.FS, name func(string) string) {
	a := create(t, fsys, name("a"))
	if err := fsys.Link(name("a"), name("b")); err != nil {
		t.Fatal(err)
	}
	b := open(t, fsys, name("b"), true)
	write(t, b, 0, "both")
	wantSize(t, a, 4)
	is, err := a.Identity()
	if now, nowErr := fsys.Identity(name("b")); now != is || errors.Join(err, nowErr) != nil {
		t.Errorf("identities %v and %v, %v, %v", is, now, err, nowErr)
	}
	if err := a.Lock(); err != nil {
		t.Fatal(err)
	}
	wantError(t, b.Lock(), vfs.ErrLocked, name("b"))
	wantError(t, fsys.Link(name("a"), name("b")), fs.ErrExist, name("b"))
	wantError(t, fsys.Link(name("none"), name("c")), fs.ErrNotExist, name("none"))
	if err := fsys.Remove(name("a")); err != nil {
		t.Fatal(err)
	}
	wantSize(t, open(t, fsys, name("b"), false), 4)
	_, err = fsys.Open(name("a"), false)
	wantError(t, err, fs.ErrNotExist, name("a"))
}

// A renamed file has its new name in every error.
func testRenamed(t *testing.T, fsys vfs.FS, name func(string) string) {
	old := create(t, fsys, name("a.new"))
	if err := fsys.Rename(name("a.new"), name("a")); err != nil {
		t.Fatal(err)
	}
	f := vfs.Renamed(old, name("a"))
	if f.Name() != name("a") {
		t.Errorf("name %q, want %q", f.Name(), name("a"))
	}
	write(t, f, 0, "hello")
	wantSize(t, f, 5)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for what, do := range afterClose(f) {
		if err := do(); !errors.Is(err, fs.ErrClosed) || strings.Contains(err.Error(), "a.new") || !strings.Contains(err.Error(), name("a")) {
			t.Errorf("%s: %v, want %v of %s", what, err, fs.ErrClosed, name("a"))
		}
	}
}

// A file that is created like another one has its mode, a limited one no more than that.
func testCreateAs(t *testing.T, fsys vfs.FS, name func(string) string) {
	a := create(t, fsys, name("a"))
	access, err := a.Access()
	if err != nil || access.Mode&0o600 != 0o600 {
		t.Fatalf("access %+v, %v", access, err)
	}
	for file, mode := range map[string]fs.FileMode{"open": 0o664, "usual": 0o644, "private": 0o600, "archived": 0o440} {
		access.Mode = mode
		for _, access.Limit = range []bool{false, true} {
			f, err := fsys.CreateAs(name(fmt.Sprint(file, access.Limit)), access)
			if err != nil {
				t.Fatal(err)
			}
			got, err := f.Access()
			if ok := got.Mode == mode || access.Limit && got.Mode&^0o600&^mode == 0 && got.Mode&0o600 == 0o600; !ok || err != nil {
				t.Errorf("limit %t of %v: %v, %v", access.Limit, mode, got.Mode, err)
			}
			write(t, f, 0, "x") // whatever the mode
			_, err = fsys.CreateAs(f.Name(), access)
			wantError(t, err, fs.ErrExist, f.Name())
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	f, err := vfs.CreateLike(fsys, name("like"), a)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want, err := a.Access()
	if got, err2 := f.Access(); got != want || err != nil || err2 != nil {
		t.Errorf("like %+v: %+v, %v, %v", want, got, err, err2)
	}
}

func testIdentity(t *testing.T, fsys vfs.FS, name func(string) string) {
	a, b := create(t, fsys, name("a")), create(t, fsys, name("b"))
	of := func(id any, err error) any {
		t.Helper()
		if err != nil || id == nil {
			t.Fatalf("identity %v, %v", id, err)
		}
		return id
	}
	if of(a.Identity()) == of(b.Identity()) {
		t.Error("two files are the same")
	}
	if of(a.Identity()) != of(open(t, fsys, name("a"), false).Identity()) || of(a.Identity()) != of(fsys.Identity(name("a"))) {
		t.Error("a file is another one")
	}
	if err := fsys.Rename(name("a"), name("b")); err != nil {
		t.Fatal(err)
	}
	if of(a.Identity()) != of(fsys.Identity(name("b"))) || of(b.Identity()) == of(fsys.Identity(name("b"))) {
		t.Error("a renamed file is another one")
	}
	_, err := fsys.Identity(name("a"))
	wantError(t, err, fs.ErrNotExist, name("a"))
}

func testReadAtTheEnd(t *testing.T, fsys vfs.FS, name func(string) string) {
	f := create(t, fsys, name("a"))
	write(t, f, 0, "hello")
	for _, c := range []struct {
		off  int64
		len  int
		want string
		err  error
	}{
		{0, 5, "hello", nil},
		{0, 6, "hello", io.EOF},
		{4, 1, "o", nil},
		{4, 9, "o", io.EOF},
		{5, 1, "", io.EOF},
		{1 << 40, 1, "", io.EOF},
		{5, 0, "", nil},
		{9, 0, "", nil},
	} {
		b := make([]byte, c.len)
		n, err := f.ReadAt(b, c.off)
		if string(b[:n]) != c.want || err != c.err {
			t.Errorf("ReadAt(%d bytes, %d) = %q, %v, want %q, %v", c.len, c.off, b[:n], err, c.want, c.err)
		}
	}
}

func testHoles(t *testing.T, fsys vfs.FS, name func(string) string) {
	f := create(t, fsys, name("a"))
	const far = 1<<40 + 4090 // the text crosses a page boundary
	write(t, f, far, "0123456789")
	wantSize(t, f, far+10)
	b := bytes.Repeat([]byte{7}, 20)
	if n, err := f.ReadAt(b, far-10); n != 20 || err != nil || string(b) != "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x000123456789" {
		t.Errorf("read %d, %v: %q", n, err, b)
	}
	b = bytes.Repeat([]byte{7}, 20)
	if n, err := f.ReadAt(b, 12345); n != 20 || err != nil || !bytes.Equal(b, make([]byte, 20)) {
		t.Errorf("read %d, %v: %q", n, err, b)
	}
	if err := f.Sync(); err != nil {
		t.Error(err)
	}
	if n, err := f.Allocated(); err != nil || n < 10 || n > 1<<20 {
		t.Errorf("%d bytes allocated, %v", n, err)
	}
	write(t, f, 1<<41, "")
	wantSize(t, f, far+10)
}

func testTruncate(t *testing.T, fsys vfs.FS, name func(string) string) {
	f := create(t, fsys, name("a"))
	write(t, f, 0, strings.Repeat("x", 10000))
	for _, size := range []int64{9000, 8192, 5000, 20000} {
		if err := f.Truncate(size); err != nil {
			t.Fatal(err)
		}
		wantSize(t, f, size)
	}
	// What was cut off must not come back.
	want := strings.Repeat("x", 5000) + strings.Repeat("\x00", 15000)
	b := make([]byte, len(want))
	if n, err := f.ReadAt(b, 0); n != len(b) || err != nil || string(b) != want {
		t.Errorf("read %d, %v: not what was left and zeros", n, err)
	}
	if err := f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	wantSize(t, f, 0)
	write(t, f, 12000, "y")
	if n, err := f.ReadAt(b[:12000], 0); n != 12000 || err != nil || !bytes.Equal(b[:12000], make([]byte, 12000)) {
		t.Errorf("read %d, %v: not all zeros", n, err)
	}
}

// data returns the ranges of f that hold data, as it reports them.
func data(t *testing.T, f vfs.File) [][2]int64 {
	t.Helper()
	var ranges [][2]int64
	for off := int64(0); ; {
		from, to, err := f.Data(off)
		if errors.Is(err, io.EOF) {
			return ranges
		}
		if err != nil || from < off || to <= from {
			t.Fatalf("Data(%d) = %d, %d, %v", off, from, to, err)
		}
		ranges = append(ranges, [2]int64{from, to})
		off = to
	}
}

func testData(t *testing.T, fsys vfs.FS, name func(string) string) {
	f := create(t, fsys, name("a"))
	if got := data(t, f); len(got) != 0 {
		t.Errorf("data %v in an empty file", got)
	}
	offs := []int64{100, 5000, 1 << 20, 1<<30 + 4095, 1 << 40}
	for _, off := range offs {
		write(t, f, off, "text")
	}
	got := data(t, f)
	size, total := int64(1<<40+4), int64(0)
	for _, r := range got {
		total += r[1] - r[0]
		if r[1] > size {
			t.Errorf("range %v goes beyond the end, %d", r, size)
		}
	}
	if total > 1<<20 {
		t.Errorf("%d bytes of data reported, holes among them: %v", total, got)
	}
	for _, off := range offs {
		for at := off; at < off+4; at++ {
			from, to, err := f.Data(at)
			if from != at || to <= at || err != nil {
				t.Errorf("Data(%d) = %d, %d, %v", at, from, to, err)
			}
		}
	}
	if _, _, err := f.Data(size); !errors.Is(err, io.EOF) {
		t.Errorf("data at the end: %v", err)
	}
	// A hole at the end is not data.
	if err := f.Truncate(1 << 41); err != nil {
		t.Fatal(err)
	}
	if from, _, err := f.Data(1<<40 + 1<<30); !errors.Is(err, io.EOF) {
		t.Errorf("data at %d: %v", from, err)
	}
}

func testLock(t *testing.T, fsys vfs.FS, name func(string) string) {
	a := create(t, fsys, name("a"))
	b, c := open(t, fsys, name("a"), true), open(t, fsys, name("a"), false)
	for range 2 { // its holder may request it again
		if err := a.Lock(); err != nil {
			t.Fatal(err)
		}
	}
	wantError(t, b.Lock(), vfs.ErrLocked, name("a"))
	wantError(t, c.Lock(), vfs.ErrLocked, name("a"))
	// A file that does not have the lock cannot release it.
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	wantError(t, b.Lock(), vfs.ErrLocked, name("a"))
	if err := create(t, fsys, name("b")).Lock(); err != nil {
		t.Errorf("another file: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.Lock(); err != nil {
		t.Errorf("after Close: %v", err)
	}
}

// The locks of a file are independent of each other, whether shared or not, and Close releases all
// of them.
func testLocks(t *testing.T, fsys vfs.FS, name func(string) string) {
	a := create(t, fsys, name("a"))
	if errors.Is(a.Locks(1).Lock(), errors.ErrUnsupported) {
		t.Skip("no such locks")
	}
	b, reader := open(t, fsys, name("a"), true), open(t, fsys, name("a"), false)
	if err := errors.Join(a.Locks(1).Lock(), b.Lock(), b.Locks(2).LockShared(), a.Locks(2).LockShared()); err != nil {
		t.Fatal(err)
	}
	unlock, err := b.LockRange(1, 8)
	if err := errors.Join(err, unlock()); err != nil {
		t.Fatal(err)
	}
	testTryLockRange(t, a, b, name("a"))
	wantError(t, b.Locks(1).Lock(), vfs.ErrLocked, name("a"))
	wantError(t, b.Locks(1).LockShared(), vfs.ErrLocked, name("a"))
	wantError(t, a.Lock(), vfs.ErrLocked, name("a"))
	third := open(t, fsys, name("a"), true)
	wantError(t, third.Locks(2).Lock(), vfs.ErrLocked, name("a"))
	if a.Locks(1).Locked() || !b.Locks(1).Locked() || !reader.Locks(1).Locked() || !reader.Locks(2).Locked() || reader.Locks(3).Locked() {
		t.Error("who sees which lock is wrong")
	}
	if err := errors.Join(a.Close(), b.Locks(2).Unlock(), third.Locks(2).Lock(), b.Locks(1).Lock()); err != nil {
		t.Error(err)
	}
	if err := b.Close(); err != nil || reader.Locked() || reader.Locks(1).Locked() {
		t.Errorf("locked after Close: %v", err)
	}
}

// testTryLockRange checks which locks on a range can be held together.
func testTryLockRange(t *testing.T, a, b vfs.File, name string) {
	t.Helper()
	for _, c := range []struct{ first, second, both bool }{{false, false, false}, {false, true, false}, {true, false, false}, {true, true, true}} {
		unlock, err := a.TryLockRange(100, 10, c.first)
		if err != nil {
			t.Fatal(err)
		}
		beside, err := b.TryLockRange(110, 1, c.second)
		if err := errors.Join(err, beside()); err != nil {
			t.Fatal(err)
		}
		second, err := b.TryLockRange(109, 5, c.second)
		if c.both {
			err = errors.Join(err, second())
		}
		if (err == nil) != c.both {
			t.Errorf("shared %t, then shared %t: %v", c.first, c.second, err)
		}
		if !c.both {
			wantError(t, err, vfs.ErrLocked, name)
		}
		if err := unlock(); err != nil {
			t.Fatal(err)
		}
	}
}

func testLocked(t *testing.T, fsys vfs.FS, name func(string) string) {
	holder, other := create(t, fsys, name("a")), open(t, fsys, name("a"), true)
	reader := open(t, fsys, name("a"), false)
	want := func(when string, locked bool) {
		t.Helper()
		if holder.Locked() || other.Locked() != locked || reader.Locked() != locked {
			t.Errorf("%s: the holder sees a lock: %t, the others %t and %t, want %t",
				when, holder.Locked(), other.Locked(), reader.Locked(), locked)
		}
	}
	want("at first", false)
	for what, lock := range map[string]func() error{"alone": holder.Lock, "shared": holder.LockShared} {
		if err := lock(); err != nil {
			t.Fatal(err)
		}
		want(what, true)
		if err := open(t, fsys, name("a"), true).Close(); err != nil {
			t.Fatal(err)
		}
		want(what+", another opening closed", true)
		wantError(t, other.Lock(), vfs.ErrLocked, name("a"))
		want(what+", another has tried", true)
		if err := holder.Unlock(); err != nil {
			t.Fatal(err)
		}
		want(what+", unlocked", false)
	}
	if err := holder.Lock(); err != nil {
		t.Fatal(err)
	}
	if err := holder.Close(); err != nil {
		t.Fatal(err)
	}
	if reader.Locked() || holder.Locked() {
		t.Error("locked after Close")
	}
}

func testReadOnly(t *testing.T, fsys vfs.FS, name func(string) string) {
	write(t, create(t, fsys, name("a")), 0, "hello")
	f := open(t, fsys, name("a"), false)
	if _, err := f.WriteAt([]byte("x"), 0); err == nil || !strings.Contains(err.Error(), name("a")) {
		t.Errorf("write: %v", err)
	}
	if err := f.Truncate(1); err == nil || !strings.Contains(err.Error(), name("a")) {
		t.Errorf("truncate: %v", err)
	}
	b := make([]byte, 5)
	if _, err := f.ReadAt(b, 0); err != nil || string(b) != "hello" {
		t.Errorf("%q, %v", b, err)
	}
}

func testClosed(t *testing.T, fsys vfs.FS, name func(string) string) {
	f := create(t, fsys, name("a"))
	write(t, f, 0, "hello")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for what, do := range afterClose(f) {
		if err := do(); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if f.Lock() == nil {
		t.Error("a closed file was locked")
	}
	wantSize(t, open(t, fsys, name("a"), false), 5)
}

// afterClose returns operations that a closed file refuses.
func afterClose(f vfs.File) map[string]func() error {
	return map[string]func() error{
		"read":      func() error { _, err := f.ReadAt(make([]byte, 1), 0); return err },
		"write":     func() error { _, err := f.WriteAt([]byte("x"), 0); return err },
		"size":      func() error { _, err := f.Size(); return err },
		"allocated": func() error { _, err := f.Allocated(); return err },
		"truncate":  func() error { return f.Truncate(0) },
		"sync":      f.Sync,
		"data":      func() error { _, _, err := f.Data(0); return err },
		"close":     f.Close,
		"identity":  func() error { _, err := f.Identity(); return err },
		"access":    func() error { _, err := f.Access(); return err },
	}
}

func testBadOffsets(t *testing.T, fsys vfs.FS, name func(string) string) {
	f := create(t, fsys, name("a"))
	if _, err := f.ReadAt(make([]byte, 1), -1); err == nil {
		t.Error("read at -1")
	}
	for _, off := range []int64{-1, 1<<63 - 1} {
		if _, err := f.WriteAt([]byte("xy"), off); err == nil {
			t.Errorf("wrote at %d", off)
		}
	}
	if f.Truncate(-1) == nil {
		t.Error("truncated to -1")
	}
	wantSize(t, f, 0)
}

func testConcurrentTransfer(t *testing.T, fsys vfs.FS, name func(string) string) {
	const part = 3000 // so that parts share pages
	f := create(t, fsys, name("a"))
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			want := bytes.Repeat([]byte{byte(i + 1)}, part)
			got := make([]byte, part)
			if _, err := f.WriteAt(want, int64(i*part)); err != nil {
				t.Error(err)
			}
			if _, err := f.ReadAt(got, int64(i*part)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("part %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	wantSize(t, f, 16*part)
}

// A Lazy whose opening has failed is opened by the next use.
func TestLazyTriesAgain(t *testing.T) {
	fsys, errOnce := vfs.NewMem(), errors.New("too many open files")
	write(t, create(t, fsys, "a"), 0, "text")
	tries := 0
	f := vfs.Lazy("a", func() (vfs.File, error) {
		if tries++; tries == 1 {
			return nil, errOnce
		}
		return fsys.Open("a", false)
	})
	if _, err := f.Size(); err != errOnce {
		t.Errorf("first use: %v", err)
	}
	for range 2 {
		if size, err := f.Size(); size != 4 || err != nil {
			t.Errorf("size %d, %v", size, err)
		}
	}
	if tries != 2 {
		t.Errorf("opened %d times", tries)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// A folder has its files and the folders below it, also while they are being renamed and removed.
func testList(t *testing.T, fsys vfs.FS, name func(string) string) {
	dir := filepath.Dir(name("x")) + "/list"
	want := func(files, folders string) {
		t.Helper()
		gotFiles, gotFolders, err := fsys.List(dir)
		if got := strings.Join(gotFiles, " "); got != files || strings.Join(gotFolders, " ") != folders || err != nil {
			t.Errorf("files %q, folders %q, want %q and %q: %v", gotFiles, gotFolders, files, folders, err)
		}
	}
	if _, _, err := fsys.List(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is missing: %v", err)
	}
	for _, folder := range []string{dir, dir + "/below", dir + "/below/deep"} {
		if err := fsys.Mkdir(folder); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"/b", "/a", "/below/deep/c", "-else"} {
		f, err := fsys.Create(dir + file)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	want("a b", "below")
	if err := errors.Join(fsys.Rename(dir+"/b", dir+"/z"), fsys.Remove(dir+"/a")); err != nil {
		t.Fatal(err)
	}
	want("z", "below")
}
