package drx

import (
	"errors"
	"syscall"
	"testing"

	"drx/dtype"
	"drx/internal/chunktable"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// filledWith creates array a of a shape in chunks of two elements in each dimension, fills it with
// 1, and returns the commit that has that.
func filledWith(t *testing.T, fsys vfs.FS, shape ...int) Snapshot {
	t.Helper()
	chunk := make([]int, len(shape))
	for d := range chunk {
		chunk[d] = 2
	}
	a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: shape, ChunkShape: chunk, Options: Options{fs: fsys}})
	err := errors.Join(Fill(a, nil, uint8(1)), a.Sync())
	at, nameErr := a.Snapshot()
	if err := errors.Join(err, nameErr, a.Close()); err != nil {
		t.Fatal(err)
	}
	return at
}

// wantGone checks that a section has no element of a commit any more.
func wantGone(t *testing.T, fsys vfs.FS, at Snapshot, sec nd.Section) {
	t.Helper()
	v, err := OpenSnapshot("a", at, Options{fs: fsys})
	if err != nil {
		t.Fatal(err)
	}
	defer mustClose(t, v)
	if got, err := Read[uint8](v, sec); !errors.Is(err, ErrGone) {
		t.Errorf("as of commit %v: %v, %v, want %v", at, got, err, ErrGone)
	}
}

// changeAttr makes a commit that changes no element.
func changeAttr(t *testing.T, fsys vfs.FS) {
	t.Helper()
	w, err := Open("a", Options{fs: fsys, Write: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.SetAttr("n", 1), w.Close()); err != nil {
		t.Fatal(err)
	}
}

// A writer that finds a commit of another in the journal names it by its number and digits.
func TestSnapshotOfARecoveredCommit(t *testing.T) {
	r := &recorder{FS: vfs.NewMem()}
	last := filledWith(t, r.FS, 4)
	a, err := Open("a", Options{fs: r, Write: true})
	if err = errors.Join(err, Fill(a, nil, uint8(2))); err != nil {
		t.Fatal(err)
	}
	r.diesAt = atJournalComplete(t)
	if err := a.Sync(); !errors.Is(err, errDead) {
		t.Fatal(err)
	}
	killWriter(t, a, r.FS)
	w, err := Open("a", Options{fs: r.FS, Write: true})
	if err != nil {
		t.Fatal(err)
	}
	defer mustClose(t, w)
	at, err := w.Snapshot()
	if err != nil || at.Commit != last.Commit+1 {
		t.Fatalf("%v, %v after %v", at, err, last)
	}
	v, err := OpenSnapshot("a", at, Options{fs: r.FS})
	if err != nil {
		t.Fatal(err)
	}
	defer mustClose(t, v)
	wantSection(t, v, nil, []uint8{2, 2, 2, 2})
}

// A writer without journal has overwritten chunks and died. The one that repairs the array does so
// in several commits, the first of which begins another history.
func TestSnapshotBesideARepair(t *testing.T) {
	batch := acceptBatch
	acceptBatch = 1
	t.Cleanup(func() { acceptBatch = batch })
	disk := vfs.NewMem()
	at := filledWith(t, disk, 3, 4)
	w, err := Open("a", Options{fs: disk, Write: true, Durability: DurabilityNoJournal})
	if err = errors.Join(err, Fill(w, nil, uint8(2)), w.pool.Flush(), w.committer.Prepare()); err != nil {
		t.Fatal(err)
	}
	killWriter(t, w, disk)
	if w, err = Open("a", Options{fs: disk, Write: true}); err != nil {
		t.Fatal(err)
	}
	defer mustClose(t, w)
	if w.log.Commits() < at.Commit+2 {
		t.Fatalf("%d commits after %v: the repair was one", w.log.Commits(), at)
	}
	var ids [2]string
	for i := range ids {
		v, err := OpenAt("a", at.Commit+i, Options{fs: disk})
		if err != nil {
			t.Fatal(err)
		}
		ids[i] = v.state.Load().ID
		mustClose(t, v)
	}
	if ids[0] == ids[1] {
		t.Error("the first commit of the repair goes on with the history")
	}
	wantGone(t, disk, at, nil)
}

// The log has lost a commit that overwrote elements, and the loss was accepted. The next commit has
// the number of the lost one.
func TestSnapshotBeforeALostCommit(t *testing.T) {
	disk := vfs.NewMem()
	at := filledWith(t, disk, 4)
	w, err := Open("a", Options{fs: disk, Write: true})
	if err = errors.Join(err, Fill(w, nil, uint8(2)), w.Close()); err != nil {
		t.Fatal(err)
	}
	cutLog(t, disk, at.Commit)
	if err := acceptLoss(t.Context(), "a", Options{fs: disk}); err != nil {
		t.Fatal(err)
	}
	changeAttr(t, disk)
	wantGone(t, disk, at, nil)
}

// A writer without journal drops a chunk, commits that and ends while a reader of an earlier commit
// finds out why the chunk has no entry.
func TestSnapshotBesideAWriterThatEnds(t *testing.T) {
	disk := vfs.NewMem()
	at := filledWith(t, disk, 8)
	w, err := Open("a", Options{fs: disk, Write: true, Durability: DurabilityNoJournal})
	if err != nil {
		t.Fatal(err)
	}
	v, err := OpenSnapshot("a", at, Options{fs: disk})
	if err = errors.Join(err, w.Shrink(0, 2)); err != nil {
		t.Fatal(err)
	}
	defer mustClose(t, v)
	err = v.pin(at.Commit, [8]byte([]byte(at.Digits)), func() (chunktable.Head, bool, error) {
		if err := w.Close(); err != nil {
			return chunktable.Head{}, false, err
		}
		return v.quickHead()
	})
	if err != nil {
		t.Fatal(err)
	}
	if written, err := v.store.Written(3); !errors.Is(err, ErrGone) {
		t.Errorf("the chunk was written: %v, %v, want %v", written, err, ErrGone)
	}
}

// A reservation that fails has announced nothing: the process does so before it changes a chunk.
func TestSnapshotAfterAFailedReservation(t *testing.T) {
	disk, full := vfs.NewMem(), false
	at := filledWith(t, disk, 4)
	s, err := Open("a", Options{Shared: true, fs: vfstest.Faulty{FS: disk, Fail: func(op vfstest.Op, name string) error {
		if full && op == vfstest.OpWrite && name == "a"+logExt {
			return syscall.ENOSPC
		}
		return nil
	}}})
	if err != nil {
		t.Fatal(err)
	}
	full = true
	if _, err := s.Reserve(0, 2); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	full = false
	if err := errors.Join(Fill(s, nd.Sec(nd.Span(0, 2)), uint8(2)), s.Close()); err != nil {
		t.Fatal(err)
	}
	changeAttr(t, disk)
	wantGone(t, disk, at, nd.Sec(nd.Span(0, 2)))
}

// An array as it was is read, whatever the options say of writing.
func TestOpenAtShared(t *testing.T) {
	disk := vfs.NewMem()
	at := filledWith(t, disk, 4)
	v, err := OpenAt("a", at.Commit, Options{fs: disk, Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	defer mustClose(t, v)
	if v.Writable() {
		t.Error("it is open for writing")
	}
	wantSection(t, v, nil, []uint8{1, 1, 1, 1})
}

// The usage of an array as it was is that of its files, whether its chunks are gone or not.
func TestUsageOfAnArrayAsItWas(t *testing.T) {
	o := Options{fs: vfs.NewMem()}
	a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{4, 64}, ChunkShape: []int{2, 64}, Codec: "zstd", Options: o})
	defer mustClose(t, a)
	if err := errors.Join(Fill(a, nil, uint8(1)), a.Sync()); err != nil {
		t.Fatal(err)
	}
	v, err := OpenSnapshot("a", Snapshot{}, o)
	if err := errors.Join(err, Fill(a, nd.Sec(nd.Span(0, 2), nd.All), uint8(2)), a.Sync()); err != nil {
		t.Fatal(err)
	}
	defer mustClose(t, v)
	if u, err := v.Usage(); err != nil || u.Written != 2 {
		t.Errorf("%+v, %v", u, err)
	}
}
