package cube_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"drx"
	"drx/cube"
	"drx/dtype"
	"drx/internal/cputest"
	"drx/nd"
)

// Sums of an array of 2^50 elements, three chunks of which are written, must take the time of these
// chunks, and be exact.
func TestReduceSparse(t *testing.T) {
	const side = 1 << 25
	for fill, want := range map[int]map[cube.Op]string{
		0:  {cube.Sum: "18", cube.Mean: "1.5987211554602254e-14", cube.Min: "-2", cube.Max: "9", cube.Count: "1125899906842624"},
		-7: {cube.Sum: "18", cube.Mean: "3", cube.Min: "-2", cube.Max: "9", cube.Count: "6"},
	} {
		a, err := drx.Create(filepath.Join(t.TempDir(), "a"), drx.Spec{
			DType: dtype.Int32, Shape: []int{side, side}, ChunkShape: []int{512, 512}, FillValue: fill,
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []nd.Section{
			nd.Sec(nd.At(0), nd.Span(0, 2)), nd.Sec(nd.At(517), nd.Span(700, 702)), nd.Sec(nd.At(5000), nd.Span(side-2, side)),
		} {
			if err := drx.Write(a, at, []int32{2, 4}); err != nil {
				t.Fatal(err)
			}
		}
		if err := drx.Write(a, nd.Sec(nd.At(0), nd.Span(0, 2)), []int32{9, -2}); err != nil { // the sum becomes 19
			t.Fatal(err)
		}
		if err := drx.Write(a, nd.Sec(nd.At(5000), nd.Span(side-2, side)), []int32{1, 4}); err != nil { // and 18
			t.Fatal(err)
		}
		for range 2 { // the second time from the files
			c, err := cube.Of(a)
			if err != nil {
				t.Fatal(err)
			}
			cputest.Most(t, 5*time.Second, func() {
				for op, text := range want {
					cells := 0
					r, err := c.Reduce(context.Background(), cube.Box(a.Bounds()), op, cube.Over{Progress: func(n int) { cells += n }})
					if err != nil {
						t.Fatal(err)
					}
					if r.Text(0) != text || cells != side*side {
						t.Errorf("fill %d: %v is %s of %d cells, want %s", fill, op, r.Text(0), cells, text)
					}
				}
			})
			if err := a.Sync(); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.Discard(); err != nil {
			t.Fatal(err)
		}
	}
}

// Means over one dimension must count unwritten elements if zeros are values.
func TestReduceSparseOverOne(t *testing.T) {
	a, err := drx.Create(filepath.Join(t.TempDir(), "a"), drx.Spec{DType: dtype.Float64, Shape: []int{3, 1 << 45}, ChunkShape: []int{1, 1024}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Discard()
	if err := drx.Write(a, nd.Sec(nd.At(1), nd.Span(5, 7)), []float64{1 << 45, -3}); err != nil {
		t.Fatal(err)
	}
	c, err := cube.Of(a)
	if err != nil {
		t.Fatal(err)
	}
	for op, want := range map[cube.Op][3]string{
		cube.Mean: {"0", "0.9999999999999147", "0"}, cube.Min: {"0", "-3", "0"}, cube.Max: {"0", "35184372088832", "0"},
		cube.Count: {"35184372088832", "35184372088832", "35184372088832"},
	} {
		r, err := c.Reduce(context.Background(), cube.Box(a.Bounds()), op, cube.Over{Dims: []int{1}})
		if err != nil {
			t.Fatal(err)
		}
		if got := [3]string{r.Text(0), r.Text(1), r.Text(2)}; got != want {
			t.Errorf("%v is %v, want %v", op, got, want)
		}
	}
}

// Cells that mark missing values are left out where the fill value, which is that of the cells that
// were never written, is a value.
func TestReduceMissingBesideUnwritten(t *testing.T) {
	a, err := drx.Create(filepath.Join(t.TempDir(), "a"), drx.Spec{DType: dtype.Int32, Shape: []int{3, 4}, ChunkShape: []int{2, 2}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Discard() }() // the test is over
	if err := drx.Write(a, nd.Sec(nd.Span(0, 2), nd.Span(0, 3)), []int32{5, 2, 5, 4, 8, 5}); err != nil {
		t.Fatal(err)
	}
	c, err := cube.Of(a)
	if err != nil {
		t.Fatal(err)
	}
	isFive := func(cell []byte) bool { return dtype.Int32.Float64(cell) == 5 }
	for _, test := range []struct {
		op   cube.Op
		over []int
		want []string
	}{
		{cube.Mean, []int{1}, []string{"1", "4", "0"}},
		{cube.Count, []int{1}, []string{"2", "3", "4"}},
		{cube.Max, []int{0}, []string{"4", "8", "0", "0"}},
		{cube.Min, []int{0}, []string{"0", "0", "0", "0"}},
		{cube.Sum, nil, []string{"14"}},
		{cube.Count, nil, []string{"9"}},
	} {
		r, err := c.Reduce(context.Background(), cube.Box(a.Bounds()), test.op, cube.Over{Dims: test.over, Empty: isFive})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range test.want {
			if got := r.Text(i); got != want {
				t.Errorf("%v over %v: value %d is %s, want %s", test.op, test.over, i, got, want)
			}
		}
	}
}
