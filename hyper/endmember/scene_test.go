package endmember_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"drx/hyper/derived"
	"drx/hyper/endmember"
	"drx/hyper/scene"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"
)

// synthetic returns a scene of mixtures of smooth spectra with noise of a standard deviation, and
// the spectra. No material has a larger share than purest; if purest is 1, each has one pure pixel.
func synthetic(t *testing.T, b scene.Block, bands, materials int, purest, deviation float64, opts scene.Options) (*scene.Cube, [][]float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(61, uint64(materials)))
	truth := make([][]float64, materials)
	for m := range truth {
		truth[m] = make([]float64, bands)
		phase, slope := rng.Float64(), rng.Float64()
		for k := range bands {
			x := float64(k) / float64(bands)
			truth[m][k] = 1.2 + slope*x + math.Sin(2*math.Pi*(phase+x*float64(1+m)))
		}
	}
	data := make([]float64, b.Pixels()*bands)
	for i := range b.Pixels() {
		share := mixture(rng, materials, purest)
		if purest == 1 && i%997 == 5 && i/997 < materials {
			clear(share)
			share[i/997] = 1
		}
		for k := range bands {
			for m, s := range share {
				data[i*bands+k] += s * truth[m][k]
			}
			data[i*bands+k] += deviation * rng.NormFloat64()
		}
	}
	src, err := scene.InMemory(b, bands, data)
	if err != nil {
		t.Fatal(err)
	}
	return newCube(t, src, opts), truth
}

// mixture returns random shares with the sum 1, uniform among those that do not exceed a limit.
func mixture(rng *rand.Rand, n int, most float64) []float64 {
	for {
		share, sum, largest := make([]float64, n), 0.0, 0.0
		for i := range share {
			share[i] = rng.ExpFloat64()
			sum += share[i]
		}
		for i := range share {
			share[i] /= sum
			largest = max(largest, share[i])
		}
		if largest <= most {
			return share
		}
	}
}

// TestPurePixelsAreFound has one pure pixel of each material: the simplex methods find it, FIPPI
// and PPI find it in a projection.
func TestPurePixelsAreFound(t *testing.T) {
	c, truth := synthetic(t, block(-30, 40, -20, 60), 40, 4, 1, 1e-6, scene.Options{})
	o := endmember.Options{Count: 4}
	s, err := endmember.Subspace(t.Context(), c, 4)
	if err != nil {
		t.Fatal(err)
	}
	projected := endmember.Options{Count: 4, Projection: s}
	for _, m := range []endmember.Method{
		&endmember.NFINDR{Options: o}, &endmember.NFINDR{Options: o, Starts: 3}, &endmember.NFINDR{Options: projected},
		&endmember.VCA{Options: o, Seed: 3}, &endmember.ATGP{Options: o}, &endmember.SGA{Options: o},
		&endmember.PPI{Options: projected, Skewers: 300}, &endmember.FIPPI{Options: projected},
	} {
		found, err := endmember.Find(t.Context(), c, m)
		if err != nil {
			t.Fatal(err)
		}
		if got := meanAngle(t, found, truth); got > 1e-4 {
			t.Errorf("%T: %.6f rad from the truth", m, got)
		}
	}
}

// TestSISALNeedsNoPurePixels has no pixel with more than 80 % of a material: SISAL finds the
// materials, while the purest pixels are far from them.
func TestSISALNeedsNoPurePixels(t *testing.T) {
	c, truth := synthetic(t, block(0, 25, 0, 40), 20, 3, 0.8, 1e-4, scene.Options{})
	for _, m := range []*endmember.SISAL{{Count: 3}, {Count: 3, Pixels: 500, Weight: 10}} {
		found, err := endmember.Find(t.Context(), c, m)
		if err != nil {
			t.Fatal(err)
		}
		if got := meanAngle(t, found, truth); got > 0.01 {
			t.Errorf("SISAL with weight %g: %.4f rad from the truth", m.Weight, got)
		}
		few := &endmember.SISAL{Count: 3, Pixels: m.Pixels, Weight: m.Weight, Rounds: 20}
		if err := few.Update(t.Context(), c, c.Bounds()); err != nil || m.Objective > few.Objective+1e-3 || m.Objective == 0 {
			t.Errorf("the objective is %v, after 20 rounds it is %v, error %v", m.Objective, few.Objective, err)
		}
	}
	found, err := endmember.Find(t.Context(), c, &endmember.NFINDR{Options: endmember.Options{Count: 3}})
	if err != nil {
		t.Fatal(err)
	}
	if got := meanAngle(t, found, truth); got < 0.05 {
		t.Errorf("pixels are %.4f rad from the truth", got)
	}
}

// TestSISALOfDarkMaterials has a material that is black in half of the bands, and one pixel that is
// not a mixture, which moves the vertex of the black material below 0. Without the mean of the
// scene, half of the pixels are below 0; then vertices may be, too.
func TestSISALOfDarkMaterials(t *testing.T) {
	const bands, materials = 6, 3
	b := block(0, 10, 0, 30)
	rng := rand.New(rand.NewPCG(71, 1))
	truth := make([][]float64, materials)
	for m := range truth {
		truth[m] = make([]float64, bands)
		for k := range bands {
			truth[m][k] = []float64{0, 0.5, 0.4}[m] + float64(k/(bands/2))*[]float64{0.3, -0.3, 0.1}[m]
		}
	}
	data, mean := make([]float64, b.Pixels()*bands), make([]float64, bands)
	for i := range b.Pixels() {
		share := mixture(rng, materials, 1)
		if i == 100 {
			share = []float64{1.4, -0.2, -0.2}
		}
		for k := range bands {
			for m, s := range share {
				data[i*bands+k] += s * truth[m][k]
			}
			data[i*bands+k] += 1e-3 * rng.NormFloat64()
			mean[k] += data[i*bands+k] / float64(b.Pixels())
		}
	}
	least := func(data []float64) float64 {
		found, err := endmember.Find(t.Context(), inMemory(t, b, bands, data), &endmember.SISAL{Count: materials, Weight: 10})
		if err != nil {
			t.Fatal(err)
		}
		low := math.Inf(1)
		for _, e := range found {
			low = min(low, slices.Min(e.Spectrum))
		}
		return low
	}
	if low := least(data); low != 0 {
		t.Errorf("the lowest value of a vertex is %v, want 0", low)
	}
	for i := range data {
		data[i] -= mean[i%bands]
	}
	if low := least(data); low+slices.Min(mean) >= 0 {
		t.Errorf("without the mean, the lowest value of a vertex is %v", low)
	}
}

// TestGoroutinesAndMemory compares the states of all methods in a scene of many tiles, for
// different numbers of goroutines and memory sizes.
func TestGoroutinesAndMemory(t *testing.T) {
	b := block(-17, 20, -70, 65)
	want := all(4)
	for i, opts := range []scene.Options{{Workers: 1}, {Workers: 3}, {Workers: 8, Memory: 700_000}} {
		c, _ := synthetic(t, b, 10, 4, 0.95, 0.01, opts)
		for k, m := range all(4) {
			if s, ok := m.(*endmember.SISAL); ok {
				s.Pixels, s.Rounds = 500, 3
			}
			if _, err := endmember.Find(t.Context(), c, m); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				want[k] = m
			} else if !reflect.DeepEqual(m, want[k]) {
				t.Errorf("%T with %+v differs from one goroutine", m, opts)
			}
		}
	}
}

// A backward is a kernel that sums in the opposite order of gonum's, so its rounding errors differ.
type backward struct{ gonum.Implementation }

// Dgemm multiplies a with the transpose of b, as the searches do.
func (backward) Dgemm(_, _ blas.Transpose, m, n, k int, _ float64, a []float64, lda int, b []float64, ldb int, _ float64, c []float64, ldc int) {
	for i := range m {
		for j := range n {
			s := 0.0
			for l := k - 1; l >= 0; l-- {
				s += a[i*lda+l] * b[j*ldb+l]
			}
			c[i*ldc+j] = s
		}
	}
}

// TestKernels compares the states of the methods that promise the same bits for any kernel.
func TestKernels(t *testing.T) {
	c, _ := synthetic(t, block(0, 20, 0, 40), 10, 4, 0.95, 0.01, scene.Options{})
	o := endmember.Options{Count: 4}
	for _, fresh := range []func() endmember.Method{
		func() endmember.Method { return &endmember.PPI{Options: o, Skewers: 100} },
		func() endmember.Method { return &endmember.FIPPI{Options: o} },
		func() endmember.Method { return &endmember.ATGP{Options: o} },
		func() endmember.Method { return &endmember.SGA{Options: o} },
		func() endmember.Method { return &endmember.NFINDR{Options: o, Starts: 2} },
		func() endmember.Method {
			p := randomProjection(rand.New(rand.NewPCG(1, 1)), 10, 4)
			return &endmember.VCA{Options: endmember.Options{Count: 4, Projection: p}}
		},
	} {
		var states []endmember.Method
		for _, kernel := range []blas.Float64{backward{}, gonum.Implementation{}} {
			m, usual := fresh(), blas64.Implementation()
			blas64.Use(kernel)
			_, err := endmember.Find(t.Context(), c, m)
			blas64.Use(usual)
			if err != nil {
				t.Fatal(err)
			}
			states = append(states, m)
		}
		if !reflect.DeepEqual(states[0], states[1]) {
			t.Errorf("%T: %+v with one kernel, %+v with another", states[0], states[0], states[1])
		}
	}
}

// TestSubspace compares VCA's subspaces with the singular vectors of all pixels.
func TestSubspace(t *testing.T) {
	const count, bands = 3, 12
	for _, deviation := range []float64{0.001, 0.5} {
		c, _ := synthetic(t, block(0, 20, 0, 30), bands, count, 1, deviation, scene.Options{})
		p, err := endmember.Subspace(t.Context(), c, count)
		if err != nil {
			t.Fatal(err)
		}
		_, spectra := usable(t, c)
		mean := make([]float64, bands)
		for _, x := range spectra {
			for k, v := range x {
				mean[k] += v / float64(len(spectra))
			}
		}
		m := mat.NewDense(len(spectra), bands, nil)
		for i, x := range spectra {
			m.SetRow(i, x)
		}
		rays := deviation < 0.01
		if rays != (p.Divisor != nil) || rays != (p.Constant == 0) {
			t.Fatalf("noise %g: %+v", deviation, p)
		}
		if !rays {
			for i := range spectra {
				for k, v := range mean {
					m.Set(i, k, m.At(i, k)-v)
				}
			}
		}
		var svd mat.SVD
		if !svd.Factorize(m, mat.SVDThin) {
			t.Fatal("no singular values")
		}
		var v mat.Dense
		svd.VTo(&v)
		for k, a := range p.Axes {
			if cos := math.Abs(plainDot(a, mat.Col(nil, k, &v))); cos < 1-1e-9 {
				t.Errorf("noise %g: axis %d has the cosine %v to the singular vector", deviation, k, cos)
			}
		}
		checkEnds(t, p, spectra, mean)
	}
}

// checkEnds checks the divisor or the constant of a subspace.
func checkEnds(t *testing.T, p *derived.Projection, spectra [][]float64, mean []float64) {
	t.Helper()
	if p.Divisor != nil {
		for i, a := range p.Axes {
			if math.Abs(p.Divisor[i]-plainDot(a, mean)) > 1e-9 {
				t.Errorf("divisor %v, axes %v, mean %v", p.Divisor, p.Axes, mean)
			}
		}
		return
	}
	longest := 0.0
	for _, x := range spectra {
		s := 0.0
		for _, a := range p.Axes {
			v := plainDot(a, x) - plainDot(a, mean)
			s += v * v
		}
		longest = max(longest, math.Sqrt(s))
	}
	if len(p.Axes) != 2 || math.Abs(longest-p.Constant) > 1e-9 {
		t.Errorf("%d axes and the constant %v, want 2 and %v", len(p.Axes), p.Constant, longest)
	}
}

// TestRestart compares the simplex of a scene that has grown with that of a new search.
func TestRestart(t *testing.T) {
	w := newWorld(rand.New(rand.NewPCG(63, 64)), 5, 5, 20)
	w.now = block(0, 0, 0, 4)
	n := &endmember.NFINDR{Options: endmember.Options{Count: 4}, Starts: 3}
	for w.now.Hi.Line < 20 {
		w.now.Hi.Line += 4
		if err := n.Update(t.Context(), newCube(t, w, scene.Options{}), block(w.now.Hi.Line-4, w.now.Hi.Line, 0, 4)); err != nil {
			t.Fatal(err)
		}
	}
	c := newCube(t, w, scene.Options{})
	best, ratio, err := n.Restart(t.Context(), c, 1)
	if err != nil {
		t.Fatal(err)
	}
	fresh := n.Fresh(n.Options).(*endmember.NFINDR)
	if _, err := endmember.Find(t.Context(), c, fresh); err != nil {
		t.Fatal(err)
	}
	if want := n.Volume() / fresh.Volume(); math.Abs(ratio-min(1, want)) > 1e-9 || ratio < 0.1 || (best != nil) != (want < 1) {
		t.Errorf("ratio %v, want %v, best %v", ratio, want, best)
	}
	if best != nil && !reflect.DeepEqual(best, endmember.Method(fresh)) {
		t.Errorf("restarted: %+v, new: %+v", best, fresh)
	}
	checkCertificate(t, c, fresh)
}
