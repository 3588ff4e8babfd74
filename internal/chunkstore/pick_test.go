package chunkstore

import (
	"bytes"
	"slices"
	"testing"

	"drx/axial"
	"drx/internal/chunktable"
)

// someElements are elements of every chunk of three, in no order, more than a wave.
func someElements(size int) (e Elements) {
	e.Size = size
	for i := range 2*pickWave + 100 {
		e.Chunks = append(e.Chunks, axial.Number(i*7%3))
		e.Within = append(e.Within, i*11%(len(chunk(0, 0))/size)*size)
	}
	return e
}

// viewedChunks is newCommittedStore of three chunks, with a reader that maps, and was given a view
// of each of them.
func viewedChunks(t *testing.T, f Files) (w *Writer, r *Reader) {
	t.Helper()
	w, reader := newCommittedStore(t, 3, f)
	r = looked(reader(), readsBeforeMapping)
	for q := range axial.Number(3) {
		wantPinned(t, r, q, 1, func() {}, true)
	}
	return w, r
}

// pickFrom calls Pick. It checks that the picked elements are those of chunks of version v, and
// that PickEach leaves the same elements.
func pickFrom(t *testing.T, from store, e Elements, v int) (left []int32) {
	t.Helper()
	s := from.base()
	buf := make([]byte, len(e.Chunks)*e.Size)
	err := s.Guard(func() error {
		left = s.Pick(e, buf, nil)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range e.Chunks {
		got, want := buf[i*e.Size:(i+1)*e.Size], chunk(q, v)[e.Within[i]:][:e.Size]
		if _, isLeft := slices.BinarySearch(left, int32(i)); !isLeft && !bytes.Equal(got, want) {
			t.Fatalf("element %d, at %d of chunk %d: %x, want %x", i, e.Within[i], q, got, want)
		}
	}
	wantLeft(t, pickEachFrom(t, s, e, v), left)
	return left
}

// pickEachFrom is pickFrom by PickEach, of elements and parts of them.
func pickEachFrom(t *testing.T, from store, e Elements, v int) (left []int32) {
	t.Helper()
	s := from.base()
	for i := range e.Chunks {
		e.Sizes = append(e.Sizes, 1+i%e.Size)
	}
	found := make([][]byte, len(e.Chunks))
	err := s.Guard(func() error {
		left = s.PickEach(e, func(i int, b []byte) { found[i] = bytes.Clone(b) }, nil)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range e.Chunks {
		want := chunk(q, v)[e.Within[i]:][:e.Sizes[i]]
		if _, isLeft := slices.BinarySearch(left, int32(i)); !isLeft && !bytes.Equal(found[i], want) {
			t.Fatalf("element %d, at %d of chunk %d: %x, want %x", i, e.Within[i], q, found[i], want)
		}
	}
	return left
}

// of returns the numbers of the elements of chunks.
func (e Elements) of(chunks ...axial.Number) (list []int32) {
	for i, q := range e.Chunks {
		if slices.Contains(chunks, q) {
			list = append(list, int32(i))
		}
	}
	return list
}

func wantLeft(t *testing.T, got, want []int32) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%d elements are left, want %d", len(got), len(want))
	}
}

// Elements are picked from chunks that were checked before, and have not changed since.
func TestPick(t *testing.T) {
	for _, size := range []int{1, 2, 4, 8, 16} {
		w, reader := newCommittedStore(t, 3, Files{})
		r := looked(reader(), readsBeforeMapping)
		e := someElements(size)
		wantLeft(t, pickFrom(t, r, e, 1), e.of(0, 1, 2))
		for _, q := range []axial.Number{0, 2} {
			wantPinned(t, r, q, 1, func() {}, true)
		}
		wantLeft(t, pickFrom(t, r, e, 1), e.of(1))
		wantPinned(t, r, 1, 1, func() {}, true)
		wantLeft(t, pickFrom(t, r, e, 1), nil)
		wantLeft(t, pickFrom(t, w, e, 1), e.of(0, 1, 2)) // its table is in memory

		e.Skip = func(q axial.Number) bool { return q == 2 }
		wantLeft(t, pickFrom(t, r, e, 1), e.of(2))
		e.Skip = nil
		mustWrite(t, w, 0, 2)
		mustCommit(t, w, 3, 2)
		wantLeft(t, pickFrom(t, r, e, 1), e.of(0))
	}
}

// Bytes copied from a chunk that changes at the same time are not returned as picked.
func TestPickOfAChangingChunk(t *testing.T) {
	w, r := viewedChunks(t, Files{})
	e := someElements(4)
	var p pick
	buf := make([]byte, 4*100)
	p.find(r.Store, &e, 0, 100)
	mustWrite(t, w, 1, 2)
	mustCommit(t, w, 3, 2)
	p.copy(buf, 4)
	want := slices.DeleteFunc(e.of(1), func(i int32) bool { return i >= 100 })
	wantLeft(t, p.finish(0, nil), want)
}

// A reader that checks nothing also picks from chunks that it has never read, except for those with
// damaged entries.
func TestPickUnchecked(t *testing.T) {
	w, reader := newCommittedStore(t, 3, Files{Checking: CheckNever})
	if _, err := w.files.Table.WriteAt([]byte{1}, 2*chunktable.EntrySize+12); err != nil {
		t.Fatal(err)
	}
	r := looked(reader(), readsBeforeMapping)
	e := someElements(8)
	wantLeft(t, pickFrom(t, r, e, 1), e.of(0, 1, 2)) // nothing is mapped
	wantPinned(t, r, 0, 1, func() {}, true)
	wantLeft(t, pickFrom(t, r, e, 1), e.of(2))
}

// A reader that wants every chunk checked, or knows of changes in a journal, picks nothing.
func TestPickNothing(t *testing.T) {
	_, r := viewedChunks(t, Files{Checking: CheckAlways})
	e := someElements(8)
	wantLeft(t, pickFrom(t, r, e, 1), e.of(0, 1, 2))
	r.files.Checking = CheckFirst
	wantLeft(t, pickFrom(t, r, e, 1), nil)
	r.overlay.set(7, change{})
	wantLeft(t, pickFrom(t, r, e, 1), e.of(0, 1, 2))
}

// A chunk that was never written, and whose entry would lie behind the end of the table, costs the
// others of its batch nothing.
func TestPickBeyondTheTable(t *testing.T) {
	_, r := viewedChunks(t, Files{})
	e := someElements(8)
	wantLeft(t, pickFrom(t, r, e, 1), nil)
	n, err := r.files.Table.Size()
	if err != nil {
		t.Fatal(err)
	}
	e.Chunks[100] = axial.Number(n/chunktable.EntrySize + tablePage/chunktable.EntrySize) // never written
	var left []int32
	err = r.Guard(func() error {
		left = r.Pick(e, make([]byte, len(e.Chunks)*e.Size), nil)
		return nil
	})
	if err != nil {
		t.Fatalf("a fault: %v", err)
	}
	wantLeft(t, left, []int32{100})
}
