package scene_test

import (
	"math"
	"slices"
	"testing"

	"drx/hyper/scene"
)

// TestTee: all sinks get all values, and means leave NaN out.
func TestTee(t *testing.T) {
	c := numbered(t, block(-3, 37, 2, 80), scene.Options{Masked: func(p scene.Pixel) bool { return p.Sample == 5 }})
	a, _ := scene.NewPlane(c.Bounds(), 2)
	b, _ := scene.NewPlane(c.Bounds(), 2)
	tee, err := scene.NewTee(2, a, b)
	if err != nil {
		t.Fatal(err)
	}
	if err := scene.Copy(t.Context(), c, tee); err != nil {
		t.Fatal(err)
	}
	// The sum of the samples 2 to 79 is 3159.
	if want := []float64{16.5, (3159 - 5) / 77.0}; math.Abs(tee.Means()[0]-want[0]) > 1e-12 || math.Abs(tee.Means()[1]-want[1]) > 1e-12 {
		t.Errorf("means %v, want %v", tee.Means(), want)
	}
	at := scene.Pixel{Line: 3, Sample: 9}
	if !slices.Equal(a.At(at), b.At(at)) || !slices.Equal(a.At(at), []float64{3, 9}) || !math.IsNaN(a.At(scene.Pixel{Sample: 5})[0]) {
		t.Errorf("%v, %v", a.At(at), b.At(at))
	}
	if _, err := scene.NewTee(1, a); err == nil {
		t.Error("a sink of 2 values for 1")
	}
}
