package drx

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"drx/dtype"
	"drx/internal/vfs"
)

func small(fsys vfs.FS) Spec {
	return Spec{DType: dtype.Int16, Shape: []int{3, 5}, Options: Options{fs: fsys, Incomplete: true}}
}

// A process that is killed in the midst of Create leaves an array, or nothing that hinders the next.
func TestCreateKilled(t *testing.T) {
	for k := 0; ; k++ {
		disk := vfs.NewCrash()
		disk.CrashAfter(k)
		a, _ := Create("a", small(disk)) // the last one comes to its end
		left := disk.After(vfs.Policies(0, 0)["all"])
		b, err := Open("a", Options{fs: left, Write: true, Incomplete: true})
		switch {
		case err == nil:
			if _, err := Create("a", small(left)); !errors.Is(err, fs.ErrExist) {
				t.Fatalf("killed at operation %d, opened and created again: %v", k, err)
			}
		case !errors.Is(err, fs.ErrNotExist):
			t.Fatalf("killed at operation %d: open: %v", k, err)
		default:
			if b, err = Create("a", small(left)); err != nil {
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

// Whatever files there are, Create takes empty ones only, and leaves others as they were.
func TestCreateBesideFiles(t *testing.T) {
	exts := []string{logExt, dataExt, tableExt, presenceExt}
	const empty, full = 1, 2 // and 0, missing
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
		a, err := Create("a", small(disk))
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
		}
		for d, ext := range exts {
			if found[d] != full {
				continue
			}
			if text := contentOf(t, disk, "a"+ext); string(text) != ext {
				t.Errorf("log, data, table %v: %s is %q", found, ext, text)
			}
		}
	}
}

// Of many that create an array at once one does, whatever was left before.
func TestCreateAtOnce(t *testing.T) {
	for name, fsys := range map[string]vfs.FS{"memory": vfs.NewMem(), "system": vfs.OS} {
		dir := "."
		if fsys == vfs.OS {
			dir = t.TempDir()
		}
		for round := range 50 {
			array := filepath.Join(dir, fmt.Sprint(round))
			for d, ext := range []string{logExt, dataExt, tableExt, presenceExt} {
				if round>>d&1 == 1 {
					mustMakeFile(t, fsys, array+ext, nil)
				}
			}
			var made atomic.Pointer[Array]
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					a, err := Create(array, small(fsys))
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

// An array that is created for sharing can be shared.
func TestCreateShared(t *testing.T) {
	spec := Spec{DType: dtype.Int16, Shape: []int{0}, Options: inMemory()}
	spec.Shared = true
	a, err := Create("a", spec)
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
