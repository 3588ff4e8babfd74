package chunkstore

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

// wantVersion checks that a reader finds one of the versions of a chunk, and no other bytes.
func wantVersion(t *testing.T, r *Reader, q axial.Number, versions ...int) {
	t.Helper()
	good := func(got []byte) bool {
		return slices.ContainsFunc(versions, func(v int) bool { return bytes.Equal(got, chunk(q, v)) })
	}
	buf := make([]byte, size)
	if err := r.Read(q, buf); err != nil || !good(buf) {
		t.Errorf("read of chunk %d: %x, %v, want one of %v", q, buf, err, versions)
	}
	err := r.Guard(func() error {
		v, err := r.Pin(q, 0, size)
		if err != nil || v.Bytes == nil {
			return err
		}
		got := bytes.Clone(v.Bytes)
		if r.Unpin(&v) && !good(got) {
			t.Errorf("view of chunk %d: %x, want one of %v", q, got, versions)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// applyHalf applies a commit up to the middle of chunk q, which gets version v.
func applyHalf(t *testing.T, w *Writer, q axial.Number, v int) {
	t.Helper()
	if err := first(w.Prepare(), w.Journal(1, nil), w.applyEntries()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.files.Data.WriteAt(chunk(q, v)[:12], int64(w.OffsetOf(q))); err != nil {
		t.Fatal(err)
	}
}

// In a commit without a line, a chunk gets the bytes that it had when a reader checked it. That
// earlier check does not make the bytes in the slot valid before the commit has written them.
func TestBytesOfBefore(t *testing.T) {
	w, reader := newMappedStore(t, Files{})
	w.SetCommitted(1, 1)
	mustWrite(t, w, 0, 1)
	mustCommit(t, w, 1, 1)
	r := reader()
	wantVersion(t, r, 0, 1)
	mustWrite(t, w, 0, 2)
	mustCommit(t, w, 1, 1)
	mustWrite(t, w, 0, 1)
	applyHalf(t, w, 0, 1)
	wantVersion(t, r, 0, 1, 2)
}

// No entry of a chunk is ever there again, nor seen by this process.
func TestEntriesNeverAgain(t *testing.T) {
	for _, c := range []struct {
		name       string
		durability Durability
		committed  axial.Number
		shared     bool
	}{
		{"full", Full, 1, false},
		{"no journal", NoJournal, 1, false},
		{"nothing synced", None, 1, false},
		{"not committed", Full, 0, false},
		{"shared", Full, 1, true},
		{"shared, no journal", NoJournal, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			fsys := vfs.NewMem()
			data, table := files(t, fsys, "")
			w := OpenWriter(Files{FS: fsys, Data: data, Table: table, Journal: "a.xjl", Durability: c.durability}, size, slot)
			s := w.Store
			s.SetCommitted(c.committed, 1)
			var role Committer = w
			if c.shared {
				role = mustShare(t, w)
			}
			seen := map[change]bool{}
			for i := range 12 {
				mustWrite(t, role, 0, i%2)
				now, err := s.lookup(0)
				if err != nil || seen[now] {
					t.Fatalf("write %d: entry %v again, %v", i, now, err)
				}
				if seen[now] = true; i%3 == 2 && c.committed > 0 {
					commitAs(t, s, role, c.committed, 1)
				}
			}
			if q, commit, err := s.Table().Newest(); q != 0 || commit > 2 || err != nil {
				t.Errorf("newest: chunk %d of commit %d, %v", q, commit, err)
			}
		})
	}
}

// A reader that knows a chunk from the journal of a commit does not mistake the bytes of a later
// commit, which is just being written, for that commit's.
func TestPromisedChunk(t *testing.T) {
	w, reader := newMappedStore(t, Files{})
	mustWrite(t, w, 0, 1)
	mustCommit(t, w, 2, 1)
	mustWrite(t, w, 0, 2)
	mustWrite(t, w, 1, 1) // in its slot: the last commit has never written it
	if err := first(w.Prepare(), w.Journal(1, nil)); err != nil {
		t.Fatal(err)
	}
	r := reader()
	if _, err := r.Refresh(1); err != nil {
		t.Fatal(err)
	}
	wantVersion(t, r, 0, 2)
	wantVersion(t, r, 1, 1)
	if err := w.Apply(); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, w, 1, 2)
	applyHalf(t, w, 1, 2)
	wantVersion(t, r, 1, 2)
	if err := w.applyImages(); err != nil {
		t.Fatal(err)
	}
	wantVersion(t, r, 0, 2)
	wantVersion(t, r, 1, 2)
}

// While one goroutine refreshes a reader, others still see the commit in the journal of a writer
// that died.
func TestRefreshBesideReads(t *testing.T) {
	for _, fsys := range []vfs.FS{vfs.NewMem(), vfs.OS} {
		dir := ""
		if fsys == vfs.OS {
			dir = t.TempDir() + string(filepath.Separator)
		}
		data, table := files(t, fsys, dir)
		f := Files{FS: fsys, Data: data, Table: table, Journal: dir + "a.xjl"}
		w := OpenWriter(f, size, slot)
		mustWrite(t, w, 0, 1)
		mustCommit(t, w, 1, 1)
		mustWrite(t, w, 0, 2)
		if err := first(w.Prepare(), w.Journal(1, nil)); err != nil {
			t.Fatal(err)
		}
		r := OpenReader(f, size, slot, Others{})
		if _, err := r.Refresh(1); err != nil {
			t.Fatal(err)
		}
		var done atomic.Bool
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				for !done.Load() && !t.Failed() {
					wantVersion(t, r, 0, 2)
				}
			})
		}
		for range 500 {
			if _, err := r.Refresh(1); err != nil {
				t.Error(err)
			}
		}
		done.Store(true)
		wg.Wait()
	}
}

// After a failed Refresh the reader knows what it knew before.
func TestRefreshFails(t *testing.T) {
	var fail vfstest.Op
	fsys := failing(func(op vfstest.Op, name string) bool { return op == fail && name == "a.xjl" })
	data, table := files(t, fsys, "")
	f := Files{FS: fsys, Data: data, Table: table, Journal: "a.xjl"}
	w := OpenWriter(f, size, slot)
	mustWrite(t, w, 0, 1)
	mustCommit(t, w, 1, 1)
	mustWrite(t, w, 0, 2)
	if err := first(w.Prepare(), w.Journal(2, []byte("line\n"))); err != nil {
		t.Fatal(err)
	}
	r := OpenReader(f, size, slot, Others{})
	for _, op := range []vfstest.Op{"", vfstest.OpOpen, vfstest.OpSize, vfstest.OpRead} {
		fail = op
		line, err := r.Refresh(1)
		if fail = ""; (op != "") != errors.Is(err, errFault) || (op == "" && string(line) != "line\n") {
			t.Errorf("%q fails: line %q, %v", op, line, err)
		}
		wantVersion(t, r, 0, 2)
	}
}

// An exclusiveFile counts how often two goroutines ask for its lock at once: within one process
// both would get it.
type exclusiveFile struct {
	vfs.File
	held, twice *atomic.Int32
}

func (f exclusiveFile) LockRange(off, n int64) (func() error, error) {
	if f.held.Add(1) > 1 {
		f.twice.Add(1)
	}
	return func() error {
		f.held.Add(-1)
		return nil
	}, nil
}

func TestCoverBesideOthers(t *testing.T) {
	fsys := vfs.NewMem()
	data, table := files(t, fsys, "")
	f := exclusiveFile{table, new(atomic.Int32), new(atomic.Int32)}
	s := mustShare(t, OpenWriter(Files{FS: fsys, Data: data, Table: f, Journal: "a.xjl"}, size, slot))
	var wg sync.WaitGroup
	for g := range axial.Number(4) {
		wg.Go(func() {
			for i := range axial.Number(200) {
				mustWrite(t, s, 4*i+g, 1)
			}
		})
	}
	wg.Wait()
	if n := f.twice.Load(); n > 0 {
		t.Errorf("two goroutines let the table grow at once, %d times", n)
	}
}

// If a sharer was killed after it extended the table, the new length is made durable before
// anything relies on it.
func TestCoverOfOneThatWasKilled(t *testing.T) {
	r := newRecorder()
	data, table := files(t, r, "")
	s := mustShare(t, OpenWriter(Files{FS: r, Data: data, Table: table, Journal: "a.xjl"}, size, slot))
	steps := func(q axial.Number) []string {
		r.steps = nil
		mustWrite(t, s, q, 1)
		return slices.DeleteFunc(r.steps, func(step string) bool {
			return step == "size a.xta" || step == "size a.xck" || step == "lock a.xck" || step == "read a.xck"
		})
	}
	grown := []string{"truncate a.xck", "sync a.xck", "write a.xta"}
	if diff := cmp.Diff(grown, steps(0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(grown[2:], steps(1)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := table.Truncate(10 * tablePage); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(grown[1:], steps(5*(tablePage/chunktable.EntrySize))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A sharer whose Prepare fails when others can see its chunks already treats them as theirs too.
func TestPrepareOfASharerFails(t *testing.T) {
	const size = 4096 // the unit in which a file in memory frees space
	fail := false
	fsys := failing(func(op vfstest.Op, name string) bool { return fail && op == vfstest.OpSync && name == "a.xck" })
	data, table := files(t, fsys, "")
	f := Files{FS: fsys, Data: data, Table: table, Journal: "a.xjl"}
	w := OpenWriter(f, size, size)
	w.SetCommitted(4, 1)
	s := mustShare(t, w)
	err := s.Write(0, bytes.Repeat([]byte{1}, size))
	fail = true
	if prepareErr := s.Prepare(); err != nil || !errors.Is(prepareErr, errFault) {
		t.Fatal(err, prepareErr)
	}
	fail = false
	r := OpenReader(f, size, size, Others{Writing: func() bool { return true }})
	buf := make([]byte, size)
	want := func(b byte) {
		t.Helper()
		if err := r.Read(0, buf); err != nil || buf[0] != b || buf[size-1] != b {
			t.Errorf("others read %d ... %d, %v, want %d", buf[0], buf[size-1], err, b)
		}
	}
	want(1)
	if err := s.Write(0, bytes.Repeat([]byte{2}, size)); err != nil {
		t.Fatal(err)
	}
	want(2) // under its lock, as all that others see
	if err := s.Abandon(); err != nil {
		t.Error(err)
	}
	want(2)
	if err := s.Prepare(); err != nil {
		t.Error(err)
	}
}

// A tearingFile returns zeros in the second half of every other read, as if a write were half done.
type tearingFile struct {
	vfs.File
	reads *int
}

func (f tearingFile) ReadAt(b []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(b, off)
	if *f.reads++; *f.reads%2 == 1 {
		clear(b[len(b)/2:])
	}
	return n, err
}

// An entry that a writer is just changing is not mistaken for a damaged one.
func TestHalfAnEntry(t *testing.T) {
	fsys := vfs.NewMem()
	data, table := files(t, fsys, "")
	f := Files{FS: fsys, Data: data, Table: table, Journal: "a.xjl"}
	w := OpenWriter(f, size, slot)
	mustWrite(t, w, 0, 1)
	mustCommit(t, w, 1, 1)
	f.Table = tearingFile{table, new(int)}
	open := func() *Reader { return OpenReader(f, size, slot, Others{Writing: func() bool { return true }}) }
	wantChunk(t, open(), 0, 1)
	if _, err := table.WriteAt([]byte{99}, 0); err != nil {
		t.Fatal(err)
	}
	_, err := open().Written(0)
	wantDamage(t, err, "a.xck")
}

// promised creates a store with two chunks, the second never written. Its next commit, of both, is
// complete in the journal, and the reader knows it. The reader gets *lines as the number of lines
// of the log.
func promised(t *testing.T) (w *Writer, r *Reader, lines *int, fail *vfstest.Op) {
	t.Helper()
	lines, fail = new(int), new(vfstest.Op)
	fsys := failing(func(op vfstest.Op, name string) bool { return op == *fail && name == "a.xjl" })
	data, table := files(t, fsys, "")
	f := Files{FS: fsys, Data: data, Table: table, Journal: "a.xjl"}
	w = OpenWriter(f, size, slot)
	mustWrite(t, w, 0, 1)
	mustCommit(t, w, 2, 1)
	mustCommit(t, w, 2, 2) // a line and no chunks
	mustWrite(t, w, 0, 2)
	mustWrite(t, w, 1, 2)
	if err := first(w.Prepare(), w.Journal(3, []byte("line\n"))); err != nil {
		t.Fatal(err)
	}
	*lines = 3
	r = OpenReader(f, size, slot, Others{Commits: func() (int, error) { return *lines, nil }})
	if _, err := r.Refresh(2); err != nil {
		t.Fatal(err)
	}
	return w, r, lines, fail
}

// wantCorrupt checks that chunk q is corrupt, whatever is asked for and however often.
func wantCorrupt(t *testing.T, r *Reader, q axial.Number) {
	t.Helper()
	for range 2 {
		wantDamage(t, r.Read(q, make([]byte, size)), "a.xta")
		wantDamage(t, r.Check(q, make([]byte, size)), "a.xta")
	}
	if written, err := r.Written(q); !written || err != nil {
		t.Errorf("written: %v, %v", written, err)
	}
}

// overwrite changes the first byte of chunk q in its slot.
func overwrite(t *testing.T, s *Writer, q axial.Number) {
	t.Helper()
	if _, err := s.files.Data.WriteAt([]byte{0xee}, int64(s.OffsetOf(q))); err != nil {
		t.Fatal(err)
	}
}

// A chunk of a commit that a reader knows is damaged. The table has no entry of it yet, or an older
// one: the reader must return neither the fill value nor the older chunk, though that is intact.
func TestDamageOfAPromisedChunk(t *testing.T) {
	w, r, _, _ := promised(t)
	overwrite(t, w, 1)
	wantCorrupt(t, r, 1)
	if err := w.journal.Clear(); err != nil { // the images are lost
		t.Fatal(err)
	}
	wantCorrupt(t, r, 0)
	wantCorrupt(t, r, 1)
}

// What a reader knows from a journal is dropped once the writer has made later commits.
func TestPromisedChunkIsReplaced(t *testing.T) {
	applied := func() (w *Writer, r *Reader, lines *int) {
		w, r, lines, _ = promised(t)
		if err := w.Apply(); err != nil {
			t.Fatal(err)
		}
		w.SetCommitted(2, 3)
		if err := w.Finish(nil); err != nil { // empties the journal
			t.Fatal(err)
		}
		return w, r, lines
	}
	_, r, _ := applied()
	wantChunk(t, r, 0, 2)
	wantChunk(t, r, 1, 2)

	w, r, _ := applied()
	for v := 3; v < 6; v++ { // commits without a line
		mustWrite(t, w, 0, v)
		mustWrite(t, w, 1, v)
		mustCommit(t, w, 2, 3)
	}
	wantChunk(t, r, 0, 5)
	wantChunk(t, r, 1, 5)

	w, r, lines := applied()
	if err := w.Clear([]axial.Number{0, 1}); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, w, 2, 4)
	overwrite(t, w, 1)
	wantCorrupt(t, r, 1) // the log does not say that another commit cleared it
	*lines = 4
	wantChunk(t, r, 0, 0)
	wantChunk(t, r, 1, 0)
}

// That the journal cannot be read is not damage of the chunk.
func TestPromisedChunkWithoutAJournal(t *testing.T) {
	w, r, _, fail := promised(t)
	overwrite(t, w, 1)
	for _, op := range []vfstest.Op{vfstest.OpOpen, vfstest.OpSize, vfstest.OpRead} {
		*fail = op
		if err := r.Read(1, make([]byte, size)); !errors.Is(err, errFault) {
			t.Errorf("%s fails: %v", op, err)
		}
	}
	*fail = ""
	wantCorrupt(t, r, 1)
}
