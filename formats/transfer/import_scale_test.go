package transfer

import (
	"math"
	"slices"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

// Each element must get the scale of its index, whatever section of the variable contains it, in
// any order of the dimensions.
func TestScaleOfEachIndex(t *testing.T) {
	scales := []any{0.5, 2.0, -1.0}
	for _, order := range []nd.Order{nil, {2, 1, 0}, {1, 2, 0}, {1, 0, 2}} {
		for dim := range 3 {
			shape := []int{4, 2, 5}
			shape[dim] = 3
			v := formats.Info{DType: dtype.Uint8, Shape: shape, Order: order, Attrs: map[string]any{"scale_factor": scales, "add_offset": 10.0}}
			s, err := newScaling(v)
			if err != nil {
				t.Fatal(err)
			}
			var c conversion
			c.addScaling(s)
			for _, sec := range []nd.Section{
				whole(shape), nd.Sec(nd.Span(1, 3), nd.Span(0, 2), nd.Span(2, 3)), nd.Sec(nd.At(2), nd.At(1), nd.Span(0, 3)),
			} {
				got, err := c.applyTo(sec, slices.Repeat([]byte{4}, must(sec.Len())))
				if err != nil {
					t.Fatal(err)
				}
				strides := order.Strides(sec.Shape())
				for i := range sec[0].Len() * sec[1].Len() * sec[2].Len() {
					index := sec[dim].Lo + i/strides[dim]%sec[dim].Len()
					want := 4*scales[index].(float64) + 10
					if x := dtype.Float64.Float64(got[8*i:]); math.Abs(x-want) > 0 {
						t.Fatalf("order %v, dimension %d, section %v: element %d is %v, want %v", order, dim, sec, i, x, want)
					}
				}
			}
		}
	}
}

func must(n int, err error) int {
	if err != nil {
		panic(err)
	}
	return n
}
