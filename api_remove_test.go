package drx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/internal/enumtest"
	"drx/internal/fileset"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// removable creates an array with a commit that overwrote chunks, and closes it.
func removable(t *testing.T, o Options) {
	t.Helper()
	a, err := Create(named(t, "a"), Spec{DType: dtype.Uint8, Shape: []int{6, 6}, ChunkShape: []int{4, 4}, Options: o})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(Fill(a, nil, uint8(7)), a.Sync(), Fill(a, nil, uint8(9)), a.Close()); err != nil {
		t.Fatal(err)
	}
}

// Wherever a Remove is interrupted, either the whole array exists, or none, and a second Remove
// removes all remains. Then the name is free.
func TestCrashOfRemove(t *testing.T) {
	enumtest.Single(t)
	inAllForms(t, testCrashOfRemove)
}

func testCrashOfRemove(t *testing.T) {
	whole, gone, taken := 0, 0, 0
	for k := 0; ; k++ {
		disk := vfstest.NewCrash()
		removable(t, Options{fs: disk})
		disk.CrashAfter(k)
		err := fileset.Remove(fileset.In(disk), named(t, "a"))
		if err != nil && !errors.Is(err, vfstest.ErrCrashed) {
			t.Fatalf("operation %d: %v", k, err)
		}
		for name, policy := range vfstest.Policies(5, uint64(k)) {
			after := fileset.In(disk.After(policy))
			o := Options{fs: after}
			ok, existsErr := fileset.Exists(after, named(t, "a"))
			if existsErr != nil || ok && err == nil {
				t.Fatalf("operation %d, policy %s: exists %v, %v", k, name, ok, existsErr)
			}
			if ok {
				whole++
				a, openErr := Open(named(t, "a"), Options{fs: after, Write: true})
				if openErr != nil {
					t.Fatalf("operation %d, policy %s: %v", k, name, openErr)
				}
				if v, atErr := At[uint8](a, 5, 5); v != 9 || errors.Join(atErr, a.Close()) != nil {
					t.Fatalf("operation %d, policy %s: element %d, %v", k, name, v, atErr)
				}
			} else {
				gone++
			}
			what := fmt.Sprintf("operation %d, policy %s", k, name)
			if !ok && claimName(t, after, k, what) {
				taken++
				continue
			}
			if again := fileset.Remove(after, named(t, "a")); again != nil && (ok || !errors.Is(again, fs.ErrNotExist)) {
				t.Fatalf("%s: removed again: %v", what, again)
			}
			removable(t, o)
		}
		if err == nil {
			break
		}
	}
	if whole < 5 || gone < 20 || taken < 20 {
		t.Errorf("%d times the array was there, %d times not, %d times the name could be taken at once", whole, gone, taken)
	}
}

// claimName creates an array, or copies or renames one, to the name of an array whose removal was
// interrupted. Only files with contents may prevent that; then the error must say how to remove
// them. It reports whether nothing prevented it.
func claimName(t *testing.T, fsys vfs.FS, k int, what string) bool {
	t.Helper()
	to, other := named(t, "a"), named(t, "other")
	files, _, err := fsys.List(filepath.Dir(journalNamed("a")))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	contents := slices.DeleteFunc(files, func(f string) bool { return f == several || len(contentOf(t, fsys, f)) == 0 })
	spec := Spec{DType: dtype.Uint8, Shape: []int{6, 6}, ChunkShape: []int{4, 4}, Options: Options{fs: fsys}}
	var a *Array
	switch k % 3 {
	case 0:
		a, err = Create(to, spec)
	default:
		if a, err = Create(other, spec); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if err = errors.Join(Fill(a, nil, uint8(3)), a.Close()); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if k%3 == 1 {
			err = rename(fsys, other, to)
		} else {
			err = copyFiles(t.Context(), fsys, other, to, nil)
		}
		if err == nil {
			a, err = Open(to, Options{fs: fsys, Write: true})
		}
	}
	if err != nil {
		if len(contents) == 0 || !strings.Contains(err.Error(), "drx rm") {
			t.Fatalf("%s: the name is not free, files %s: %v", what, contents, err)
		}
		return false
	}
	if err := errors.Join(Fill(a, nil, uint8(4)), a.Close()); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return true
}

// An array that is open for writing is not removed; a reader does not prevent it and can continue.
func TestRemoveBesideOthers(t *testing.T) { inBothForms(t, testRemoveBesideOthers) }

func testRemoveBesideOthers(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, named(t, "a"))
	a, err := Create(name, Spec{DType: dtype.Uint8, Shape: []int{4}})
	if err != nil {
		t.Fatal(err)
	}
	if err := Remove(name); !errors.Is(err, ErrLocked) {
		t.Errorf("beside a writer: %v", err)
	}
	if err := errors.Join(Fill(a, nil, uint8(3)), a.Close()); err != nil {
		t.Fatal(err)
	}
	shared, err := Open(name, Options{Shared: true, Write: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := Remove(name); !errors.Is(err, ErrLocked) {
		t.Errorf("beside an appender: %v", err)
	}
	if err := shared.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := Open(name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if ok, err := Exists(fileset.Data(name)); !ok || err != nil {
		t.Errorf("exists %v, %v", ok, err)
	}
	if err := Remove(fileset.Log(name)); err != nil {
		t.Fatal(err)
	}
	if got, err := Read[uint8](r, nd.Sec(nd.At(2))); err != nil || got[0] != 3 {
		t.Errorf("a reader has %v, %v", got, err)
	}
	if ok, err := Exists(name); ok || err != nil {
		t.Errorf("exists %v, %v", ok, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if err := Remove(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing is removed: %v", err)
	}
}

// A damaged array is removed, and so is one that has lost files.
func TestRemoveDamaged(t *testing.T) {
	for what, damage := range map[string]func(name string) error{
		"a log that is none": func(name string) error { return os.WriteFile(name+".xmd", []byte("something"), 0o666) },
		"no data":            func(name string) error { return os.Remove(name + ".xta") },
		"no table":           func(name string) error { return os.Remove(name + ".xck") },
		"no presence map":    func(name string) error { return os.Remove(name + ".xpm") },
		"no log":             func(name string) error { return os.Remove(name + ".xmd") },
		"a journal":          func(name string) error { return os.WriteFile(name+".xjl3", []byte("left"), 0o666) },
	} {
		dir := t.TempDir()
		name := filepath.Join(dir, "a")
		a, err := Create(name, Spec{DType: dtype.Uint8, Shape: []int{4}})
		if err == nil {
			err = errors.Join(Fill(a, nil, uint8(3)), a.Close(), damage(name))
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := Remove(name); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v, %v", what, left, err)
		}
	}
}
