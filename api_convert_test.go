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
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/internal/chunktable"
	"drx/internal/enumtest"
	"drx/internal/fileset"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// membersOf returns the bytes of log, principal array, chunk table and presence map of an array in
// either form, without zeros at the end, and without remains after the last chunk that has an
// entry.
func membersOf(t *testing.T, fsys vfs.FS, name string) (members [4][]byte) {
	t.Helper()
	a, err := Open(name, Options{fs: fsys})
	if err != nil {
		t.Fatal(err)
	}
	slot := int(a.Layout().SlotBytes)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := fileset.OpenCurrent(fsys, name, true)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	for i, f := range []vfs.File{files.Log, files.Data, files.Table, files.Presence} {
		size, err := f.Size()
		if err != nil {
			t.Fatal(err)
		}
		members[i] = make([]byte, size)
		if n, err := f.ReadAt(members[i], 0); n < len(members[i]) {
			t.Fatalf("%s: %d of %d bytes, %v", f.Name(), n, size, err)
		}
		members[i] = bytes.TrimRight(members[i], "\x00")
	}
	written := nd.CeilDiv(len(members[2]), chunktable.EntrySize)
	members[1] = bytes.TrimRight(members[1][:min(len(members[1]), written*slot)], "\x00")
	return members
}

// Arrays with random histories have the same bytes and elements in the other form, can be changed
// there, and have the same bytes again after converting back.
func TestConvertChangedArrays(t *testing.T) {
	all := enumtest.Sampled(t, soak)
	for seed := range uint64(60) {
		if !all.Try() {
			continue
		}
		h := &history{t: t, rng: rand.New(rand.NewPCG(seed, 7)), codecs: historyCodecs, name: formOf("a", seed)}
		h.opts.fs, h.opts.Durability = vfs.NewMem(), []Durability{DurabilityFull, DurabilityNoJournal, DurabilityNone}[seed%3]
		if seed%20 < 2 {
			h.opts.fs, h.name = vfs.OS, filepath.Join(t.TempDir(), h.name)
		}
		h.note("seed %d", seed)
		h.create()
		for range 3 {
			for range 3 + h.rng.IntN(12) {
				h.step()
			}
			h.must(h.a.Close())
			h.convertAndBack()
			h.opts.Write = true
			a, err := Open(h.name, h.opts)
			h.must(err)
			h.a = a
			h.compare(nil, h.order())
			h.verify()
		}
		h.must(h.a.Close())
	}
}

// convertAndBack converts the array, which is closed, and now and then back.
func (h *history) convertAndBack() {
	h.t.Helper()
	fsys, want := h.opts.fs, membersOf(h.t, h.opts.fs, h.name)
	for range 1 + h.rng.IntN(2) {
		other := fileset.OtherForm(h.name)
		h.note("convert to %s", other)
		h.must(convert(context.Background(), fsys, h.name, other, nil))
		for i, got := range membersOf(h.t, fsys, other) {
			if !bytes.Equal(got, want[i]) {
				h.t.Fatalf("member %d of %s has %d bytes, other than the %d before\n%v", i, other, len(got), len(want[i]), h.log)
			}
		}
		if files, _, _ := fsys.List(filepath.Dir(h.name)); len(files) != map[bool]int{true: 1, false: 4}[fileset.OneFile(other)] {
			h.t.Fatalf("files %s\n%v", files, h.log)
		}
		h.name = other
	}
}

// Arrays of version 1 are converted, including the remains of a writer that was killed.
func TestConvertVersion1(t *testing.T) {
	for name, want := range map[string]func([]int) int16{"grown": grownElement, "died": diedElement} {
		file := version1(t, name)
		if err := Convert(t.Context(), file, file+".drx", nil); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			a, err := Open(file, Options{Write: true})
			if err != nil {
				t.Fatal(err)
			}
			wantElements(t, a, want)
			if r, err := a.Verify(t.Context(), nil); err != nil || !r.Good() {
				t.Errorf("%s: %+v, %v", a.Name(), r, err)
			}
			if err := errors.Join(a.Close(), Convert(t.Context(), file, file, nil)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A large array keeps its holes, the name may change with the form, and Convert refuses what Rename
// and CopyFiles refuse.
func TestConvert(t *testing.T) {
	t.Chdir(t.TempDir())
	a, err := Create("a", Spec{DType: dtype.Uint8, Shape: []int{1 << 13, 1 << 12}, ChunkShape: []int{1 << 10, 1 << 10}, Attrs: map[string]any{"units": "K"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(Fill(a, nd.Sec(nd.Span(4000, 4090), nd.Span(3, 4000)), uint8(3)), a.Sync()); err != nil {
		t.Fatal(err)
	}
	if err := Convert(t.Context(), "a", "a.drx", nil); !errors.Is(err, ErrLocked) {
		t.Errorf("while it is open for writing: %v", err)
	}
	u, err := a.Usage()
	if err := errors.Join(err, a.Close()); err != nil {
		t.Fatal(err)
	}
	reader, err := Open("a", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	last, total := int64(0), int64(0)
	if err := Convert(t.Context(), "a.xmd", "a.drx", func(d, n int64) { last, total = d, n }); err != nil {
		t.Fatal(err)
	}
	if total < u.DataBytes || last != total {
		t.Errorf("%d of %d bytes", last, total)
	}
	if v, err := At[uint8](reader, 4001, 5); v != 3 || err != nil {
		t.Errorf("the reader sees %v, %v", v, err)
	}
	if _, err := reader.Refresh(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the reader's Refresh: %v", err)
	}
	if err := errors.Join(os.Mkdir("folder", 0o777), Convert(t.Context(), "a", "folder/b", nil), Convert(t.Context(), "folder/b", "c.drx", nil)); err != nil {
		t.Fatal(err)
	}
	if a, err = Open("c", Options{}); err != nil || a.Name() != "c.drx" {
		t.Fatalf("%v, %v", a, err)
	}
	after, err := a.Usage()
	if v, atErr := At[uint8](a, 4001, 5); v != 3 || errors.Join(err, atErr, a.Close()) != nil || after.DataBytes > u.DataBytes || after.Written != u.Written {
		t.Errorf("%v, %v, %v: usage %+v, before %+v", v, err, atErr, after, u)
	}
	mustCreateAt(t, "d", Spec{DType: dtype.Uint8, Shape: []int{3}}).Close()
	if err := os.WriteFile("d.drx", []byte("no array"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, call := range []struct {
		from, to string
		want     error
	}{
		{"d", "c.drx", fs.ErrExist},
		{"d", "c", fs.ErrExist},
		{"d", "d.drx", fs.ErrExist},
		{"d", "folder/", fs.ErrInvalid},
		{"d", "none/d.drx", fs.ErrNotExist},
		{"none", "e.drx", fs.ErrNotExist},
		{"c", "d", fs.ErrExist},
	} {
		if err := Convert(t.Context(), call.from, call.to, nil); !errors.Is(err, call.want) {
			t.Errorf("%s to %s: %v", call.from, call.to, err)
		}
	}
	if files, _ := filepath.Glob("*"); !slices.Equal(files, []string{"c.drx", "d.drx", "d.xck", "d.xmd", "d.xpm", "d.xta", "folder"}) {
		t.Errorf("files %s", files)
	}
}

// conversions are the names between which the tests below convert.
var conversions = [][2]string{{"a", "a.drx"}, {"a.drx", "a"}, {"a", "b.drx"}, {"a.drx", "b"}}

// convertible makes the array of renamable with one of the names.
func convertible(t *testing.T, fsys vfs.FS, name string, journaled bool) {
	t.Helper()
	renamable(t, fsys, journaled)
	if name == "a" {
		return
	}
	if err := convert(t.Context(), fsys, "a", name, nil); err != nil {
		t.Fatal(err)
	}
}

// Wherever a Convert is interrupted, readers and writers find the intact array by the name without
// extension. A writer leaves only the files of the array, repeating the Convert continues it, and
// Remove removes everything.
func TestCrashOfConvert(t *testing.T) {
	enumtest.Single(t)
	all := enumtest.Sampled(t, soak)
	for _, names := range conversions {
		crashConvert(t, all, names[0], names[1], false)
	}
	crashConvert(t, all, "a", "a.drx", true)
	all.Want(1500)
}

func crashConvert(t *testing.T, all *enumtest.Counter, from, to string, journaled bool) {
	t.Helper()
	forms := map[string]int{}
	for k := 0; ; k++ {
		disk := vfstest.NewCrash()
		convertible(t, disk, from, journaled)
		disk.CrashAfter(k)
		err := convert(context.Background(), disk, from, to, nil)
		if err != nil && !errors.Is(err, vfstest.ErrCrashed) {
			t.Fatalf("operation %d: %v", k, err)
		}
		policies := vfstest.Policies(1, uint64(k))
		finishes := []string{"write", "convert", "remove"}
		for i, policy := range append(slices.Sorted(maps.Keys(policies)), "killed") {
			if (i+k)%3 != 0 && policy != "killed" || !all.Try() {
				continue
			}
			after := disk.Killed()
			if policy != "killed" {
				after = disk.After(policies[policy])
			}
			finish := finishes[(i+k/3)%3]
			if to == "b" { // only the same Rename removes the remains of a Rename in several files
				finish = "convert"
			}
			what := fmt.Sprintf("%s to %s, operation %d, policy %s, then %s", from, to, k, policy, finish)
			name := checkConverted(t, after, from, to, finish, what)
			if forms[name]++; err == nil && name != to {
				t.Fatalf("%s: it is %s", what, name)
			}
		}
		if err == nil {
			break
		}
	}
	if forms[from] < all.Share(20) || forms[to] < all.Share(20) {
		t.Errorf("%s to %s: %v", from, to, forms)
	}
}

// checkConverted checks the array and its files after an interrupted Convert, and finishes in one
// of several ways. It returns the name that the array had.
func checkConverted(t *testing.T, fsys vfs.FS, from, to, finish, what string) (name string) {
	t.Helper()
	name = findConverted(t, fsys, from, to, what)
	left := ""
	switch finish {
	case "write":
		a, err := Open(name, Options{fs: fsys, Write: true})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		wantNines(t, a, what)
		if err := errors.Join(Fill(a, nil, uint8(1)), a.Close()); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		left = name
	case "convert":
		err := convert(context.Background(), fsys, from, to, nil)
		if err != nil && !(name == to && errors.Is(err, fs.ErrNotExist)) { // complete before
			t.Fatalf("%s: %v", what, err)
		}
		a, err := Open(to, Options{fs: fsys, Write: true})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		wantNines(t, a, what)
		if err := a.Close(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		left = to
	case "remove":
		if err := fileset.Remove(fsys, name); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	wantOnly(t, fsys, left, to, what)
	return name
}

// findConverted returns the name of the array that the names without extension lead to. There must
// be exactly one, and it must be intact.
func findConverted(t *testing.T, fsys vfs.FS, from, to, what string) (name string) {
	t.Helper()
	for _, plain := range slices.Compact([]string{strings.TrimSuffix(from, ".drx"), strings.TrimSuffix(to, ".drx")}) {
		a, err := Open(plain, Options{fs: fsys})
		exists, existsErr := fileset.Exists(fsys, plain)
		claimed := plain == to && !exists && existsErr == nil // an incomplete Rename is no array
		if errors.Is(err, fs.ErrNotExist) || claimed && err != nil {
			continue
		}
		if err != nil || name != "" {
			t.Fatalf("%s: %v, beside %q", what, err, name)
		}
		name = a.Name()
		wantNines(t, a, what)
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if name == "" {
		t.Fatalf("%s: no array", what)
	}
	return name
}

func wantNines(t *testing.T, a *Array, what string) {
	t.Helper()
	data, err := Read[uint8](a, nil)
	if err != nil || slices.ContainsFunc(data, func(v uint8) bool { return v != 9 }) {
		t.Fatalf("%s: %v, %v", what, data, err)
	}
}

// wantOnly checks that a folder has only the files of one array, or none if name is empty. There
// may also be an empty file with the name to, which an interrupted Rename leaves.
func wantOnly(t *testing.T, fsys vfs.FS, name, to, what string) {
	t.Helper()
	files, _, err := fsys.List(".")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var want []string
	switch {
	case fileset.OneFile(name):
		want = []string{name}
	case name != "":
		want = []string{name + tableExt, name + logExt, name + presenceExt, name + dataExt}
	}
	files = slices.DeleteFunc(files, func(f string) bool {
		linked := to == "b" && fileset.BaseName(f) == to // the same Rename or a Remove removes it
		return name != to && (linked || f == to && len(contentOf(t, fsys, f)) == 0)
	})
	if !slices.Equal(files, want) {
		t.Fatalf("%s: files %s, want %s", what, files, want)
	}
}

// If an operation of a Convert fails, or the Convert is cancelled, the array is intact in one of
// the forms, and repeating the Convert continues it.
func TestFaultsOfConvert(t *testing.T) {
	enumtest.Single(t)
	errFault := errors.New("fault")
	all := enumtest.Sampled(t, soak)
	for _, names := range conversions {
		from, to := names[0], names[1]
		for k := 0; ; k++ {
			if !all.Try() {
				continue
			}
			disk, count := vfs.NewMem(), 0
			convertible(t, disk, from, k%2 == 0)
			err := convert(context.Background(), &vfstest.Faulty{FS: disk, Fail: func(vfstest.Op, string) error {
				if count++; count == k+1 {
					return errFault
				}
				return nil
			}}, from, to, nil)
			if err != nil && !errors.Is(err, errFault) {
				t.Fatalf("%s to %s, fault at operation %d: %v", from, to, k, err)
			}
			what := fmt.Sprintf("%s to %s, fault at operation %d", from, to, k)
			if name := checkConverted(t, disk, from, to, "convert", what); err == nil && name != to {
				t.Fatalf("%s: it is %s", what, name)
			}
			if count <= k {
				break
			}
		}
		disk := vfs.NewMem()
		convertible(t, disk, from, false)
		ctx, cancel := context.WithCancel(context.Background())
		err := convert(ctx, disk, from, to, func(done, total int64) { cancel() })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		wantOnly(t, disk, from, to, "cancelled")
	}
}

// The mark of a conversion does not cause the removal of a different array.
func TestConvertRemovesOnlyTheSameArray(t *testing.T) {
	fsys := vfs.NewMem()
	for _, name := range []string{"a", "b.drx"} {
		a := mustCreateAt(t, name, Spec{DType: dtype.Uint8, Shape: []int{len(name)}, Options: Options{fs: fsys}})
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := fsys.Rename("b.drx", "a.drx"); err != nil {
		t.Fatal(err)
	}
	mustMakeFile(t, fsys, "a.drx.xcv", nil)
	if _, err := Open("a", Options{fs: fsys, Write: true}); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "a.drx.xcv") {
		t.Errorf("%v", err)
	}
	for name, n := range map[string]int{"a.xmd": 1, "a.drx": 5} {
		if a, err := Open(name, Options{fs: fsys}); err != nil || a.Shape()[0] != n {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
}

// A folder or a foreign file whose name ends in .drx does not affect the array without the
// extension, and is never removed.
func TestForeignFilesLikeOneFile(t *testing.T) {
	t.Chdir(t.TempDir())
	spec := Spec{DType: dtype.Uint8, Shape: []int{3}}
	for _, kind := range []string{"folder", "file", "empty"} {
		switch kind {
		case "folder":
			if err := errors.Join(os.Mkdir("x.drx", 0o777), mustCreateAt(t, "x.drx/v", spec).Close()); err != nil {
				t.Fatal(err)
			}
		case "file":
			mustMakeFile(t, vfs.OS, "x.drx", []byte(strings.Repeat("foreign ", 10_000)))
		default:
			mustMakeFile(t, vfs.OS, "x.drx", nil)
		}
		if ok, err := Exists("x"); ok || err != nil {
			t.Errorf("%s: %v, %v", kind, ok, err)
		}
		if err := mustCreateAt(t, "x", spec).Close(); err != nil {
			t.Fatal(err)
		}
		a, err := Open("x", Options{Write: true})
		if err != nil || a.Name() != "x" {
			t.Fatalf("%s: %v, %v", kind, a, err)
		}
		if err := errors.Join(a.Close(), Rename("x", "y"), CopyFiles(t.Context(), "y", "x", nil), Remove("x")); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if err := Convert(t.Context(), "y", "x.drx", nil); kind != "empty" && !errors.Is(err, fs.ErrExist) || kind == "empty" && err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if kind == "empty" {
			continue
		}
		if err := Remove("x"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", kind, err)
		}
		if err := Remove("x.drx"); err == nil {
			t.Errorf("%s was removed", kind)
		}
		if _, err := os.Stat("x.drx"); err != nil {
			t.Error(err)
		}
		if err := errors.Join(Remove("y"), os.RemoveAll("x.drx")); err != nil {
			t.Fatal(err)
		}
	}
}

// RemoveFolder removes arrays in one file, also damaged ones, but not other files with such names.
func TestRemoveFolderWithForeignFile(t *testing.T) {
	folder := t.TempDir()
	spec := Spec{DType: dtype.Uint8, Shape: []int{3}}
	inside := filepath.Join(folder, "f")
	if err := errors.Join(os.Mkdir(inside, 0o777), mustCreateAt(t, filepath.Join(inside, "a.drx"), spec).Close(), mustCreateAt(t, filepath.Join(inside, "b"), spec).Close()); err != nil {
		t.Fatal(err)
	}
	damaged := []byte("DRXFILE1" + strings.Repeat("\xff", 50_000))
	foreign := filepath.Join(inside, "c.drx")
	mustMakeFile(t, vfs.OS, foreign, []byte("foreign"))
	if err := RemoveFolder(inside); !errors.Is(err, fs.ErrInvalid) || !strings.Contains(err.Error(), "c.drx") {
		t.Errorf("%v", err)
	}
	if arrays, _, err := List(inside); err != nil || len(arrays) != 3 {
		t.Errorf("%v, %v", arrays, err)
	}
	if err := errors.Join(os.WriteFile(foreign, damaged, 0o666), RemoveFolder(inside)); err != nil {
		t.Error(err)
	}
}

// An array in several files whose name ends in .drx cannot be opened by that name, and none of its
// files is removed or mistaken for an array in one file.
func TestArrayInSeveralFilesNamedLikeOneFile(t *testing.T) {
	t.Chdir(t.TempDir())
	spec := Spec{DType: dtype.Uint8, Shape: []int{3}}
	if err := errors.Join(os.Mkdir("f", 0o777), mustCreateAt(t, "f/x", spec).Close(), mustCreateAt(t, "f/y", spec).Close()); err != nil {
		t.Fatal(err)
	}
	for _, ext := range []string{logExt, dataExt, tableExt, presenceExt} {
		if err := os.Rename("f/x"+ext, "f/x.drx"+ext); err != nil {
			t.Fatal(err)
		}
	}
	mustMakeFile(t, vfs.OS, "f/x.drx"+journalExt, nil)
	for what, call := range map[string]func() error{
		"open":         func() error { _, err := Open("f/x.drx", Options{}); return err },
		"open log":     func() error { _, err := Open("f/x.drx.xmd", Options{Write: true}); return err },
		"remove":       func() error { return Remove("f/x.drx") },
		"create":       func() error { _, err := Create("f/x.drx", spec); return err },
		"rename":       func() error { return Rename("f/x.drx", "f/z.drx") },
		"rename to":    func() error { return Convert(context.Background(), "f/y", "f/x.drx", nil) },
		"copy":         func() error { return CopyFiles(context.Background(), "f/y", "f/x.drx", nil) },
		"RemoveFolder": func() error { return RemoveFolder("f") },
	} {
		if err := call(); !errors.Is(err, fs.ErrInvalid) || !strings.Contains(err.Error(), "rename the files with f/x.drx.xmd, .xta, .xck and .xpm to f/x.xmd") {
			t.Errorf("%s: %v", what, err)
		}
	}
	files, _, err := vfs.OS.List("f")
	if err != nil || len(files) != 9 {
		t.Errorf("files %s, %v", files, err)
	}
}
