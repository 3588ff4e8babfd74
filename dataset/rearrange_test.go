package dataset

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"drx"
	"drx/cube"
	"drx/dtype"
	"drx/nd"
)

// newStations returns a dataset with times that are out of order, a variable with labels and a list
// for its times, a one-file array in a group, and a variable without the dimension.
func newStations(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "w")
	d, err := Create(folder, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	specs := map[string]drx.Spec{
		"time":     {DType: dtype.Int32, Shape: []int{6}, Lo: []int{-2}, ChunkShape: []int{2}, Dims: []string{"time"}, Attrs: map[string]any{"units": "days since 2024-01-01"}},
		"g/b.drx":  {DType: dtype.Int16, Shape: []int{6, 2}, Lo: []int{-2, 0}, ChunkShape: []int{1, 2}, Dims: []string{"time", "two"}, Codec: "zstd"},
		"constant": {DType: dtype.Int8, Shape: []int{3}, Dims: []string{"x"}},
		"rain": {
			DType: dtype.Int16, Shape: []int{3, 6}, Lo: []int{0, -2}, ChunkShape: []int{2, 4}, Dims: []string{"x", "time"},
			Attrs: map[string]any{cube.LabelAttr(1, -2): []string{"a", "b", "c", "d", "e", "f"}, cube.LabelAttr(0, 0): []string{"u", "v", "w"}, "each": []int{0, 1, 2, 3, 4, 5}},
		},
	}
	times := []float64{0, 1, 4, 5, 2, 3}
	err = d.CreateAll(map[string]map[string]any{"g": {"of": "g"}}, specs, func(name string, a *drx.Array) error {
		n, _ := a.Bounds().Len()
		var b []byte
		for i := range n {
			v := float64(i)
			if name == "time" {
				v = times[i]
			}
			e, _ := a.DType().EncodeValue(v)
			b = append(b, e...)
		}
		return a.WriteBytes(nil, b, nil)
	})
	if err := errors.Join(err, d.SetAttr("", "title", "stations"), d.Close()); err != nil {
		t.Fatal(err)
	}
	return folder
}

// numbersOf returns the elements and one attribute of a variable.
func numbersOf(t *testing.T, name, attr string) (numbers []float64, text string, bounds string) {
	t.Helper()
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	n, _ := a.Bounds().Len()
	b := make([]byte, n*a.DType().Size())
	if err := a.ReadBytes(nil, b, nil); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		numbers = append(numbers, a.DType().Float64(b[i*a.DType().Size():]))
	}
	return numbers, string(a.Attrs()[attr]), a.Bounds().String()
}

// A copy without a range, or in the order of a coordinate, must apply to all variables.
func TestRearrange(t *testing.T) {
	folder := newStations(t)
	dir := t.TempDir()
	for _, form := range []string{"", ".drx"} {
		cut := filepath.Join(dir, "cut"+form)
		kept := Without(nd.Span(-2, 4), cube.Indices{nd.Span(-1, 1)})
		if err := Rearrange(context.Background(), folder, cut, Rearrangement{"time", kept}, RearrangeOptions{Memory: 1}); err != nil {
			t.Fatal(err)
		}
		checkVariable(t, cut+"/time", "units", []float64{0, 5, 2, 3}, `"days since 2024-01-01"`, "-2:2")
		checkVariable(t, cut+"/rain", "each", []float64{0, 3, 4, 5, 6, 9, 10, 11, 12, 15, 16, 17}, "[0,3,4,5]", "0:3,-2:2")
		checkVariable(t, cut+"/rain", cube.LabelAttr(1, -2), []float64{0, 3, 4, 5, 6, 9, 10, 11, 12, 15, 16, 17}, `["a","d","e","f"]`, "0:3,-2:2")
		checkVariable(t, cut+"/g/b", "", []float64{0, 1, 6, 7, 8, 9, 10, 11}, "", "-2:2,0:2")
		checkVariable(t, cut+"/constant", "", []float64{0, 1, 2}, "", "0:3")
		sorted := filepath.Join(dir, "sorted"+form)
		if err := CopySorted(context.Background(), folder, sorted, "time", nil); err != nil {
			t.Fatal(err)
		}
		checkVariable(t, sorted+"/time", "units", []float64{0, 1, 2, 3, 4, 5}, `"days since 2024-01-01"`, "-2:4")
		checkVariable(t, sorted+"/rain", cube.LabelAttr(0, 0), []float64{0, 1, 4, 5, 2, 3, 6, 7, 10, 11, 8, 9, 12, 13, 16, 17, 14, 15}, `["u","v","w"]`, "0:3,-2:4")
		d, err := Open(sorted, drx.Options{Write: true})
		if err != nil {
			t.Fatal(err)
		}
		attrs, err := d.Attrs("g")
		if err != nil || string(attrs["of"]) != `"g"` || d.Close() != nil {
			t.Errorf("attributes of the group: %s, %v", attrs, err)
		}
	}
	for want, r := range map[error]Rearrangement{
		ErrDim:        {"tim", cube.Indices{nd.Span(0, 1)}},
		drx.ErrBounds: {"time", cube.Indices{nd.Span(0, 9)}},
	} {
		if err := Rearrange(context.Background(), folder, filepath.Join(dir, "no"), r, RearrangeOptions{}); !errors.Is(err, want) {
			t.Errorf("%v: %v", r, err)
		}
	}
}

func checkVariable(t *testing.T, name, attr string, want []float64, wantAttr, wantBounds string) {
	t.Helper()
	numbers, text, bounds := numbersOf(t, name, attr)
	if !slices.Equal(numbers, want) || text != wantAttr || bounds != wantBounds {
		t.Errorf("%s: %v, %s %s, bounds %s\nwant %v, %s, bounds %s", name, numbers, attr, text, bounds, want, wantAttr, wantBounds)
	}
}

// An interrupted copy must continue where it was, whenever it was interrupted, and no other copy
// may continue it.
func TestRearrangeResumes(t *testing.T) {
	folder := newStations(t)
	kept := Without(nd.Span(-2, 4), cube.Indices{nd.Span(-1, 1)})
	for stop := 1; ; stop++ {
		to := filepath.Join(t.TempDir(), "cut")
		ctx, cancel := context.WithCancel(context.Background())
		calls := 0
		o := RearrangeOptions{Memory: 1, Keep: true, Resume: true, Progress: func(int64, int64) {
			if calls++; calls == stop {
				cancel()
			}
		}}
		err := Rearrange(ctx, folder, to, Rearrangement{"time", kept}, o)
		if cancel(); err == nil {
			if stop < 8 {
				t.Errorf("only %d calls of progress", stop)
			}
			break
		}
		if _, _, listErr := drx.List(to); !errors.Is(err, context.Canceled) || listErr == nil {
			t.Fatalf("stopped at %d: %v, %v", stop, err, listErr)
		}
		o.Progress = nil
		if stop > 5 { // number of variables that have begun
			err := Rearrange(context.Background(), folder, to, Rearrangement{"time", cube.Indices{nd.Span(0, 1)}}, o)
			if !errors.Is(err, ErrMismatch) {
				t.Fatalf("stopped at %d, resumed as another copy: %v", stop, err)
			}
		}
		if err := Rearrange(context.Background(), folder, to, Rearrangement{"time", kept}, o); err != nil {
			t.Fatalf("stopped at %d, resumed: %v", stop, err)
		}
		checkVariable(t, to+"/rain", "each", []float64{0, 3, 4, 5, 6, 9, 10, 11, 12, 15, 16, 17}, "[0,3,4,5]", "0:3,-2:2")
		checkVariable(t, to+"/g/b", "", []float64{0, 1, 6, 7, 8, 9, 10, 11}, "", "-2:2,0:2")
	}
}

// Arrays whose attributes or labels cannot follow the indices must be refused.
func TestRearrangeArrayErrors(t *testing.T) {
	for name, attrs := range map[string]map[string]any{
		"geotransform": {"geotransform": []float64{0, 1, 0, 0, 0, 1}},
		"world":        {"CRPIX1": 3},
		"labels":       {cube.LabelAttr(1, 0): []string{"a", "b"}},
	} {
		a, err := drx.Create(filepath.Join(t.TempDir(), name), drx.Spec{DType: dtype.Int8, Shape: []int{2, 3}, Dims: []string{"y", "x"}, Attrs: attrs})
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(t.TempDir(), "to")
		err = RearrangeArray(context.Background(), a, to, Rearrangement{"x", cube.Indices{nd.At(0), nd.At(2), nd.At(1)}}, RearrangeOptions{})
		if there, _ := drx.Exists(to); there || !errors.Is(err, ErrDim) && !errors.Is(err, cube.ErrLabel) {
			t.Errorf("%s: %v", name, err)
		}
		_ = a.Close()
	}
}

// Resuming into another array must leave that array as it is.
func TestRearrangeArrayLeavesOthers(t *testing.T) {
	dir := t.TempDir()
	spec := drx.Spec{DType: dtype.Int8, Shape: []int{4}, Dims: []string{"x"}}
	for _, name := range []string{"a", "other"} {
		if name == "other" {
			spec.Shape = []int{9}
		}
		a, err := drx.Create(filepath.Join(dir, name), spec)
		if err != nil || a.Close() != nil {
			t.Fatal(err)
		}
	}
	a, err := drx.Open(filepath.Join(dir, "a"), drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	other := filepath.Join(dir, "other")
	r := Rearrangement{"x", cube.Indices{nd.At(0), nd.At(2)}}
	done := filepath.Join(dir, "done")
	if err := RearrangeArray(context.Background(), a, done, r, RearrangeOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{other, done} { // the array may have changed since the copy was complete
		if err := RearrangeArray(context.Background(), a, name, r, RearrangeOptions{Resume: true}); !errors.Is(err, fs.ErrExist) {
			t.Error(err)
		}
	}
	if err := RearrangeArray(context.Background(), a, other, r, RearrangeOptions{}); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	checkVariable(t, other, "", make([]float64, 9), "", "0:9")
}
