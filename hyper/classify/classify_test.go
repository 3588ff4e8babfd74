package classify_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/hyper/classify"
	"drx/hyper/option"
	"drx/hyper/scene"
	"drx/hyper/score"
)

// bounds is the block of all cubes in these tests: several tiles, some of them cut.
var bounds = scene.Block{Lo: scene.Pixel{Line: -7, Sample: -9}, Hi: scene.Pixel{Line: 40, Sample: 80}}

// groups returns a cube whose pixels are near the spectra in turn; every 50th pixel has no
// spectrum.
func groups(t *testing.T, spectra [][]float64, spread float64, workers int) *scene.Cube {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var data []float64
	for i := range bounds.Pixels() {
		for _, v := range spectra[i%len(spectra)] {
			if i%50 == 3 {
				v = math.NaN()
			}
			data = append(data, v+spread*r.NormFloat64())
		}
	}
	src, err := scene.InMemory(bounds, len(spectra[0]), data)
	if err != nil {
		t.Fatal(err)
	}
	c, err := scene.New(src, scene.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var three = [][]float64{{1, 2, 3, 4}, {4, 3, 2, 1}, {2, 5, 5, 2}}

// plain finds the nearest spectrum by computing all distances.
func plain(m *classify.Measure, spectra [][]float64, x []float64) int {
	var d []float64
	for _, s := range spectra {
		switch m {
		case classify.Angle:
			ab, aa, bb := 0.0, 0.0, 0.0
			for i := range x {
				ab, aa, bb = ab+x[i]*s[i], aa+x[i]*x[i], bb+s[i]*s[i]
			}
			d = append(d, math.Acos(ab/math.Sqrt(aa*bb)))
		case classify.Divergence:
			d = append(d, score.Divergence(x, s))
		default:
			sum := 0.0
			for i := range x {
				sum += math.Pow(x[i]-s[i], 2)
			}
			d = append(d, sum)
		}
	}
	return slices.Index(d, slices.Min(d)) + 1
}

func TestCubesHaveTheNearestClass(t *testing.T) {
	for _, m := range classify.Measures() {
		c, err := classify.New(m, three, 0)
		if err != nil {
			t.Fatal(err)
		}
		cube := groups(t, three, 0.3, 3)
		plane, _ := scene.NewPlane(bounds, 1)
		counts, err := c.Cube(t.Context(), cube, bounds, plane)
		if err != nil {
			t.Fatal(err)
		}
		tile, err := cube.Read(t.Context(), bounds)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]int, 4)
		right := 0
		for i, ok := range tile.Valid {
			got := plane.At(bounds.At(i))[0]
			if !ok {
				if !math.IsNaN(got) {
					t.Fatalf("a pixel that is left out has class %v", got)
				}
				continue
			}
			class := plain(m, three, tile.Spectrum(i))
			if got != float64(class) {
				t.Fatalf("%s: class %v, want %v", m, got, class)
			}
			want[class]++
			if class == i%3+1 {
				right++
			}
		}
		if !slices.Equal(counts, want) || right < bounds.Pixels()*9/10 {
			t.Errorf("%s: counts %v, want %v; %d right", m, counts, want, right)
		}
	}
}

// Distances to a class equal those of package score.
func TestDistances(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 300 {
		x, s := make([]float64, 6), make([]float64, 6)
		for b := range x {
			x[b], s[b] = r.Float64(), r.Float64()
		}
		if r.IntN(5) == 0 {
			copy(x, s)
			x[0] *= 1 + 1e-9
		}
		squares := 0.0
		for b := range x {
			squares += (x[b] - s[b]) * (x[b] - s[b])
		}
		for m, want := range []float64{score.Angle(x, s), score.Divergence(x, s), math.Sqrt(squares)} {
			c, err := classify.New(classify.Measures()[m], [][]float64{s}, 0)
			if err != nil {
				t.Fatal(err)
			}
			if class, got := c.Class(x); class != 1 || math.Abs(got-want) > 1e-15+1e-6*want {
				t.Fatalf("%v: class %d at %v, want %v", classify.Measures()[m], class, got, want)
			}
		}
	}
	for _, m := range classify.Measures() {
		c, err := classify.New(m, [][]float64{{1, 2}}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if class, d := c.Class([]float64{math.NaN(), 1}); class != 0 || !math.IsNaN(d) {
			t.Errorf("%v of NaN: class %d at %v", m, class, d)
		}
	}
}

// Class spectra that start away from the means converge to them, identically for any number of
// goroutines.
func TestRefineFindsTheMeans(t *testing.T) {
	start := [][]float64{{1.3, 2, 3, 3}, {4, 3, 2.5, 1.5}, {2, 4, 6, 2}, {90, 90, 90, 90}}
	var first [][]float64
	for _, workers := range []int{1, 2, 5} {
		c, err := classify.New(classify.Distance, start, 0)
		if err != nil {
			t.Fatal(err)
		}
		refined, moved, err := c.Refine(t.Context(), groups(t, three, 0.1, workers), bounds, 10)
		if err != nil {
			t.Fatal(err)
		}
		got := refined.Spectra()
		if first == nil {
			first = got
		}
		for i, s := range got[:3] {
			for b, v := range s {
				if math.Abs(v-three[i][b]) > 0.02 || v != first[i][b] {
					t.Errorf("%d goroutines: class %d has %v, one has %v, the truth is %v", workers, i+1, s, first[i], three[i])
				}
			}
		}
		if !slices.Equal(got[3], start[3]) {
			t.Errorf("a class without pixels has moved to %v", got[3])
		}
		if len(moved) < 2 || len(moved) == 10 || moved[len(moved)-1] != 0 || moved[0] < 0.3 {
			t.Errorf("moved %v", moved)
		}
	}
}

// One round gives the mean of the pixels of each class, as computed directly.
func TestOneRoundIsTheMean(t *testing.T) {
	c, err := classify.New(classify.Angle, three, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	cube := groups(t, three, 0.5, 2)
	refined, _, err := c.Refine(t.Context(), cube, bounds, 1)
	if err != nil {
		t.Fatal(err)
	}
	tile, err := cube.Read(t.Context(), bounds)
	if err != nil {
		t.Fatal(err)
	}
	sums, n := make([][]float64, 4), make([]float64, 4)
	for i := range sums {
		sums[i] = make([]float64, 4)
	}
	for i, ok := range tile.Valid {
		if ok {
			class, distance := c.Class(tile.Spectrum(i))
			if (class == 0) != (distance > 0.2) {
				t.Fatalf("class %d at %v", class, distance)
			}
			n[class]++
			for b, v := range tile.Spectrum(i) {
				sums[class][b] += v
			}
		}
	}
	if n[0] == 0 {
		t.Fatal("the limit leaves no pixel out")
	}
	for i, s := range refined.Spectra() {
		for b, v := range s {
			if math.Abs(v-sums[i+1][b]/n[i+1]) > 1e-9 {
				t.Errorf("class %d, band %d: %v, want %v", i+1, b, v, sums[i+1][b]/n[i+1])
			}
		}
	}
}

func TestWrongClassifiers(t *testing.T) {
	newError := func(m *classify.Measure, limit float64, spectra ...[]float64) error {
		_, err := classify.New(m, spectra, limit)
		return err
	}
	one, err := classify.New(classify.Angle, [][]float64{{1, 2}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	plane, _ := scene.NewPlane(bounds, 1)
	two, _ := scene.NewPlane(bounds, 2)
	cube := groups(t, three, 0, 1)
	for want, try := range map[string]func() error{
		"no class spectrum is given: at least 1 is needed":                                               func() error { return newError(classify.Angle, 0) },
		"class spectrum 1 has 1 bands where 2 are needed":                                                func() error { return newError(classify.Angle, 0, []float64{1, 2}, []float64{1}) },
		"class spectrum 0: band 0 is +Inf; all values must be finite":                                    func() error { return newError(classify.Distance, 0, []float64{math.Inf(1)}) },
		"class spectrum 0 cannot be compared by angle: it has only zeros, or a sum that is not positive": func() error { return newError(classify.Angle, 0, []float64{0, 0}) },
		"class spectrum 0 cannot be compared by sid: it has only zeros, or a sum that is not positive":   func() error { return newError(classify.Divergence, 0, []float64{1, -2}) },
		"a limit of -1: it must be above 0, or 0 for none":                                               func() error { return newError(classify.Angle, -1, []float64{1}) },
		"no measure is given":                                        func() error { return newError(nil, 0, []float64{1}) },
		"the class spectra have 2 bands, the cube 4":                 func() error { _, err := one.Cube(t.Context(), cube, bounds, plane); return err },
		"the result for classes has 2 values per pixel instead of 1": func() error { _, err := one.Cube(t.Context(), cube, bounds, two); return err },
		"-1 rounds: the number must not be negative":                 func() error { _, _, err := one.Refine(t.Context(), cube, bounds, -1); return err },
		`option measure="sam": want angle, sid, distance`:            func() error { _, err := option.Find("measure", classify.Measures(), "sam"); return err },
	} {
		if err := try(); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	for _, m := range classify.Measures() {
		if got, err := option.Find("measure", classify.Measures(), fmt.Sprint(m)); err != nil || got != m {
			t.Errorf("%s: %v", m, err)
		}
	}
}
