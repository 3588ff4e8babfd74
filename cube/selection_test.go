package cube_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"drx/internal/growtest"

	"pgregory.net/rapid"

	"drx"
	"drx/axial"
	"drx/cube"
	"drx/dtype"
	"drx/nd"
)

// drawArray makes an array of int16 with a random history of growth and shrinking, and random
// elements, some of which are never written.
func drawArray(t *rapid.T, name string, fill any) *drx.Array {
	rank := rapid.IntRange(1, 3).Draw(t, "rank")
	spec := scratch(drx.Spec{DType: dtype.Int16, Shape: make([]int, rank), ChunkShape: make([]int, rank), FillValue: fill})
	for d := range rank {
		spec.Shape[d] = rapid.IntRange(1, 4).Draw(t, "extent")
		spec.ChunkShape[d] = rapid.IntRange(1, 3).Draw(t, "chunk")
	}
	a, err := drx.Create(name, spec)
	if err != nil {
		t.Fatal(err)
	}
	for range rapid.IntRange(0, 5).Draw(t, "steps") {
		d := rapid.IntRange(0, rank-1).Draw(t, "dim")
		side := rapid.SampledFrom([]axial.Side{axial.High, axial.Low}).Draw(t, "side")
		if n := a.Shape()[d]; n > 1 && rapid.IntRange(0, 3).Draw(t, "shrink") == 0 {
			err = growtest.Shrink(a, d, rapid.IntRange(1, n-1).Draw(t, "by"), side)
		} else {
			var added nd.Section
			if added, err = growtest.Extend(a, d, rapid.IntRange(1, 3).Draw(t, "by"), side); err == nil && rapid.Bool().Draw(t, "write") {
				n, _ := added.Len()
				data := rapid.SliceOfN(rapid.Int16Range(-3, 20), n, n).Draw(t, "data")
				err = drx.Write(a, added, data)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// drawSelection draws ranges with steps that do not overlap.
func drawSelection(t *rapid.T, a *drx.Array) cube.Selection {
	sel := make(cube.Selection, a.Rank())
	for d, r := range a.Bounds() {
		for lo := r.Lo; lo < r.Hi; {
			lo += rapid.IntRange(0, 2).Draw(t, "gap")
			hi := min(r.Hi, lo+rapid.IntRange(1, 5).Draw(t, "length"))
			if lo >= hi {
				break
			}
			step := rapid.IntRange(0, 2).Draw(t, "step")
			sel[d] = append(sel[d], nd.Span(lo, hi).By(step))
			lo = hi
		}
		if rapid.Bool().Draw(t, "backwards") {
			slices.Reverse(sel[d])
		}
	}
	return sel
}

// eachIndex calls f for the index of every element of a selection, in the given order.
func eachIndex(sel cube.Selection, order nd.Order, f func(index []int)) {
	dims, shape := order.Dims(len(sel)), order.Apply(sel.Shape())
	if n, _ := nd.Product(shape...); n == 0 {
		return
	}
	position, lo, index := make([]int, len(sel)), make([]int, len(sel)), make([]int, len(sel))
	for more := true; more; more = nd.Next(position, lo, shape) {
		for i, d := range dims {
			index[d] = sel[d].At(position[i])
		}
		f(index)
	}
}

// TestRead compares a selection that is read at once with one read in parts, and with elements read
// one by one.
func TestRead(t *testing.T) {
	dir, arrays := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		arrays++
		a := drawArray(t, fmt.Sprintf("%s/%d", dir, arrays), nil)
		defer a.Discard()
		c, err := cube.Of(a)
		if err != nil {
			t.Fatal(err)
		}
		sel := drawSelection(t, a)
		var order nd.Order
		if rapid.Bool().Draw(t, "transposed") {
			order = nd.Order(rapid.Permutation(order.Dims(a.Rank())).Draw(t, "order"))
		}
		var want []byte
		eachIndex(sel, order, func(index []int) {
			v, err := drx.At[int16](a, index...)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, dtype.Int16.Little(dtype.Bytes([]int16{v}))...)
		})
		got := make([]byte, len(want))
		if err := c.Read(sel, got, order); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v in order %v: %v, %v, want %v", sel, order, got, err, want)
		}
		got = nil
		most := rapid.IntRange(1, 30).Draw(t, "bytes")
		err = sel.Parts(order, 2, most, func(part cube.Selection) error {
			n, _ := nd.Product(part.Shape()...)
			if 2*n > max(2, most) {
				t.Fatalf("a part of %d bytes, want at most %d", 2*n, most)
			}
			buf := make([]byte, 2*n)
			defer func() { got = append(got, buf...) }()
			return c.Read(part, buf, order)
		})
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("parts of %v in order %v: %v, %v, want %v", sel, order, got, err, want)
		}
	})
}

// TestSlice compares parts of indices with those of a list.
func TestSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x cube.Indices
		var want []int
		for range rapid.IntRange(0, 4).Draw(t, "ranges") {
			r := nd.Span(rapid.IntRange(-9, 9).Draw(t, "lo"), 0).By(rapid.IntRange(0, 3).Draw(t, "step"))
			r.Hi = r.Lo + rapid.IntRange(0, 9).Draw(t, "length")
			x = append(x, r)
			for i := r.Lo; i < r.Hi; i += r.Stride() {
				want = append(want, i)
			}
		}
		from := rapid.IntRange(0, len(want)).Draw(t, "from")
		n := rapid.IntRange(0, len(want)-from).Draw(t, "n")
		part := x.Slice(from, n)
		if x.Len() != len(want) || part.Len() != n {
			t.Fatalf("%v: %d indices, %d of a part, want %d, %d", x, x.Len(), part.Len(), len(want), n)
		}
		for i := range n {
			if got := part.At(i); got != want[from+i] {
				t.Fatalf("%v from %d: index %d is %d, want %d", x, from, i, got, want[from+i])
			}
		}
	})
}

// TestEvery compares every n-th index with that of a list.
func TestEvery(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x cube.Indices
		var all []int
		for range rapid.IntRange(0, 4).Draw(t, "ranges") {
			r := nd.Span(rapid.IntRange(-9, 9).Draw(t, "lo"), 0).By(rapid.IntRange(0, 3).Draw(t, "step"))
			r.Hi = r.Lo + rapid.IntRange(0, 9).Draw(t, "length")
			x = append(x, r)
			for i := r.Lo; i < r.Hi; i += r.Stride() {
				all = append(all, i)
			}
		}
		n := rapid.OneOf(rapid.IntRange(1, 12), rapid.Just(math.MaxInt)).Draw(t, "n")
		some := x.Every(n)
		if want := nd.CeilDiv(len(all), n); some.Len() != want {
			t.Fatalf("every %d-th of %v: %d indices, want %d", n, x, some.Len(), want)
		}
		for i := range some.Len() {
			if got := some.At(i); got != all[i*n] {
				t.Fatalf("every %d-th of %v: index %d is %d, want %d", n, x, i, got, all[i*n])
			}
		}
	})
}

// TestRangesGoByValue labels a dimension with numbers, or days, in any order, and compares a range
// of them with the labels whose values lie in between.
func TestRangesGoByValue(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		numbers := rapid.SliceOfNDistinct(rapid.OneOf(rapid.IntRange(-9, 9), rapid.IntRange(math.MaxInt64-9, math.MaxInt64)), 1, 9, rapid.ID).Draw(rt, "numbers")
		text := strconv.Itoa
		if rapid.Bool().Draw(rt, "days") {
			text = func(n int) string { return time.Unix(0, 0).UTC().AddDate(0, 0, n%1000).Format(time.DateOnly) }
			for i := range numbers {
				numbers[i] %= 1000
			}
			slices.Sort(numbers)
			numbers = slices.Compact(numbers)
			numbers = rapid.Permutation(numbers).Draw(rt, "order")
		}
		labels := make([]string, len(numbers))
		for i, n := range numbers {
			labels[i] = text(n)
		}
		c := create(t, drx.Spec{DType: dtype.Int8, Shape: []int{len(numbers) + 2}})
		if err := c.SetLabels(0, labels); err != nil {
			rt.Fatal(err)
		}
		lo, hi := rapid.SampledFrom(numbers).Draw(rt, "lo"), rapid.SampledFrom(numbers).Draw(rt, "hi")
		lo, hi = min(lo, hi), max(lo, hi)
		sel, err := c.Select("0=" + text(lo) + ".." + text(hi))
		if err != nil {
			rt.Fatal(err)
		}
		var got, want []string
		for i := range sel[0].Len() {
			got = append(got, c.Label(0, sel[0].At(i)))
		}
		for i, n := range numbers {
			if lo <= n && n <= hi {
				want = append(want, labels[i])
			}
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("%s..%s of %v: %v, want %v", text(lo), text(hi), labels, got, want)
		}
	})
}

// TestSelect resolves conditions.
func TestSelect(t *testing.T) {
	c := create(t, drx.Spec{DType: dtype.Int8, Shape: []int{5, 3, 4, 4, 3}, Lo: []int{0, 0, -2, 0, 0}, Dims: []string{"date", "store", "", "day", "size"}})
	for d, labels := range map[int][]string{
		0: {"mo", "tu", "we", "th", "fr"}, 1: {"3", "1", "2"},
		3: {"2013-02-01", "2013-01-31", "2013-03-01", "2012-12-24"}, 4: {"S", "10", "2013-01-01"},
	} {
		if err := c.SetLabels(d, labels); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		where string
		want  string // ranges per dimension, or a part of the error
		err   error
	}{
		{"", "[[0:5] [0:3] [-2:2] [0:4] [0:3]]", nil},
		{"store=1", "[[0:5] [1:2] [-2:2] ", nil},
		{"store=2|3", "[[0:5] [2:3 0:1] [-2:2] ", nil},
		{"store=3|1", "[[0:5] [0:2] [-2:2] ", nil},
		{"date=tu|we|th,2=-1..", "[[1:4] [0:3] [-1:2] ", nil},
		{"date=mo|tu|fr", "[[0:2 4:5] [0:3] [-2:2] ", nil},
		{"1=2,2=0|1", "[[0:5] [2:3] [0:2] ", nil},
		{"2=1|0", "[[0:5] [0:3] [1:2 0:1] ", nil},
		// Ranges are by value, not by order of appearance, and their ends need not be labels.
		{"store=1..2", "[[0:5] [1:3] ", nil},
		{"store=2..3", "[[0:5] [0:1 2:3] ", nil},
		{"store=2..3|1", "[[0:5] [0:1 2:3 1:2] ", nil},
		{"store=..2.5", "[[0:5] [1:3] ", nil},
		{"store=2.5..", "[[0:5] [0:1] ", nil},
		{"store=-1e3..1", "[[0:5] [1:2] ", nil},
		{"day=2013-01-01..2013-02-28", "[[0:5] [0:3] [-2:2] [0:2] ", nil},
		{"day=2013-01..2013-02", "[[0:5] [0:3] [-2:2] [0:2] ", nil},
		{"day=2013-01-31T12:00..", "[[0:5] [0:3] [-2:2] [0:1 2:3] ", nil},
		{"day=..2013-01", "[[0:5] [0:3] [-2:2] [1:2 3:4] ", nil},
		{"store=4..9", `no label is in "4..9": they go from "1" to "3"`, cube.ErrLabel},
		{"store=3..2", `"2" comes before "3"`, drx.ErrBounds},
		{"store=2..3|3", `"3" is selected twice`, drx.ErrBounds},
		{"store=3|2..3", "selected twice", drx.ErrBounds},
		{"store=1..x", `compared by value, and "x" is not a number`, cube.ErrLabel},
		{"day=7..", `compared by value, and "7" is not a date, such as 2013-01-31`, cube.ErrLabel},
		{"date=tu..th", `dimension "date": the range "tu..th" needs labels that are all numbers, or all dates such as 2013-01-31; list labels instead, as in "mo|tu"`, cube.ErrLabel},
		{"date=..tu", "needs labels that are all numbers", cube.ErrLabel},
		{"size=10..", "needs labels that are all numbers", cube.ErrLabel},
		{"store=0", `dimension "store": no "0" among its 3 labels`, cube.ErrLabel},
		{"store=1:2", `no "1:2" among its 3 labels; a range, with both of its ends, is written 1..2`, cube.ErrLabel},
		{"day=2013-01:2013-02", "; a range, with both of its ends, is written 2013-01..2013-02", cube.ErrLabel},
		{"day=2013-01-31T12:00:2013-02", "is written 2013-01-31T12:00..2013-02", cube.ErrLabel},
		{"day=2013-01/2013-02", "is written 2013-01..2013-02", cube.ErrLabel},
		{"2=-1:0", `"-1:0" is not an index; a range, with both of its ends, is written -1..0`, cube.ErrLabel},
		{"2=2", "dimension 2: index 2 is not in -2:2", drx.ErrBounds},
		{"2=x", `dimension 2 has no labels, and "x" is not an index`, cube.ErrLabel},
		{"2=1..0", `"0" comes before "1"`, drx.ErrBounds},
		{"date=mo|x", `no "x"`, cube.ErrLabel},
		{"date=mo,0=tu", `"date" is given twice`, drx.ErrRank},
		{"hour=mo", `no dimension "hour"`, drx.ErrRank},
		{"5=1", `no dimension "5"`, drx.ErrRank},
		{"date", "conditions are", cube.ErrWhere},
	} {
		sel, err := c.Select(test.where)
		got := fmt.Sprint(sel)
		if err != nil {
			got = err.Error()
		}
		if !errors.Is(err, test.err) || err == nil && !strings.HasPrefix(got, test.want) || !strings.Contains(got, test.want) {
			t.Errorf("%q: %s, want %s", test.where, got, test.want)
		}
	}
	if _, err := c.Select("date=mo", "date=tu"); !errors.Is(err, drx.ErrRank) {
		t.Errorf("the same dimension in two conditions: %v", err)
	}
}

// TestReadErrors reads selections and buffers that do not fit.
func TestReadErrors(t *testing.T) {
	c := create(t, drx.Spec{DType: dtype.Int16, Shape: []int{4, 4}})
	two := cube.Indices{nd.At(0), nd.At(2)}
	for _, test := range []struct {
		sel   cube.Selection
		bytes int
		order nd.Order
		want  error
	}{
		{cube.Selection{two}, 4, nil, drx.ErrRank},
		{cube.Selection{two, two, two}, 16, nil, drx.ErrRank},
		{cube.Selection{two, two}, 7, nil, drx.ErrSize},
		{cube.Selection{two, {nd.At(4), nd.At(0)}}, 8, nil, drx.ErrBounds},
		{cube.Selection{two, two}, 8, nd.Order{0, 0}, drx.ErrRank},
		{cube.Selection{two, two}, 8, nd.Order{1, 0}, nil},
	} {
		if err := c.Read(test.sel, make([]byte, test.bytes), test.order); !errors.Is(err, test.want) {
			t.Errorf("%v, %d bytes: %v, want %v", test.sel, test.bytes, err, test.want)
		}
	}
}
