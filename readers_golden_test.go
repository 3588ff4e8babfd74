package drx

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"drx/dtype"
	"drx/internal/fileset"
	"drx/internal/vfs"
	"drx/nd"
)

var updateOps = flag.Bool("update", false, "rewrite the golden files")

// A recorder is a file system that records, in order, the operations that change the disk. After
// the operation at which the process is killed, all operations fail.
type recorder struct {
	vfs.FS
	mu        sync.Mutex // compressed chunks are written by several goroutines
	log       strings.Builder
	diesAt    []string // the operations, as they are recorded, of a write without its place, and in this order, after the last of which it dies; empty for none
	remaining int      // the number of operations until it dies; 0 for no limit
	dead      bool
}

var errDead = errors.New("the process is dead")

func (r *recorder) record(format string, args ...any) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dead {
		return errDead
	}
	what := fmt.Sprintf(format, args...)
	if len(r.diesAt) > 0 && (what == r.diesAt[0] || strings.HasPrefix(what, r.diesAt[0]+" at ")) {
		r.diesAt = r.diesAt[1:]
		r.dead = len(r.diesAt) == 0
	}
	r.dead = r.dead || r.remaining == 1
	r.remaining = max(0, r.remaining-1)
	fmt.Fprintln(&r.log, what)
	return nil
}

func (r *recorder) Create(name string) (vfs.File, error) {
	if err := r.record("create %s", name); err != nil {
		return nil, err
	}
	f, err := r.FS.Create(name)
	return recordedFile{f, r}, err
}

func (r *recorder) CreateAs(name string, a vfs.Access) (vfs.File, error) {
	if err := r.record("create %s", name); err != nil {
		return nil, err
	}
	f, err := r.FS.CreateAs(name, a)
	return recordedFile{f, r}, err
}

func (r *recorder) OpenNoFollow(name string, write bool) (vfs.File, error) {
	f, err := r.FS.OpenNoFollow(name, write)
	return recordedFile{f, r}, err
}

func (r *recorder) Open(name string, write bool) (vfs.File, error) {
	f, err := r.FS.Open(name, write)
	return recordedFile{f, r}, err
}

func (r *recorder) Remove(name string) error {
	err := r.FS.Remove(name)
	if err == nil {
		err = r.record("remove %s", name)
	}
	return err
}

func (r *recorder) Rename(from, to string) error {
	err := r.FS.Rename(from, to)
	if err == nil {
		err = r.record("rename %s %s", from, to)
	}
	return err
}

func (r *recorder) SyncDir(dir string) error { return r.record("syncdir %s", dir) }

type recordedFile struct {
	vfs.File
	r *recorder
}

func (f recordedFile) WriteAt(b []byte, off int64) (int, error) {
	if err := f.r.record("write %s at %d: %d bytes", f.Name(), off, len(b)); err != nil {
		return 0, err
	}
	return f.File.WriteAt(b, off)
}

func (f recordedFile) Truncate(size int64) error {
	if err := f.r.record("truncate %s to %d", f.Name(), size); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f recordedFile) Punch(off, n int64) error {
	if err := f.r.record("punch %s at %d: %d bytes", f.Name(), off, n); err != nil {
		return err
	}
	return f.File.Punch(off, n)
}

func (f recordedFile) Sync() error { return f.r.record("sync %s", f.Name()) }

// TestGoldenOperations compares the operations of a session on files, and their order, with a
// golden file: the order makes a crash harmless. Each form has its own golden file. -update writes
// it again; then read the differences line by line.
func TestGoldenOperations(t *testing.T) { inBothForms(t, testGoldenOperations) }

func testGoldenOperations(t *testing.T) {
	r := &recorder{FS: vfs.NewMem()}
	var a *Array
	step := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	begin := func(what string) { fmt.Fprintf(&r.log, "\n# %s\n", what) }
	var err error
	begin("create: chunks of 2 x 4 bytes")
	a, err = Create(named(t, "a"), Spec{DType: dtype.Uint8, Shape: []int{2, 4}, ChunkShape: []int{2, 4}, Options: Options{fs: r}})
	step("create", err)
	begin("extend by two chunks, write all three, sync")
	_, err = a.Extend(0, 4)
	step("extend", err)
	step("write", Fill(a, nil, uint8(1)))
	step("sync", a.Sync())
	begin("sync again")
	step("sync", a.Sync())
	begin("overwrite a part that touches the second and the third, sync")
	step("write", Fill(a, nd.Sec(nd.Span(3, 5), nd.All), uint8(2)))
	step("sync", a.Sync())
	begin("an attribute, sync")
	step("attribute", a.SetAttr("n", 1))
	step("sync", a.Sync())
	begin("shrink by the last chunk, sync")
	step("shrink", a.Shrink(0, 2))
	step("sync", a.Sync())
	begin("close")
	step("close", a.Close())
	begin("open, overwrite, extend, sync: dies when the journal is complete")
	a, err = Open("a", Options{Write: true, fs: r})
	step("open", err)
	step("write", Fill(a, nd.Sec(nd.At(0), nd.All), uint8(3)))
	_, err = a.Extend(1, 4)
	step("extend", err)
	r.diesAt = atJournalComplete(t)
	if err := a.Sync(); !errors.Is(err, errDead) {
		t.Fatalf("sync: %v", err)
	}
	step("death", a.file.Close())
	step("death", a.store.Close(true))
	r.dead = false
	begin("open for writing")
	a, err = Open("a", Options{Write: true, fs: r})
	step("open", err)
	if got, err := Read[uint8](a, nil); err != nil || !cmp.Equal(got[:10], []uint8{3, 3, 3, 3, 0, 0, 0, 0, 1, 1}) {
		t.Errorf("found %v, %v", got, err)
	}
	begin("close")
	step("close", a.Close())
	golden := "ops.golden"
	if fileset.OneFile(named(t, "a")) {
		golden = "ops_onefile.golden"
	}
	compareGolden(t, golden, r.log.String())
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *updateOps {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("other operations than in %s:\n%s", file, diff)
	}
}
