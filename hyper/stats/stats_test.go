package stats_test

import (
	"bytes"
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"drx/hyper/scene"
	"drx/hyper/stats"

	"gonum.org/v1/gonum/mat"
)

func block(l0, l1, s0, s1 int) scene.Block {
	return scene.Block{Lo: scene.Pixel{Line: l0, Sample: s0}, Hi: scene.Pixel{Line: l1, Sample: s1}}
}

// A field is a source whose bounds grow within those of its data.
type field struct {
	all    scene.Block
	bands  int
	data   []float64
	bounds scene.Block
}

func (f *field) Bounds() scene.Block { return f.bounds }
func (f *field) Bands() int          { return f.bands }
func (f *field) Integers16() bool    { return false }

func (f *field) at(p scene.Pixel) []float64 { return f.data[f.all.Index(p)*f.bands:][:f.bands] }

func (f *field) Read(_ context.Context, b scene.Block, dst []float64) error {
	for i := range b.Pixels() {
		copy(dst[i*f.bands:], f.at(b.At(i)))
	}
	return nil
}

// newField returns a field of random numbers with some unusable pixels: integers of 16 bits, or
// floats of very different magnitudes.
func newField(rng *rand.Rand, all scene.Block, bands int, integers bool) *field {
	f := &field{all, bands, make([]float64, all.Pixels()*bands), all}
	for i := range all.Pixels() {
		f.randomise(rng, all.At(i), integers)
	}
	return f
}

func (f *field) randomise(rng *rand.Rand, p scene.Pixel, integers bool) {
	x := f.at(p)
	for b := range x {
		if x[b] = math.Ldexp(rng.Float64(), rng.IntN(20)-10); integers {
			x[b] = float64(rng.IntN(1 << 16))
		}
	}
	switch rng.IntN(10) {
	case 0:
		x[0] = math.NaN()
	case 1:
		clear(x)
	}
}

func (f *field) cube(t testing.TB, workers int) *scene.Cube {
	t.Helper()
	c, err := scene.New(f, scene.Options{Workers: workers, Memory: 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (f *field) usable(p scene.Pixel) bool {
	zero := true
	for _, v := range f.at(p) {
		if math.IsNaN(v) {
			return false
		}
		zero = zero && v == 0
	}
	return !zero
}

// vectors returns the vectors that Sum sums.
func (f *field) vectors(kind stats.Kind, part, within scene.Block) (all [][]float64) {
	for i := range f.all.Pixels() {
		p := f.all.At(i)
		if !part.Contains(p) || !within.Contains(p) || !f.usable(p) {
			continue
		}
		if kind == stats.Spectra {
			all = append(all, f.at(p))
			continue
		}
		for _, x := range []struct {
			of stats.Kind
			q  scene.Pixel
		}{{stats.Right, scene.Pixel{Line: p.Line, Sample: p.Sample + 1}}, {stats.Below, scene.Pixel{Line: p.Line + 1, Sample: p.Sample}}} {
			if kind != x.of && kind != stats.Neighbours || !within.Contains(x.q) || !f.usable(x.q) {
				continue
			}
			d := make([]float64, f.bands)
			for b := range d {
				d[b] = f.at(p)[b] - f.at(x.q)[b]
			}
			all = append(all, d)
		}
	}
	return all
}

// rational returns the mean and covariance of integers, computed with fractions.
func rational(vectors [][]float64, i, j int) (mean, covariance float64) {
	n := big.NewRat(int64(len(vectors)), 1)
	si, sj, sij := new(big.Rat), new(big.Rat), new(big.Rat)
	for _, x := range vectors {
		a, b := new(big.Rat).SetFloat64(x[i]), new(big.Rat).SetFloat64(x[j])
		si.Add(si, a)
		sj.Add(sj, b)
		sij.Add(sij, a.Mul(a, b))
	}
	mean, _ = new(big.Rat).Quo(si, n).Float64()
	si.Mul(si, sj).Quo(si, n)
	sij.Sub(sij, si).Quo(sij, big.NewRat(int64(len(vectors)-1), 1))
	covariance, _ = sij.Float64()
	return mean, covariance
}

var kinds = []stats.Kind{stats.Spectra, stats.Right, stats.Below, stats.Neighbours}

// For integers, mean and covariance are the exact ones, rounded once.
func TestIntegersAreExact(t *testing.T) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 1))
		all := block(-rng.IntN(20), 1+rng.IntN(10), -rng.IntN(70), 2+rng.IntN(20))
		f := newField(rng, all, 1+rng.IntN(4), true)
		kind := kinds[seed%4]
		m := sum(t, f.cube(t, 2), kind, all, all)
		vectors := f.vectors(kind, all, all)
		if m.Count() != int64(len(vectors)) {
			t.Fatalf("seed %d: %d vectors, want %d", seed, m.Count(), len(vectors))
		}
		if len(vectors) < 2 {
			continue
		}
		mean, k := must(m.Mean()), must(m.Covariance())
		for i := range f.bands {
			for j := range f.bands {
				wantMean, want := rational(vectors, i, j)
				if mean[i] != wantMean || k.At(i, j) != want {
					t.Fatalf("seed %d, bands %d and %d: mean %v and covariance %v, want %v and %v", seed, i, j, mean[i], k.At(i, j), wantMean, want)
				}
			}
		}
	}
}

// For floats, all statistics agree with a computation in two passes over the vectors.
func TestFloatsAgreeWithTwoPasses(t *testing.T) {
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 2))
		all := block(0, 20, 0, 80)
		f := newField(rng, all, 3, false)
		kind := kinds[seed%4]
		m := sum(t, f.cube(t, 2), kind, all, all)
		vectors := f.vectors(kind, all, all)
		n := float64(len(vectors))
		mean := make([]float64, 3)
		for _, x := range vectors {
			for b := range mean {
				mean[b] += x[b] / n
			}
		}
		k, r := mat.NewSymDense(3, nil), mat.NewSymDense(3, nil)
		for _, x := range vectors {
			for i := range 3 {
				for j := i; j < 3; j++ {
					k.SetSym(i, j, k.At(i, j)+(x[i]-mean[i])*(x[j]-mean[j])/(n-1))
					r.SetSym(i, j, r.At(i, j)+x[i]*x[j]/n)
				}
			}
		}
		c := mat.NewSymDense(3, nil)
		for i := range 3 {
			for j := i; j < 3; j++ {
				c.SetSym(i, j, k.At(i, j)/math.Sqrt(k.At(i, i)*k.At(j, j)))
			}
		}
		for name, pair := range map[string][2]mat.Symmetric{
			"covariance":      {must(m.Covariance()), k},
			"autocorrelation": {must(m.Autocorrelation()), r},
			"correlation":     {must(m.Correlation()), c},
		} {
			if !mat.EqualApprox(pair[0], pair[1], 1e-9*mat.Max(pair[1])) {
				t.Errorf("seed %d: %s\n%v, want\n%v", seed, name, mat.Formatted(pair[0]), mat.Formatted(pair[1]))
			}
		}
	}
}

// The sums have the same bits with any number of goroutines.
func TestSameBitsWithAnyNumberOfGoroutines(t *testing.T) {
	for _, kind := range kinds {
		f := newField(rand.New(rand.NewPCG(1, 3)), block(-20, 100, -10, 200), 5, false)
		want := encode(t, sum(t, f.cube(t, 1), kind, f.all, f.all))
		for _, workers := range []int{2, 3, 8} {
			if !bytes.Equal(encode(t, sum(t, f.cube(t, workers), kind, f.all, f.all)), want) {
				t.Errorf("kind %d with %d goroutines: the bits differ", kind, workers)
			}
		}
	}
}

// A scene with overwritten parts has the same bits as one that is read as a whole.
func TestOverwrittenPartsHaveTheBitsOfTheWhole(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 4))
		f := newField(rng, block(-60, 60, -150, 150), 2, seed%3 == 0)
		kind := kinds[seed%4]
		m := sum(t, f.cube(t, 2), kind, f.bounds, f.bounds)
		for range 4 {
			f.overwrite(t, rng, kind, m)
		}
		if !bytes.Equal(encode(t, m), encode(t, sum(t, f.cube(t, 1), kind, f.bounds, f.bounds))) {
			t.Fatalf("seed %d: the bits of the history differ from those of the whole", seed)
		}
	}
}

// overwrite changes the pixels of a block, and the moments.
func (f *field) overwrite(t *testing.T, rng *rand.Rand, kind stats.Kind, m *stats.Moments) {
	p := f.bounds.At(rng.IntN(f.bounds.Pixels()))
	b := scene.Block{Lo: p, Hi: scene.Pixel{Line: p.Line + 1 + rng.IntN(9), Sample: p.Sample + 1 + rng.IntN(9)}}.Intersect(f.bounds)
	part := scene.Cover(b.Grow(kind.Halo()))
	if err := m.Subtract(sum(t, f.cube(t, 2), kind, part, f.bounds)); err != nil {
		t.Fatal(err)
	}
	for i := range b.Pixels() {
		f.randomise(rng, b.At(i), false)
	}
	if err := m.Add(sum(t, f.cube(t, 2), kind, part, f.bounds)); err != nil {
		t.Fatal(err)
	}
}

// For integers, the moments of parts with any bounds add up to those of the whole.
func TestAnyPartsOfIntegersAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	f := newField(rng, block(-9, 40, -5, 99), 3, true)
	c := f.cube(t, 2)
	for _, kind := range kinds {
		left, right := f.all, f.all
		left.Hi.Sample, right.Lo.Sample = 17, 17
		m := sum(t, c, kind, left, f.all)
		if err := m.Add(sum(t, c, kind, right, f.all)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(encode(t, m), encode(t, sum(t, c, kind, f.all, f.all))) {
			t.Errorf("kind %d: the parts do not add up", kind)
		}
	}
}

func TestNoiseAndSNR(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	all := block(0, 200, 0, 200)
	f := newField(rng, all, 3, true)
	for i := range all.Pixels() { // a plane with noise of deviations 2, 4 and 0
		p := all.At(i)
		copy(f.at(p), []float64{100 + 2*rng.NormFloat64(), 100 + 4*rng.NormFloat64() + float64(p.Line)/100, 7})
	}
	c := f.cube(t, 2)
	noise := must(stats.Noise(sum(t, c, stats.Neighbours, all, all)))
	for i, want := range []float64{4, 16, 0} {
		if math.Abs(noise.At(i, i)-want) > 0.05*want {
			t.Errorf("variance of the noise in band %d: %v, want %v", i, noise.At(i, i), want)
		}
	}
	snr := must(stats.SNR(sum(t, c, stats.Spectra, all, all), noise))
	for i, want := range []float64{50, 25.25, math.Inf(1)} {
		if math.Abs(snr[i]-want) > 0.5 {
			t.Errorf("SNR of band %d: %v, want %v", i, snr[i], want)
		}
	}
	if _, err := stats.SNR(stats.New(2), noise); err == nil {
		t.Error("no error for other numbers of bands")
	}
}

func TestTooFewPixelsAndTooLargeNumbers(t *testing.T) {
	f := newField(rand.New(rand.NewPCG(1, 7)), block(0, 1, 0, 2), 1, true)
	copy(f.data, []float64{math.NaN(), 5})
	one := sum(t, f.cube(t, 1), stats.Spectra, f.all, f.all)
	if mean := must(one.Mean()); mean[0] != 5 {
		t.Errorf("mean %v", mean)
	}
	want(t, "1 usable pixels or pairs of them: at least 2 are needed", second(one.Covariance()))
	want(t, "0 usable pixels or pairs of them: at least 1 are needed", second(stats.New(3).Mean()))
	want(t, "0 usable pixels or pairs of them: at least 2 are needed", second(stats.Noise(sum(t, f.cube(t, 1), stats.Right, f.all, f.all))))
	copy(f.data, []float64{5, 5})
	want(t, "band 0 has the same value everywhere and no correlation: leave it out", second(sum(t, f.cube(t, 1), stats.Spectra, f.all, f.all).Correlation()))
	copy(f.data, []float64{1e200, 1})
	large := sum(t, f.cube(t, 1), stats.Spectra, f.all, f.all)
	const tooLarge = "a sum of squares is larger than float64 can be: divide the values by a constant"
	want(t, tooLarge, second(large.Covariance()))
	want(t, tooLarge, second(large.MarshalBinary()))
	want(t, "kind 4 of vectors: the kinds are 0 to 3", second(stats.Sum(t.Context(), f.cube(t, 1), 4, f.all, f.all)))
	want(t, "moments of 3 bands cannot be added to those of 1", one.Add(stats.New(3)))
	want(t, "moments of 3 bands cannot be subtracted from those of 1", one.Subtract(stats.New(3)))
	want(t, "1 vectors cannot be subtracted from 0", stats.New(1).Subtract(one))
}

func sum(t *testing.T, c *scene.Cube, kind stats.Kind, part, within scene.Block) *stats.Moments {
	t.Helper()
	return must(stats.Sum(t.Context(), c, kind, part, within))
}

func encode(t *testing.T, m *stats.Moments) []byte {
	t.Helper()
	return must(m.MarshalBinary())
}

// must returns the value of a call, and panics if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func second[T any](_ T, err error) error { return err }

func want(t *testing.T, text string, err error) {
	t.Helper()
	if err == nil || err.Error() != text {
		t.Errorf("error %v, want %s", err, text)
	}
}

// The noise that the other bands do not predict equals the residual of a regression on them.
func TestResidualNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 10))
	all := block(0, 30, 0, 20)
	f := newField(rng, all, 3, true)
	for i := range all.Pixels() { // band 2 is the sum of the others and 1, plus noise of deviation 3
		a, b := 100+50*rng.NormFloat64(), 70+20*rng.NormFloat64()
		copy(f.at(all.At(i)), []float64{a, b, a + b + 1 + 3*rng.NormFloat64()})
	}
	m := sum(t, f.cube(t, 2), stats.Spectra, all, all)
	noise := must(stats.Residual(m))
	for band := range 3 {
		x, y := mat.NewDense(all.Pixels(), 3, nil), mat.NewVecDense(all.Pixels(), nil)
		for i := range all.Pixels() {
			v := f.at(all.At(i))
			x.SetRow(i, []float64{1, v[(band+1)%3], v[(band+2)%3]})
			y.SetVec(i, v[band])
		}
		var beta, rest mat.VecDense
		if err := beta.SolveVec(x, y); err != nil {
			t.Fatal(err)
		}
		rest.MulVec(x, &beta)
		rest.SubVec(y, &rest)
		if v := mat.Dot(&rest, &rest) / float64(all.Pixels()-1); math.Abs(noise.At(band, band)-v) > 1e-9*v {
			t.Errorf("noise of band %d: %v, want %v", band, noise.At(band, band), v)
		}
	}
	for i := range all.Pixels() {
		v := f.at(all.At(i))
		v[2] = v[0]
	}
	want(t, "the covariance of 3 bands is singular: leave out bands that follow from others, or use more pixels", second(stats.Residual(sum(t, f.cube(t, 1), stats.Spectra, all, all))))
}
