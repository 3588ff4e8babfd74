package drx

import (
	"errors"
	"slices"
	"testing"

	"drx/dtype"
	"drx/nd"
)

// The version of a chunk changes with each commit that has written it, for the writer and for readers, and with nothing else.
func TestChunkVersions(t *testing.T) { inBothForms(t, testChunkVersions) }

func testChunkVersions(t *testing.T) {
	for _, d := range []Durability{DurabilityFull, DurabilityNoJournal, DurabilityNone} {
		o := inMemory()
		o.Durability = d
		a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{4, 4}, ChunkShape: []int{2, 2}, Options: o})
		r, err := Open("a", Options{fs: o.fs})
		if err != nil {
			t.Fatal(err)
		}
		versions := func() []uint64 {
			if err := a.Sync(); err != nil {
				t.Fatal(err)
			}
			if _, err := r.Refresh(); err != nil {
				t.Fatal(err)
			}
			mine, his := make([]uint64, a.Grid().Chunks()), make([]uint64, a.Grid().Chunks())
			if err := errors.Join(a.ChunkVersions(0, mine), r.ChunkVersions(0, his)); err != nil || !slices.Equal(mine, his) {
				t.Fatalf("versions %x, for a reader %x, error %v", mine, his, err)
			}
			return mine
		}
		before := versions()
		if !slices.Equal(before, make([]uint64, 4)) {
			t.Errorf("versions %x of chunks that were never written", before)
		}
		for step, sec := range []nd.Section{nil, nd.Sec(nd.At(0), nd.At(3)), nd.Sec(nd.At(0), nd.At(3)), nd.Sec(nd.Span(1, 3), nd.At(0))} {
			if err := Fill(a, sec, uint8(7)); err != nil {
				t.Fatal(err)
			}
			changed := 0
			after := versions()
			for q := range before {
				if after[q] != before[q] {
					changed++
				}
			}
			if want := []int{4, 1, 1, 2}[step]; changed != want {
				t.Errorf("step %d: %x, then %x: %d have changed, want %d", step, before, after, changed, want)
			}
			before = after
		}
		if _, err := a.Extend(0, 2); err != nil {
			t.Fatal(err)
		}
		if after := versions(); !slices.Equal(after, append(before, 0, 0)) {
			t.Errorf("after growth %x, before %x", after, before)
		}
		if err := a.ChunkVersions(5, make([]uint64, 2)); !errors.Is(err, ErrBounds) {
			t.Errorf("error %v", err)
		}
		if err := errors.Join(a.Close(), r.Close()); err != nil {
			t.Fatal(err)
		}
		if err := a.ChunkVersions(0, before); !errors.Is(err, ErrClosed) {
			t.Errorf("error %v", err)
		}
	}
}
