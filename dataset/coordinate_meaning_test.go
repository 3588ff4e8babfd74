package dataset

import (
	"errors"
	"path/filepath"
	"testing"

	"drx"
	"drx/cube"
	"drx/dtype"
	"drx/nd"
)

// The attributes of a coordinate must determine its values: unsigned, scaled, or missing.
func TestMeaningOfCoordinates(t *testing.T) {
	for name, c := range map[string]struct {
		kind   dtype.DType
		fill   any
		attrs  map[string]any
		stored []float64
		sorted []int // nil if an element has no value
	}{
		"signed":         {dtype.Int16, nil, nil, []float64{3, -200, 10}, []int{1, 0, 2}},
		"unsigned":       {dtype.Int16, nil, map[string]any{"_Unsigned": "true"}, []float64{3, -200, 10}, []int{0, 2, 1}},
		"signed byte":    {dtype.Uint8, nil, map[string]any{"_Unsigned": "false"}, []float64{3, 200, 10}, []int{1, 0, 2}},
		"falling scale":  {dtype.Int16, nil, map[string]any{"scale_factor": -0.5}, []float64{3, -200, 10}, []int{2, 0, 1}},
		"missing_value":  {dtype.Int16, nil, map[string]any{"missing_value": 3}, []float64{3, -200, 10}, nil},
		"list of one":    {dtype.Int16, nil, map[string]any{"missing_value": []int{3}}, []float64{3, -200, 10}, nil},
		"fill value":     {dtype.Int16, -200, nil, []float64{3, -200, 10}, nil},
		"fill value 0":   {dtype.Int16, 0, nil, []float64{3, 0, 10}, []int{1, 0, 2}},
		"named _FillVal": {dtype.Int16, 0, map[string]any{"_FillValue": 0}, []float64{3, 0, 10}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Create(filepath.Join(t.TempDir(), "d"), drx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			spec := drx.Spec{DType: c.kind, Shape: []int{len(c.stored)}, Dims: []string{"x"}, Attrs: c.attrs, FillValue: c.fill}
			v, err := d.CreateVariable("x", spec)
			if err != nil {
				t.Fatal(err)
			}
			var b []byte
			for _, x := range c.stored {
				e, err := c.kind.EncodeValue(x)
				if err != nil {
					t.Fatal(err)
				}
				b = append(b, e...)
			}
			if err := errors.Join(v.Array().WriteBytes(nil, b, nil), d.Sync()); err != nil {
				t.Fatal(err)
			}
			x, err := d.Coordinate("x")
			if err != nil {
				t.Fatal(err)
			}
			got, err := x.Sorted()
			var want cube.Indices
			for _, i := range c.sorted {
				want = want.Append(cube.Indices{nd.At(i).By(1)})
			}
			if c.sorted == nil {
				if !errors.Is(err, ErrValue) {
					t.Errorf("%v, %v, want ErrValue", got, err)
				}
			} else if err != nil || got.Len() != want.Len() {
				t.Errorf("%v, %v, want %v", got, err, want)
			} else {
				for i := range want.Len() {
					if got.At(i) != want.At(i) {
						t.Errorf("%v, want %v", got, want)
					}
				}
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
