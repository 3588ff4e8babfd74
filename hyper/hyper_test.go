package hyper_test

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"drx/hyper"
	"drx/hyper/classify"
	"drx/hyper/detect"
	"drx/hyper/endmember"
	"drx/hyper/library"
	"drx/hyper/option"
	"drx/hyper/reduce"
	"drx/hyper/scene"
	"drx/hyper/synth"
)

const bands = 9

// made returns a synthetic scene of three materials, and the truth.
func made(t *testing.T, o scene.Options) (*scene.Cube, *synth.Source) {
	t.Helper()
	var spectra [][]float64
	for k := range 3 {
		x := make([]float64, bands)
		for b := range x {
			x[b] = 0.1 + math.Exp(-math.Pow(float64(b-4*k), 2)/6)
		}
		spectra = append(spectra, x)
	}
	m, err := synth.Patches(3, 9, 5)
	check(t, err)
	src, err := synth.New(synth.Spec{Bounds: block(-3, 37, 2, 80), Spectra: spectra, Map: m, Mixing: 3, SNR: 35, Seed: 2})
	check(t, err)
	c, err := scene.New(src, o)
	check(t, err)
	return c, src
}

func block(l0, l1, s0, s1 int) scene.Block {
	return scene.Block{Lo: scene.Pixel{Line: l0, Sample: s0}, Hi: scene.Pixel{Line: l1, Sample: s1}}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestMomentsAreThoseOfThePixels compares statistics and components with plain sums over the
// pixels.
func TestMomentsAreThoseOfThePixels(t *testing.T) {
	c, _ := made(t, scene.Options{BadBands: []int{1}})
	m, err := hyper.Measure(t.Context(), c, true)
	check(t, err)
	list, err := m.Bands(c)
	check(t, err)
	tile, err := c.Read(t.Context(), c.Bounds())
	check(t, err)
	n := float64(len(tile.Valid))
	for b, got := range list {
		sum, squares := 0.0, 0.0
		for i := range tile.Valid {
			sum += tile.Spectrum(i)[b]
		}
		for i := range tile.Valid {
			squares += math.Pow(tile.Spectrum(i)[b]-sum/n, 2)
		}
		if want := math.Sqrt(squares / (n - 1)); math.Abs(got.Mean-sum/n) > 1e-12 || math.Abs(got.Deviation-want) > 1e-12 || got.Band != c.SourceBands()[b] {
			t.Errorf("band %d: %+v, want mean %g, deviation %g", b, got, sum/n, want)
		}
		if math.Abs(got.SNR-math.Abs(got.Mean)/got.Noise) > 1e-9 {
			t.Errorf("band %d: %+v", b, got)
		}
	}
	for text, components := range map[string]int{"mnf:3": 3, "pct": bands - 1} {
		r, err := hyper.ParseReduction(text)
		check(t, err)
		tr, err := m.Transform(r, 0)
		check(t, err)
		if tr.Components() != components || r.String() != text {
			t.Errorf("%s: %d components, %s", text, tr.Components(), r)
		}
	}
	for _, text := range []string{"mnf:0", "mnf:x", "svd:3", "mnf:", "none:2"} {
		if _, err := hyper.ParseReduction(text); err == nil {
			t.Errorf("%s is a reduction", text)
		}
	}
	if _, err := m.Transform(hyper.Reduction{Method: reduce.ByPCT, Components: bands}, 0); err == nil {
		t.Error("more components than bands")
	}
}

// TestFoundIsRead: spectra written as JSON are read unchanged, and every method has a result.
func TestFoundIsRead(t *testing.T) {
	c, _ := made(t, scene.Options{})
	for _, method := range option.Names(endmember.Kinds()) {
		m, err := endmember.New(method)
		check(t, err)
		for _, o := range m.OwnOptions() {
			if o.Name == "apart" {
				check(t, o.Set("0.1"))
			}
		}
		s := hyper.Search{Method: m, Count: 3, Mean: 3, Reduce: hyper.Reduction{Method: reduce.ByMNF, Components: 4}}
		f, err := s.Find(t.Context(), c)
		check(t, err)
		text, err := json.Marshal(f)
		check(t, err)
		read, err := hyper.ReadSpectra(bytes.NewReader(text))
		check(t, err)
		if read.Mean != 3 || read.Reduce != s.Reduce || !slices.Equal(read.Bands, c.SourceBands()) || len(read.Names) != 3 {
			t.Errorf("%s: read %+v", method, read)
		}
		for i, x := range f.Spectra() {
			if !slices.Equal(x, read.Spectra[i]) {
				t.Errorf("%s: spectrum %d is %v, was %v", method, i, read.Spectra[i], x)
			}
		}
		if f.LogVolume == nil || (f.Certificate != nil) != (method == "nfindr") {
			t.Errorf("%s: volume %v, certificate %v", method, f.LogVolume, f.Certificate)
		}
	}
	for _, s := range []hyper.Search{{Count: 3}, {Method: &endmember.PPI{Skewers: -1}, Count: 3}, {Method: &endmember.SGA{}, Count: 1}, {Method: &endmember.SGA{}, Count: 3, Mean: 2}} {
		if _, err := s.Find(t.Context(), c); err == nil {
			t.Errorf("%+v has a result", s)
		}
	}
}

// TestDarkMaterialsAndAngles: if the noise is as large as the signal of a dark material, the angles
// between its pixels are larger than those between materials. Then AMEE misses other materials. In
// the scene restored from a few components it finds all.
func TestDarkMaterialsAndAngles(t *testing.T) {
	spectra := make([][]float64, 4)
	for m := range spectra {
		spectra[m] = make([]float64, 40)
		for b := range spectra[m] {
			spectra[m][b] = []float64{0.02, 0.5, 0.6, 0.7}[m] * (1 + 0.9*math.Sin(float64(b*(m+1))/12))
		}
	}
	classes, err := synth.Patches(4, 12, 3)
	check(t, err)
	src, err := synth.New(synth.Spec{Bounds: block(0, 60, 0, 60), Spectra: spectra, Map: classes, SNR: 35, Seed: 1})
	check(t, err)
	c, err := scene.New(src, scene.Options{})
	check(t, err)
	found := func(r hyper.Reduction) int {
		f, err := hyper.Search{Method: &endmember.AMEE{Apart: 0.3}, Count: 4, Reduce: r}.Find(t.Context(), c)
		check(t, err)
		kinds := map[int]bool{}
		for _, e := range f.Endmembers {
			kinds[classes(scene.Pixel{Line: e.Line, Sample: e.Sample})] = true
		}
		return len(kinds)
	}
	if n := found(hyper.Reduction{}); n == 4 {
		t.Errorf("%d materials in the scene with noise: is there enough of it?", n)
	}
	if n := found(hyper.Reduction{Method: reduce.ByPCT, Components: 3}); n != 4 {
		t.Errorf("%d of 4 materials in the scene computed back from three components", n)
	}
}

// TestFit: spectra are resampled by wavelength, lose the bad bands, or are refused.
func TestFit(t *testing.T) {
	three := func(w ...float64) *hyper.Spectra {
		return &hyper.Spectra{Library: library.Library{Names: []string{"a"}, Spectra: [][]float64{{1, 2, 4}}, Wavelengths: w, Unit: "nm"}}
	}
	own := three()
	own.Bands = []int{0, 1, 2}
	for _, c := range []struct {
		grid hyper.Grid
		s    *hyper.Spectra
		want []float64 // nil for an error
	}{
		{hyper.Grid{Count: 3}, three(), []float64{1, 2, 4}},
		{hyper.Grid{Count: 2, Bands: []int{0, 2}, All: 3}, three(), []float64{1, 4}},
		{hyper.Grid{Count: 2, Bands: []int{0, 2}, All: 4}, three(), nil},
		{hyper.Grid{Count: 3, Bands: []int{0, 1, 2}}, own, []float64{1, 2, 4}},
		{hyper.Grid{Count: 3, Bands: []int{0, 1, 3}}, own, nil},
		{hyper.Grid{Count: 2}, three(1, 2, 3), nil},
		{hyper.Grid{Count: 2, Wavelengths: []float64{150, 300}, Unit: "nm"}, three(100, 200, 300), []float64{1.5, 4}},
		{hyper.Grid{Count: 2, Wavelengths: []float64{150, 301}, Unit: "nm"}, three(100, 200, 300), nil},
	} {
		got, note, err := c.grid.Fit(c.s)
		if (err == nil) != (c.want != nil) || err == nil && !slices.Equal(got[0], c.want) {
			t.Errorf("%+v: %v, %q, %v; want %v", c.grid, got, note, err, c.want)
		}
		if err == nil && (note != "") != (len(c.want) == 2) {
			t.Errorf("%+v: note %q", c.grid, note)
		}
	}
	for _, text := range []string{"", "{}", "[]", `[[1],[1,2]]`, `{"endmembers":[{"spectrum":[]}]}`, `{"spectra":[[1,2]],"bands":[1]}`, `{"spectra":[[1,2]],"wavelengths":[1]}`, `{"spectra":[[1,2]],"names":["a","b"]}`, `{"spectra":[[1,2]],"reduce":"x"}`} {
		if s, err := hyper.ReadSpectra(strings.NewReader(text)); err == nil {
			t.Errorf("%s is %+v", text, s)
		}
	}
}

// TestCompare: labels name spectra by the nearest class mean; the confusion matrix equals a plain
// count.
func TestCompare(t *testing.T) {
	c, src := made(t, scene.Options{})
	truth, err := scene.NewPlane(c.Bounds(), 1)
	check(t, err)
	classes, err := scene.New(src.Classes(), scene.Options{KeepZero: true})
	check(t, err)
	check(t, scene.Copy(t.Context(), classes, truth))
	// Labels 7, 3 and 5 stand for materials 1, 2 and 3; some pixels are not labelled.
	labels, known := []float64{0, 7, 3, 5}, 0
	for i := range c.Bounds().Pixels() {
		v := truth.At(c.Bounds().At(i))
		if v[0] = labels[int(v[0])]; i%10 == 0 {
			v[0] = 0
		} else {
			known++
		}
	}
	f, err := hyper.Search{Method: &endmember.NFINDR{Seed: 1, Starts: 3}, Count: 5, Mean: 3, Reduce: hyper.Reduction{Method: reduce.ByMNF, Components: 4}}.Find(t.Context(), c)
	check(t, err)
	found, err := scene.NewPlane(c.Bounds(), 1)
	check(t, err)
	o := hyper.Classification{Measure: classify.Distance, Mean: 1, Reduce: hyper.Reduction{Method: reduce.ByMNF, Components: 4}, Rounds: 5}
	done, err := o.Run(t.Context(), c, f.Spectra(), found)
	check(t, err)
	compared, err := done.Compare(t.Context(), classify.Distance, found, truth)
	check(t, err)
	named := compared.Name(found)
	right := 0
	for i := range c.Bounds().Pixels() {
		p := c.Bounds().At(i)
		if truth.At(p)[0] != 0 && named.At(p)[0] == truth.At(p)[0] {
			right++
		}
	}
	share := float64(right) / float64(known)
	if !slices.Equal(compared.Labels, []int{3, 5, 7}) || math.Abs(share-compared.Confusion.Accuracy()) > 1e-12 || share < 0.95 || compared.Confusion.Pixels() != known {
		t.Errorf("labels %v, accuracy %g of %d pixels; counted %g of %d", compared.Labels, compared.Confusion.Accuracy(), compared.Confusion.Pixels(), share, known)
	}
	truth.At(c.Bounds().At(1))[0] = 1.5
	if _, err := done.Compare(t.Context(), classify.Distance, found, truth); err == nil || !strings.Contains(err.Error(), "1.5 at line -3, sample 3") {
		t.Errorf("a label of 1.5: %v", err)
	}
	other, err := scene.NewPlane(block(0, 2, 0, 2), 1)
	check(t, err)
	if _, err := done.Compare(t.Context(), classify.Distance, found, other); err == nil {
		t.Error("a truth of another shape")
	}
}

// TestDetectionIsTheDetector compares the scores with direct calls of the detectors, pixel by
// pixel.
func TestDetectionIsTheDetector(t *testing.T) {
	c, _ := made(t, scene.Options{})
	m, err := hyper.Measure(t.Context(), c, false)
	check(t, err)
	mean, err := m.Spectra.Mean()
	check(t, err)
	covariance, err := m.Spectra.Covariance()
	check(t, err)
	correlation, err := m.Spectra.Autocorrelation()
	check(t, err)
	tile, err := c.Read(t.Context(), c.Bounds())
	check(t, err)
	target := slices.Clone(tile.Spectrum(7))
	undesired := [][]float64{slices.Clone(tile.Spectrum(500)), slices.Clone(tile.Spectrum(1900))}
	want := map[*detect.Method]*detect.Detector{}
	for _, method := range detect.Methods() {
		var err error
		switch method {
		case detect.ByRX:
			want[method], err = detect.RX(mean, covariance)
		case detect.ByMF:
			want[method], err = detect.MatchedFilter(mean, covariance, target)
		case detect.ByACE:
			want[method], err = detect.ACE(mean, covariance, target)
		case detect.ByCEM:
			want[method], err = detect.CEM(correlation, target)
		case detect.ByOSP:
			want[method], err = detect.OSP(target, undesired)
		}
		check(t, err)
		d := hyper.Detection{Method: method, Target: target, Undesired: undesired}
		if !method.Target {
			d.Target = nil
		}
		scores, err := scene.NewPlane(c.Bounds(), 1)
		check(t, err)
		_, err = d.Run(t.Context(), c, scores)
		check(t, err)
		for i := range tile.Valid {
			if got, want := scores.At(tile.Block.At(i))[0], want[method].Score(tile.Spectrum(i)); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
				t.Fatalf("%s: pixel %d has %g, want %g", method, i, got, want)
			}
		}
	}
	for _, d := range []hyper.Detection{{}, {Method: detect.ByMF}, {Method: detect.ByRX, Target: target}, {Method: detect.ByACE, Target: target, Local: &detect.Local{Inner: 1, Outer: 3}}, {Method: detect.ByOSP, Target: target, Suppress: 2, Apart: 9}} {
		scores, _ := scene.NewPlane(c.Bounds(), 1)
		if _, err := d.Run(t.Context(), c, scores); err == nil {
			t.Errorf("%+v has scores", d)
		}
	}
}
