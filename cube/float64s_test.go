package cube_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"drx"
	"drx/cube"
	"drx/dtype"
	"drx/nd"
)

// Float64s must return the values of every type, and NaN for values without cells.
func TestFloat64s(t *testing.T) {
	for _, typ := range []dtype.DType{dtype.Int8, dtype.Uint16, dtype.Float32} {
		c := create(t, drx.Spec{DType: typ, Shape: []int{2, 3}, FillValue: 9})
		var elements []byte
		for _, v := range []int{1, 9, 4} {
			b, err := typ.EncodeValue(v)
			if err != nil {
				t.Fatal(err)
			}
			elements = append(elements, b...)
		}
		if err := c.Array().WriteBytes(nd.Sec(nd.At(1), nd.All), elements, nil); err != nil {
			t.Fatal(err)
		}
		for op, want := range map[cube.Op][]float64{
			cube.Sum: {math.NaN(), 5}, cube.Mean: {math.NaN(), 2.5}, cube.Min: {math.NaN(), 1}, cube.Max: {math.NaN(), 4}, cube.Count: {0, 2},
		} {
			r, err := c.Reduce(context.Background(), cube.Box(c.Array().Bounds()), op, cube.Over{Dims: []int{1}})
			if err != nil {
				t.Fatal(err)
			}
			same := func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }
			if got := r.Float64s(); !slices.EqualFunc(got, want, same) {
				t.Errorf("%v of %v: %v, want %v", op, typ, got, want)
			}
		}
	}
}
