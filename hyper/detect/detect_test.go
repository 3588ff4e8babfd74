package detect_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"drx/hyper/detect"
	"drx/hyper/scene"
)

var bounds = scene.Block{Lo: scene.Pixel{Line: -5, Sample: -9}, Hi: scene.Pixel{Line: 20, Sample: 70}}

const bands = 5

// made returns a cube of correlated noise around a mean; every 40th pixel has no spectrum.
func made(t *testing.T, workers int) *scene.Cube {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var data []float64
	for i := range bounds.Pixels() {
		common := r.NormFloat64()
		for b := range bands {
			v := 10*float64(b+1) + common*float64(b) + r.NormFloat64()
			if i%40 == 3 {
				v = math.NaN()
			}
			data = append(data, v)
		}
	}
	src, err := scene.InMemory(bounds, bands, data)
	if err != nil {
		t.Fatal(err)
	}
	c, err := scene.New(src, scene.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// pixels returns the usable spectra of a block, one per row.
func pixels(t *testing.T, c *scene.Cube, b scene.Block, leave func(scene.Pixel) bool) *mat.Dense {
	t.Helper()
	tile, err := c.Read(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	var data []float64
	for i, ok := range tile.Valid {
		if ok && (leave == nil || !leave(tile.Block.At(i))) {
			data = append(data, tile.Spectrum(i)...)
		}
	}
	return mat.NewDense(len(data)/bands, bands, data)
}

// statistics returns mean, covariance and correlation by their definitions.
func statistics(x *mat.Dense) (mean []float64, covariance, correlation *mat.Dense) {
	n, k := x.Dims()
	mean = make([]float64, k)
	for b := range mean {
		mean[b] = mat.Sum(x.ColView(b)) / float64(n)
	}
	covariance, correlation = mat.NewDense(k, k, nil), mat.NewDense(k, k, nil)
	for a := range k {
		for b := range k {
			c, r := 0.0, 0.0
			for i := range n {
				c += (x.At(i, a) - mean[a]) * (x.At(i, b) - mean[b])
				r += x.At(i, a) * x.At(i, b)
			}
			covariance.Set(a, b, c/float64(n-1))
			correlation.Set(a, b, r/float64(n))
		}
	}
	return mean, covariance, correlation
}

// symmetric returns a matrix as a symmetric one.
func symmetric(m *mat.Dense) *mat.SymDense {
	n, _ := m.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, m.At(i, j))
		}
	}
	return s
}

// form returns a' C^-1 b, computed with the inverse.
func form(a, b []float64, c *mat.Dense) float64 {
	var inverse mat.Dense
	if err := inverse.Inverse(c); err != nil {
		panic(err)
	}
	return mat.Inner(mat.NewVecDense(len(a), a), &inverse, mat.NewVecDense(len(b), b))
}

// minus returns a - b.
func minus(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return d
}

var target = []float64{12, 21, 37, 41, 49}

func TestDetectorsAgreeWithTheirFormulas(t *testing.T) {
	c := made(t, 1)
	mean, covariance, correlation := statistics(pixels(t, c, bounds, nil))
	// The third spectrum is the sum of the others.
	undesired := [][]float64{{1, 2, 3, 4, 5}, {1, 1, 1, 1, 1}, {2, 3, 4, 5, 6}}
	formulas := map[string]func(x []float64) float64{
		"RX": func(x []float64) float64 { d := minus(x, mean); return form(d, d, covariance) },
		"MF": func(x []float64) float64 {
			d := minus(target, mean)
			return form(d, minus(x, mean), covariance) / form(d, d, covariance)
		},
		"ACE": func(x []float64) float64 {
			d, e := minus(target, mean), minus(x, mean)
			mf := form(d, e, covariance)
			return mf * math.Abs(mf) / (form(d, d, covariance) * form(e, e, covariance))
		},
		"CEM": func(x []float64) float64 { return form(target, x, correlation) / form(target, target, correlation) },
		"OSP": func(x []float64) float64 {
			u := mat.NewDense(bands, 2, nil)
			u.SetCol(0, undesired[0])
			u.SetCol(1, undesired[1])
			var g, p mat.Dense
			g.Mul(u.T(), u)
			if err := g.Inverse(&g); err != nil {
				t.Fatal(err)
			}
			p.Product(u, &g, u.T())
			left := mat.NewVecDense(bands, nil)
			left.MulVec(&p, mat.NewVecDense(bands, target))
			left.SubVec(mat.NewVecDense(bands, target), left)
			return mat.Dot(left, mat.NewVecDense(bands, x)) / mat.Dot(left, mat.NewVecDense(bands, target))
		},
	}
	detectors := map[string]func() (*detect.Detector, error){
		"RX":  func() (*detect.Detector, error) { return detect.RX(mean, symmetric(covariance)) },
		"MF":  func() (*detect.Detector, error) { return detect.MatchedFilter(mean, symmetric(covariance), target) },
		"ACE": func() (*detect.Detector, error) { return detect.ACE(mean, symmetric(covariance), target) },
		"CEM": func() (*detect.Detector, error) { return detect.CEM(symmetric(correlation), target) },
		"OSP": func() (*detect.Detector, error) { return detect.OSP(target, undesired) },
	}
	for name, formula := range formulas {
		d, err := detectors[name]()
		if err != nil {
			t.Fatal(name, err)
		}
		var first *scene.Plane
		for _, workers := range []int{1, 4} {
			cube := made(t, workers)
			plane, _ := scene.NewPlane(bounds, 1)
			if err := d.Cube(t.Context(), cube, bounds, plane); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = plane
			}
			tile, _ := cube.Read(t.Context(), bounds)
			for i, ok := range tile.Valid {
				got, one := plane.At(bounds.At(i))[0], first.At(bounds.At(i))[0]
				if !ok {
					if !math.IsNaN(got) {
						t.Fatalf("%s: a pixel that is left out has %v", name, got)
					}
					continue
				}
				if got != one {
					t.Fatalf("%s: pixel %v has %v, with one goroutine %v", name, bounds.At(i), got, one)
				}
				if i%7 != 0 {
					continue
				}
				if want := formula(tile.Spectrum(i)); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) || math.Abs(got-d.Score(tile.Spectrum(i))) > 1e-12*(1+math.Abs(want)) {
					t.Fatalf("%s: pixel %v has %v, want %v", name, bounds.At(i), got, want)
				}
			}
		}
		alone, _ := scene.NewPlane(bounds, 1)
		part := scene.Block{Lo: scene.Pixel{Line: 3, Sample: 11}, Hi: scene.Pixel{Line: 4, Sample: 13}}
		if err := d.Cube(t.Context(), c, part, alone); err != nil {
			t.Fatal(err)
		}
		if alone.At(part.Lo)[0] != first.At(part.Lo)[0] {
			t.Errorf("%s: a pixel with one other has %v, with all others %v", name, alone.At(part.Lo)[0], first.At(part.Lo)[0])
		}
		if name == "MF" || name == "ACE" || name == "CEM" || name == "OSP" {
			if got := d.Score(target); math.Abs(got-1) > 1e-12 {
				t.Errorf("%s of the target is %v", name, got)
			}
		}
		if got := d.Score(mean); name == "ACE" && got != 0 {
			t.Errorf("ACE of the mean is %v", got)
		}
	}
}

func TestLocalAgreesWithItsFormula(t *testing.T) {
	for _, l := range []detect.Local{{Inner: 3, Outer: 7}, {Inner: 1, Outer: 3}, {Inner: 1, Outer: 3, Loading: 0.1}} {
		for _, workers := range []int{1, 3} {
			c := made(t, workers)
			plane, _ := scene.NewPlane(bounds, 1)
			without, err := l.Cube(t.Context(), c, bounds, plane)
			if err != nil {
				t.Fatal(err)
			}
			tile, _ := c.Read(t.Context(), bounds)
			none := 0
			for i, ok := range tile.Valid {
				p := bounds.At(i)
				got := plane.At(p)[0]
				if !ok {
					continue
				}
				if math.IsNaN(got) {
					none++
				}
				if i%23 != 0 {
					continue
				}
				one := scene.Block{Lo: p, Hi: scene.Pixel{Line: p.Line + 1, Sample: p.Sample + 1}}
				x := pixels(t, c, one.Grow(l.Outer/2), one.Grow(l.Inner/2).Contains)
				n, _ := x.Dims()
				if n <= bands && l.Loading == 0 {
					if !math.IsNaN(got) {
						t.Fatalf("pixel %v with a background of %d pixels has %v", p, n, got)
					}
					continue
				}
				mean, covariance, _ := statistics(x)
				if l.Loading > 0 {
					more := l.Loading * mat.Trace(covariance) / bands
					for b := range bands {
						covariance.Set(b, b, covariance.At(b, b)+more)
					}
				}
				d := minus(tile.Spectrum(i), mean)
				if want := form(d, d, covariance); math.Abs(got-want) > 1e-7*(1+want) {
					t.Fatalf("%+v: pixel %v has %v, want %v", l, p, got, want)
				}
			}
			if none != without || (none > 0) != (l.Outer == 3 && l.Loading == 0) {
				t.Errorf("%+v: %d pixels without a score, said are %d", l, none, without)
			}
		}
	}
}

func TestWrongBackgrounds(t *testing.T) {
	one := mat.NewSymDense(2, []float64{2, 1, 1, 2})
	cube := made(t, 1)
	plane, _ := scene.NewPlane(bounds, 1)
	rx := func(mean []float64, c ...float64) error { _, err := detect.RX(mean, mat.NewSymDense(2, c)); return err }
	local := func(l detect.Local) error { _, err := l.Cube(t.Context(), cube, bounds, plane); return err }
	for want, try := range map[string]func() error{
		"the covariance has 2 bands where 1 are needed":                            func() error { return rx([]float64{1}, 2, 1, 1, 2) },
		"element 0, 1 of the covariance is NaN: it must be finite":                 func() error { return rx([]float64{1, 2}, 2, math.NaN(), 1, 2) },
		"band 1 of the covariance is 0: it must be positive, leave such bands out": func() error { return rx([]float64{1, 2}, 2, 0, 0, 0) },
		"the covariance of 2 bands is singular: ":                                  func() error { return rx([]float64{1, 2}, 1, 2, 2, 4) },
		"mean 0: band 0 is +Inf; all values must be finite":                        func() error { return rx([]float64{math.Inf(1), 2}, 2, 1, 1, 2) },
		"the target is the mean of the background: nothing tells them apart":       func() error { _, err := detect.ACE([]float64{1, 2}, one, []float64{1, 2}); return err },
		"target 0 has 1 bands where 2 are needed":                                  func() error { _, err := detect.MatchedFilter([]float64{1, 2}, one, []float64{1}); return err },
		"the target has only zeros":                                                func() error { _, err := detect.CEM(one, []float64{0, 0}); return err },
		"the target is a combination of the 1 undesired spectra: ":                 func() error { _, err := detect.OSP([]float64{1, 2}, [][]float64{{2, 4}}); return err },
		"no undesired spectrum is given: at least 1 is needed":                     func() error { _, err := detect.OSP([]float64{1, 2}, nil); return err },
		"windows of 2 and 3 pixels: ":                                              func() error { return local(detect.Local{Inner: 2, Outer: 3}) },
		"windows of 3 and 3 pixels: ":                                              func() error { return local(detect.Local{Inner: 3, Outer: 3}) },
		"a ring of 8 pixels for 9 bands: it needs more pixels than bands; take a larger window, fewer bands or a loading": func() error {
			src, err := scene.InMemory(scene.Block{Hi: scene.Pixel{Line: 1, Sample: 1}}, 9, make([]float64, 9))
			if err != nil {
				return err
			}
			c, err := scene.New(src, scene.Options{})
			if err != nil {
				return err
			}
			_, err = detect.Local{Inner: 1, Outer: 3}.Cube(t.Context(), c, c.Bounds(), plane)
			return err
		},
		"a loading of -1: it must be 0 or above": func() error { return local(detect.Local{Inner: 1, Outer: 3, Loading: -1}) },
		"the detector has 2 bands, the cube 5": func() error {
			d, err := detect.RX([]float64{1, 2}, one)
			if err != nil {
				return err
			}
			return d.Cube(t.Context(), cube, bounds, plane)
		},
	} {
		if err := try(); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
