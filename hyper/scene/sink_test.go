package scene_test

import (
	"math"
	"testing"

	"drx/hyper/scene"
)

// twice stores the first band of each valid pixel, doubled.
func twice(t *scene.Tile, dst []float64) error {
	for i, ok := range t.Valid {
		if ok {
			dst[i] = 2 * t.Spectrum(i)[0]
		}
	}
	return nil
}

func TestTransformWritesEachPixelAndNaNForOthers(t *testing.T) {
	none := 17.0
	c := numbered(t, block(-5, 40, -70, 10), scene.Options{Workers: 3, NoData: &none})
	plane, err := scene.NewPlane(c.Bounds(), 1)
	if err != nil {
		t.Fatal(err)
	}
	within := block(-3, 40, -70, 10)
	if err := scene.Transform(t.Context(), c, within, plane, twice); err != nil {
		t.Fatal(err)
	}
	for i := range c.Bounds().Pixels() {
		p := c.Bounds().At(i)
		want := 2 * float64(p.Line)
		if p.Line == 17 || !within.Contains(p) || p == (scene.Pixel{}) {
			want = math.NaN()
		}
		if got := plane.At(p)[0]; got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("pixel %v has %v, want %v", p, got, want)
		}
	}
}

func TestWrongPlanes(t *testing.T) {
	if _, err := scene.NewPlane(block(0, 1, 0, 1), 0); err == nil {
		t.Error("a plane of no values is accepted")
	}
	p, err := scene.NewPlane(block(0, 2, 0, 2), 1)
	if err != nil {
		t.Fatal(err)
	}
	for want, try := range map[string]error{
		"lines 0:3, samples 0:1 are not within lines 0:2, samples 0:2, the bounds of the result": p.Write(t.Context(), block(0, 3, 0, 1), make([]float64, 3)),
		"3 values for 2 pixels with 1 values each":                                               p.Write(t.Context(), block(0, 2, 0, 1), make([]float64, 3)),
	} {
		if try == nil || try.Error() != want {
			t.Errorf("error %v, want %s", try, want)
		}
	}
}
