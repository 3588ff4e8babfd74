package synth_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"drx/hyper/scene"
	"drx/hyper/synth"
	"drx/hyper/unmix"
)

var spectra = [][]float64{{0.2, 0.3, 0.5, 0.4, 0.1}, {0.6, 0.5, 0.3, 0.2, 0.2}, {0.1, 0.4, 0.4, 0.7, 0.8}}

func block(l0, l1, s0, s1 int) scene.Block {
	return scene.Block{Lo: scene.Pixel{Line: l0, Sample: s0}, Hi: scene.Pixel{Line: l1, Sample: s1}}
}

// patches returns a map of three classes.
func patches(t *testing.T) synth.Map {
	t.Helper()
	m, err := synth.Patches(3, 10, 5)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func read(t *testing.T, s scene.Source, b scene.Block) []float64 {
	t.Helper()
	data := make([]float64, b.Pixels()*s.Bands())
	if err := s.Read(t.Context(), b, data); err != nil {
		t.Fatal(err)
	}
	return data
}

func made(t *testing.T, spec synth.Spec) *synth.Source {
	t.Helper()
	s, err := synth.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A block has the same pixels as the same part of a larger block, also in a scene of 2^62 pixels.
func TestBlocksDoNotDependOnEachOther(t *testing.T) {
	far := 1 << 30
	spec := synth.Spec{
		Bounds: block(-far, far, -far, far), Spectra: spectra, Map: patches(t), Mixing: 5, Illumination: 0.3, SNR: 30, Correlation: 0.5, Seed: 7,
	}
	s := made(t, spec)
	for _, at := range []int{0, far - 100, -far, -40} {
		all := block(at, at+60, at+10, at+70)
		data := read(t, s, all)
		for _, part := range []scene.Block{block(at+3, at+4, at+11, at+12), block(at+20, at+50, at+33, at+70)} {
			some := read(t, s, part)
			for i := range part.Pixels() {
				if want := data[all.Index(part.At(i))*5:][:5]; !slices.Equal(some[i*5:][:5], want) {
					t.Fatalf("pixel %v is %v, within a larger block %v", part.At(i), some[i*5:][:5], want)
				}
			}
		}
		spec.Seed++
		if slices.Equal(read(t, made(t, spec), all), data) {
			t.Error("another seed gives the same scene")
		}
	}
}

func TestSharesAreThoseOfTheSquare(t *testing.T) {
	m := patches(t)
	holey := func(p scene.Pixel) int {
		if p.Line == 3 || p == (scene.Pixel{Line: 5, Sample: 5}) {
			return 0
		}
		return m(p)
	}
	for _, mixing := range []int{0, 1, 3, 7} {
		s := made(t, synth.Spec{Bounds: block(0, 40, -20, 40), Spectra: spectra, Map: holey, Mixing: mixing})
		a, x, c := read(t, s.Abundances(), s.Bounds()), read(t, s, s.Bounds()), read(t, s.Classes(), s.Bounds())
		mixedPixels := 0
		for i := range s.Bounds().Pixels() {
			p := s.Bounds().At(i)
			want, n := make([]float64, 3), 0.0
			for l := p.Line - mixing/2; l <= p.Line+mixing/2; l++ {
				for m := p.Sample - mixing/2; m <= p.Sample+mixing/2; m++ {
					if class := holey(scene.Pixel{Line: l, Sample: m}); class > 0 {
						want[class-1]++
						n++
					}
				}
			}
			spectrum := make([]float64, 5)
			for k := range want {
				want[k] /= n
				if holey(p) == 0 {
					want[k] = 0
				}
				for b := range spectrum {
					spectrum[b] += want[k] * spectra[k][b]
				}
			}
			if slices.Max(want) < 1 && holey(p) > 0 {
				mixedPixels++
			}
			if !slices.Equal(a[i*3:][:3], want) || c[i] != float64(holey(p)) {
				t.Fatalf("mixing %d, pixel %v: shares %v, want %v", mixing, p, a[i*3:][:3], want)
			}
			for b, v := range spectrum {
				if math.Abs(x[i*5+b]-v) > 1e-15 {
					t.Fatalf("mixing %d, pixel %v: %v, want %v", mixing, p, x[i*5:][:5], spectrum)
				}
			}
		}
		if (mixedPixels == 0) != (mixing < 2) {
			t.Errorf("mixing %d: %d mixed pixels", mixing, mixedPixels)
		}
	}
}

// Unmixing finds the exact truth of a scene without noise, and nearly that of a scene with little
// noise.
func TestUnmixingFindsTheTruth(t *testing.T) {
	for snr, limit := range map[float64]float64{0: 1e-9, 60: 0.02} {
		s := made(t, synth.Spec{Bounds: block(0, 50, 0, 50), Spectra: spectra, Map: patches(t), Mixing: 5, SNR: snr})
		c, err := scene.New(s, scene.Options{})
		if err != nil {
			t.Fatal(err)
		}
		solver, err := unmix.New(unmix.FCLS, spectra)
		if err != nil {
			t.Fatal(err)
		}
		plane, _ := scene.NewPlane(s.Bounds(), 3)
		if _, err := solver.Cube(t.Context(), c, c.Bounds(), plane, nil); err != nil {
			t.Fatal(err)
		}
		truth := read(t, s.Abundances(), s.Bounds())
		for i := range s.Bounds().Pixels() {
			for k, v := range plane.At(s.Bounds().At(i)) {
				if math.Abs(v-truth[i*3+k]) > limit {
					t.Fatalf("%v dB: share %v, the truth is %v", snr, v, truth[i*3+k])
				}
			}
		}
	}
}

// The noise has the specified ratio, shape and correlation.
func TestNoiseIsAsSpecified(t *testing.T) {
	one := func(scene.Pixel) int { return 2 }
	shape := []float64{1, 2, 1, 3, 1}
	s := made(t, synth.Spec{Bounds: block(0, 300, 0, 300), Spectra: spectra, Map: one, SNR: 20, Correlation: 0.7, NoiseShape: shape, Seed: 3})
	data := read(t, s, s.Bounds())
	n := float64(s.Bounds().Pixels())
	var covariance [5][5]float64
	for i := range s.Bounds().Pixels() {
		for a := range 5 {
			for b := range 5 {
				covariance[a][b] += (data[i*5+a] - spectra[1][a]) * (data[i*5+b] - spectra[1][b]) / n
			}
		}
	}
	signal, noise := 0.0, 0.0
	for b := range 5 {
		for _, x := range spectra {
			signal += x[b] * x[b] / 3
		}
		noise += covariance[b][b]
	}
	if got := 10 * math.Log10(signal/noise); math.Abs(got-20) > 0.05 {
		t.Errorf("%v dB", got)
	}
	for a := range 5 {
		if got := math.Sqrt(covariance[a][a] / covariance[0][0]); math.Abs(got-shape[a]) > 0.03 {
			t.Errorf("band %d: noise of shape %v", a, got)
		}
		for b := range 5 {
			got := covariance[a][b] / math.Sqrt(covariance[a][a]*covariance[b][b])
			if want := math.Pow(0.7, math.Abs(float64(a-b))); math.Abs(got-want) > 0.02 {
				t.Errorf("bands %d and %d: correlation %v, want %v", a, b, got, want)
			}
		}
	}
	// Neighbouring pixels have independent noise.
	sum := 0.0
	for i := range s.Bounds().Pixels() - 1 {
		sum += (data[i*5] - spectra[1][0]) * (data[i*5+5] - spectra[1][0]) / n
	}
	if math.Abs(sum/covariance[0][0]) > 0.02 {
		t.Errorf("neighbouring pixels have a correlation of %v", sum/covariance[0][0])
	}
}

func TestLightIsSmoothAndWithinItsLimits(t *testing.T) {
	one := func(scene.Pixel) int { return 1 }
	s := made(t, synth.Spec{Bounds: block(-200, 200, -100, 300), Spectra: [][]float64{{1, 2}}, Map: one, Illumination: 0.4})
	data := read(t, s, s.Bounds())
	lo, hi := math.Inf(1), 0.0
	for i := range s.Bounds().Pixels() {
		v := data[i*2]
		lo, hi = min(lo, v), max(hi, v)
		if data[i*2+1] != 2*v {
			t.Fatal("the light depends on the band")
		}
		if i%400 > 0 && math.Abs(v-data[i*2-2]) > 0.8*1.5/64+1e-12 {
			t.Fatalf("the light jumps from %v to %v", data[i*2-2], v)
		}
	}
	if lo < 0.6 || hi > 1.4 || lo > 0.75 || hi < 1.25 {
		t.Errorf("the light is from %v to %v", lo, hi)
	}
}

func TestIntegers(t *testing.T) {
	one := func(scene.Pixel) int { return 1 }
	s := made(t, synth.Spec{Bounds: block(0, 9, 0, 9), Spectra: [][]float64{{0.12344, 7, -0.5}}, Map: one, Scale: 1e4})
	if got := read(t, s, block(0, 1, 0, 1)); !slices.Equal(got, []float64{1234, 65535, 0}) || !s.Integers16() {
		t.Errorf("%v", got)
	}
}

func TestMapsOfClassesGoOn(t *testing.T) {
	m, err := synth.FromClasses([]int{1, 2, 3, 4, 5, 6}, 2, 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"112233332211", "112233332211", "445566665544", "445566665544", "445566665544", "445566665544", "112233332211"}
	for l, row := range want {
		var got strings.Builder
		for s := range row {
			got.WriteByte('0' + byte(m(scene.Pixel{Line: l, Sample: s})))
		}
		if got.String() != row {
			t.Errorf("line %d: %s, want %s", l, got.String(), row)
		}
	}
	if m(scene.Pixel{Line: -1, Sample: -1}) != 1 || m(scene.Pixel{Line: -3, Sample: -3}) != 5 {
		t.Error("negative indices are not mirrored")
	}
}

// All classes are about equally frequent. Borders are only a little more frequent between the
// squares with a point each than within them, because the border of two squares is halfway between
// points.
func TestPatches(t *testing.T) {
	m, err := synth.Patches(4, 6, 1)
	if err != nil {
		t.Fatal(err)
	}
	counts, borders, between := make([]int, 5), 0, 0
	b := block(-150, 150, -150, 150)
	for i := range b.Pixels() {
		p := b.At(i)
		counts[m(p)]++
		if m(p) != m(scene.Pixel{Line: p.Line, Sample: p.Sample + 1}) {
			borders++
			if (p.Sample+1)%6 == 0 {
				between++
			}
		}
	}
	if between*6 > borders*3/2 {
		t.Errorf("%d of %d borders are between squares of 6 samples", between, borders)
	}
	for class, n := range counts[1:] {
		if n < b.Pixels()/4*8/10 || n > b.Pixels()/4*12/10 {
			t.Errorf("class %d has %d of %d pixels", class+1, n, b.Pixels())
		}
	}
	if borders < b.Pixels()/20 || borders > b.Pixels()/4 || counts[0] > 0 {
		t.Errorf("%d borders in %d pixels", borders, b.Pixels())
	}
}

func TestWrongSpecifications(t *testing.T) {
	one := func(scene.Pixel) int { return 1 }
	for want, spec := range map[string]synth.Spec{
		"no class spectrum is given: at least 1 is needed":                                             {Map: one},
		"the scene has no map of classes":                                                              {Spectra: spectra},
		"a mixing of 4 pixels: it must be odd":                                                         {Spectra: spectra, Map: one, Mixing: 4},
		"an illumination of 1: it must be from 0 to below 1":                                           {Spectra: spectra, Map: one, Illumination: 1},
		"a correlation of NaN: it must be from 0 to below 1":                                           {Spectra: spectra, Map: one, Correlation: math.NaN()},
		"a ratio of signal to noise of +Inf dB: it must be finite, or 0 for no noise":                  {Spectra: spectra, Map: one, SNR: math.Inf(1)},
		"the shape of the noise has 1 bands, the spectra 5":                                            {Spectra: spectra, Map: one, NoiseShape: []float64{1}},
		"the shape of the noise has -1 at band 1: it must be 0 or above":                               {Spectra: spectra, Map: one, SNR: 3, NoiseShape: []float64{1, -1, 0, 0, 0}},
		"a ratio of signal to noise of 3 dB needs spectra and a shape of the noise that are not all 0": {Spectra: [][]float64{{0, 0}}, Map: one, SNR: 3},
		"a scale of -1: it must be above 0, or 0 for values as they are":                               {Spectra: spectra, Map: one, Scale: -1},
	} {
		if _, err := synth.New(spec); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	s := made(t, synth.Spec{Bounds: block(0, 1, 0, 1), Spectra: spectra, Map: func(scene.Pixel) int { return 4 }})
	if err := s.Read(t.Context(), s.Bounds(), make([]float64, 5)); err == nil || err.Error() != "the map has class 4 at line 0, sample 0, but there are spectra for classes 1 to 3" {
		t.Errorf("a class without spectrum: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Read(ctx, s.Bounds(), make([]float64, 5)); err == nil {
		t.Error("a cancelled context is not noticed")
	}
	for want, try := range map[string]func() error{
		"a map of 2 lines x 2 samples with 3 classes: there must be one per pixel": func() error { _, err := synth.FromClasses([]int{1, 2, 3}, 2, 2, 1); return err },
		"the map has class -1 at line 0, sample 1: classes are 0 and above":        func() error { _, err := synth.FromClasses([]int{1, -1}, 1, 2, 1); return err },
		"a map enlarged 0 times: the factor must be at least 1":                    func() error { _, err := synth.FromClasses([]int{1}, 1, 1, 0); return err },
		"patches of 0 classes and 5 pixels: both must be at least 1":               func() error { _, err := synth.Patches(0, 5, 1); return err },
	} {
		if err := try(); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	m, err := synth.Patches(12, 20, 1)
	if err != nil {
		b.Fatal(err)
	}
	var library [][]float64
	for range 12 {
		library = append(library, make([]float64, 200))
		library[len(library)-1][len(library)] = 1
	}
	s, err := synth.New(synth.Spec{Bounds: block(0, 1<<20, 0, 1<<20), Spectra: library, Map: m, Mixing: 3, SNR: 30, Correlation: 0.5, Illumination: 0.2})
	if err != nil {
		b.Fatal(err)
	}
	tile := block(1600, 1616, 640, 704)
	data := make([]float64, tile.Pixels()*200)
	b.SetBytes(int64(len(data) * 2))
	for b.Loop() {
		if err := s.Read(b.Context(), tile, data); err != nil {
			b.Fatal(err)
		}
	}
}
