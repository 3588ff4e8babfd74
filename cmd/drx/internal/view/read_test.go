package view

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"drx"
	"drx/cmd/drx/internal/clitest"
	"drx/cmd/drx/internal/display"
	"drx/cmd/drx/internal/progress"
	"drx/cmd/drx/internal/scaled"
	"drx/cube"
	"drx/dtype"
	"drx/nd"
)

func cubeOf(t *testing.T, a *drx.Array) *cube.Cube {
	t.Helper()
	c, err := cube.Of(a)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Whatever the side and the slabs, the values must be the means of the blocks.
func TestReadSliceIsTheMeanOfBlocks(t *testing.T) {
	const rows, cols = 37, 53
	a := clitest.NewArray(t, drx.Spec{DType: dtype.Float64, Shape: []int{2, rows, cols}, ChunkShape: []int{1, 8, 8}, FillValue: "NaN"})
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
		r := newSliceReader(c, sel, display.Plane{Rows: 1, Cols: 2}, scaled.Meaning{Decode: scaled.Decoder(a)}, side)
		small := *r // slabs of one block each must give the same result
		small.slabRows, small.slabCols = r.out.Down.Block, r.out.Across.Block
		small.out.Values, small.added = make([]float64, len(r.out.Values)), make([]int, len(r.added))
		s, err := readSlice(t.Context(), c, sel, display.Plane{Rows: 1, Cols: 2}, scaled.Meaning{Decode: scaled.Decoder(a)}, side, progress.None)
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
		for i, got := range s.Values {
			want, n := 0.0, 0
			for y := i / s.Cols * s.Down.Block; y < min(rows, (i/s.Cols+1)*s.Down.Block); y++ {
				for x := i % s.Cols * s.Across.Block; x < min(cols, (i%s.Cols+1)*s.Across.Block); x++ {
					if v := data[rows*cols+y*cols+x]; !math.IsNaN(v) {
						want += v
						n++
					}
				}
			}
			want /= float64(n)
			same := func(v float64) bool { return v == want || math.IsNaN(v) && n == 0 }
			if !same(got) || !same(small.out.Values[i]/float64(small.added[i])) {
				t.Fatalf("side %d, value %d: %v and by blocks %v, want %v", side, i, got, small.out.Values[i]/float64(small.added[i]), want)
			}
		}
		if s.Stat.count != rows*cols || s.Stat.missing != small.out.Stat.missing {
			t.Errorf("side %d: %+v and %+v", side, s.Stat, small.out.Stat)
		}
	}
}

func TestReadSliceOfAHugeArrayIsBounded(t *testing.T) {
	a := clitest.NewArray(t, drx.Spec{DType: dtype.Uint8, Shape: []int{1 << 30, 1 << 20}, ChunkShape: []int{1 << 10, 1 << 10}})
	r := newSliceReader(cubeOf(t, a), cube.Box(a.Bounds()), display.Plane{Rows: 0, Cols: 1}, scaled.Meaning{Decode: scaled.Decoder(a)}, viewSide)
	if n := r.rows * r.cols; n > maxSliceElements || len(r.out.Values) > viewSide*viewSide {
		t.Errorf("%d elements looked at, %d kept", n, len(r.out.Values))
	}
	if n := min(r.slabRows, r.rows) * min(r.slabCols, r.cols); n > slabBytes {
		t.Errorf("slabs of %d bytes", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := readSlice(ctx, cubeOf(t, a), cube.Box(a.Bounds()), display.Plane{Rows: 0, Cols: 1}, scaled.Meaning{Decode: scaled.Decoder(a)}, viewSide, progress.None); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}
