package drx_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// ReadView returns the elements of Read, with the shape of the section.
func TestReadView(t *testing.T) {
	a, err := drx.Create(filepath.Join(t.TempDir(), "a"), drx.Spec{DType: dtype.Int32, Shape: []int{4, 5}, ChunkShape: []int{2, 3}, Lo: []int{-2, 0}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	data := make([]int32, 20)
	for i := range data {
		data[i] = int32(i)
	}
	if err := drx.Write(a, nil, data); err != nil {
		t.Fatal(err)
	}
	for _, sec := range []nd.Section{nil, nd.Sec(nd.From(-1), nd.All.By(2)), nd.Sec(nd.At(-2), nd.All), nd.Sec(nd.Span(1, 1), nd.All)} {
		want, err := drx.Read[int32](a, sec)
		if err != nil {
			t.Fatal(err)
		}
		full, err := sec.Resolve([]int{-2, 0}, []int{2, 5})
		if err != nil {
			t.Fatal(err)
		}
		v, err := drx.ReadView[int32](a, sec)
		if err != nil || !slices.Equal(v.Data(), want) || !slices.Equal(v.Shape(), full.Shape()) {
			t.Errorf("%v: %v of shape %v, %v; want %v", sec, v.Data(), v.Shape(), err, want)
		}
	}
	if _, err := drx.ReadView[int64](a, nil); !errors.Is(err, drx.ErrDType) {
		t.Errorf("another type: %v", err)
	}
	if _, err := drx.ReadView[int32](a, nd.Sec(nd.At(2), nd.All)); !errors.Is(err, drx.ErrBounds) {
		t.Errorf("outside: %v", err)
	}
	if _, err := drx.ReadView[int32](new(drx.Array), nil); !errors.Is(err, drx.ErrClosed) {
		t.Errorf("the zero array: %v", err)
	}
}

// An array grows along a dimension that is given by its name, and is read with its shape.
func ExampleReadView() {
	dir, err := os.MkdirTemp("", "drx")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	a, err := drx.Create(filepath.Join(dir, "a"), drx.Spec{DType: dtype.Float64, Shape: []int{0, 3}, Dims: []string{"time", "x"}})
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()
	time, err := a.Dim("time")
	if err != nil {
		log.Fatal(err)
	}
	added, err := a.Extend(time, 2)
	if err != nil {
		log.Fatal(err)
	}
	if err := drx.Write(a, added, []float64{1, 2, 3, 4, 5, 6}); err != nil {
		log.Fatal(err)
	}
	v, err := drx.ReadView[float64](a, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(v.Shape(), v.At(1, 0))
	fmt.Println(v.Matrix()) // the arguments of gonum's mat.NewDense
	// Output:
	// [2 3] 4
	// 2 3 [1 2 3 4 5 6]
}
