package count_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"drx/hyper/count"
	"drx/hyper/internal/jaspertest"
	"drx/hyper/scene"
	"drx/hyper/stats"

	"gonum.org/v1/gonum/mat"
)

// mixed returns n pixels, one per row: mixtures of p spectra with the given number of bands, and
// noise.
func mixed(rng *rand.Rand, n, p, bands int, noise float64) *mat.Dense {
	spectra, parts := mat.NewDense(p, bands, nil), mat.NewDense(n, p, nil)
	spectra.Apply(func(_, _ int, _ float64) float64 { return rng.Float64() }, spectra)
	for i := range n {
		sum := 0.0
		for j := range p {
			parts.Set(i, j, rng.ExpFloat64())
			sum += parts.At(i, j)
		}
		for j := range p {
			parts.Set(i, j, parts.At(i, j)/sum)
		}
	}
	var x mat.Dense
	x.Mul(parts, spectra)
	x.Apply(func(_, j int, v float64) float64 { return v + noise*(1+float64(j%3))*rng.NormFloat64() }, &x)
	return &x
}

// moments returns the moments of the pixels in the rows of x.
func moments(t *testing.T, x *mat.Dense) *stats.Moments {
	t.Helper()
	n, bands := x.Dims()
	src, err := scene.InMemory(scene.Block{Hi: scene.Pixel{Line: 1, Sample: n}}, bands, x.RawMatrix().Data)
	if err != nil {
		t.Fatal(err)
	}
	c, err := scene.New(src, scene.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := stats.Sum(t.Context(), c, stats.Spectra, c.Bounds(), c.Bounds())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// eigenvalues returns the squares of the singular values of x divided by n, largest first.
func eigenvalues(x mat.Matrix, n float64) []float64 {
	var svd mat.SVD
	svd.Factorize(x, mat.SVDNone)
	values := svd.Values(nil)
	for i, v := range values {
		values[i] = v * v / n
	}
	return values
}

// centred returns x with the mean of each column subtracted.
func centred(x *mat.Dense) *mat.Dense {
	n, bands := x.Dims()
	c := mat.DenseCopyOf(x)
	for j := range bands {
		mean := mat.Sum(x.ColView(j)) / float64(n)
		for i := range n {
			c.Set(i, j, c.At(i, j)-mean)
		}
	}
	return c
}

func equal(t *testing.T, name string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", name, len(got), len(want))
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > tolerance*math.Abs(want[0]) {
			t.Fatalf("%s %d: %v, want %v", name, i, got[i], want[i])
		}
	}
}

// HFC finds the eigenvalues of the pixels, and the thresholds from a table of quantiles. NWHFC
// equals HFC of pixels divided by the standard deviations of their noise.
func TestHFCAgreesWithThePixels(t *testing.T) {
	quantiles := map[float64]float64{0.1: 1.2815515655446004, 1e-3: 3.090232306167813, 1e-5: 4.264890793922602}
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n, p, bands := 300+rng.IntN(500), 1+rng.IntN(4), 5+rng.IntN(20)
		x := mixed(rng, n, p, bands, 0.01)
		noise := mat.NewSymDense(bands, nil)
		white := mat.DenseCopyOf(x)
		for j := range bands {
			d := 0.01 * float64(1+j%3)
			noise.SetSym(j, j, d*d)
			for i := range n {
				white.Set(i, j, x.At(i, j)/d)
			}
		}
		m := moments(t, x)
		for alarm, q := range quantiles {
			plain, err := count.HFC(m, alarm)
			if err != nil {
				t.Fatal(err)
			}
			checkHFC(t, plain, x, q)
			nw, err := count.NWHFC(m, noise, alarm)
			if err != nil {
				t.Fatal(err)
			}
			checkHFC(t, nw, white, q)
		}
	}
}

func checkHFC(t *testing.T, got *count.Test, x *mat.Dense, quantile float64) {
	t.Helper()
	rows, _ := x.Dims()
	n := float64(rows)
	r, k := eigenvalues(x, n), eigenvalues(centred(x), n-1)
	equal(t, "eigenvalue of the autocorrelation", got.Autocorrelation, r, 1e-12)
	equal(t, "eigenvalue of the covariance", got.Covariance, k, 1e-10)
	want := 0
	for i := range r {
		threshold := quantile * math.Sqrt(2*(r[i]*r[i]+k[i]*k[i])/n)
		if math.Abs(got.Threshold[i]-threshold) > 1e-9*r[0] {
			t.Fatalf("threshold %d: %v, want %v", i, got.Threshold[i], threshold)
		}
		if r[i]-k[i] > threshold {
			want++
		}
	}
	if got.Count != want {
		t.Errorf("count %d, want %d", got.Count, want)
	}
}

// HySime finds the noise, the costs and the count that follow from regressions of the bands over
// all pixels.
func TestHySimeAgreesWithThePixels(t *testing.T) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 2))
		p, bands := 1+rng.IntN(5), 12+rng.IntN(10)
		x := mixed(rng, 1000, p, bands, 0.002)
		got, err := count.HySime(moments(t, x))
		if err != nil {
			t.Fatal(err)
		}
		noise, costs := hysime(x)
		equal(t, "noise", got.Noise, noise, 1e-8)
		equal(t, "cost", got.Cost, costs, 1e-9)
		negative := 0
		for _, c := range costs {
			if c < 0 {
				negative++
			}
		}
		if got.Count != negative || got.Count != p || len(got.Basis) != p {
			t.Errorf("seed %d: %d dimensions, %d by regressions, %d spectra were mixed", seed, got.Count, negative, p)
		}
		checkBasis(t, x, got.Basis)
	}
}

// hysime computes the noise and the costs from all pixels, as the authors' program does.
func hysime(x *mat.Dense) (noise, costs []float64) {
	n, bands := x.Dims()
	signal := mat.DenseCopyOf(x)
	for i := range bands {
		others := mat.NewDense(n, bands-1, nil)
		for j, k := 0, 0; j < bands; j++ {
			if j != i {
				others.SetCol(k, mat.Col(nil, j, x))
				k++
			}
		}
		var beta, predicted mat.VecDense
		if err := beta.SolveVec(others, x.ColView(i)); err != nil {
			panic(err)
		}
		predicted.MulVec(others, &beta)
		signal.SetCol(i, predicted.RawVector().Data)
		var w mat.VecDense
		w.SubVec(x.ColView(i), &predicted)
		noise = append(noise, mat.Dot(&w, &w)/float64(n))
	}
	var svd mat.SVD
	svd.Factorize(signal, mat.SVDThin)
	var e mat.Dense
	svd.VTo(&e)
	power := 0.0
	for _, v := range svd.Values(nil) {
		power += v * v / float64(n)
	}
	for k := range bands {
		var y mat.VecDense
		y.MulVec(x, e.ColView(k))
		cost := -mat.Dot(&y, &y) / float64(n)
		for i := range bands {
			cost += 2 * e.At(i, k) * e.At(i, k) * (noise[i] + power/float64(bands)*1e-5)
		}
		costs = append(costs, cost)
	}
	slices.Sort(costs)
	return noise, costs
}

// checkBasis checks that the basis is orthonormal and that little of the pixels is outside of it.
func checkBasis(t *testing.T, x *mat.Dense, basis [][]float64) {
	t.Helper()
	for i, a := range basis {
		for j, b := range basis {
			want := 0.0
			if i == j {
				want = 1
			}
			if dot := mat.Dot(mat.NewVecDense(len(a), a), mat.NewVecDense(len(b), b)); math.Abs(dot-want) > 1e-10 {
				t.Fatalf("product of directions %d and %d: %v", i, j, dot)
			}
		}
	}
	bands := len(basis[0])
	e := mat.NewDense(len(basis), bands, slices.Concat(basis...))
	var y, rest mat.Dense
	y.Mul(x, e.T())
	rest.Mul(&y, e)
	rest.Sub(x, &rest)
	if part := mat.Norm(&rest, 2) / mat.Norm(x, 2); part > 0.02 {
		t.Errorf("%v of the pixels is outside of the subspace", part)
	}
}

func TestBadInput(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	few := moments(t, mixed(rng, 6, 2, 6, 0.1))
	const tooFew = "6 usable pixels of 6 bands: more pixels than bands are needed"
	_, err := count.HFC(few, 1e-3)
	wantError(t, err, tooFew)
	_, err = count.HySime(few)
	wantError(t, err, tooFew)
	x := mixed(rng, 100, 2, 6, 0.1)
	for _, p := range []float64{0, 0.5, -1, math.NaN()} {
		if _, err := count.HFC(moments(t, x), p); err == nil || !strings.Contains(err.Error(), "it must be above 0 and below 0.5") {
			t.Errorf("probability %v: %v", p, err)
		}
	}
	_, err = count.NWHFC(moments(t, x), mat.NewSymDense(5, nil), 1e-3)
	wantError(t, err, "the noise covariance has 5 bands, the mean 6")
	if _, err := count.NWHFC(moments(t, x), mat.NewSymDense(6, nil), 1e-3); err == nil || !strings.Contains(err.Error(), "is singular") {
		t.Errorf("no noise: %v", err)
	}
	x.SetCol(4, mat.Col(nil, 2, x))
	same := moments(t, x)
	_, err = count.HySime(same)
	wantError(t, err, "the autocorrelation of 6 bands is singular: leave out bands that follow from others, or use more pixels")
	if test, err := count.HFC(same, 1e-3); err != nil || test.Count > 5 {
		t.Errorf("two equal bands: %v, error %v", test, err)
	}
	x.SetCol(4, make([]float64, 100))
	_, err = count.HySime(moments(t, x))
	wantError(t, err, "band 4 of the autocorrelation is 0: it must be positive, leave such bands out")
	one := mat.NewDense(100, 1, nil)
	one.Apply(func(_, _ int, _ float64) float64 { return 5 + rng.NormFloat64() }, one)
	if test, err := count.HFC(moments(t, one), 1e-3); err != nil || test.Count != 1 {
		t.Errorf("one band: %v, error %v", test, err)
	}
	// No other band predicts a single band: all of it is noise.
	if s, err := count.HySime(moments(t, one)); err != nil || s.Count != 0 {
		t.Errorf("one band: %v, error %v", s, err)
	}
}

func wantError(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || err.Error() != text {
		t.Errorf("error %v, want %s", err, text)
	}
}

// The counts of Jasper Ridge equal those that NumPy computes from all pixels, see
// testdata/jasper.py.
func TestJasperRidge(t *testing.T) {
	c := jaspertest.Cube(t)
	b := c.Bounds()
	spectra, err := stats.Sum(t.Context(), c, stats.Spectra, b, b)
	if err != nil {
		t.Fatal(err)
	}
	differences, err := stats.Sum(t.Context(), c, stats.Neighbours, b, b)
	if err != nil {
		t.Fatal(err)
	}
	shift, err := stats.Noise(differences)
	if err != nil {
		t.Fatal(err)
	}
	residual, err := stats.Residual(spectra)
	if err != nil {
		t.Fatal(err)
	}
	hfc, err1 := count.HFC(spectra, 1e-3)
	fewer, err2 := count.HFC(spectra, 1e-5)
	byShift, err3 := count.NWHFC(spectra, shift, 1e-3)
	byResidual, err4 := count.NWHFC(spectra, residual, 1e-3)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	if got := [4]int{hfc.Count, fewer.Count, byShift.Count, byResidual.Count}; got != [4]int{15, 7, 9, 13} {
		t.Errorf("counts %v", got)
	}
	s, err := count.HySime(spectra)
	if err != nil {
		t.Fatal(err)
	}
	if s.Count != 17 {
		t.Errorf("HySime: %d, want 17", s.Count)
	}
	for _, x := range []struct {
		name      string
		got, want float64
	}{
		{"residual noise 0", residual.At(0, 0), 271.54143440909337},
		{"residual noise 100", residual.At(100, 100), 123.23362538823059},
		{"noise 0", s.Noise[0], 343.1699041073506},
		{"noise 100", s.Noise[100], 123.24424537759614},
		{"cost 0", s.Cost[0], -470072785.6970735},
		{"cost 1", s.Cost[1], -18148669.489871893},
		{"cost 2", s.Cost[2], -3706686.0534856315},
	} {
		if math.Abs(x.got-x.want) > 1e-7*math.Abs(x.want) {
			t.Errorf("%s: %v, want %v", x.name, x.got, x.want)
		}
	}
}
