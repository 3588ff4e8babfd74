package chunkstore

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"drx/axial"
	"drx/internal/vfs"
)

// newMappedStore returns the store of files that can be mapped, and how another process
// would open them for reading.
func newMappedStore(t *testing.T, f Files) (w *Writer, reader func() *Reader) {
	t.Helper()
	data, table := files(t, vfs.OS, t.TempDir()+string(filepath.Separator))
	f.FS, f.Data, f.Table, f.Resident, f.Journal = vfs.OS, data, table, 64<<20, data.Name()+".xjl"
	probe, err := data.Map(0, vfs.MapAlign)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("files cannot be mapped here")
	}
	if err := errors.Join(err, probe.Unmap()); err != nil {
		t.Fatal(err)
	}
	w = OpenWriter(f, size, slot)
	t.Cleanup(func() { _ = w.mapped.close() })
	return w, func() *Reader {
		r := OpenReader(f, size, slot, Others{})
		t.Cleanup(func() { _ = r.mapped.close() })
		r.SetCommitted(w.committed, int(w.commits))
		return r
	}
}

// newCommittedStore is newMappedStore with a commit of version 1 of n chunks.
func newCommittedStore(t *testing.T, n axial.Number, f Files) (w *Writer, reader func() *Reader) {
	t.Helper()
	w, reader = newMappedStore(t, f)
	for q := range n {
		mustWrite(t, w, q, 1)
	}
	mustCommit(t, w, n, 1)
	return w, reader
}

// mustCommit commits all writes. The log then has chunks chunks and commits lines.
func mustCommit(t *testing.T, s *Writer, chunks axial.Number, commits int) {
	t.Helper()
	commitAs(t, s.Store, s, chunks, commits)
}

// commitAs is mustCommit for any role.
func commitAs(t *testing.T, store *Store, s Committer, chunks axial.Number, commits int) {
	t.Helper()
	err := s.Prepare()
	if err == nil && s.Changed() {
		err = s.Journal(commits, nil)
	}
	if err = first(err, s.Apply()); err != nil {
		t.Fatal(err)
	}
	store.SetCommitted(chunks, commits)
}

// wantPinned checks that 5 bytes of chunk q, from byte 8 on, are those of version v, and that Unpin
// returns still after a call of meanwhile.
func wantPinned(t *testing.T, from store, q axial.Number, v int, meanwhile func(), still bool) {
	t.Helper()
	s := from.base()
	err := s.Guard(func() error {
		pinned, err := s.Pin(q, 8, 5)
		if err != nil || !bytes.Equal(pinned.Bytes, chunk(q, v)[8:13]) {
			t.Errorf("chunk %d: %x, %v, want version %d", q, pinned.Bytes, err, v)
			return nil
		}
		meanwhile()
		if got := s.Unpin(&pinned); got != still {
			t.Errorf("chunk %d: still %v, want %v", q, got, still)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// wantUnusable checks that bytes of chunk q are not pinned, or are invalid after Unpin.
func wantUnusable(t *testing.T, from store, q axial.Number) {
	t.Helper()
	s := from.base()
	err := s.Guard(func() error {
		p, err := s.Pin(q, 8, 5)
		if err == nil && p.Bytes != nil && s.Unpin(&p) {
			t.Errorf("chunk %d, which is damaged, is used: %x", q, p.Bytes)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// eachWay runs a test with mapped files, and with files read by ReadAt, see beforeMapping.
func eachWay(t *testing.T, test func(t *testing.T, way looking)) {
	for name, before := range map[string]int32{"mapped": readsBeforeMapping, "read": -1 << 20} {
		t.Run(name, func(t *testing.T) {
			test(t, func(s store) { looked(s, before) })
		})
	}
}

// A looking makes a store use one of these ways.
type looking func(s store)

// looked sets the number of small reads so far, and returns the store.
func looked[S store](s S, n int32) S {
	s.base().mapped.smallSoFar.Store(n)
	return s
}

func TestPin(t *testing.T) { eachWay(t, testPin) }

func testPin(t *testing.T, way looking) {
	w, reader := newMappedStore(t, Files{})
	way(w)
	for q := range axial.Number(4) {
		mustWrite(t, w, q, 1)
	}
	mustCommit(t, w, 4, 1)
	r := reader()
	way(r)
	nothing := func() {}
	for _, s := range []*Store{w.Store, r.Store} {
		wantPinned(t, s, 2, 1, nothing, true)
		if _, err := s.Pin(100, 0, 1); err != ErrUnwritten {
			t.Errorf("a chunk never written: %v", err)
		}
	}
	// In the writer's process a chunk is another one from the moment that it is written.
	wantPinned(t, w, 2, 1, func() { mustWrite(t, w, 2, 2) }, false)
	if v, err := w.Pin(2, 0, size); err != nil || v.Bytes != nil {
		t.Errorf("what is in the journal is seen in its place: %x, %v", v.Bytes, err)
	}
	// Other processes see the new version once the commit goes to its place.
	wantPinned(t, r, 2, 1, nothing, true)
	wantPinned(t, r, 2, 1, func() { mustCommit(t, w, 4, 2) }, false)
	wantPinned(t, r, 3, 1, nothing, true)
	for _, s := range []*Store{w.Store, r.Store} {
		wantPinned(t, s, 2, 2, nothing, true)
	}
}

// Damage is detected when a chunk is first used, and not checked for again.
func TestPinOfDamage(t *testing.T) { eachWay(t, testPinOfDamage) }

func testPinOfDamage(t *testing.T, way looking) {
	w, reader := newCommittedStore(t, 2, Files{})
	r := reader()
	way(r)
	wantPinned(t, r, 0, 1, func() {}, true)
	for q := range axial.Number(2) {
		if _, err := w.files.Data.WriteAt([]byte{99}, int64(w.OffsetOf(q))+20); err != nil {
			t.Fatal(err)
		}
	}
	wantPinned(t, r, 0, 1, func() {}, true)
	wantUnusable(t, r, 1)
	wantDamage(t, r.Read(1, make([]byte, size)), "a.xta")
	r.files.Checking = CheckAlways
	wantUnusable(t, r, 0)
}

// A file that loses its end under a reader is an error, not the end of the process.
func TestPinOfAShortFile(t *testing.T) {
	w, reader := newMappedStore(t, Files{})
	const far = 1 << 20 / slot * 3
	mustWrite(t, w, far, 1)
	mustCommit(t, w, far+1, 1)
	r := looked(reader(), readsBeforeMapping)
	if err := w.files.Data.Truncate(0); err != nil {
		t.Fatal(err)
	}
	err := r.Guard(func() error {
		p, err := r.Pin(far, 0, size)
		if err == nil && p.Bytes != nil && r.Unpin(&p) {
			t.Error("what is not in the file counts")
		}
		return err
	})
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("pinned: %v", err)
	}
	wantDamage(t, r.Read(far, make([]byte, size)), "a.xta")
	if v, err := looked(r, 0).Pin(far, 0, size); err != nil || v.Bytes != nil {
		t.Errorf("a look by reading: %x, %v", v.Bytes, err)
	}
	if err := w.files.Table.Truncate(0); err != nil {
		t.Fatal(err)
	}
	if err := r.Read(far, make([]byte, size)); err != ErrUnwritten {
		t.Errorf("without a table: %v", err)
	}
}

// When more pages are in use than may be resident, small pieces are read by ReadAt; the bytes are
// the same.
func TestPinBeyondTheBudget(t *testing.T) {
	data, table := files(t, vfs.OS, t.TempDir()+string(filepath.Separator))
	s := OpenWriter(Files{Data: data, Table: table, Resident: 1}, size, slot) // 8 MiB at least
	t.Cleanup(func() { _ = s.mapped.close() })
	const places = 40 // of a MiB each
	number := func(i int) axial.Number { return axial.Number(i) << 20 / slot }
	for i := range places {
		mustWrite(t, s, number(i), i+1)
	}
	read := 0
	for i := range 20 * places {
		place := i * 37 % places
		err := s.Guard(func() error {
			v, err := s.Pin(number(place), 8, 16)
			if err != nil || (v.Bytes != nil && !bytes.Equal(v.Bytes, chunk(number(place), place+1)[8:])) {
				t.Errorf("chunk %d: %x, %v", number(place), v.Bytes, err)
			}
			if v.copied != nil {
				read++
			}
			if v.Bytes != nil && !s.Unpin(&v) {
				t.Error("the chunk has changed")
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if s.mapped.data.Fits(0, 1) && read == 0 {
		t.Skip("files cannot be mapped here")
	}
	if read < 5*places || read > 19*places {
		t.Errorf("%d of %d small pieces were read", read, 20*places)
	}
}

// The entry of a chunk that others know changes before its bytes do.
func TestEntriesComeFirst(t *testing.T) {
	for _, d := range []Durability{Full, NoJournal, None} {
		r := newRecorder()
		data, table := files(t, r, "")
		s := OpenWriter(Files{FS: r, Data: data, Table: table, Journal: "a.xjl", Durability: d}, size, slot)
		mustWrite(t, s, 0, 1)
		mustCommit(t, s, 1, 1)
		r.steps = nil
		mustWrite(t, s, 0, 2)
		mustCommit(t, s, 1, 2)
		entry, bytes := slices.Index(r.steps, "write a.xck"), slices.Index(r.steps, "write a.xta")
		if entry < 0 || bytes < entry {
			t.Errorf("durability %d: %v", d, r.steps)
		}
	}
}

func TestWriteFresh(t *testing.T) {
	data, table := files(t, vfs.NewMem(), "")
	s := OpenWriter(Files{Data: data, Table: table}, size, size)
	wantFresh := func(q axial.Number, want bool) {
		t.Helper()
		if got, err := s.Fresh(q); err != nil || got != want {
			t.Errorf("chunk %d: fresh %v, %v, want %v", q, got, err, want)
		}
	}
	wantFresh(3, true)
	mustWrite(t, s, 3, 1)
	wantFresh(3, false)
	if !s.Adjoin() {
		t.Error("chunks without gaps do not adjoin")
	}
	// Half of these chunks are in the grid of the last commit, which has never written them.
	s.SetCommitted(6, 1)
	if err := s.WriteFresh(4, append(chunk(4, 7), append(chunk(5, 7), chunk(6, 7)...)...)); err != nil {
		t.Fatal(err)
	}
	for q := range axial.Number(3) {
		wantChunk(t, s, 4+q, 7)
		wantFresh(4+q, false)
	}
	if diff := cmp.Diff(2, len(s.overlay.of)); diff != "" {
		t.Errorf("changes within the last commit: %s", diff)
	}
	if err := s.Clear([]axial.Number{3, 4, 6}); err != nil {
		t.Fatal(err)
	}
	wantFresh(3, false) // its bytes stay until the commit
	wantFresh(6, true)
}

// The first small reads need no mapping; later ones and long ones create it.
func TestFirstLooks(t *testing.T) {
	_, reader := newCommittedStore(t, readsBeforeMapping+1, Files{})
	r := reader()
	maps := func() bool { return r.mapped.data.Resident() > 0 || r.mapped.table.Resident() > 0 }
	for q := range axial.Number(readsBeforeMapping) {
		if wantPinned(t, r, q, 1, func() {}, true); maps() {
			t.Fatalf("look %d is by a mapping", q)
		}
	}
	if wantPinned(t, r, readsBeforeMapping, 1, func() {}, true); !maps() {
		t.Error("after the first looks nothing is mapped")
	}
	if m := reader().mapped; m.beforeMapping(smallRead+1) || !m.beforeMapping(smallRead) {
		t.Errorf("looks at %d bytes are by reading, or not those at one byte less", smallRead+1)
	}
}

// Chunks longer than the buffer are checked by reading, too.
func TestLooksAtLongChunks(t *testing.T) {
	const long = 2*smallRead + 4096
	data, table := files(t, vfs.OS, t.TempDir()+string(filepath.Separator))
	s := OpenWriter(Files{Data: data, Table: table, Resident: 64 << 20}, long, long)
	t.Cleanup(func() { _ = s.mapped.close() })
	chunk := make([]byte, long)
	for i := range chunk {
		chunk[i] = byte(i >> 9)
	}
	for q := range axial.Number(2) {
		if err := s.Write(q, chunk); err != nil {
			t.Fatal(err)
		}
	}
	mustSync(t, s)
	s = reopened(s)
	t.Cleanup(func() { _ = s.mapped.close() })
	v, err := s.Pin(1, long-10, 10)
	if err != nil || !bytes.Equal(v.Bytes, chunk[long-10:]) || v.Lasts() || !s.Unpin(&v) {
		t.Errorf("%x, %v", v.Bytes, err)
	}
	if _, err := data.WriteAt([]byte{1}, long-1); err != nil { // the end of chunk 0
		t.Fatal(err)
	}
	if v, err := s.Pin(0, 0, 10); err != nil || v.Bytes != nil {
		t.Errorf("a damaged chunk is used: %x, %v", v.Bytes, err)
	}
}
