package scene_test

import (
	"math"
	"slices"
	"testing"

	"drx/hyper/scene"
)

// TestSurvey counts the pixels of a small scene by reason.
func TestSurvey(t *testing.T) {
	nan, missing := math.NaN(), -9.0
	data := []float64{1, 2, nan, 2, -9, 1, 5, 70, 0, 0, -1, 2, 3, 2, nan, nan}
	src, err := scene.InMemory(block(0, 2, 0, 4), 2, data)
	if err != nil {
		t.Fatal(err)
	}
	c, err := scene.New(src, scene.Options{NoData: &missing, Saturated: 60, Masked: func(p scene.Pixel) bool { return p.Sample == 3 && p.Line == 1 }})
	if err != nil {
		t.Fatal(err)
	}
	s, err := scene.NewSurvey(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if s.Pixels != 8 || s.Usable != 3 || s.Masked != 1 || s.NotFinite != 1 || s.Missing != 1 || s.Saturated != 1 || s.Zero != 1 || s.Negative != 1 {
		t.Errorf("%+v", s)
	}
	if s.Low != -1 || s.High != 3 || !slices.Equal(s.ConstantBands, []int{1}) {
		t.Errorf("values from %g to %g, constant bands %v", s.Low, s.High, s.ConstantBands)
	}
}
