package chunkstore

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/crc32c"
	"drx/internal/state"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

// randomPieces returns pieces of a chunk of n bytes, in order and without overlap.
func randomPieces(rng *rand.Rand, n int) []Piece {
	cuts := make([]int, 2+2*rng.IntN(6))
	for i := range cuts {
		cuts[i] = rng.IntN(n + 1)
	}
	slices.Sort(cuts)
	var pieces []Piece
	for i := 0; i < len(cuts); i += 2 {
		p := Piece{At: cuts[i], Bytes: make([]byte, cuts[i+1]-cuts[i])}
		for j := range p.Bytes {
			p.Bytes[j] = byte(rng.Uint32())
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// The checksum computed from the pieces equals that of the whole chunk.
func TestPatchedSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for range 3000 {
		chunk := make([]byte, 1+rng.IntN(5000))
		for i := range chunk {
			chunk[i] = byte(rng.Uint32())
		}
		before := crc32c.Sum(chunk)
		pieces := randomPieces(rng, len(chunk))
		var was []Piece
		for _, p := range pieces {
			was = append(was, Piece{At: p.At, Bytes: bytes.Clone(chunk[p.At : p.At+len(p.Bytes)])})
			copy(chunk[p.At:], p.Bytes)
		}
		if got, want := patchedSum(before, len(chunk), was, pieces), crc32c.Sum(chunk); got != want {
			t.Fatalf("%d bytes, pieces %v: %08x, want %08x", len(chunk), pieces, got, want)
		}
	}
}

func patchStore(t *testing.T, fsys vfs.FS, d Durability) *Writer {
	t.Helper()
	data, table := files(t, fsys, "")
	return OpenWriter(Files{Data: data, Table: table, Durability: d}, size, slot)
}

// commitPatches commits the changes of a store with a journal.
func commitPatches(t testing.TB, s *Writer, commits int) {
	t.Helper()
	mustSync(t, s)
	if err := s.Journal(commits, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(); err != nil {
		t.Fatal(err)
	}
}

// Patched chunks agree with a model, for this store and for one that opens the files.
func TestPatch(t *testing.T) {
	for _, d := range []Durability{Full, NoJournal, None} {
		rng := rand.New(rand.NewPCG(4, 2))
		fsys := vfs.NewMem()
		data, table := files(t, fsys, "")
		s := OpenWriter(Files{FS: fsys, Data: data, Table: table, Journal: "a.xjl", Durability: d}, size, slot)
		m := make(model, 8)
		for q := range axial.Number(len(m)) {
			mustWrite(t, s, q, 1)
			m[q] = chunk(q, 1)
		}
		mustSync(t, s)
		s.SetCommitted(axial.Number(len(m)), 1)
		for i := range 500 {
			q := axial.Number(rng.IntN(len(m)))
			pieces := randomPieces(rng, size)
			if done, err := s.Patch(q, pieces); !done || err != nil {
				t.Fatalf("chunk %d: %v, %v", q, done, err)
			}
			m.put(q, pieces)
			m.check(t, s)
			if i%100 == 50 && d == Full {
				commitPatches(t, s, 1)
				m.check(t, s)
			}
		}
		m.checkCommitted(t, s)
	}
}

// A patch changes the entry before the chunk, to one that the chunk never had.
func TestPatchChangesTheEntry(t *testing.T) {
	s := patchStore(t, vfs.NewMem(), None)
	mustWrite(t, s, 0, 1)
	mustSync(t, s)
	s.SetCommitted(1, 1)
	seen := map[chunktable.Entry]bool{}
	for i := range 100 {
		e, err := reopened(s).table.ReadEntry(0)
		if err != nil || seen[e] {
			t.Fatalf("patch %d: entry %v comes again, %v", i, e, err)
		}
		seen[e] = true
		if done, err := s.Patch(0, []Piece{{At: 3, Bytes: []byte{7}}}); !done || err != nil {
			t.Fatal(done, err)
		}
	}
}

// What cannot be patched is left to be written as a whole.
func TestNoPatch(t *testing.T) {
	one := []Piece{{At: 0, Bytes: []byte{1}}}
	fresh := patchStore(t, vfs.NewMem(), None)
	short := patchStore(t, vfs.NewMem(), None)
	mustWrite(t, short, 0, 1)
	if err := short.table.Put(0, chunktable.Entry{Sum: 1, Length: size - 1, Generation: 1}); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*Writer{"never written": fresh, "of another length": short} {
		if done, err := s.Patch(0, one); done || err != nil {
			t.Errorf("a chunk %s: %v, %v", name, done, err)
		}
	}
}

// A damaged chunk stays damaged after pieces of it are written.
func TestPatchKeepsDamage(t *testing.T) {
	s := patchStore(t, vfs.NewMem(), None)
	mustWrite(t, s, 0, 1)
	if _, err := s.files.Data.WriteAt([]byte{99}, 20); err != nil {
		t.Fatal(err)
	}
	mustSync(t, s)
	s = reopened(s)
	if done, err := s.Patch(0, []Piece{{At: 2, Bytes: []byte{5, 6}}}); !done || err != nil {
		t.Fatal(done, err)
	}
	if err := s.Read(0, make([]byte, size)); !errors.Is(err, state.ErrCorrupt) {
		t.Errorf("read: %v", err)
	}
}

// After a failure of any one operation the chunk is as before, and can be patched.
func TestPatchFails(t *testing.T) {
	for at := range 20 {
		countdown := -1
		fsys := failing(func(vfstest.Op, string) bool {
			countdown--
			return countdown == -1
		})
		s := patchStore(t, fsys, NoJournal)
		mustWrite(t, s, 0, 1)
		mustSync(t, s)
		s.SetCommitted(1, 1)
		countdown = at
		_, err := s.Patch(0, []Piece{{At: 1, Bytes: []byte{9}}, {At: 12, Bytes: []byte{8, 8}}})
		if countdown >= 0 {
			if at < 4 || err != nil {
				t.Fatalf("%d operations, %v", at-countdown, err)
			}
			return
		}
		if !errors.Is(err, errFault) {
			t.Fatalf("operation %d: %v", at, err)
		}
		wantChunk(t, s, 0, 1)
		wantChunk(t, reopened(s), 0, 1)
	}
	t.Fatal("never done")
}

// A failed patch is reverted in the order in which it was made: the entry first.
func TestPatchTakesBackTheEntryFirst(t *testing.T) {
	var failed bool
	var after []string
	fsys := vfstest.Faulty{FS: vfs.NewMem(), Fail: func(op vfstest.Op, name string) error {
		switch {
		case op != vfstest.OpWrite || after == nil:
		case failed:
			after = append(after, name)
		case name == "a.xta":
			failed = true
			return errFault
		}
		return nil
	}}
	s := patchStore(t, fsys, NoJournal)
	mustWrite(t, s, 0, 1)
	mustSync(t, s)
	s.SetCommitted(1, 1)
	after = []string{}
	if _, err := s.Patch(0, []Piece{{At: 1, Bytes: []byte{9, 9}}}); !errors.Is(err, errFault) {
		t.Fatal(err)
	}
	if want := []string{"a.xck", "a.xta"}; !slices.Equal(after, want) {
		t.Errorf("after the failure %v were written, want %v", after, want)
	}
	wantChunk(t, reopened(s), 0, 1)
}

// Where the file ends too early nothing is patched, and reading says why.
func TestNoPatchBehindTheEnd(t *testing.T) {
	for _, d := range []Durability{Full, NoJournal, None} {
		s := patchStore(t, vfs.NewMem(), d)
		mustWrite(t, s, 0, 1)
		mustSync(t, s)
		s.SetCommitted(1, 1)
		if err := s.files.Data.Truncate(size / 2); err != nil {
			t.Fatal(err)
		}
		for _, at := range []int{size/2 - 1, size - 2} {
			if done, err := s.Patch(0, []Piece{{At: at, Bytes: []byte{1, 2}}}); done || err != nil {
				t.Errorf("durability %d, byte %d: %v, %v", d, at, done, err)
			}
		}
		wantDamage(t, s.Read(0, make([]byte, size)), "a.xta")
	}
}

// A commit of patches leaves nothing that the next one would have to sync.
func TestPatchesAreSyncedOnce(t *testing.T) {
	var err error
	fsys := vfstest.Faulty{FS: vfs.NewMem(), Fail: func(vfstest.Op, string) error { return err }}
	data, table := files(t, fsys, "")
	s := OpenWriter(Files{FS: fsys, Data: data, Table: table, Journal: "a.xjl"}, size, slot)
	mustWrite(t, s, 0, 1)
	mustSync(t, s)
	s.SetCommitted(1, 1)
	if done, err := s.Patch(0, []Piece{{At: 9, Bytes: []byte{7}}}); !done || err != nil {
		t.Fatal(done, err)
	}
	commitPatches(t, s, 1)
	err = errFault
	if err := s.Prepare(); err != nil {
		t.Errorf("something is synced once more: %v", err)
	}
	err = nil
}

// A patch does not change when others are derived from it, and a derived one takes time and memory
// only for the new pieces.
func TestPatchGrows(t *testing.T) {
	const n = 5000
	patches := make([]*patch, n+1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range n {
		patches[i+1] = patches[i].with([]Piece{{At: i, Bytes: []byte{byte(i)}}})
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > n*1000 {
		t.Errorf("%d pieces took %d bytes", n, got)
	}
	for i, p := range patches {
		if len(p.list()) != i || p.size() != i*(1+pieceOverhead) {
			t.Fatalf("patch %d: %d pieces, %d bytes", i, len(p.list()), p.size())
		}
		for at, piece := range p.list() {
			if piece.At != at || len(piece.Bytes) != 1 || piece.Bytes[0] != byte(at) {
				t.Fatalf("piece %d of %d is %v", at, i, piece)
			}
		}
	}
}

// Patches are kept in memory up to maxPatches, and again after earlier ones are gone.
func TestPatchesHaveLimitedRoom(t *testing.T) {
	const chunks, size = 30, 64 << 10
	fsys := vfs.NewMem()
	data, table := files(t, fsys, "")
	s := OpenWriter(Files{FS: fsys, Data: data, Table: table, Journal: "a.xjl"}, size, size)
	all := make([]axial.Number, chunks)
	for q := range all {
		all[q] = axial.Number(q)
		if err := s.Write(all[q], make([]byte, size)); err != nil {
			t.Fatal(err)
		}
	}
	mustSync(t, s)
	s.SetCommitted(chunks, 1)
	piece := []Piece{{At: 9, Bytes: make([]byte, 5000)}}
	patch := func(q axial.Number) bool {
		done, err := s.Patch(q, piece)
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	fill := func() {
		t.Helper()
		n := 0
		for patch(axial.Number(n % chunks)) {
			n++
		}
		if want := maxPatches / memoryOf(piece); n != want || s.overlay.patches != n*memoryOf(piece) {
			t.Fatalf("%d patches with %d bytes, want %d", n, s.overlay.patches, want)
		}
		if !s.Patchable(0) {
			t.Error("a chunk is not patchable for want of room")
		}
	}
	fill()
	commitPatches(t, s, 1)
	fill()
	err := s.Write(3, make([]byte, size)) // its pieces are gone
	if err != nil || s.Patchable(3) || !patch(4) {
		t.Error("no room after a write")
	}
	if err := s.Clear(all); err != nil {
		t.Fatal(err)
	}
	if s.overlay.patches != 0 || s.Patchable(4) {
		t.Errorf("%d bytes of cleared chunks", s.overlay.patches)
	}
}
