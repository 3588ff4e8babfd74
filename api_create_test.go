package drx

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"drx/dtype"
	"drx/internal/enumtest"
	"drx/internal/fileset"
	"drx/internal/metalog"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

func smallSpec(fsys vfs.FS) Spec {
	return Spec{DType: dtype.Int16, Shape: []int{3, 5}, Options: Options{fs: fsys, Incomplete: true}}
}

// If a process is killed in Create, there is an array, or nothing that prevents the next Create.
func TestCreateKilled(t *testing.T) { inBothForms(t, testCreateKilled) }

func testCreateKilled(t *testing.T) {
	for k := 0; ; k++ {
		disk := vfstest.NewCrash()
		disk.CrashAfter(k)
		a, _ := Create(named(t, "a"), smallSpec(disk)) // the last Create is not killed
		left := disk.After(vfstest.Policies(0, 0)["all"])
		b, err := Open("a", Options{fs: left, Write: true, Incomplete: true})
		switch {
		case err == nil:
			if _, err := Create(named(t, "a"), smallSpec(left)); !errors.Is(err, fs.ErrExist) {
				t.Fatalf("killed at operation %d, opened and created again: %v", k, err)
			}
		case !errors.Is(err, fs.ErrNotExist):
			t.Fatalf("killed at operation %d: open: %v", k, err)
		default:
			if b, err = Create(named(t, "a"), smallSpec(left)); err != nil {
				t.Fatalf("killed at operation %d and created again: %v", k, err)
			}
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if disk.Ops() < k { // it was not killed
			if err := a.Discard(); err != nil || k < 5 {
				t.Fatalf("%d operations, %v", k, err)
			}
			return
		}
	}
}

// Create replaces empty files and no others, which it leaves unchanged.
func TestCreateBesideFiles(t *testing.T) {
	exts := []string{logExt, dataExt, tableExt, presenceExt}
	const empty, full = 1, 2 // 0 stands for a missing file
	for i := range 81 {
		disk := vfs.NewMem()
		var found [4]int
		for d, ext := range exts {
			switch found[d] = i / []int{1, 3, 9, 27}[d] % 3; found[d] {
			case empty:
				mustMakeFile(t, disk, "a"+ext, nil)
			case full:
				mustMakeFile(t, disk, "a"+ext, []byte(ext))
			}
		}
		a, err := Create(named(t, "a"), smallSpec(disk))
		if found[0] != full && found[1] != full && found[2] != full && found[3] != full {
			if err == nil {
				err = a.Close()
			}
			if err != nil {
				t.Errorf("log, data, table %v: %v", found, err)
			}
			continue
		}
		if !errors.Is(err, fs.ErrExist) {
			t.Errorf("log, data, table %v: %v", found, err)
		} else if found[0] == 0 && !strings.Contains(err.Error(), "there is no log a.xmd") {
			t.Errorf("log, data, table %v: %v, want it to say that there is no log", found, err)
		}
		for d, ext := range exts {
			if id, err := identityOf(disk, "a"+ext); found[d] == 0 && (id != nil || err != nil) {
				t.Errorf("log, data, table %v: left %s, %v", found, ext, err)
			}
			if found[d] != full {
				continue
			}
			if text := contentOf(t, disk, "a"+ext); string(text) != ext {
				t.Errorf("log, data, table %v: %s is %q", found, ext, text)
			}
		}
	}
}

// Create replaces empty files, whatever their owner and mode. Only this user can access the new
// files, not even a process that has the old files open.
func TestCreateReplacesFilesForAll(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o022))
	source, _ := smallFiles(t)
	setAccess(t, source, 0o600, os.Getegid())
	for _, from := range []string{"", source} {
		name := filepath.Join(t.TempDir(), named(t, "a"))
		exts := []string{logExt, dataExt, tableExt, presenceExt}
		var before []any
		for _, ext := range exts {
			mustMakeFile(t, vfs.OS, name+ext, nil)
			id, err := identityOf(vfs.OS, name+ext)
			if err == nil {
				err = os.Link(name+ext, name+"-kept"+ext) // so that the inode is not reused
			}
			if err != nil {
				t.Fatal(err)
			}
			before = append(before, id)
		}
		setAccess(t, name, 0o666, 4321)
		a, err := Create(name, Spec{DType: dtype.Uint8, Shape: []int{4}, Source: from})
		if err != nil {
			t.Fatal(err)
		}
		mustClose(t, a)
		mode := fs.FileMode(0o644)
		if from != "" {
			mode = 0o600
		}
		wantAccess(t, "created", name, mode, os.Geteuid())
		for i, ext := range exts {
			if id, err := identityOf(vfs.OS, name+ext); err != nil || id == before[i] {
				t.Errorf("%s is the file that was there, %v", ext, err)
			}
		}
	}
}

// A file that cannot be removed prevents a new array.
func TestCreateBesideFileThatStays(t *testing.T) {
	disk := vfs.NewMem()
	mustMakeFile(t, disk, "a"+tableExt, nil)
	_, err := Create(named(t, "a"), smallSpec(vfstest.Faulty{FS: disk, Fail: func(op vfstest.Op, name string) error {
		if op == vfstest.OpRemove && name == "a"+tableExt {
			return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrPermission}
		}
		return nil
	}}))
	if !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if id, err := identityOf(disk, "a"+logExt); id != nil || err != nil {
		t.Errorf("a log was left behind, %v", err)
	}
}

// A power cut in Create leaves nothing that prevents the next Create, with every durability: the
// presence map may have its head already while the log has no complete line.
func TestCreateAfterPowerCut(t *testing.T) {
	enumtest.Single(t)
	inBothForms(t, testCreateAfterPowerCut)
}

func testCreateAfterPowerCut(t *testing.T) {
	for _, d := range []Durability{DurabilityFull, DurabilityNoJournal, DurabilityNone} {
		for k := 0; ; k++ {
			disk := vfstest.NewCrash()
			disk.CrashAfter(k)
			spec := smallSpec(disk)
			spec.Durability, spec.Attrs = d, map[string]any{"note": strings.Repeat("<", 700)}
			_, made := Create(named(t, "a"), spec)
			for policy, keep := range vfstest.Policies(30, uint64(k)) {
				left := disk.After(keep)
				spec.fs = left
				a, err := Open("a", spec.Options)
				if errors.Is(err, fs.ErrNotExist) || d == DurabilityNone && errors.Is(err, ErrCorrupt) {
					a, err = Create(named(t, "a"), spec)
				}
				if d == DurabilityNone && errors.Is(err, fs.ErrExist) && wholeWithout(t, left) {
					continue
				}
				if err != nil {
					t.Fatalf("%v, operation %d, policy %s: %v", d, k, policy, err)
				}
				mustClose(t, a)
			}
			if made == nil {
				break
			}
		}
	}
}

// An array in one file that lost its header, and with it the first line of its log, is not replaced
// by a new one: its presence map shows that it exists.
func TestCreateBesideLostHeader(t *testing.T) {
	for name, change := range map[string]func(*Array) error{
		"nothing": func(*Array) error { return nil },
		"grown":   func(a *Array) error { _, err := a.Extend(0, 1); return err },
		"filled":  func(a *Array) error { return Fill(a, nil, int16(7)) },
	} {
		disk := vfs.NewMem()
		a, err := Create("a.drx", smallSpec(disk))
		if err == nil {
			err = a.Close()
		}
		if err == nil { // as another process would
			a, err = Open("a.drx", Options{fs: disk, Write: true, Incomplete: true})
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := change(a); err != nil {
			t.Fatal(err)
		}
		mustClose(t, a)
		overwrite(t, disk, "a.drx", func(b []byte) []byte { clear(b[:8192]); return b }) // the header
		if _, err := Create("a.drx", smallSpec(disk)); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: Create: %v, want that the file exists", name, err)
		}
	}
}

// wholeWithout reports whether the array "a" has a complete log but lacks another file, whose name
// was not durable, or in one file its header.
func wholeWithout(t *testing.T, fsys vfs.FS) bool {
	t.Helper()
	if name := named(t, "a"); fileset.OneFile(name) {
		raw := contentOf(t, fsys, name)
		return bytes.IndexByte(raw[min(len(raw), 8192):], '\n') >= 0
	}
	lacks := false
	for _, ext := range []string{dataExt, tableExt, presenceExt} {
		id, err := identityOf(fsys, "a"+ext)
		if err != nil {
			t.Fatal(err)
		}
		lacks = lacks || id == nil
	}
	log, err := fsys.Open("a"+logExt, false)
	if err != nil {
		return false
	}
	defer log.Close()
	_, _, err = metalog.ReadLog(log)
	return lacks && err == nil
}

// If many goroutines create the same array at the same time, exactly one succeeds, whatever remains
// there were before.
func TestConcurrentCreate(t *testing.T) { inBothForms(t, testConcurrentCreate) }

func testConcurrentCreate(t *testing.T) {
	for name, fsys := range map[string]vfs.FS{"memory": vfs.NewMem(), "system": vfs.OS} {
		dir := "."
		if fsys == vfs.OS {
			dir = t.TempDir()
		}
		for round := range 50 {
			array := filepath.Join(dir, named(t, fmt.Sprint(round)))
			left := []string{array + logExt, array + dataExt, array + tableExt, array + presenceExt}
			if fileset.OneFile(array) {
				left = []string{array}
			}
			for d, file := range left {
				if round>>d&1 == 1 {
					mustMakeFile(t, fsys, file, nil)
				}
			}
			var made atomic.Pointer[Array]
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					a, err := Create(array, smallSpec(fsys))
					if err != nil && !errors.Is(err, fs.ErrExist) {
						t.Error(err)
					}
					if a != nil && !made.CompareAndSwap(nil, a) {
						t.Errorf("%s, round %d: created twice", name, round)
					}
				})
			}
			all.Wait()
			a := made.Load()
			if a == nil {
				t.Fatalf("%s, round %d: not created", name, round)
			}
			if err := a.Close(); err != nil {
				t.Error(err)
			}
			if _, err := Open(array, Options{fs: fsys, Incomplete: true}); err != nil {
				t.Errorf("%s, round %d: %v", name, round, err)
			}
		}
	}
}

// An array that is created with Options.Shared can be shared.
func TestCreateShared(t *testing.T) { inBothForms(t, testCreateShared) }

func testCreateShared(t *testing.T) {
	spec := Spec{DType: dtype.Int16, Shape: []int{0}, Options: inMemory()}
	spec.Shared = true
	a, err := Create(named(t, "a"), spec)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open("a", spec.Options)
	if err != nil {
		t.Fatal(err)
	}
	for i, member := range []*Array{a, b} {
		sec, err := member.Reserve(0, 2)
		if err != nil || fmt.Sprint(sec) != fmt.Sprintf("%d:%d", 2*i, 2*i+2) {
			t.Errorf("reserved %v, %v", sec, err)
		}
	}
	if err := errors.Join(a.Close(), b.Close()); err != nil {
		t.Error(err)
	}
}

// TestCreateKeepsJournal: a Create that fails because there is an array of that name leaves the
// journal of its writer alone, without which a crash would undo half of a commit.
func TestCreateKeepsJournal(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	a, err := Create(name, Spec{DType: dtype.Int8, Shape: []int{4}, ChunkShape: []int{2}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Discard()
	for range 2 { // the second commit overwrites
		if err := errors.Join(Write(a, nil, []int8{1, 2, 3, 4}), a.Sync()); err != nil {
			t.Fatal(err)
		}
	}
	journal := name + ".xjl"
	if _, err := os.Stat(journal); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(name, Spec{DType: dtype.Int8, Shape: []int{4}}); !errors.Is(err, fs.ErrExist) {
		t.Fatalf("a second Create: %v", err)
	}
	if _, err := os.Stat(journal); err != nil {
		t.Error(err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}
