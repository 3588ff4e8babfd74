package drx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx/axial"
	"drx/dtype"
	"drx/internal/enumtest"
	"drx/internal/fileset"
	"drx/internal/onefile"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// Ten arrays in one file, with different types and chunks, grow independently on all sides, shrink,
// are compacted, renamed and removed. Each always equals its model, also for readers that were open
// all the time.
func TestTenArraysInOneFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "weather.drx")
	rng := rand.New(rand.NewPCG(3, 4))
	var all []*scriptedSession
	var readers []*Array
	for i := range 10 {
		name := filepath.Join(file, fmt.Sprintf("group%d/array%d", i%3, i))
		l := &scriptedSession{name: name, rng: rng}
		err := l.createOf(Spec{DType: dtype.Uint16, Shape: []int{i % 3, 2 + i}, ChunkShape: []int{1 + i%4, 3}, FillValue: i})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Open(name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		all, readers = append(all, l), append(readers, r)
	}
	for step := range 120 {
		l := all[rng.IntN(len(all))]
		side := axial.Side(step % 2)
		err := errors.Join(l.extend(rng.IntN(2), 1+rng.IntN(4), side), l.write(wholeOf(l)), l.sync())
		if dim := step % 2; step%7 == 0 && l.m.hi[dim]-l.m.lo[dim] > 1 {
			err = errors.Join(err, l.shrink(dim, 1, side), l.a.SetAttr("step", step), l.sync())
		}
		if step%31 == 30 {
			err = errors.Join(err, l.a.Compact(t.Context(), nil))
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range readers {
			if _, err := r.Refresh(); err != nil {
				t.Fatal(err)
			}
			if i%3 == step%3 {
				mustBeModel(t, r, all[i].m)
			}
		}
	}
	for i, l := range all {
		if err := errors.Join(readers[i].Close(), l.a.Close()); err != nil {
			t.Fatal(err)
		}
	}
	inside := func(name string) string { return filepath.Join(file, name) }
	if err := errors.Join(Rename(inside("group0/array0"), inside("renamed")), Remove(inside("group1/array1"))); err != nil {
		t.Fatal(err)
	}
	all[0].name = inside("renamed")
	for i, l := range all {
		a, err := Open(l.name, Options{})
		if i == 1 {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("removed: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		mustBeModel(t, a, l.m)
		if r, err := a.Verify(t.Context(), nil); err != nil || !r.Good() {
			t.Errorf("%s: %+v, %v", l.name, r, err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	arrays, folders, err := List(file)
	if err != nil || !slices.Equal(arrays, []string{"renamed"}) || !slices.Equal(folders, []string{"group0", "group1", "group2"}) {
		t.Errorf("%v, %v, %v", arrays, folders, err)
	}
	if arrays, _, err := List(inside("group1")); err != nil || !slices.Equal(arrays, []string{"array4", "array7"}) {
		t.Errorf("%v, %v", arrays, err)
	}
	if arrays, folders, err := List(filepath.Dir(file)); err != nil || len(arrays) != 0 || !slices.Equal(folders, []string{"weather.drx"}) {
		t.Errorf("%v, %v, %v", arrays, folders, err)
	}
	if err := Remove(file); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(filepath.Dir(file)); len(left) != 0 {
		t.Errorf("%v remain", left)
	}
}

// mustBeModel compares an array with a model.
func mustBeModel(t *testing.T, a *Array, m *model) {
	t.Helper()
	data := make([]byte, len(m.data))
	if !slices.Equal(a.Bounds(), nd.Box(m.lo, m.hi)) {
		t.Fatalf("%s: bounds %v, want %v", a.Name(), a.Bounds(), nd.Box(m.lo, m.hi))
	}
	if err := a.ReadBytes(nil, data, nil); err != nil || !bytes.Equal(data, m.data) {
		t.Fatalf("%s: other elements, %v", a.Name(), err)
	}
}

// Wherever creation, growth, replacement, renaming or removal of arrays in a file is interrupted,
// the existing arrays are intact, and the operation can be repeated.
func TestCrashOfArraysInOneFile(t *testing.T) {
	enumtest.Single(t)
	ops := map[string]func(o Options) error{
		"create": func(o Options) error {
			a, err := Create("w.drx/new", Spec{DType: dtype.Uint8, Shape: []int{4}, Options: o})
			if err != nil {
				return err
			}
			return errors.Join(Fill(a, nil, uint8(7)), a.Close())
		},
		"grow": func(o Options) error {
			o.Write = true
			a, err := Open("w.drx/a", o)
			if err != nil {
				return err
			}
			for range 2 {
				added, err := a.Extend(0, 40)
				if err := errors.Join(err, a.SetAttr("long", strings.Repeat("x", 9000))); err != nil {
					return err
				}
				if err := errors.Join(Fill(a, added, uint8(7)), a.Sync()); err != nil {
					return err
				}
			}
			return a.Close()
		},
		"compact": func(o Options) error {
			o.Write = true
			a, err := Open("w.drx/a", o)
			if err != nil {
				return err
			}
			return errors.Join(a.Compact(context.Background(), nil), a.Close())
		},
		"rename": func(o Options) error { return rename(o.filesystem(), "w.drx/a", "w.drx/new") },
		"remove": func(o Options) error { return fileset.Remove(o.filesystem(), "w.drx/a.drx") },
	}
	all := enumtest.Sampled(t, soak)
	for _, what := range slices.Sorted(maps.Keys(ops)) {
		for k, ended := 0, false; !ended; k++ {
			disk := vfstest.NewCrash()
			makeTwoInOneFile(t, Options{fs: disk})
			disk.CrashAfter(k)
			err := ops[what](Options{fs: disk})
			if ended = err == nil; !ended && !errors.Is(err, vfstest.ErrCrashed) {
				t.Fatalf("%s, operation %d: %v", what, k, err)
			}
			policies := vfstest.Policies(15, uint64(k))
			for _, name := range slices.Sorted(maps.Keys(policies)) {
				if !ofSeveralFiles(name) && all.Try() {
					after := Options{fs: disk.After(policies[name])}
					checkTwoInOneFile(t, after, what, ops[what], ended, fmt.Sprintf("%s, operation %d, %s", what, k, name))
				}
			}
		}
	}
	all.Want(500)
}

// ofSeveralFiles reports whether a policy treats one file of an array in several files differently.
func ofSeveralFiles(policy string) bool {
	_, ext, ok := strings.Cut(policy, ".x")
	return ok && !strings.HasPrefix(ext, "jl")
}

// makeTwoInOneFile creates the arrays a and b, filled with sevens.
func makeTwoInOneFile(t *testing.T, o Options) {
	t.Helper()
	for _, name := range []string{"w.drx/a", "w.drx/b"} {
		a := mustCreateAt(t, name, Spec{DType: dtype.Uint8, Shape: []int{6, 6}, ChunkShape: []int{4, 4}, Options: o})
		if err := errors.Join(Fill(a, nil, uint8(7)), a.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// checkTwoInOneFile checks the arrays after a crash.
func checkTwoInOneFile(t *testing.T, o Options, what string, again func(Options) error, ended bool, when string) {
	t.Helper()
	found := map[string]bool{}
	for _, name := range []string{"a", "b", "new"} {
		a, err := Open("w.drx/"+name, o)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		found[name] = true
		data, err := Read[uint8](a, nil)
		if r, verifyErr := a.Verify(context.Background(), nil); errors.Join(err, verifyErr) != nil || !r.Good() {
			t.Fatalf("%s: %s: %v, %v, %+v", when, name, err, verifyErr, r)
		}
		if data = bytes.Trim(data, "\x07"); len(data) > 0 && !(what == "create" && name == "new" && !ended) {
			t.Fatalf("%s: %s has other elements: %v", when, name, data)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	switch {
	case !found["b"]:
		t.Fatalf("%s: b is gone", when)
	case what == "rename" && found["a"] == found["new"], what == "rename" && ended && !found["new"]:
		t.Fatalf("%s: %v", when, found)
	case what == "remove" && ended && found["a"], (what == "create" || what == "grow" || what == "compact") && !found["a"], what == "create" && ended && !found["new"]:
		t.Fatalf("%s: %v", when, found)
	case ended || what == "create" && found["new"] || !found["a"]:
		return
	}
	if err := again(o); err != nil {
		t.Fatalf("%s: again: %v", when, err)
	}
}

// Errors for names in files with one array, several arrays or none, and in folders whose names look
// like those of files.
func TestNamesInFiles(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return dir + "/" + name }
	spec := Spec{DType: dtype.Int8, Shape: []int{3}}
	create := func(name string) error {
		a, err := Create(at(name), spec)
		if err == nil {
			err = a.Close()
		}
		return err
	}
	if err := errors.Join(create("one.drx"), create("w.drx/a"), create("w.drx/g/b.drx"), MakeFolder(at("empty.drx")), os.Mkdir(at("folder.drx"), 0o777),
		create("folder.drx/a"), os.WriteFile(at("foreign.drx"), []byte(strings.Repeat("something else\n", 4096)), 0o666)); err != nil {
		t.Fatal(err)
	}
	open := func(name string) error {
		a, err := Open(at(name), Options{Write: true})
		if err == nil {
			err = a.Close()
		}
		return err
	}
	for name, want := range map[string]error{
		"w.drx/a": nil, "w.drx/a.drx": nil, "w.drx/g/b": nil, "folder.drx/a": nil, "w.drx/b": fs.ErrNotExist, "w.drx/g": fs.ErrNotExist, "one.drx/a": fs.ErrNotExist,
		"empty.drx/a": fs.ErrNotExist, "none.drx/a": fs.ErrNotExist, "foreign.drx/a": ErrCorrupt,
	} {
		if err := open(name); !errors.Is(err, want) {
			t.Errorf("open %s: %v, want %v", name, err, want)
		}
	}
	for name, want := range map[string]error{
		"w.drx/a": fs.ErrExist, "w.drx": fs.ErrExist, "w": fs.ErrExist, "one.drx/a": onefile.ErrOneArray, "foreign.drx/a": ErrCorrupt,
		"w.drx/a\n": fs.ErrInvalid, "w.drx/": fs.ErrInvalid, "w.drx/g/": fs.ErrInvalid, "none/n.drx/a": fs.ErrNotExist,
	} {
		if err := create(name); !errors.Is(err, want) {
			t.Errorf("create %s: %v, want %v", name, err, want)
		}
	}
	if err := open("w.drx"); err == nil || !strings.Contains(err.Error(), "several arrays") {
		t.Error(err)
	}
	if _, _, err := List(at("one.drx")); err == nil {
		t.Error("a file with one array is listed")
	}
	if arrays, folders, err := List(at("empty.drx")); err != nil || len(arrays)+len(folders) > 0 {
		t.Errorf("%v, %v, %v", arrays, folders, err)
	}
	if err := Rename(at("w.drx/a"), at("other.drx/a")); !errors.Is(err, vfs.ErrOtherDevice) {
		t.Errorf("rename to another file: %v", err)
	}
	if _, err := os.Stat(at("other.drx")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("other.drx was created: %v", err)
	}
	w, err := Open(at("w.drx/a"), Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{"open": open("w.drx/a"), "remove": Remove(at("w.drx/a")), "remove the file": Remove(at("w.drx"))} {
		if !errors.Is(err, ErrLocked) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := errors.Join(open("w.drx/g/b"), w.Close(), Remove(at("w.drx"))); err != nil {
		t.Error(err)
	}
}

// A failed creation of the first array leaves no file.
func TestFailedCreationInOneFile(t *testing.T) {
	fsys := vfs.NewMem()
	for _, name := range []string{"w.drx/a\x00", "w.drx/" + strings.Repeat("x", 600)} {
		if _, err := Create(name, Spec{DType: dtype.Int8, Shape: []int{3}, Options: Options{fs: fsys}}); !errors.Is(err, fs.ErrInvalid) {
			t.Error(err)
		}
	}
	if files, _, _ := fsys.List("."); len(files) > 0 {
		t.Errorf("%v remain", files)
	}
}

// Processes that write different arrays of a file at the same time do not disturb each other.
func TestProcessesInOneFile(t *testing.T) {
	if name := os.Getenv("DRX_TEST_GROW"); name != "" {
		growInOneFile(t, name)
		return
	}
	file := filepath.Join(t.TempDir(), "w.drx")
	var running []*exec.Cmd
	names := []string{filepath.Join(file, "a"), filepath.Join(file, "b"), filepath.Join(file, "g/c")}
	for _, name := range names {
		cmd := exec.Command(os.Args[0], "-test.run=^TestProcessesInOneFile$")
		cmd.Env = append(os.Environ(), "DRX_TEST_GROW="+name)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		a, err := Open(name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		data, err := Read[int32](a, nil)
		for i, x := range data {
			if x != int32(i/100) {
				t.Fatalf("%s: element %d is %d", name, i, x)
			}
		}
		if err != nil || len(data) != 60*100 {
			t.Errorf("%s: %d elements, %v", name, len(data), err)
		}
	}
}

// growInOneFile creates an array and lets it grow row by row.
func growInOneFile(t *testing.T, name string) {
	a, err := Create(name, Spec{DType: dtype.Int32, Shape: []int{0, 100}, ChunkShape: []int{1, 100}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		added, err := a.Extend(0, 1)
		if err := errors.Join(err, Fill(a, added, int32(i)), a.SetAttr("row", i)); err != nil {
			t.Fatal(err)
		}
		if err := a.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}
