package score_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/hyper/scene"
	"drx/hyper/score"
)

// bounds has several tiles, some of them cut.
var bounds = scene.Block{Lo: scene.Pixel{Line: -3, Sample: -70}, Hi: scene.Pixel{Line: 30, Sample: 20}}

// filled returns a scene with the values of f per pixel and band.
func filled(t *testing.T, b scene.Block, bands int, f func(pixel, band int) float64) scene.Source {
	t.Helper()
	var data []float64
	for i := range b.Pixels() {
		for k := range bands {
			data = append(data, f(i, k))
		}
	}
	s, err := scene.InMemory(b, bands, data)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestScoresOfScenesAreThoseOfTheirPixels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	n := bounds.Pixels()
	truth, scores, target := make([]float64, n), make([]float64, n), make([]bool, n)
	for i := range n {
		truth[i], scores[i] = float64(r.IntN(4)), r.Float64()
		target[i] = truth[i] != 0
	}
	of := func(v []float64) scene.Source { return filled(t, bounds, 1, func(i, _ int) float64 { return v[i] }) }
	auc, err := score.Detection(t.Context(), of(truth), of(scores))
	if wantAUC, _ := score.AUC(scores, target); err != nil || auc != wantAUC {
		t.Errorf("area %v, want %v (%v)", auc, wantAUC, err)
	}
}

func TestAbundances(t *testing.T) {
	truth := filled(t, bounds, 3, func(_, k int) float64 { return []float64{0.5, 0.3, 0.2}[k] })
	result := filled(t, bounds, 2, func(i, k int) float64 {
		if i%5 == 0 {
			return math.NaN()
		}
		return []float64{0.3, 0.6}[k]
	})
	each, all, err := score.Abundances(t.Context(), truth, result, []int{1, 0, -1})
	if err != nil || math.Abs(each[0]-0.1) > 1e-12 || math.Abs(each[1]) > 1e-12 || math.Abs(each[2]-0.2) > 1e-12 || math.Abs(all-math.Sqrt(0.05/3)) > 1e-12 {
		t.Errorf("%v %v %v", each, all, err)
	}
	if each, all, err := score.Abundances(t.Context(), truth, truth, nil); err != nil || all != 0 || !slices.Equal(each, []float64{0, 0, 0}) {
		t.Errorf("of itself: %v %v %v", each, all, err)
	}
}

func TestTruthOfAnotherShape(t *testing.T) {
	one := func(b scene.Block, bands int, v float64) scene.Source {
		return filled(t, b, bands, func(int, int) float64 { return v })
	}
	small := scene.Block{Hi: scene.Pixel{Line: 2, Sample: 3}}
	s := one(small, 1, 1)
	for want, try := range map[string]func() error{
		"the truth has lines -3:30, samples -70:20, the result lines 0:2, samples 0:3: both must have the same pixels": func() error { _, err := score.Detection(t.Context(), one(bounds, 1, 1), s); return err },
		"the truth has 2 values per pixel instead of 1":                                                                func() error { _, err := score.Detection(t.Context(), one(small, 2, 1), s); return err },
		"the area under the curve needs pixels with a target and without: there are 6 and 0":                           func() error { _, err := score.Detection(t.Context(), s, s); return err },
		"2 pairs for 1 true endmembers: there must be one for each":                                                    func() error { _, _, err := score.Abundances(t.Context(), s, s, []int{0, 1}); return err },
		"true endmember 0 is paired with number 1: the result has 0 to 0":                                              func() error { _, _, err := score.Abundances(t.Context(), s, s, []int{1}); return err },
		"the result has no abundances: all pixels were left out": func() error {
			_, _, err := score.Abundances(t.Context(), s, one(small, 1, math.NaN()), nil)
			return err
		},
	} {
		if err := try(); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
