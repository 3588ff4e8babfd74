package stats

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"drx"
	"drx/dtype"
	"drx/internal/cputest"
	"drx/nd"
)

// Statistics of an array of 2^50 elements, three chunks of which are written, must take the time of
// these chunks, and count all elements.
func TestFewWritten(t *testing.T) {
	const side = 1 << 25
	funcs := []Func{{Op: Sum}, {Op: Mean}, {Op: Min}, {Op: Max}, {Op: Count}, {Op: Missing}}
	for fill, want := range map[int][]string{
		0:  {"18", "1.5987211554602254e-14", "-2", "9", "1125899906842624", "0"},
		-7: {"18", "3", "-2", "9", "6", "1125899906842618"},
	} {
		a, err := drx.Create(filepath.Join(t.TempDir(), "a"), drx.Spec{
			DType: dtype.Int32, Shape: []int{side, side}, ChunkShape: []int{512, 512}, FillValue: fill,
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range []struct {
			at   nd.Section
			data []int32
		}{
			{nd.Sec(nd.At(0), nd.Span(0, 2)), []int32{9, -2}},
			{nd.Sec(nd.At(517), nd.Span(700, 702)), []int32{2, 4}},
			{nd.Sec(nd.At(5000), nd.Span(side-2, side)), []int32{1, 4}},
		} {
			if err := drx.Write(a, w.at, w.data); err != nil {
				t.Fatal(err)
			}
		}
		cputest.Most(t, 5*time.Second, func() {
			elements := 0
			r, err := Compute(context.Background(), a, Request{Funcs: funcs, Progress: func(n int) { elements += n }})
			if err != nil {
				t.Fatal(err)
			}
			for i := range r.Columns {
				got := r.Text(&r.Columns[i], 0)
				if got != want[i] {
					t.Errorf("fill %d: %v is %s, want %s", fill, r.Columns[i].Func, got, want[i])
				}
			}
			if elements != side*side {
				t.Errorf("fill %d: %d elements were reduced, want %d", fill, elements, side*side)
			}
		})
		if err := a.Discard(); err != nil {
			t.Fatal(err)
		}
	}
}

// The same holds for an array with one chunk for each index.
func TestFewWrittenThinChunks(t *testing.T) {
	a, err := drx.Create(filepath.Join(t.TempDir(), "a"), drx.Spec{
		DType: dtype.Uint8, Shape: []int{1 << 40, 10}, ChunkShape: []int{1, 8},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := drx.Fill(a, nd.Sec(nd.Span(7, 9), nd.All), uint8(3)); err != nil {
		t.Fatal(err)
	}
	for _, over := range [][]int{nil, {0}} {
		cputest.Most(t, 5*time.Second, func() {
			r, err := Compute(context.Background(), a, Request{Funcs: []Func{{Op: Sum}}, Over: over})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := r.Text(&r.Columns[0], 0), map[int]string{0: "60", 1: "6"}[len(over)]; got != want {
				t.Errorf("sum over %v is %s, want %s", over, got, want)
			}
		})
	}
}

// If the scale differs from index to index, unwritten elements have no common value: all elements
// must be read.
func TestFewWrittenOfScaledBands(t *testing.T) {
	a, err := drx.Create(filepath.Join(t.TempDir(), "a"), drx.Spec{
		DType: dtype.Int16, Shape: []int{2, 8}, Dims: []string{"band", "x"}, ChunkShape: []int{1, 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := errors.Join(
		a.SetAttr("scale_factor", []float64{10, 100}), a.SetAttr("add_offset", []float64{1, 2}),
		drx.Write(a, nd.Sec(nd.At(0), nd.Span(0, 2)), []int16{3, 4}),
	); err != nil {
		t.Fatal(err)
	}
	r, err := Compute(context.Background(), a, Request{Funcs: []Func{{Op: Sum}, {Op: Count}}, Over: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"78", "16"} { // 31 + 41 + 6 * 1, and 8 * 2
		if got := r.Text(&r.Columns[0], i); got != want {
			t.Errorf("band %d: sum %s, want %s", i, got, want)
		}
		if got := r.Text(&r.Columns[1], i); got != "8" {
			t.Errorf("band %d: %s elements", i, got)
		}
	}
}
