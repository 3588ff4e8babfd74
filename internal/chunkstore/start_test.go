package chunkstore

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"drx/axial"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

// A place is a page of a file in memory, so that it can be a hole.
const (
	pageSlot  = 4096
	pageChunk = 3000
)

// startStore is a store of eight chunks, four of which the last commit knows of, none written.
func startStore(t *testing.T, fsys vfs.FS, d Durability) *Writer {
	t.Helper()
	data, table := files(t, fsys, "")
	s := OpenWriter(Files{FS: fsys, Data: data, Table: table, Journal: "a.xjl", Durability: d}, pageChunk, pageSlot)
	s.SetCommitted(4, 1)
	return s
}

// Chunks that are begun with pieces, and get more, are what a model is, for this store and for one
// that opens the files.
func TestStart(t *testing.T) {
	for _, d := range []Durability{Full, NoJournal, None} {
		rng := rand.New(rand.NewPCG(4, 3))
		for range 50 {
			s := startStore(t, vfs.NewMem(), d)
			m := make(model, 8)
			for _, n := range rng.Perm(len(m)) {
				q := axial.Number(n)
				pieces := randomPieces(rng, pageChunk)
				if done, err := s.Start(q, pieces); !done || err != nil {
					t.Fatalf("chunk %d: %v, %v", q, done, err)
				}
				if done, err := s.Start(q, pieces); done || err != nil {
					t.Fatalf("chunk %d again: %v, %v", q, done, err)
				}
				more := randomPieces(rng, pageChunk)
				if done, err := s.Patch(q, more); !done || err != nil {
					t.Fatalf("more of chunk %d: %v, %v", q, done, err)
				}
				m[q] = make([]byte, pageChunk)
				m.put(q, pieces)
				m.put(q, more)
			}
			m.check(t, s)
			m.checkCommitted(t, s)
		}
	}
}

// What cannot be begun with pieces is left to be written as a whole.
func TestNoStart(t *testing.T) {
	one := []Piece{{At: 3, Bytes: []byte{1}}}
	written := startStore(t, vfs.NewMem(), Full)
	mustWritePage(t, written, 0, 1)
	soiled := startStore(t, vfs.NewMem(), Full) // by a writer that was killed
	if _, err := soiled.files.Data.WriteAt([]byte{1}, pageChunk-1); err != nil {
		t.Fatal(err)
	}
	cleared := startStore(t, vfs.NewMem(), Full)
	if err := cleared.Clear([]axial.Number{0}); err != nil {
		t.Fatal(err)
	}
	unfinished := startStore(t, vfs.NewMem(), Full)
	mustWritePage(t, unfinished, 1, 1)
	mustSync(t, unfinished)
	if err := unfinished.Journal(1, nil); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*Writer{
		"written": written, "in a soiled place": soiled, "cleared": cleared, "beside an unfinished commit": unfinished,
	} {
		if done, err := s.Start(0, one); done || err != nil {
			t.Errorf("a chunk %s: %v, %v", name, done, err)
		}
	}
	for _, role := range []any{new(Sharer), new(Member)} { // others may be writing the same chunk
		if _, ok := role.(interface {
			Start(axial.Number, []Piece) (bool, error)
		}); ok {
			t.Errorf("a %T starts chunks", role)
		}
	}
	mustWritePage(t, soiled, 0, 2)
	wantBytes(t, soiled, 0, pageOf(0, 2))
}

// pageOf is chunk with as many bytes as those of a startStore have.
func pageOf(q axial.Number, v int) []byte {
	return append(chunk(q, v), make([]byte, pageChunk-size)...)
}

func mustWritePage(t *testing.T, s *Writer, q axial.Number, v int) {
	t.Helper()
	if err := s.Write(q, pageOf(q, v)); err != nil {
		t.Fatal(err)
	}
}

// After a failure of any one operation the chunk was never written, and can be.
func TestStartFails(t *testing.T) {
	for _, d := range []Durability{Full, None} {
		failures := 0
		for at := range 20 {
			countdown := -1
			fsys := failing(func(vfstest.Op, string) bool {
				countdown--
				return countdown == -1
			})
			s := startStore(t, fsys, d)
			countdown = at + 1
			done, err := s.Start(2, []Piece{{At: 1, Bytes: []byte{1, 2}}, {At: 9, Bytes: []byte{3}}})
			countdown = -1
			if done {
				continue
			}
			if failures++; err != nil {
				wantBytes(t, s, 2, nil)
			}
			mustWritePage(t, s, 2, 5)
			wantBytes(t, s, 2, pageOf(2, 5))
			mustSync(t, s)
			if d == None {
				wantBytes(t, reopened(s), 2, pageOf(2, 5))
			}
		}
		if failures < 4 {
			t.Errorf("%d operations failed", failures)
		}
	}
}

// A chunk reaches to its end in the file, or else it would be one that lost it.
func TestStartReaches(t *testing.T) {
	s := startStore(t, vfs.NewMem(), None)
	for _, q := range []axial.Number{5, 2} {
		if done, err := s.Start(q, []Piece{{At: 0, Bytes: []byte{1}}}); !done || err != nil {
			t.Fatal(done, err)
		}
	}
	if n, err := s.files.Data.Size(); err != nil || n != 5*pageSlot+pageChunk {
		t.Errorf("the file has %d bytes, want %d, %v", n, 5*pageSlot+pageChunk, err)
	}
}

// sized is a file that calls looked after its length was looked at.
type sized struct {
	vfs.File
	looked func()
}

func (f sized) Size() (int64, error) {
	n, err := f.File.Size()
	f.looked()
	return n, err
}

// A chunk that is put in the file while its length is looked at, for one that is begun with pieces,
// is not changed by that.
func TestReachBesideWrite(t *testing.T) {
	data, table := files(t, vfs.NewMem(), "")
	looked := func() {}
	s := OpenWriter(Files{Data: sized{data, func() { looked() }}, Table: table}, size, slot)
	const q = 3
	var wg sync.WaitGroup
	looked = func() {
		looked = func() {}
		wg.Go(func() { mustWrite(t, s, q, 7) })
		for { // until it has written, or waits
			waits := s.writes.Waiting() > 0
			if n, _ := data.Size(); waits || n > 0 {
				return
			}
			runtime.Gosched()
		}
	}
	if _, err := s.extend(q); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	wantChunk(t, s, q, 7)
}
