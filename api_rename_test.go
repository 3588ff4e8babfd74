package drx

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"drx/dtype"
	"drx/internal/enumtest"
	"drx/internal/fileset"
	"drx/internal/state"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

// renamable creates the array "a", whose elements are nines. If journaled is set, its last commit
// is still in the journal, for the next writer.
func renamable(t *testing.T, fsys vfs.FS, journaled bool) {
	t.Helper()
	dying, line := false, fileset.OneFile(named(t, "a"))
	faulty := vfstest.Faulty{FS: fsys, Fail: func(op vfstest.Op, name string) error {
		if dying && op == vfstest.OpWrite && name == fileset.Data(named(t, "a")) {
			if line { // which one file gets first
				line = false
				return nil
			}
			return syscall.EIO
		}
		return nil
	}}
	a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{6, 6}, ChunkShape: []int{4, 4}, Options: Options{fs: faulty}})
	if err := errors.Join(Fill(a, nil, uint8(7)), a.Sync(), Fill(a, nil, uint8(9))); err != nil {
		t.Fatal(err)
	}
	dying = journaled
	if err := a.Sync(); (err != nil) != dying {
		t.Fatal(err)
	}
	if err := a.Discard(); err != nil {
		t.Fatal(err)
	}
}

// wholeUnder reports whether there is an array with the given name. If so, readers and writers must
// find the array of renamable.
func wholeUnder(t *testing.T, fsys vfs.FS, name string) bool {
	t.Helper()
	ok, err := fileset.Exists(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	for _, write := range []bool{false, true} {
		a, err := Open(name, Options{fs: fsys, Write: write})
		if (err == nil) != ok {
			t.Fatalf("%s exists %v, open with write %v: %v", name, ok, write, err)
		}
		if err != nil {
			continue
		}
		got, err := Read[uint8](a, nil)
		if err = errors.Join(err, a.Close()); err != nil || slices.ContainsFunc(got, func(v uint8) bool { return v != 9 }) {
			t.Fatalf("%s has %v, %v", name, got, err)
		}
	}
	return ok
}

// wantFiles checks which files of two arrays exist: the four files of one, the single file of one,
// or none.
func wantFiles(t *testing.T, fsys vfs.FS, there string, names ...string) {
	t.Helper()
	for _, name := range names {
		isThere, exts := name == there, []string{logExt, dataExt, tableExt, presenceExt}
		if name = named(t, name); fileset.OneFile(name) {
			exts = []string{""}
		}
		for _, ext := range append(exts, journalExt, journalExt+"0", markExt, exts[0]+newExt) {
			id, err := identityOf(fsys, name+ext)
			want := isThere && slices.Contains(exts, ext)
			if err != nil || (id != nil) != want {
				t.Fatalf("%s: %v, %v, want there %v", name+ext, id, err, want)
			}
		}
	}
}

// renameTargets are new names for the array "a", in its folder and in another one.
var renameTargets = []string{"b", "folder/b"}

// Wherever a Rename is interrupted, the array is intact and has exactly one of the two names.
// Repeating the Rename, or removing the other name, leaves only the array's files.
func TestCrashOfRename(t *testing.T) {
	enumtest.Single(t)
	inBothForms(t, testCrashOfRename)
}

func testCrashOfRename(t *testing.T) {
	all := enumtest.Sampled(t, soak)
	for _, to := range renameTargets {
		for _, journaled := range []bool{false, true} {
			crashRename(t, all, to, journaled)
		}
	}
	all.Want(1000)
}

func crashRename(t *testing.T, all *enumtest.Counter, to string, journaled bool) {
	t.Helper()
	under, newName := map[string]int{}, named(t, to)
	again := func(disk vfs.FS) error { return rename(disk, named(t, "a"), newName) }
	eachCrash(t, all, journaled, again, func(left func() *vfstest.Crash, complete bool, what string) {
		for _, finish := range []string{"rename", "remove", "create"} {
			what, after := what+", then "+finish, left()
			there, other := "a", to
			if ok, _ := fileset.Exists(after, newName); ok {
				there, other = to, "a"
			}
			if there == "a" && complete {
				t.Fatalf("%s: not renamed", what)
			}
			under[there]++
			err := error(nil)
			switch finish {
			case "rename":
				err = again(after)
				if there == to && errors.Is(err, fs.ErrNotExist) {
					err = nil // the first Rename was complete
				}
				there = to
			case "remove":
				err = removeIfThere(after, named(t, other))
			case "create": // harmless, whether or not it succeeds
				b, createErr := Create(named(t, other), Spec{DType: dtype.Uint8, Shape: []int{1}, Options: Options{fs: after}})
				switch {
				case createErr == nil:
					err = errors.Join(b.Close(), fileset.Remove(after, named(t, other)))
				case errors.Is(createErr, fs.ErrExist):
					err = removeIfThere(after, named(t, other))
				default:
					err = createErr
				}
			}
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if !wholeUnder(t, after, named(t, there)) {
				t.Fatalf("%s: no %s", what, there)
			}
			wantFiles(t, after, there, "a", to)
		}
	})
	if under["a"] < 10 || under[to] < 10 {
		t.Errorf("renamed to %s: found %v", to, under)
	}
}

// eachCrash changes the array "a" on disks that crash before each operation in turn, until the
// change is complete. It calls check for each crash that is to be tried, with a function that
// returns a disk as the crash left it.
func eachCrash(
	t *testing.T, all *enumtest.Counter, journaled bool, change func(disk vfs.FS) error,
	check func(left func() *vfstest.Crash, complete bool, what string),
) {
	t.Helper()
	for k, complete := 0, false; !complete; k++ {
		disk := vfstest.NewCrash()
		renamable(t, disk, journaled)
		disk.CrashAfter(k)
		err := change(disk)
		if err != nil && !errors.Is(err, vfstest.ErrCrashed) {
			t.Fatalf("operation %d: %v", k, err)
		}
		complete = err == nil
		policies := vfstest.Policies(20, uint64(k))
		for _, policy := range slices.Sorted(maps.Keys(policies)) {
			if all.Try() {
				left := func() *vfstest.Crash { return disk.After(policies[policy]) }
				check(left, complete, fmt.Sprintf("operation %d, policy %s", k, policy))
			}
		}
	}
}

// removeIfThere removes an array.
func removeIfThere(fsys vfs.FS, name string) error {
	if err := fileset.Remove(fsys, name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// If an operation of a Rename fails, the array is intact and has one name; if that is the old one,
// no file has the new one.
func TestFaultsOfRename(t *testing.T) {
	enumtest.Single(t)
	inBothForms(t, testFaultsOfRename)
}

func testFaultsOfRename(t *testing.T) {
	errFault := errors.New("fault")
	moved, stayed := 0, 0
	for _, to := range renameTargets {
		for k := 0; ; k++ {
			disk, count := vfs.NewMem(), 0
			renamable(t, disk, k%2 == 0)
			err := rename(&vfstest.Faulty{FS: disk, Fail: func(vfstest.Op, string) error {
				if count++; count == k+1 {
					return errFault
				}
				return nil
			}}, named(t, "a"), named(t, to))
			if err != nil && !errors.Is(err, errFault) {
				t.Fatalf("fault at operation %d: %v", k, err)
			}
			there := "a"
			if wholeUnder(t, disk, named(t, to)) {
				there = to
				moved++
			} else if stayed++; err == nil || !wholeUnder(t, disk, named(t, "a")) {
				t.Fatalf("fault at operation %d: %v, under neither name", k, err)
			} else {
				wantFiles(t, disk, "a", to)
			}
			if again := rename(disk, named(t, "a"), named(t, to)); again != nil && !(there == to && errors.Is(again, fs.ErrNotExist)) {
				t.Fatalf("fault at operation %d, renamed again: %v", k, again)
			}
			if !wholeUnder(t, disk, named(t, to)) {
				t.Fatalf("fault at operation %d, then renamed: not there", k)
			}
			wantFiles(t, disk, to, "a", to)
			if count <= k {
				break
			}
		}
	}
	if moved < 5 || stayed < 20 {
		t.Errorf("%d times it was renamed, %d times not", moved, stayed)
	}
}

// onDisk creates an array of threes in a new folder, closes it, and returns its name.
func onDisk(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), named(t, "a"))
	a := mustCreateAt(t, name, Spec{DType: dtype.Uint8, Shape: []int{4}})
	if err := errors.Join(Fill(a, nil, uint8(3)), a.Close()); err != nil {
		t.Fatal(err)
	}
	trim(t, name)
	return name
}

// trim opens an array for writing, which truncates its files to their proper length.
func trim(t *testing.T, name string) {
	t.Helper()
	a, err := Open(name, Options{Write: true, Incomplete: true})
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// An array that is open for writing keeps its name. A reader does not prevent a Rename and can
// continue, except for Refresh, and the array can be changed under its new name.
func TestRenameBesideOthers(t *testing.T) { inBothForms(t, testRenameBesideOthers) }

func testRenameBesideOthers(t *testing.T) {
	name := onDisk(t)
	to := filepath.Join(filepath.Dir(name), named(t, "b"))
	for what, o := range map[string]Options{"writer": {Write: true}, "appender": {Shared: true}} {
		a, err := Open(name, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := Rename(name, to); !errors.Is(err, ErrLocked) {
			t.Errorf("beside a %s: %v", what, err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Open(name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := Rename(fileset.Data(name), fileset.Log(to)); err != nil {
		t.Fatal(err)
	}
	if got, err := At[uint8](r, 2); err != nil || got != 3 {
		t.Errorf("a reader has %v, %v", got, err)
	}
	if _, err := r.Refresh(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("refresh: %v", err)
	}
	w, err := Open(to, Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Extend(0, 1); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(Fill(w, nil, uint8(4)), w.Close()); err != nil {
		t.Fatal(err)
	}
	if got, err := At[uint8](r, 2); err != nil || got != 3 && got != 4 {
		t.Errorf("a reader has %v, %v", got, err)
	}
	if ok, err := Exists(name); ok || err != nil {
		t.Errorf("exists %v, %v", ok, err)
	}
	if left, err := filepath.Glob(strings.TrimSuffix(name, OneFileExt) + ".*"); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// Rename refuses impossible requests with a reason, and changes nothing.
func TestRenameRefuses(t *testing.T) {
	touch := func(ext string) func(name, to string) error {
		return func(_, to string) error { return os.WriteFile(to+ext, []byte("something"), 0o666) }
	}
	cases := map[string]struct {
		before func(name, to string) error
		want   error
		names  string // a part of the message
	}{
		"data":        {touch(".xta"), fs.ErrExist, "b.xta"},
		"table":       {touch(".xck"), fs.ErrExist, "b.xck"},
		"presence":    {touch(".xpm"), fs.ErrExist, "b.xpm"},
		"log":         {touch(".xmd"), fs.ErrExist, "b.xmd"},
		"journal":     {touch(".xjl"), fs.ErrExist, "b.xjl"},
		"shared":      {touch(".xjl0"), fs.ErrExist, "b.xjl0"},
		"mark":        {touch(".xcp"), fs.ErrExist, "b.xcp"},
		"directory":   {func(_, to string) error { return os.Mkdir(to+".xta", 0o777) }, fs.ErrExist, "b.xta"},
		"hard link":   {func(name, to string) error { return os.Link(name+".xmd", to+".xmd") }, fs.ErrInvalid, "same"},
		"no array":    {func(name, _ string) error { return Remove(name) }, fs.ErrNotExist, "a.xmd"},
		"a damaged":   {func(name, _ string) error { return os.WriteFile(name+".xmd", []byte("something"), 0o666) }, ErrCorrupt, "a.xmd"},
		"a lost file": {func(name, _ string) error { return os.Remove(name + ".xck") }, fs.ErrNotExist, "a.xck"},
		"symbolic link": {func(name, to string) error {
			elsewhere := filepath.Join(filepath.Dir(to), "other.xta")
			return errors.Join(os.Rename(name+".xta", elsewhere), os.Symlink(elsewhere, name+".xta"))
		}, fs.ErrInvalid, "symbolic link"},
	}
	for what, c := range cases {
		name := onDisk(t)
		to := filepath.Join(filepath.Dir(name), "b")
		if err := c.before(name, to); err != nil {
			t.Fatal(err)
		}
		before := contentsOf(t, filepath.Dir(name))
		err := Rename(name, to)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: %v", what, err)
		}
		if after := contentsOf(t, filepath.Dir(name)); !maps.Equal(after, before) {
			t.Errorf("%s: files %.300q, were %.300q", what, fmt.Sprint(after), fmt.Sprint(before))
		}
	}
	name := onDisk(t)
	dir := filepath.Dir(name)
	if err := os.Symlink(dir, filepath.Join(dir, "again")); err != nil {
		t.Fatal(err)
	}
	for to, want := range map[string]error{
		name: fs.ErrInvalid, dir + "/./a": fs.ErrInvalid, dir + "/again/a": fs.ErrInvalid,
		dir + "/": fs.ErrInvalid, "": fs.ErrInvalid, dir + "/none/a": fs.ErrNotExist,
	} {
		if err := Rename(name, to); !errors.Is(err, want) {
			t.Errorf("to %q: %v, want %v", to, err, want)
		}
	}
	if a, err := Open(name, Options{}); err != nil || a.Close() != nil {
		t.Error(err)
	}
}

// contentsOf returns the contents of the files in a folder.
func contentsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		text, _ := os.ReadFile(filepath.Join(dir, e.Name())) // empty for a folder
		all[e.Name()] = string(text)
	}
	return all
}

// Names of files that belong to another array are not mistaken for remains of an interrupted
// Rename.
func TestRenameKeepsFilesOfOtherArrays(t *testing.T) {
	name := onDisk(t)
	volume := filepath.Join(t.TempDir(), "big")
	if err := errors.Join(os.Rename(name+".xta", volume+".xta"), os.Symlink(volume+".xta", name+".xta")); err != nil {
		t.Fatal(err)
	}
	if err := Rename(volume, name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("renamed the file that the principal array leads to: %v", err)
	}
	a, err := Open(name, Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := At[uint8](a, 2); err != nil || got != 3 || a.Close() != nil {
		t.Errorf("%v, %v", got, err)
	}
}

// lyingFS is a file system that renames a log but reports an error.
type lyingFS struct{ vfs.FS }

func (l lyingFS) Rename(from, to string) error {
	return errors.Join(l.FS.Rename(from, to), syscall.EIO)
}

// If the file system has renamed the log but reports an error, no harm is done.
func TestRenameThatIsReportedAsFailed(t *testing.T) {
	disk := vfs.NewMem()
	renamable(t, disk, false)
	if err := rename(lyingFS{disk}, named(t, "a"), named(t, "b")); !errors.Is(err, syscall.EIO) {
		t.Fatal(err)
	}
	if !wholeUnder(t, disk, named(t, "b")) {
		t.Fatal("the array is gone")
	}
	if err := rename(disk, named(t, "a"), named(t, "b")); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, disk, "b", "a", "b")
}

// If an array was removed while it was renamed, its remaining links are not an array.
func TestRenameOfARemovedArray(t *testing.T) {
	disk := vfs.NewMem()
	mustMakeFile(t, disk, "a.xta", []byte("chunks"))
	mustMakeFile(t, disk, "b.xmd", nil)
	if err := disk.Link("a.xta", "b.xta"); err != nil {
		t.Fatal(err)
	}
	if err := rename(disk, "a", "b"); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if err := errors.Join(fileset.Remove(disk, "a"), fileset.Remove(disk, "b")); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, disk, "", "a", "b")
}

// Arrays of all kinds have the same contents under their new name.
func TestRenameKinds(t *testing.T) { inBothForms(t, testRenameKinds) }

func testRenameKinds(t *testing.T) {
	for what, change := range map[string]func(a *Array) error{
		"empty":      func(a *Array) error { return a.Shrink(0, 4) },
		"incomplete": func(a *Array) error { return a.SetAttr(state.IncompleteAttr, true) },
		"grown":      func(a *Array) error { _, err := a.ExtendLow(0, 9); return err },
	} {
		name := onDisk(t)
		to := filepath.Join(t.TempDir(), named(t, "b"))
		a, err := Open(name, Options{Write: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(change(a), a.Close()); err != nil {
			t.Fatal(err)
		}
		trim(t, name)
		want := contentsOf(t, filepath.Dir(name))
		if err := Rename(name, to); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		got := contentsOf(t, filepath.Dir(to))
		for file := range want {
			if got["b"+file[1:]] != want[file] {
				t.Errorf("%s: %s is not what it was", what, file)
			}
		}
		if left := contentsOf(t, filepath.Dir(name)); len(got) != len(want) || len(left) > 0 {
			t.Errorf("%s: files %q, left %q", what, got, left)
		}
		if b, err := Open(to, Options{Write: true, Incomplete: true}); err != nil || b.Close() != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// To another file system, or if files cannot be linked, Rename fails with an error that says what
// to do instead.
func TestRenameWhereNothingIsLinked(t *testing.T) {
	for _, linkErr := range []error{syscall.EXDEV, syscall.EPERM} {
		disk := vfs.NewMem()
		renamable(t, disk, false)
		err := rename(&vfstest.Faulty{FS: disk, Fail: func(op vfstest.Op, name string) error {
			if op == vfstest.OpLink && name == "a"+tableExt {
				return &os.LinkError{Op: "link", Old: name, New: "b" + tableExt, Err: linkErr}
			}
			return nil
		}}, "a", "b")
		if !errors.Is(err, linkErr) || !strings.Contains(err.Error(), "drx cp") {
			t.Errorf("%v: %v", linkErr, err)
		}
		wantFiles(t, disk, "a", "a", "b")
	}
	elsewhere, err := os.MkdirTemp("/dev/shm", "drx")
	if err != nil {
		return
	}
	defer os.RemoveAll(elsewhere)
	name := onDisk(t)
	if err := Rename(name, filepath.Join(elsewhere, "b")); err != nil && !strings.Contains(err.Error(), "another file system") {
		t.Error(err)
	}
}
