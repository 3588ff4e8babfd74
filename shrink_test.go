package drx

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drx/dtype"
	"drx/nd"
)

// What is taken away is gone, its space is given back, and growing again reads as fill.
func TestShrinkGivesSpaceBack(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	a, err := Create(name, Spec{DType: dtype.Uint8, Shape: []int{64, 1 << 16}, Chunk: []int{1, 1 << 16}, Fill: 7})
	if err != nil {
		t.Fatal(err)
	}
	if err := Fill(a, nil, uint8(1)); err != nil {
		t.Fatal(err)
	}
	if err := a.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := a.Shrink(0, 48); err != nil {
		t.Fatal(err)
	}
	if err := a.Shrink(0, 8, Low); err != nil {
		t.Fatal(err)
	}
	if err := a.Sync(); err != nil {
		t.Fatal(err)
	}
	u, err := a.Usage()
	if err != nil || u.Written != 8 || u.Chunks != 64 || u.DataBytes > 9<<16 {
		t.Errorf("usage %+v, %v, want 8 chunks of 64 KiB", u, err)
	}
	if _, err := a.Extend(0, 2); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Extend(0, 8, Low); err != nil {
		t.Fatal(err)
	}
	got, err := Read[uint8](a, nd.Sec(nd.All, nd.At(9)))
	want := slices.Concat(slices.Repeat([]uint8{7}, 8), slices.Repeat([]uint8{1}, 8), []uint8{7, 7})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("read %v, %v, want %v", got, err, want)
	}
	if n := a.Grid().Chunks(); n != 64 {
		t.Errorf("%d chunks: growing again uses the grid again", n)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(name + ".xjl"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("journal after Close: %v", err)
	}
}

// Shrinking an enormous sparse array looks at what is written, not at every chunk.
func TestShrinkSparse(t *testing.T) {
	a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{1 << 30, 1 << 20}, Chunk: []int{16, 16}})
	for _, i := range []int{0, 1 << 15, 1<<30 - 1} {
		if err := Set(a, uint8(1), i, 3); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := a.Shrink(0, 1<<30-1<<10); err != nil {
		t.Fatal(err)
	}
	if err := a.Sync(); err != nil {
		t.Fatal(err)
	}
	if u, err := a.Usage(); err != nil || u.Written != 1 {
		t.Errorf("usage %+v, %v", u, err)
	}
}

func TestShrinkErrors(t *testing.T) {
	a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{4, 4}})
	for _, c := range []struct {
		dim, by int
		want    error
	}{{2, 1, ErrRank}, {-1, 1, ErrRank}, {0, 0, ErrBounds}, {0, -1, ErrBounds}, {0, 5, ErrBounds}} {
		if err := a.Shrink(c.dim, c.by); !errors.Is(err, c.want) {
			t.Errorf("shrink %d by %d: %v, want %v", c.dim, c.by, err, c.want)
		}
	}
	if err := a.Shrink(0, 4); err != nil || a.Shape()[0] != 0 {
		t.Errorf("shrink to nothing: %v, %v", err, a.Shape())
	}
	if _, err := a.Extend(0, 2, Low); err != nil || !slices.Equal(a.Bounds(), nd.Sec(nd.Span(-2, 0), nd.Span(0, 4))) {
		t.Errorf("grown from nothing: %v, %v", err, a.Bounds())
	}
}
