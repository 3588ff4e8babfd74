package dataset

import (
	"errors"
	"io/fs"
	"reflect"
	"testing"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// A dataset grows as a whole, on both sides, and readers see it after Sync.
func TestGrowth(t *testing.T) {
	t.Chdir(t.TempDir())
	d, err := Create("weather", drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	create(t, d, "time", []int{0}, "time")
	create(t, d, "rain", []int{0, 3}, "time", "x")
	create(t, d, "x", nil, "x")
	if err := d.CreateGroup("model"); err != nil {
		t.Fatal(err)
	}
	create(t, d, "model/rain", nil, "time", "x")
	r, err := Open("weather", drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Extend("time", 2); err != nil {
		t.Fatal(err)
	}
	if _, err := d.ExtendLow("x", 1); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Refresh(), wantDims(r, nd.Span(0, 0), nd.Span(0, 3))); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Sync(), r.Refresh(), wantDims(r, nd.Span(0, 2), nd.Span(-1, 3))); err != nil {
		t.Fatal(err)
	}
	want := []string{"model/rain", "rain", "time", "x"}
	if got := r.Variables(); !reflect.DeepEqual(got, want) {
		t.Errorf("variables %q, want %q", got, want)
	}
	if _, err := Create("weather", drx.Options{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("created twice: %v", err)
	}
	if _, err := Open("weather", drx.Options{Write: true}); !errors.Is(err, drx.ErrLocked) {
		t.Errorf("two writers: %v", err)
	}
	if err := errors.Join(d.Close(), r.Close()); err != nil {
		t.Fatal(err)
	}
}

func create(t *testing.T, d *Dataset, name string, shape []int, dims ...string) *Variable {
	t.Helper()
	v, err := d.CreateVariable(name, intSpec(shape, dims...))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func wantDims(d *Dataset, time, x nd.Range) error {
	var got []nd.Range
	for _, dim := range d.Dims() {
		got = append(got, dim.Bounds)
	}
	if want := []nd.Range{time, x}; !reflect.DeepEqual(got, want) {
		return errors.New(nd.Section(got).String() + ", want " + nd.Section(want).String())
	}
	return nil
}

// intSpec describes a variable of int32 in small chunks.
func intSpec(shape []int, dims ...string) drx.Spec {
	chunk := make([]int, len(dims))
	for d := range chunk {
		chunk[d] = 4
	}
	return drx.Spec{DType: dtype.Int32, Shape: shape, ChunkShape: chunk, Dims: dims}
}
