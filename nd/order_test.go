package nd

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// permutations draws an order of the given rank, nil now and then.
func permutations(rank int) *rapid.Generator[Order] {
	return rapid.Custom(func(r *rapid.T) Order {
		if rapid.IntRange(0, 4).Draw(r, "row-major") == 0 {
			return nil
		}
		return rapid.Permutation(RowMajor.Dims(rank)).Draw(r, "order")
	})
}

func TestOrderOfKnownLayouts(t *testing.T) {
	shape := []int{2, 3, 5}
	for _, c := range []struct {
		order                  Order
		dims, strides, applied []int
	}{
		{RowMajor, []int{0, 1, 2}, []int{15, 5, 1}, []int{2, 3, 5}},
		{ColMajor(3), []int{2, 1, 0}, []int{1, 2, 6}, []int{5, 3, 2}},
		{Order{2, 0, 1}, []int{2, 0, 1}, []int{3, 1, 6}, []int{5, 2, 3}},
	} {
		if got := c.order.Dims(3); !slices.Equal(got, c.dims) {
			t.Errorf("%v: dimensions %v, want %v", c.order, got, c.dims)
		}
		if got := c.order.Strides(shape); !slices.Equal(got, c.strides) {
			t.Errorf("%v: strides %v, want %v", c.order, got, c.strides)
		}
		if got := c.order.Apply(shape); !slices.Equal(got, c.applied) {
			t.Errorf("%v: buffer of shape %v, want %v", c.order, got, c.applied)
		}
	}
	if got := ColMajor(0); got == nil || len(got) != 0 {
		t.Errorf("column-major of rank 0 is %#v", got)
	}
}

// TestStridesWalkTheBuffer visits a buffer of shape Apply in row-major order and
// finds every element where Strides says.
func TestStridesWalkTheBuffer(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(1, 4), 0, 5).Draw(r, "shape")
		order := permutations(len(shape)).Draw(r, "order")
		strides, buffer := order.Strides(shape), order.Apply(shape)
		origin := make([]int, len(shape))
		at := slices.Clone(origin) // in the buffer
		for position := 0; ; position++ {
			offset := 0
			for i, d := range order.Dims(len(shape)) {
				offset += at[i] * strides[d]
			}
			if offset != position {
				r.Fatalf("%v of %v: buffer index %v at %d, want %d", order, shape, at, offset, position)
			}
			if !Next(at, origin, buffer) {
				if n, _ := Product(shape...); position != n-1 {
					r.Fatalf("%v of %v: buffer ends after %d elements, want %d", order, shape, position+1, n)
				}
				return
			}
		}
	})
}

func TestOrderCheck(t *testing.T) {
	for _, c := range []struct {
		order Order
		rank  int
		good  bool
	}{
		{nil, 3, true},
		{nil, 0, true},
		{Order{}, 0, true},
		{Order{0}, 1, true},
		{Order{1, 2, 0}, 3, true},
		{Order{}, 1, false},
		{Order{0, 1}, 3, false},
		{Order{0, 1, 2, 3}, 3, false},
		{Order{0, 1, 1}, 3, false},
		{Order{0, 1, 3}, 3, false},
		{Order{-1, 0, 1}, 3, false},
	} {
		err := c.order.Check(c.rank)
		if c.good != (err == nil) || !c.good && !errors.Is(err, ErrRank) {
			t.Errorf("%v for rank %d: %v", c.order, c.rank, err)
		}
	}
}

func TestParseOrder(t *testing.T) {
	for _, c := range []struct {
		text string
		want Order
		good bool
	}{
		{"", nil, true},
		{"row", nil, true},
		{"col", Order{2, 1, 0}, true},
		{"2, 0,1", Order{2, 0, 1}, true},
		{"0,1", nil, false},
		{"0,1,2,3", nil, false},
		{"0,0,1", nil, false},
		{"a,b,c", nil, false},
		{"0,1,", nil, false},
		{"rows", nil, false},
	} {
		got, err := ParseOrder(c.text, 3)
		if c.good != (err == nil) || !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, %v, want %v", c.text, got, err, c.want)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		order := permutations(rapid.IntRange(1, MaxRank).Draw(r, "rank")).Filter(func(o Order) bool { return o != nil }).Draw(r, "order")
		fields := make([]string, len(order))
		for i, d := range order {
			fields[i] = strconv.Itoa(d)
		}
		if back, err := ParseOrder(strings.Join(fields, ","), len(order)); err != nil || !slices.Equal(back, order) {
			r.Fatalf("%v reads as %v, %v", order, back, err)
		}
	})
}
