package bridgetest

import (
	"testing"

	"drx/formats"
)

// Floats reads a variable of a file as float64, in row-major order, with its shape.
func Floats(t testing.TB, path, variable string) (values []float64, shape []int) {
	t.Helper()
	r, err := formats.Open(path, formats.Options{Variable: variable})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	info := r.Info()
	n := 1
	for _, extent := range info.Shape {
		n *= extent
	}
	size := info.DType.Size()
	stored := make([]byte, n*size)
	if err := r.ReadSection(nil, stored); err != nil {
		t.Fatal(err)
	}
	strides := info.Order.Strides(info.Shape)
	values = make([]float64, n)
	for i := range values {
		at, rest := 0, i
		for d := len(info.Shape) - 1; d >= 0; d-- {
			at += rest % info.Shape[d] * strides[d]
			rest /= info.Shape[d]
		}
		values[i] = info.DType.Float64(stored[at*size:])
	}
	return values, info.Shape
}
