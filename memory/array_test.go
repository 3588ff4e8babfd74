package memory_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/internal/growtest"

	"drx"
	"drx/axial"
	"drx/dtype"
	"drx/memory"
	"drx/nd"
)

// TestContinued compares arrays that grow in one dimension, step by step, with the model:
// continuations of a segment lie in blocks of doubling sizes.
func TestContinued(t *testing.T) {
	for _, how := range []axial.Side{axial.High, axial.Low} {
		for _, chunk := range [][]int{nil, {4, 2}, {3, 5}} {
			a, err := memory.New(memory.Spec[int64]{Shape: []int{3, 5}, ChunkShape: chunk, FillValue: 7})
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(4, uint64(how)))
			var rows []nd.Section
			for range 60 {
				sec, err := growtest.Extend(a, 0, 1+rng.IntN(40), how)
				if err != nil {
					t.Fatal(err)
				}
				rows = append(rows, sec)
			}
			checkRows(t, a, rows)
			if got := a.Grid().Segments(); got > 2 {
				t.Errorf("%d segments, want 2 at most", got)
			}
		}
	}
}

// checkRows writes sections, each as a whole, and reads the whole array in other ways.
func checkRows(t *testing.T, a *memory.Array[int64], rows []nd.Section) {
	t.Helper()
	want := func(index []int) int64 { return int64(index[0]*1000 + index[1]) }
	for _, sec := range append(rows, nd.Sec(nd.Span(0, 3), nd.All)) {
		sec, _ = sec.Resolve([]int{math.MinInt, 0}, []int{math.MaxInt, 5})
		var data []int64
		each(sec, nil, func(index []int) { data = append(data, want(index)) })
		if err := a.Write(sec, data); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []int{1, 2, 5, 33} {
		sec := a.Bounds()
		sec[0] = sec[0].By(step)
		got, err := a.Read(sec)
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		each(sec, nil, func(index []int) {
			v, err := a.At(index...)
			if err != nil || v != want(index) || got[i] != v {
				t.Fatalf("element %v: %d, %v, and %d by a section, want %d", index, v, err, got[i], want(index))
			}
			i++
		})
	}
}

// TestErrors checks every sentinel, and that nothing changes.
func TestErrors(t *testing.T) {
	a, err := memory.New(memory.Spec[float64]{Shape: []int{3, 4}, Dims: []string{"y", "x"}})
	if err != nil {
		t.Fatal(err)
	}
	data := make([]float64, 12)
	for _, c := range []struct {
		name string
		do   func() error
		want error
	}{
		{"rank of an index", func() error { _, err := a.At(1); return err }, drx.ErrRank},
		{"index", func() error { _, err := a.At(1, 4); return err }, drx.ErrBounds},
		{"negative index", func() error { return a.Set(1, -1, 0) }, drx.ErrBounds},
		{"pointer", func() error { _, err := a.Pointer(3, 0); return err }, drx.ErrBounds},
		{"section", func() error { _, err := a.Read(nd.Sec(nd.Span(0, 5), nd.All)); return err }, drx.ErrBounds},
		{"rank of a section", func() error { return a.Fill(nd.Sec(nd.All), 1) }, drx.ErrRank},
		{"buffer", func() error { return a.ReadInto(nil, data[:11]) }, drx.ErrSize},
		{"data", func() error { return a.Write(nd.Sec(nd.At(0), nd.All), data) }, drx.ErrSize},
		{"order", func() error { _, err := a.Read(nil, nd.Order{0, 0}); return err }, drx.ErrRank},
		{"orders", func() error { _, err := a.Read(nil, nil, nil); return err }, drx.ErrRank},
		{"points", func() error { return a.Gather(make([]int, 23), data) }, drx.ErrSize},
		{"point", func() error { return a.Scatter([]int{0, 0, 3, 0}, data[:2]) }, drx.ErrBounds},
		{"dimension", func() error { _, err := a.Extend(2, 1); return err }, drx.ErrRank},
		{"by nothing", func() error { _, err := a.Extend(0, 0); return err }, drx.ErrBounds},
		{"side", func() error { _, err := a.ExtendCubical(0, 1, axial.Low+1); return err }, drx.ErrBounds},
		{"too large", func() error { _, err := a.Extend(0, 1<<45); return err }, drx.ErrOverflow},
		{"beyond 64 bits", func() error { _, err := a.Extend(0, math.MaxInt); return err }, drx.ErrOverflow},
		{"cubical", func() error { _, err := a.ExtendCubical(0, 1<<22, axial.High); return err }, drx.ErrOverflow},
		{"shrink", func() error { return a.Shrink(0, 4) }, drx.ErrBounds},
		{"shrink low", func() error { return a.ShrinkLow(0, 4) }, drx.ErrBounds},
		{"name", func() error { _, err := a.AddDim("x"); return err }, drx.ErrRank},
		{"extent", func() error { _, err := memory.New(memory.Spec[int8]{Shape: []int{-1}}); return err }, drx.ErrBounds},
		{"chunk", func() error {
			_, err := memory.New(memory.Spec[int8]{Shape: []int{1}, ChunkShape: []int{0}})
			return err
		}, drx.ErrBounds},
		{"low bounds", func() error { _, err := memory.New(memory.Spec[int8]{Shape: []int{1}, Lo: []int{0, 0}}); return err }, drx.ErrRank},
		{"no dimension", func() error { _, err := memory.New(memory.Spec[int8]{}); return err }, drx.ErrRank},
		{"more than memory", func() error { _, err := memory.New(memory.Spec[int8]{Shape: []int{1 << 47}}); return err }, drx.ErrOverflow},
	} {
		if err := c.do(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	if !slices.Equal(a.Shape(), []int{3, 4}) || a.Allocated() != 12 {
		t.Errorf("shape %v, %d elements allocated", a.Shape(), a.Allocated())
	}
	if _, err := a.Extend(0, 1); err != nil { // after the failed calls
		t.Error(err)
	}
	if got, err := a.Read(nil); err != nil || len(got) != 16 {
		t.Errorf("%v, %v", got, err)
	}
}

// TestFillValues checks fill values whose bytes are not those of zero, including one that equals
// zero.
func TestFillValues(t *testing.T) {
	for _, fill := range []float64{0, math.Copysign(0, -1), math.NaN(), 1.5} {
		a, err := memory.New(memory.Spec[float64]{Shape: []int{0, 3}, FillValue: fill})
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			if _, err := a.Extend(0, 1); err != nil {
				t.Fatal(err)
			}
		}
		data, err := a.Read(nil)
		if err != nil || len(data) != 30 {
			t.Fatal(data, err)
		}
		for _, v := range data {
			if math.Float64bits(v) != math.Float64bits(fill) {
				t.Fatalf("%v where %v was to be", v, fill)
			}
		}
	}
}

// TestTypes: every element type must survive a write and a read.
func TestTypes(t *testing.T) {
	testType(t, true, false)
	testType[int8](t, -1, 2)
	testType[uint16](t, 1, 2)
	testType(t, dtype.ToF16(1.5), dtype.ToF16(-2))
	testType[float32](t, 1, 2)
	testType(t, 1+2i, complex128(3))
}

func testType[T dtype.Element](t *testing.T, fill, other T) {
	t.Helper()
	a, err := memory.New(memory.Spec[T]{Shape: []int{2}, FillValue: fill, ChunkShape: []int{2}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.ExtendLow(0, 1); err != nil {
		t.Fatal(err)
	}
	if err := a.Set(other, 1); err != nil {
		t.Fatal(err)
	}
	got, err := a.Read(nil)
	if want := []T{fill, fill, other}; err != nil || !slices.Equal(got, want) || a.FillValue() != fill || a.DType() != dtype.Of[T]() {
		t.Errorf("%v: %v, %v, want %v", a.DType(), got, err, want)
	}
}

// TestHighRank uses more dimensions than fit the small buffers, up to the limit.
func TestHighRank(t *testing.T) {
	for _, chunk := range []int{1, 2, 3} {
		a, err := memory.New(memory.Spec[int32]{Shape: slices.Repeat([]int{1}, 60), ChunkShape: slices.Repeat([]int{chunk}, 60)})
		if chunk > 1 {
			if !errors.Is(err, drx.ErrOverflow) {
				t.Errorf("chunks of %d^60: %v", chunk, err)
			}
			shape := append(slices.Repeat([]int{1}, 57), 4, 5, 6)
			extents := append(slices.Repeat([]int{1}, 57), chunk, chunk, chunk)
			a, err = memory.New(memory.Spec[int32]{Shape: shape, ChunkShape: extents})
		}
		if err != nil {
			t.Fatal(err)
		}
		for a.Rank() < nd.MaxRank {
			if _, err := a.AddDim(""); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := a.AddDim(""); !errors.Is(err, drx.ErrRank) {
			t.Errorf("a dimension more: %v", err)
		}
		for d := 9; d < nd.MaxRank; d += 11 {
			if _, err := growtest.Extend(a, d, 1, axial.Side(d%2)); err != nil {
				t.Fatal(err)
			}
		}
		n, want := int32(0), []int32(nil)
		each(a.Bounds(), nil, func(index []int) {
			n++
			want = append(want, n)
			if err := a.Set(n, index...); err != nil {
				t.Fatal(err)
			}
		})
		if got, err := a.Read(nil); err != nil || !slices.Equal(got, want) {
			t.Fatalf("chunk %d: %v, %v, want 1 to %d", chunk, got, err, n)
		}
	}
}

// TestBreak: a walk may be ended at any point.
func TestBreak(t *testing.T) {
	a, err := memory.New(memory.Spec[int8]{Shape: []int{2, 2}})
	if err != nil {
		t.Fatal(err)
	}
	for _, dim := range []int{0, 0, 0, 1} {
		if _, err := a.Extend(dim, 1); err != nil {
			t.Fatal(err)
		}
	}
	for leave := range 20 {
		chunks, blocks := 0, 0
		for range a.Chunks() {
			if chunks == leave {
				break
			}
			chunks++
		}
		for range a.Blocks() {
			if blocks == leave {
				break
			}
			blocks++
		}
		// Rows 0 and 1, row 2, rows 3 and 4 each in a block that continues it, column 2.
		if chunks != min(leave, 15) || blocks != min(leave, 5) {
			t.Errorf("left at %d: %d chunks, %d blocks", leave, chunks, blocks)
		}
	}
}
