package scene_test

import (
	"math"
	"testing"

	"drx/hyper/scene"
)

// TestThumbnail compares a small picture with plain means over squares.
func TestThumbnail(t *testing.T) {
	c := numbered(t, block(-3, 37, 2, 80), scene.Options{Masked: func(p scene.Pixel) bool { return p.Line < 0 }})
	b := c.Bounds()
	got, err := scene.NewThumbnail(t.Context(), c, []int{1, 0}, 11)
	if err != nil {
		t.Fatal(err)
	}
	const step = 8 // 78 samples
	if got.Rows != 5 || got.Cols != 10 {
		t.Fatalf("%d x %d", got.Rows, got.Cols)
	}
	tile, err := c.Read(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	for r := range got.Rows {
		for k := range got.Cols {
			sum, n := 0.0, 0.0
			for l := r * step; l < min((r+1)*step, b.Lines()); l++ {
				for s := k * step; s < min((k+1)*step, b.Samples()); s++ {
					if i := l*b.Samples() + s; tile.Valid[i] {
						sum += tile.Spectrum(i)[1]
						n++
					}
				}
			}
			if v := got.Values[0][r*got.Cols+k]; math.Abs(v-sum/n) > 1e-12 {
				t.Errorf("row %d, column %d: %g, want %g", r, k, v, sum/n)
			}
		}
	}
}

// TestComposite: red, green and blue are the nearest bands, in either unit.
func TestComposite(t *testing.T) {
	waves := []float64{400, 470, 540, 650, 900}
	micro := make([]float64, len(waves))
	for i, w := range waves {
		micro[i] = w / 1000
	}
	for _, got := range [][3]int{scene.Composite(5, waves, "nm"), scene.Composite(5, micro, "um"), scene.Composite(5, micro, "")} {
		if got != [3]int{3, 2, 1} {
			t.Errorf("%v", got)
		}
	}
	if got := scene.Composite(12, nil, ""); got != [3]int{10, 6, 2} {
		t.Errorf("%v", got)
	}
	if got := scene.Composite(1, nil, ""); got != [3]int{0, 0, 0} {
		t.Errorf("%v", got)
	}
}
