package cube_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"drx"
	"drx/cube"
	"drx/dtype"
	"drx/nd"
)

// A group holds all values of one result.
type group []int

// text computes the result of an operation in the simplest way, as text like that of Result.Text.
func (g group) text(op cube.Op) string {
	total := 0
	for _, v := range g {
		total += v
	}
	switch {
	case op == cube.Count:
		return strconv.Itoa(len(g))
	case len(g) == 0:
		return ""
	case op == cube.Mean:
		return strconv.FormatFloat(float64(total)/float64(len(g)), 'f', -1, 64)
	case op == cube.Sum:
		return strconv.Itoa(total)
	}
	best := g[0]
	for _, v := range g {
		if op == cube.Min && v < best || op == cube.Max && v > best {
			best = v
		}
	}
	return strconv.Itoa(best)
}

// TestReduce compares sums, means and extremes of random selections of random arrays, over random
// dimensions, with those of lists of values.
func TestReduce(t *testing.T) {
	dir, arrays := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		arrays++
		fill := rapid.SampledFrom([]int{0, 7}).Draw(t, "fill")
		a := drawArray(t, fmt.Sprintf("%s/%d", dir, arrays), fill)
		defer a.Discard()
		c, err := cube.Of(a)
		if err != nil {
			t.Fatal(err)
		}
		sel := drawSelection(t, a)
		over, summed := []int(nil), make([]bool, a.Rank())
		for d := range summed {
			if summed[d] = rapid.Bool().Draw(t, "over"); summed[d] {
				over = append(over, d)
			}
		}
		if over == nil {
			over = []int{}
		}
		groups := map[string]group{}
		eachIndex(sel, nil, func(index []int) {
			v, err := drx.At[int16](a, index...)
			if err != nil {
				t.Fatal(err)
			}
			if key := keyOf(index, summed); fill == 0 || int(v) != fill {
				groups[key] = append(groups[key], int(v))
			}
		})
		want, _ := nd.Product(sel.Shape()...)
		for op := cube.Sum; op <= cube.Count; op++ {
			cells := 0
			r, err := c.Reduce(context.Background(), sel, op, cube.Over{Dims: over, Progress: func(n int) { cells += n }})
			if err != nil {
				t.Fatal(err)
			}
			if cells != want {
				t.Fatalf("%d cells seen, want %d", cells, want)
			}
			i := 0
			kept := make([]bool, len(r.Dims)) // none of these is reduced
			eachIndex(r.Cells, nil, func(index []int) {
				if got, want := r.Text(i), groups[keyOf(index, kept)].text(op); got != want {
					t.Fatalf("%v of %v over %v: value %d is %q, want %q", op, sel, over, i, got, want)
				}
				i++
			})
			if i != len(r.Count) || len(r.Data) != len(r.Count)*r.DType.Size() {
				t.Fatalf("%d values, %d counts, %d bytes of %v", i, len(r.Count), len(r.Data), r.DType)
			}
		}
	})
}

// keyOf writes the indices of the dimensions that are not summed.
func keyOf(index []int, summed []bool) string {
	key := ""
	for d, i := range index {
		if !summed[d] {
			key += fmt.Sprint(i, "/")
		}
	}
	return key
}

// TestReduceTypes sums elements of every type.
func TestReduceTypes(t *testing.T) {
	for _, d := range dtype.All() {
		c := create(t, drx.Spec{DType: d, Shape: []int{3}})
		values, sum, least := []string{"5", "1", "3"}, "9", "1"
		if d == dtype.Bool {
			values, sum, least = []string{"1", "0", "1"}, "2", "0"
		}
		for i, text := range values {
			b, err := d.Encode(text)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Array().WriteBytes(nd.Sec(nd.At(i)), b, nil); err != nil {
				t.Fatal(err)
			}
		}
		if d.IsComplex() {
			_, err := c.Reduce(context.Background(), cube.Box(c.Array().Bounds()), cube.Sum, cube.Over{})
			if !errors.Is(err, drx.ErrDType) {
				t.Errorf("%v: %v", d, err)
			}
			continue
		}
		if got := reduce(t, c, cube.Sum).Text(0); got != sum {
			t.Errorf("sum of %v is %s, want %s", d, got, sum)
		}
		if got := reduce(t, c, cube.Min).Text(0); got != least {
			t.Errorf("minimum of %v is %s, want %s", d, got, least)
		}
	}
}

// TestNegative sums small and large integers below zero.
func TestNegative(t *testing.T) {
	c := create(t, drx.Spec{DType: dtype.Int64, Shape: []int{2}})
	for _, test := range []struct {
		data []int64
		want string // empty for a sum that does not fit
	}{
		{[]int64{-5, 3}, "-2"},
		{[]int64{math.MinInt64, math.MaxInt64}, "-1"},
		{[]int64{math.MinInt64, 0}, "-9223372036854775808"},
		{[]int64{math.MinInt64, -1}, ""},
		{[]int64{math.MaxInt64, 1}, ""},
	} {
		if err := drx.Write(c.Array(), nil, test.data); err != nil {
			t.Fatal(err)
		}
		r, err := c.Reduce(context.Background(), cube.Box(c.Array().Bounds()), cube.Sum, cube.Over{})
		if test.want == "" {
			if !errors.Is(err, drx.ErrOverflow) || r != nil {
				t.Errorf("sum of %v: %v", test.data, err)
			}
			continue
		}
		if err != nil || r.Text(0) != test.want {
			t.Errorf("sum of %v: %v, want %s", test.data, err, test.want)
		}
	}
}

// TestNaN uses NaN as a value, and as the mark of empty cells.
func TestNaN(t *testing.T) {
	data := []float32{1, float32(math.NaN()), -3, math.Float32frombits(0x7fc00001)}
	for fill, want := range map[string][]string{
		"0":   {"NaN", "NaN", "NaN", "NaN", "4"},
		"NaN": {"-2", "-1", "-3", "1", "2"},
		"-3":  {"NaN", "NaN", "NaN", "NaN", "3"},
	} {
		c := create(t, drx.Spec{DType: dtype.Float32, Shape: []int{4}, FillValue: fill})
		if err := drx.Write(c.Array(), nil, data); err != nil {
			t.Fatal(err)
		}
		for op, text := range want {
			if got := reduce(t, c, cube.Op(op)).Text(0); got != text {
				t.Errorf("%v with fill value %s is %s, want %s", cube.Op(op), fill, got, text)
			}
		}
	}
}

// TestText checks numbers as text: they must be written as people write them.
func TestText(t *testing.T) {
	for v, want := range map[float64]string{
		4315603: "4315603", 0.25: "0.25", 0: "0", -1e20: "-100000000000000000000", 1e21: "1e+21",
		1e-6: "0.000001", 1e-7: "1e-07", math.Inf(-1): "-Inf",
	} {
		c := create(t, drx.Spec{DType: dtype.Float64, Shape: []int{1}})
		if err := drx.Write(c.Array(), nil, []float64{v}); err != nil {
			t.Fatal(err)
		}
		if got := reduce(t, c, cube.Sum).Text(0); got != want {
			t.Errorf("%v is written %s, want %s", v, got, want)
		}
	}
}

// TestReduceErrors makes requests that cannot be answered.
func TestReduceErrors(t *testing.T) {
	c := create(t, drx.Spec{DType: dtype.Int8, Shape: []int{1 << 20, 1 << 20}})
	all := cube.Box(c.Array().Bounds())
	for _, test := range []struct {
		sel  cube.Selection
		op   cube.Op
		over []int
		want error
	}{
		{all[:1], cube.Sum, nil, drx.ErrRank},
		{all, cube.Sum, []int{2}, drx.ErrRank},
		{all, cube.Sum, []int{-1}, drx.ErrRank},
		{all, cube.Sum, []int{0, 0}, drx.ErrRank},
		{all, cube.Count + 1, nil, drx.ErrBounds},
		{all, cube.Sum, []int{}, drx.ErrOverflow},
		{cube.Selection{{nd.At(-1)}, {nd.At(0)}}, cube.Sum, nil, drx.ErrBounds},
	} {
		_, err := c.Reduce(context.Background(), test.sel, test.op, cube.Over{Dims: test.over})
		if !errors.Is(err, test.want) {
			t.Errorf("%v over %v: %v, want %v", test.op, test.over, err, test.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Reduce(ctx, all, cube.Sum, cube.Over{}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that is done: %v", err)
	}
}
