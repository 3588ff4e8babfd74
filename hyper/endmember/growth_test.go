package endmember_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"drx/hyper/derived"
	"drx/hyper/endmember"
	"drx/hyper/scene"
)

// reload returns a method after a round trip through JSON.
func reload(t *testing.T, m endmember.Method) endmember.Method {
	t.Helper()
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	again := reflect.New(reflect.TypeOf(m).Elem()).Interface().(endmember.Method)
	if err := json.Unmarshal(text, again); err != nil {
		t.Fatal(err)
	}
	return again
}

// randomProjection returns a projection of spectra with the given number of bands, or nil.
func randomProjection(rng *rand.Rand, bands, values int) *derived.Projection {
	p := &derived.Projection{Offset: make([]float64, bands)}
	for b := range p.Offset {
		p.Offset[b] = 5 + rng.Float64()
	}
	for range values {
		a := make([]float64, bands)
		for b := range a {
			a[b] = rng.NormFloat64()
		}
		p.Axes = append(p.Axes, a)
	}
	return p
}

const testBands = 5

// methods make new methods whose result does not depend on the history of the scene.
var methods = map[string]func(rng *rand.Rand) func() endmember.Method{
	"PPI": func(rng *rand.Rand) func() endmember.Method {
		n, seed := 3+rng.IntN(100), rng.Uint64()
		return func() endmember.Method {
			return &endmember.PPI{Options: endmember.Options{Count: 2}, Skewers: n, Seed: seed}
		}
	},
	"PPI apart": func(rng *rand.Rand) func() endmember.Method {
		seed := rng.Uint64()
		return func() endmember.Method {
			return &endmember.PPI{Options: endmember.Options{Count: 2}, Skewers: 50, Seed: seed, Apart: 0.02}
		}
	},
	"FIPPI": func(rng *rand.Rand) func() endmember.Method {
		p := randomProjection(rng, testBands, 3)
		return func() endmember.Method {
			return &endmember.FIPPI{Options: endmember.Options{Count: 3, Projection: p}}
		}
	},
	"ATGP": func(rng *rand.Rand) func() endmember.Method {
		n := 2 + rng.IntN(testBands-1)
		return func() endmember.Method { return &endmember.ATGP{Options: endmember.Options{Count: n}} }
	},
	"SGA": func(rng *rand.Rand) func() endmember.Method {
		n := 2 + rng.IntN(testBands)
		return func() endmember.Method { return &endmember.SGA{Options: endmember.Options{Count: n}} }
	},
	"SGA projected": func(rng *rand.Rand) func() endmember.Method {
		p := randomProjection(rng, testBands, 3)
		return func() endmember.Method {
			return &endmember.SGA{Options: endmember.Options{Count: 4, Projection: p}}
		}
	},
	"VCA": func(rng *rand.Rand) func() endmember.Method {
		p, seed := randomProjection(rng, testBands, 4), rng.Uint64()
		p.Constant = 3
		return func() endmember.Method {
			return &endmember.VCA{Options: endmember.Options{Count: 4, Projection: p}, Seed: seed}
		}
	},
	"AMEE rounds": func(rng *rand.Rand) func() endmember.Method {
		w, n := 3+2*rng.IntN(2), 1+rng.IntN(3)
		return func() endmember.Method { return &endmember.AMEE{Count: 2, Window: w, Rounds: n} }
	},
	"AMEE windows": func(rng *rand.Rand) func() endmember.Method {
		w := 3 + 2*rng.IntN(3)
		return func() endmember.Method { return &endmember.AMEE{Count: 2, Window: 3, MaxWindow: w, Apart: 1e-4} }
	},
}

// TestGrowthEqualsBatch compares, after each step of random histories of growth on all sides and of
// changes, the updated state with that of a new method for the whole scene, bit for bit, with
// different numbers of goroutines.
func TestGrowthEqualsBatch(t *testing.T) {
	for name, make := range methods {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(11, 12))
			equal := 0
			for range 120 {
				w := newWorld(rng, testBands, 4, 8)
				fresh := make(rng)
				grown := fresh()
				changed := w.now
				for range 1 + rng.IntN(6) {
					cube := newCube(t, w, scene.Options{Workers: 1 + rng.IntN(2)})
					whole := fresh()
					want := whole.Update(t.Context(), newCube(t, w, scene.Options{Workers: 1 + rng.IntN(2)}), w.now)
					before := reload(t, grown)
					got := grown.Update(t.Context(), cube, changed)
					if (got == nil) != (want == nil) || got != nil && got.Error() != want.Error() {
						t.Fatalf("%s changed: error %v, in the whole scene %v", changed, got, want)
					}
					if got != nil {
						if !reflect.DeepEqual(reload(t, grown), before) {
							t.Fatal("a method has changed in spite of an error")
						}
						break
					}
					if !reflect.DeepEqual(grown, whole) {
						t.Fatalf("%s of %s changed:\n%+v, in the whole scene\n%+v", changed, w.now, grown, whole)
					}
					equal++
					if rng.IntN(2) == 0 {
						grown = reload(t, grown)
					}
					changed = w.change()
				}
			}
			if equal < 200 {
				t.Errorf("only %d steps without errors", equal)
			}
		})
	}
}

// TestGrowthBehindAMean grows a scene whose 3 x 3 means a method searches: the means of the pixels
// next to new ones change, too.
func TestGrowthBehindAMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for range 60 {
		w := newWorld(rng, testBands, 4, 8)
		grown, changed := &endmember.SGA{Options: endmember.Options{Count: 3}}, w.now
		for range 4 {
			cube := newCube(t, w, scene.Options{})
			if err := grown.Update(t.Context(), smoothed(t, cube, 3), changed.Grow(1).Intersect(w.now)); err != nil {
				break
			}
			whole := &endmember.SGA{Options: endmember.Options{Count: 3}}
			if err := whole.Update(t.Context(), smoothed(t, cube, 3), w.now); err != nil || !reflect.DeepEqual(grown, whole) {
				t.Fatalf("%+v, in the whole scene %+v, error %v", grown, whole, err)
			}
			changed = w.change()
		}
	}
}

// TestGrowthOfNFINDR checks the certificate after each step of random histories, by the volumes
// with all exchanges.
func TestGrowthOfNFINDR(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	steps, kept := 0, 0
	for range 120 {
		w := newWorld(rng, testBands, 4, 8)
		o := endmember.Options{Count: 2 + rng.IntN(4)}
		if rng.IntN(2) == 0 {
			o.Projection = randomProjection(rng, testBands, o.Count-1+rng.IntN(2))
		}
		n := &endmember.NFINDR{Options: o, Starts: rng.IntN(3), Seed: rng.Uint64()}
		other := reload(t, n).(*endmember.NFINDR)
		changed := w.now
		for range 1 + rng.IntN(6) {
			before := n.Vertices
			cube := newCube(t, w, scene.Options{Workers: 1})
			if err := n.Update(t.Context(), cube, changed); err != nil {
				break
			}
			if err := other.Update(t.Context(), newCube(t, w, scene.Options{Workers: 3}), changed); err != nil || !reflect.DeepEqual(n, other) {
				t.Fatalf("with 3 goroutines %+v, with 1 %+v, error %v", other, n, err)
			}
			checkCertificate(t, cube, n)
			steps++
			if reflect.DeepEqual(before, n.Vertices) {
				kept++
			}
			n = reload(t, n).(*endmember.NFINDR)
			changed = w.change()
		}
	}
	if steps < 200 || kept < 50 || steps-kept < 50 {
		t.Errorf("%d steps, %d of them without a change", steps, kept)
	}
}

// checkCertificate compares the certificate with the volumes of all simplices in which one vertex
// is replaced.
func checkCertificate(t *testing.T, cube *scene.Cube, n *endmember.NFINDR) {
	t.Helper()
	space := cube
	if n.Projection != nil {
		var err error
		if space, err = derived.Project(cube, n.Projection); err != nil {
			t.Fatal(err)
		}
	}
	pixels, spectra := usable(t, space)
	var vertices [][]float64
	for i, v := range n.Vertices {
		if n.Found[i].Pixel() != v.Pixel {
			t.Fatalf("endmember %d is %v, the vertex %v", i, n.Found[i].Pixel(), v.Pixel)
		}
		for j, p := range pixels {
			if p == v.Pixel {
				vertices = append(vertices, spectra[j])
			}
		}
	}
	volume := gramVolume(vertices)
	if math.Abs(n.Volume()/volume-1) > 1e-6 {
		t.Fatalf("volume %v, want %v", n.Volume(), volume)
	}
	if !n.Certificate.Holds() {
		t.Fatalf("the certificate does not hold: %+v", n.Certificate)
	}
	for j, c := range n.Certificate {
		largest := 0.0
		for i, x := range spectra {
			exchanged := append([][]float64(nil), vertices...)
			exchanged[j] = x
			ratio := gramVolume(exchanged) / volume
			largest = max(largest, ratio)
			if pixels[i] == c.Pixel && math.Abs(ratio-math.Sqrt(c.Square)) > 1e-5 {
				t.Fatalf("vertex %d: the exchange for %v changes the volume by %v, the certificate says %v", j, c.Pixel, ratio, math.Sqrt(c.Square))
			}
		}
		if largest > 1+1e-5 || math.Abs(largest-math.Sqrt(c.Square)) > 1e-5 {
			t.Fatalf("vertex %d: an exchange changes the volume by %v, the certificate says %v", j, largest, math.Sqrt(c.Square))
		}
	}
}

// overwritten finds the endmembers of a scene of one line with these spectra. It returns a function
// that replaces one spectrum and updates the method.
func overwritten(t *testing.T, spectra [][]float64, m endmember.Method) (replace func(sample int, x []float64) *scene.Cube) {
	t.Helper()
	w := &world{all: block(0, 1, 0, len(spectra)), bands: len(spectra[0])}
	w.now = w.all
	for _, x := range spectra {
		w.data = append(w.data, x...)
	}
	c := newCube(t, w, scene.Options{})
	if err := m.Update(t.Context(), c, w.now); err != nil {
		t.Fatal(err)
	}
	return func(sample int, x []float64) *scene.Cube {
		copy(w.data[sample*w.bands:], x)
		if err := m.Update(t.Context(), c, block(0, 1, sample, sample+1)); err != nil {
			t.Fatal(err)
		}
		return c
	}
}

// equalsBatch compares a method with a new one for the whole scene.
func equalsBatch(t *testing.T, c *scene.Cube, m, fresh endmember.Method) {
	t.Helper()
	if _, err := endmember.Find(t.Context(), c, fresh); err != nil || !reflect.DeepEqual(m, fresh) {
		t.Errorf("%+v, in the whole scene %+v, error %v", m, fresh, err)
	}
}

// TestEndmemberOfTheSameLength replaces the longest pixel by another one of equal length: the later
// steps must change.
func TestEndmemberOfTheSameLength(t *testing.T) {
	o := endmember.Options{Count: 2}
	m := &endmember.ATGP{Options: o}
	replace := overwritten(t, [][]float64{{3, 9, 0, 0, 8}, {1, 2, 0, 0, 7}, {5, 3, 0, 0, 1}}, m)
	equalsBatch(t, replace(0, []float64{8, 9, 0, 0, 3}), m, &endmember.ATGP{Options: o})
}

// TestTwinOfAVertex adds a pixel equal to a vertex before it, so that the certificate names the new
// one, and then removes it.
func TestTwinOfAVertex(t *testing.T) {
	o := endmember.Options{Count: 3}
	m := &endmember.NFINDR{Options: o}
	plain, corner := []float64{2, 2, 2}, []float64{9, 1, 2}
	replace := overwritten(t, [][]float64{plain, corner, {1, 9, 2}, {2, 1, 9}}, m)
	checkCertificate(t, replace(0, corner), m)
	if j := slices.IndexFunc(m.Vertices, func(v endmember.Vertex) bool { return v.Pixel.Sample == 1 }); j < 0 || m.Certificate[j].Pixel.Sample != 0 {
		t.Errorf("vertices %+v, certificate %+v", m.Vertices, m.Certificate)
	}
	c := replace(0, plain)
	checkCertificate(t, c, m)
	equalsBatch(t, c, m, &endmember.NFINDR{Options: o})
}
