package main

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"drx"
	"drx/cube"
	"drx/dtype"
	"drx/nd"
)

func isBounds(err error) bool { return errors.Is(err, drx.ErrBounds) }

func TestChoosePlane(t *testing.T) {
	for _, c := range []struct {
		lens []int
		dims string
		want plane
	}{
		{[]int{5}, "", plane{-1, 0}},
		{[]int{5, 6}, "", plane{0, 1}},
		{[]int{5, 6, 7}, "", plane{1, 2}},
		{[]int{5, 6, 1}, "", plane{0, 1}},
		{[]int{1, 6, 1}, "", plane{1, 2}},
		{[]int{5, 1, 1}, "", plane{0, 2}},
		{[]int{1, 1, 1}, "", plane{1, 2}},
		{[]int{5, 6, 7}, "2,0", plane{2, 0}},
		{[]int{5}, "0", plane{-1, 0}},
	} {
		a := newArray(t, drx.Spec{Shape: c.lens})
		if got, err := choosePlane(a, c.dims, c.lens); got != c.want || err != nil {
			t.Errorf("%v, dims %q: %v, %v, want %v", c.lens, c.dims, got, err, c.want)
		}
	}
	a := newArray(t, drx.Spec{Shape: []int{2, 2}})
	for _, dims := range []string{"0", "0,0", "0,1,0", "0,2", "0,"} {
		if p, err := choosePlane(a, dims, []int{2, 2}); err == nil {
			t.Errorf("dims %q: %v", dims, p)
		}
	}
}

func TestNarrow(t *testing.T) {
	a := newArray(t, drx.Spec{Shape: []int{4, 5}, Lo: []int{-2, 0}, Dims: []string{"y", "x"}})
	sec, err := applyAt(a, a.Bounds(), a.Bounds(), "y=-1,x=1:5:2", labelHint)
	if err != nil || sec.String() != nd.Sec(nd.At(-1).By(1), nd.Span(1, 5).By(2)).String() {
		t.Errorf("section %v, error %v", sec, err)
	}
	for _, at := range []string{"y", "y=", "z=0", "y=a"} {
		if _, err := applyAt(a, a.Bounds(), a.Bounds(), at, labelHint); err == nil {
			t.Errorf("--at %q was taken", at)
		}
	}
	if _, err := applyAt(a, a.Bounds(), a.Bounds(), "y=2", labelHint); !isBounds(err) {
		t.Errorf("index beyond the bounds: %v", err)
	}
	empty, err := applyAt(a, a.Bounds(), a.Bounds(), "y=1:1", labelHint)
	if err != nil || checkDrawable(a, cube.Box(empty)) == nil || checkDrawable(a, cube.Box(sec)) != nil {
		t.Errorf("an empty range is %v, %v, and can be drawn", empty, err)
	}
}

func cubeOf(t *testing.T, a *drx.Array) *cube.Cube {
	t.Helper()
	c, err := cube.Of(a)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Whatever the side and the slabs, the values are the means of the blocks.
func TestReadSliceIsTheMeanOfBlocks(t *testing.T) {
	const rows, cols = 37, 53
	a := newArray(t, drx.Spec{DType: dtype.Float64, Shape: []int{2, rows, cols}, ChunkShape: []int{1, 8, 8}, FillValue: "NaN"})
	data := make([]float64, 2*rows*cols)
	for i := range data {
		data[i] = float64(rand.IntN(1000))
		if i%11 == 0 {
			data[i] = math.NaN()
		}
	}
	if err := drx.Write(a, nil, data); err != nil {
		t.Fatal(err)
	}
	for _, side := range []int{53, 100, 20, 7, 1} {
		sec, err := nd.Sec(nd.At(1), nd.All, nd.All).Resolve([]int{0, 0, 0}, a.Shape())
		if err != nil {
			t.Fatal(err)
		}
		c, sel := cubeOf(t, a), cube.Box(sec)
		r := newSliceReader(c, sel, plane{1, 2}, meaning{decode: decoder(a)}, side)
		small := *r // slabs of one block each must give the same
		small.slabRows, small.slabCols = r.out.down.block, r.out.across.block
		small.out.values, small.added = make([]float64, len(r.out.values)), make([]int, len(r.added))
		s, err := readSlice(t.Context(), c, sel, plane{1, 2}, meaning{decode: decoder(a)}, side, noProgress)
		if err != nil {
			t.Fatal(err)
		}
		for y := 0; y < rows; y += small.slabRows {
			for x := 0; x < cols; x += small.slabCols {
				if _, err := small.slab(y, x); err != nil {
					t.Fatal(err)
				}
			}
		}
		for i, got := range s.values {
			want, n := 0.0, 0
			for y := i / s.cols * s.down.block; y < min(rows, (i/s.cols+1)*s.down.block); y++ {
				for x := i % s.cols * s.across.block; x < min(cols, (i%s.cols+1)*s.across.block); x++ {
					if v := data[rows*cols+y*cols+x]; !math.IsNaN(v) {
						want += v
						n++
					}
				}
			}
			want /= float64(n)
			same := func(v float64) bool { return v == want || math.IsNaN(v) && n == 0 }
			if !same(got) || !same(small.out.values[i]/float64(small.added[i])) {
				t.Fatalf("side %d, value %d: %v and by blocks %v, want %v", side, i, got, small.out.values[i]/float64(small.added[i]), want)
			}
		}
		if s.stat.count != rows*cols || s.stat.missing != small.out.stat.missing {
			t.Errorf("side %d: %+v and %+v", side, s.stat, small.out.stat)
		}
	}
}

func TestReadSliceOfAHugeArrayIsBounded(t *testing.T) {
	a := newArray(t, drx.Spec{DType: dtype.Uint8, Shape: []int{1 << 30, 1 << 20}, ChunkShape: []int{1 << 10, 1 << 10}})
	r := newSliceReader(cubeOf(t, a), cube.Box(a.Bounds()), plane{0, 1}, meaning{decode: decoder(a)}, viewSide)
	if n := r.rows * r.cols; n > maxSliceElements || len(r.out.values) > viewSide*viewSide {
		t.Errorf("%d elements looked at, %d kept", n, len(r.out.values))
	}
	if n := min(r.slabRows, r.rows) * min(r.slabCols, r.cols); n > slabBytes {
		t.Errorf("slabs of %d bytes", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := readSlice(ctx, cubeOf(t, a), cube.Box(a.Bounds()), plane{0, 1}, meaning{decode: decoder(a)}, viewSide, noProgress); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

func TestDecoder(t *testing.T) {
	a := newArray(t, drx.Spec{DType: dtype.Complex64, Shape: []int{1}})
	b, err := dtype.Complex64.Encode("3+4i")
	if err != nil {
		t.Fatal(err)
	}
	if v := decoder(a)(b); v != 5 {
		t.Errorf("modulus of 3+4i is %v", v)
	}
	for _, c := range []struct {
		t       dtype.DType
		fill    any
		text    string
		missing bool
	}{
		{dtype.Uint16, 65535, "65535", true},
		{dtype.Uint16, 65535, "0", false},
		{dtype.Uint16, 0, "0", false},
		{dtype.Float32, "NaN", "NaN", true},
		{dtype.Float32, 0, "NaN", true},
		{dtype.Bool, true, "true", false},
	} {
		a := newArray(t, drx.Spec{DType: c.t, Shape: []int{1}, FillValue: c.fill})
		b, err := c.t.Encode(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := math.IsNaN(decoder(a)(b)); got != c.missing {
			t.Errorf("%v %s with fill %v: missing is %v", c.t, c.text, c.fill, got)
		}
	}
}
