package scene

import (
	"context"
	"math"
	"testing"
)

// Each band has its own scale, and missing measurements become NaN.
func TestScaled(t *testing.T) {
	b := Block{Hi: Pixel{Line: 1, Sample: 2}}
	src, err := InMemory(b, 2, []float64{1, 2, -9, 4})
	if err != nil {
		t.Fatal(err)
	}
	none := -9.0
	s, err := Scaled(src, []float64{10, 100}, []float64{1, 0}, &none)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float64, 4)
	if err := s.Read(context.Background(), b, got); err != nil {
		t.Fatal(err)
	}
	if got[0] != 11 || got[1] != 200 || !math.IsNaN(got[2]) || got[3] != 400 || s.Integers16() {
		t.Errorf("%v", got)
	}
	if _, err := Scaled(src, []float64{1}, []float64{0, 0}, nil); err == nil {
		t.Error("one gain for two bands is no error")
	}
}
