package array_test

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"drx"
	"drx/dtype"
	"drx/hyper/scene"
	"drx/hyper/scene/array"
	"drx/nd"
)

// stored creates an array whose dimension order[0] has the lines, order[1] the samples and order[2]
// the bands, all beginning at -2, and returns it with its values as text.
func stored(t *testing.T, e dtype.DType, order nd.Order, shape []int, dims []string) *drx.Array {
	t.Helper()
	spec := drx.Spec{DType: e, Shape: make([]int, 3), Lo: []int{-2, -2, -2}, ChunkShape: []int{2, 3, 2}, Dims: dims, Options: drx.Options{Durability: drx.DurabilityNone}}
	for i, d := range order {
		spec.Shape[d] = shape[i]
	}
	a, err := drx.Create(filepath.Join(t.TempDir(), "a"), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	return a
}

// value returns the value of an element, which every type but bool can represent.
func value(line, sample, band int) float64 {
	return float64((line+2)*20 + (sample+2)*5 + band)
}

func TestEveryOrderAndType(t *testing.T) {
	shape := []int{4, 3, 5}
	orders := []nd.Order{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	for _, e := range dtype.All() {
		if e.IsComplex() || e == dtype.Bool {
			continue
		}
		for _, order := range orders {
			a := stored(t, e, order, shape, nil)
			for l := range shape[0] {
				for s := range shape[1] {
					for b := range shape[2] {
						text, err := e.Encode(fmt.Sprint(value(l-2, s-2, b)))
						if err != nil {
							t.Fatal(err)
						}
						sec := make(nd.Section, 3)
						sec[order[0]], sec[order[1]], sec[order[2]] = nd.At(l-2), nd.At(s-2), nd.At(b-2)
						if err := a.WriteBytes(sec, text, nil); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			src, err := array.New(a, array.Dims{Line: order[0], Sample: order[1], Band: order[2]})
			if err != nil {
				t.Fatal(err)
			}
			if want := e.Size() < 4 && !e.IsFloat(); src.Integers16() != want {
				t.Errorf("%s: Integers16 is %v", e, src.Integers16())
			}
			b := scene.Block{Lo: scene.Pixel{Line: -1, Sample: -2}, Hi: scene.Pixel{Line: 2, Sample: 0}}
			got := make([]float64, b.Pixels()*5)
			if err := src.Read(t.Context(), b, got); err != nil {
				t.Fatal(err)
			}
			for i, v := range got {
				if p := b.At(i / 5); v != value(p.Line, p.Sample, i%5) {
					t.Fatalf("%s, order %v, pixel %v, band %d: %v", e, order, p, i%5, v)
				}
			}
		}
	}
}

func TestDimsByName(t *testing.T) {
	for text, want := range map[string]array.Dims{
		"y,x,band":           {Line: 0, Sample: 1, Band: 2},
		"Wavelength,row,col": {Line: 1, Sample: 2, Band: 0},
		",,":                 {Line: 0, Sample: 1, Band: 2},
	} {
		a := stored(t, dtype.Uint8, asIs(), []int{1, 1, 1}, strings.Split(text, ","))
		if got, err := array.FindDims(a); err != nil || got != want {
			t.Errorf("%s: %v %v", text, got, err)
		}
	}
	a := stored(t, dtype.Uint8, asIs(), []int{1, 1, 1}, []string{"time", "y", "x"})
	if _, err := array.FindDims(a); err == nil || !strings.Contains(err.Error(), "none of the dimensions time, y, x is known as that of the bands") {
		t.Errorf("unknown name: %v", err)
	}
}

// asIs is the order lines, samples, bands.
func asIs() nd.Order { return nd.Order{0, 1, 2} }

func TestWrongArrays(t *testing.T) {
	a := stored(t, dtype.Complex64, asIs(), []int{1, 1, 1}, nil)
	if _, err := array.New(a, array.Dims{Line: 0, Sample: 1, Band: 2}); err == nil || !strings.Contains(err.Error(), "complex64") {
		t.Errorf("complex elements: %v", err)
	}
	if _, err := array.New(a, array.Dims{Line: 0, Sample: 1, Band: 1}); err == nil {
		t.Error("a dimension twice is accepted")
	}
	empty := stored(t, dtype.Int16, asIs(), []int{3, 3, 0}, nil)
	if _, err := array.New(empty, array.Dims{Line: 0, Sample: 1, Band: 2}); err == nil || !strings.Contains(err.Error(), "no bands") {
		t.Errorf("no bands: %v", err)
	}
	flat, err := drx.Create(filepath.Join(t.TempDir(), "f"), drx.Spec{DType: dtype.Int8, Shape: []int{2, 2}})
	if err != nil {
		t.Fatal(err)
	}
	defer flat.Close()
	if _, err := array.FindDims(flat); err == nil {
		t.Error("an array of two dimensions is a scene")
	}
}

func TestResultsAreReadBack(t *testing.T) {
	b := scene.Block{Lo: scene.Pixel{Line: -3, Sample: -1}, Hi: scene.Pixel{Line: 5, Sample: 4}}
	for _, e := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.Uint8} {
		a, sink, err := array.Create(filepath.Join(t.TempDir(), "r"), b, e, 2, "endmember", drx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		part := scene.Block{Lo: scene.Pixel{Line: -2, Sample: 0}, Hi: scene.Pixel{Line: 0, Sample: 2}}
		values := []float64{1, 2, 3, math.NaN(), 5, 6, 7, 8}
		if err := sink.Write(t.Context(), part, values); err != nil {
			t.Fatal(err)
		}
		src, err := array.New(a, array.Dims{Line: 0, Sample: 1, Band: 2})
		if err != nil {
			t.Fatal(err)
		}
		if src.Bounds() != b {
			t.Errorf("%s: bounds %v", e, src.Bounds())
		}
		got := make([]float64, b.Pixels()*2)
		if err := src.Read(t.Context(), b, got); err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			want := math.NaN()
			if p := b.At(i / 2); part.Contains(p) {
				want = values[part.Index(p)*2+i%2]
			}
			if e == dtype.Uint8 && math.IsNaN(want) {
				want = 0
			}
			if v != want && !(math.IsNaN(v) && math.IsNaN(want)) {
				t.Fatalf("%s, value %d: %v, want %v", e, i, v, want)
			}
		}
		if err := sink.Write(t.Context(), b.Grow(1), make([]float64, b.Grow(1).Pixels()*2)); err == nil {
			t.Error("a block that is too large is accepted")
		}
		_ = a.Close()
	}
	a, sink, err := array.Create(filepath.Join(t.TempDir(), "classes"), b, dtype.Int16, 1, "", drx.Options{})
	if err != nil || sink.Values() != 1 || a.Rank() != 2 {
		t.Fatalf("one value per pixel: %v", err)
	}
	_ = a.Close()
	if _, _, err := array.Create(filepath.Join(t.TempDir(), "x"), b, dtype.Int16, 2, "", drx.Options{}); err == nil {
		t.Error("values without a dimension are accepted")
	}
	if _, err := array.NewSink(a, nil); err == nil {
		t.Error("no order is accepted")
	}
}
