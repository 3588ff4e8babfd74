package drx

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/internal/enumtest"
	"drx/internal/state"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

// creations are the ways to make a new array.
var creations = map[string]struct {
	attr string // an attribute that it has as soon as it exists
	make func(fsys vfs.FS, name string) error
}{
	"create": {state.IncompleteAttr, func(fsys vfs.FS, name string) error {
		spec := smallSpec(fsys)
		spec.Attrs = map[string]any{"note": strings.Repeat("<", 700)} // more than a sector
		b, err := Create(name, spec)
		if err == nil {
			err = b.Close()
		}
		return err
	}},
	"recover": {"units", func(fsys vfs.FS, name string) error {
		_, err := Recover(context.Background(), "a", name, RecoverOptions{fs: fsys})
		return err
	}},
}

// TestMakingCrash crashes at every operation that creates an array, in several files or in one, in
// turn. The array exists with all its contents, or it does not exist and the next attempt creates
// it.
func TestMakingCrash(t *testing.T) {
	enumtest.Single(t)
	all := enumtest.Sampled(t, soak)
	for name, m := range creations {
		t.Run(name, func(t *testing.T) {
			source := withSource(t)
			for k, ended, before := 0, false, false; !ended || !before; k++ {
				disk, file := source.After(vfstest.Policies(0, 0)["all"]), formOf("b", uint64(k))
				disk.CrashAfter(k / 2)
				err := m.make(disk, file)
				before, ended = ended, err == nil
				policies := vfstest.Policies(30, uint64(k))
				for _, policy := range slices.Sorted(maps.Keys(policies)) {
					if !all.Try() {
						continue
					}
					left := disk.After(policies[policy])
					there := madeWith(t, left, m.attr)
					again := m.make(left, file)
					switch {
					case there && !errors.Is(again, fs.ErrExist):
						t.Fatalf("crash at operation %d, policy %s: made once more: %v", k, policy, again)
					case !there && again != nil:
						t.Fatalf("crash at operation %d, policy %s: %s not made again: %v", k, policy, file, again)
					case !madeWith(t, left, m.attr) || err == nil && !there:
						t.Fatalf("crash at operation %d, policy %s: not there", k, policy)
					}
				}
			}
		})
	}
	all.Want(1000)
}

// TestMakingFaults lets every operation that creates an array fail, once or permanently. The array
// exists as a whole, or it does not exist and the next attempt creates it.
func TestMakingFaults(t *testing.T) {
	enumtest.Single(t)
	errFault := errors.New("fault")
	for name, m := range creations {
		for _, lasting := range []bool{false, true} {
			for k, ended, before := 0, false, false; !ended || !before; k++ {
				disk, file, count := withSource(t), formOf("b", uint64(k)), 0
				err := m.make(&vfstest.Faulty{FS: disk, Fail: func(_ vfstest.Op, name string) error {
					if strings.HasPrefix(name, "a") {
						return nil // the report lists what is unreadable in the source
					}
					if count++; count == k/2+1 || lasting && count > k/2 {
						return errFault
					}
					return nil
				}}, file)
				before, ended = ended, count <= k/2
				if err != nil && !errors.Is(err, errFault) && !errors.Is(err, fs.ErrNotExist) {
					t.Fatalf("%s, fault at operation %d: %v", name, k, err)
				}
				there := madeWith(t, disk, m.attr)
				if err == nil && !there {
					t.Fatalf("%s, fault at operation %d: not there", name, k)
				}
				if again := m.make(disk, file); (again == nil) == there || there && !errors.Is(again, fs.ErrExist) {
					t.Fatalf("%s, fault at operation %d: there %v, once more %v", name, k, there, again)
				}
			}
		}
	}
}

// withSource returns a disk with an array "a" that has chunks and attributes.
func withSource(t *testing.T) *vfstest.Crash {
	t.Helper()
	disk := vfstest.NewCrash()
	a, err := Create("a", Spec{DType: dtype.Int16, Shape: []int{6, 5}, ChunkShape: []int{2, 2}, Options: Options{fs: disk}})
	if err == nil {
		err = errors.Join(a.SetAttr("units", strings.Repeat("K", 1000)), Fill(a, nil, int16(7)), a.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return disk
}

// madeWith reports whether there is an array "b". If so, it must be intact and have the attribute.
func madeWith(t *testing.T, disk *vfstest.Crash, name string) bool {
	t.Helper()
	for _, write := range []bool{false, true, false} {
		b, err := Open("b", Options{fs: disk, Write: write, Incomplete: true})
		if errors.Is(err, fs.ErrNotExist) {
			return false
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := b.Attrs()[name]; !ok {
			t.Fatalf("without the attribute %s", name)
		}
		if _, recovered := b.Attrs()["units"]; recovered {
			if got, err := Read[int16](b, nil); err != nil || slices.ContainsFunc(got, func(x int16) bool { return x != 7 }) {
				t.Fatalf("elements %v, %v", got, err)
			}
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return true
}
