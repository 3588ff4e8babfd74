package unmix_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"drx/hyper/option"
	"drx/hyper/scene"
	"drx/hyper/unmix"
)

// brute finds abundances by trying every set of endmembers; those outside of the set have 0. It
// returns nil if a set has no stable solution.
func brute(m *unmix.Method, e [][]float64, x []float64) (best []float64) {
	p, least := len(e), math.Inf(1)
	for set := 0; set < 1<<p; set++ {
		var active []int
		for j := range p {
			if set>>j&1 == 1 {
				active = append(active, j)
			}
		}
		if m == unmix.UCLS && len(active) < p || m == unmix.FCLS && len(active) == 0 {
			continue
		}
		a := make([]float64, p)
		if !fit(m == unmix.FCLS, e, x, active, a) {
			return nil
		}
		if m != unmix.UCLS && slices.Min(a) < 0 {
			continue
		}
		if d := distance(e, x, a); d < least {
			best, least = a, d
		}
	}
	return best
}

// fit computes the abundances for a set with gonum, and reports whether that was possible. With
// sumToOne the last of them is 1 minus the others.
func fit(sumToOne bool, e [][]float64, x []float64, active []int, a []float64) bool {
	free := active
	var last []float64
	if sumToOne {
		free, last = active[:len(active)-1], e[active[len(active)-1]]
	}
	if sumToOne {
		a[active[len(active)-1]] = 1
	}
	if len(free) == 0 {
		return true
	}
	left, right := mat.NewDense(len(x), len(free), nil), mat.NewVecDense(len(x), nil)
	for b := range x {
		right.SetVec(b, x[b])
		if sumToOne {
			right.SetVec(b, x[b]-last[b])
		}
		for i, j := range free {
			left.Set(b, i, e[j][b])
			if sumToOne {
				left.Set(b, i, e[j][b]-last[b])
			}
		}
	}
	if len(free) > len(x) || mat.Cond(left, 2) > 1e7 {
		return false
	}
	var z mat.VecDense
	if z.SolveVec(left, right) != nil {
		return false
	}
	for i, j := range free {
		a[j] = z.AtVec(i)
		if sumToOne {
			a[active[len(active)-1]] -= z.AtVec(i)
		}
	}
	return true
}

// distance returns the RMSE of a reconstruction.
func distance(e [][]float64, x, a []float64) float64 {
	sum := 0.0
	for b := range x {
		d := x[b]
		for j := range e {
			d -= a[j] * e[j][b]
		}
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(x)))
}

// random returns n spectra of some bands, as similar to each other as those of real materials.
func random(r *rand.Rand, n, bands int) [][]float64 {
	s := make([][]float64, n)
	for i := range s {
		s[i] = make([]float64, bands)
		for b := range s[i] {
			s[i][b] = 1 + r.NormFloat64()*0.5
		}
	}
	return s
}

func TestSolversAgreeWithEverySetOfEndmembers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	compared := 0
	for range 500 {
		bands := 1 + r.IntN(7)
		for m, most := range map[*unmix.Method]int{unmix.UCLS: bands, unmix.NNLS: bands, unmix.FCLS: bands + 1} {
			e := random(r, 1+r.IntN(min(6, most)), bands)
			if m == unmix.FCLS && r.IntN(3) == 0 {
				clear(e[r.IntN(len(e))]) // shade
			}
			x := random(r, 1, bands)[0]
			if r.IntN(4) == 0 { // equal to one of the endmembers: its abundance is 1, at a corner
				copy(x, e[r.IntN(len(e))])
			}
			s, err := unmix.New(m, e)
			if err != nil {
				t.Fatal(err)
			}
			a := make([]float64, len(e))
			rmse := s.Solve(x, a)
			want := brute(m, e, x)
			if want == nil {
				continue
			}
			compared++
			if wantRMSE := distance(e, x, want); math.Abs(rmse-wantRMSE) > 1e-8 || math.Abs(rmse-distance(e, x, a)) > 1e-12 {
				t.Fatalf("%s: RMSE %g, every set has %g\nendmembers %v\nspectrum %v\nabundances %v, want %v", m, rmse, wantRMSE, e, x, a, want)
			}
			sum := 0.0
			for j, v := range a {
				sum += v
				if m != unmix.UCLS && v < 0 || math.Abs(v-want[j]) > 1e-5*(1+math.Abs(want[j])) {
					t.Fatalf("%s: abundances %v, want %v", m, a, want)
				}
			}
			if m == unmix.FCLS && math.Abs(sum-1) > 1e-12 {
				t.Fatalf("the sum is %v", sum)
			}
		}
	}
	if compared < 1465 {
		t.Errorf("only %d of 1500 were compared", compared)
	}
}

// With too many endmembers for trying all sets, the conditions of Kuhn and Tucker are checked,
// which only the minimum satisfies.
func TestManyEndmembersMeetTheConditionsOfAMinimum(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		for _, m := range []*unmix.Method{unmix.NNLS, unmix.FCLS} {
			e := random(r, 30, 60)
			s, err := unmix.New(m, e)
			if err != nil {
				t.Fatal(err)
			}
			x, a := random(r, 1, 60)[0], make([]float64, 30)
			s.Solve(x, a)
			gain, shared := make([]float64, 30), 0.0
			for j := range e {
				for b := range x {
					d := x[b]
					for k := range e {
						d -= a[k] * e[k][b]
					}
					gain[j] += d * e[j][b]
				}
				if m == unmix.FCLS {
					shared += a[j] * gain[j]
				}
			}
			for j, v := range a {
				if g := gain[j] - shared; v < 0 || g > 1e-9 || v > 0 && math.Abs(g) > 1e-9 {
					t.Fatalf("%s: abundance %d is %g and gains %g", m, j, v, g)
				}
			}
		}
	}
}

// cube returns a cube of mixtures with noise; some pixels have no spectrum.
func cube(t *testing.T, e [][]float64, opts scene.Options) *scene.Cube {
	t.Helper()
	b := scene.Block{Lo: scene.Pixel{Line: -20, Sample: -3}, Hi: scene.Pixel{Line: 21, Sample: 90}}
	r := rand.New(rand.NewPCG(5, 6))
	bands := len(e[0])
	data := make([]float64, b.Pixels()*bands)
	for i := range b.Pixels() {
		for _, s := range e {
			f := r.Float64()
			for k := range bands {
				data[i*bands+k] += f*s[k] + 0.01*r.NormFloat64()
			}
		}
		if i%100 == 7 {
			data[i*bands] = math.NaN()
		}
	}
	src, err := scene.InMemory(b, bands, data)
	if err != nil {
		t.Fatal(err)
	}
	c, err := scene.New(src, opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCubesHaveTheAbundancesOfTheirPixels(t *testing.T) {
	e := random(rand.New(rand.NewPCG(7, 8)), 4, 9)
	s, err := unmix.New(unmix.FCLS, e)
	if err != nil {
		t.Fatal(err)
	}
	var first unmix.Summary
	for _, workers := range []int{1, 2, 7} {
		c := cube(t, e, scene.Options{Workers: workers})
		a, _ := scene.NewPlane(c.Bounds(), 4)
		rmse, _ := scene.NewPlane(c.Bounds(), 1)
		sum, err := s.Cube(t.Context(), c, c.Bounds(), a, rmse)
		if err != nil {
			t.Fatal(err)
		}
		if workers == 1 {
			first = sum
		}
		if sum != first || sum.LeftOut != 39 || sum.Pixels != c.Bounds().Pixels()-39 {
			t.Errorf("%d goroutines: %+v, one has %+v", workers, sum, first)
		}
		tile, err := c.Read(t.Context(), c.Bounds())
		if err != nil {
			t.Fatal(err)
		}
		want, squares := make([]float64, 4), 0.0
		for i, ok := range tile.Valid {
			p := tile.Block.At(i)
			if !ok {
				if !math.IsNaN(a.At(p)[0]) || !math.IsNaN(rmse.At(p)[0]) {
					t.Fatalf("pixel %v was left out and has %v", p, a.At(p))
				}
				continue
			}
			d := s.Solve(tile.Spectrum(i), want)
			squares += d * d
			if !slices.Equal(a.At(p), want) || rmse.At(p)[0] != d {
				t.Fatalf("pixel %v has %v, alone %v", p, a.At(p), want)
			}
		}
		if d := math.Sqrt(squares / float64(sum.Pixels)); math.Abs(d-sum.RMSE) > 1e-12 {
			t.Errorf("RMSE %v, of the pixels %v", sum.RMSE, d)
		}
	}
}

func TestWrongEndmembers(t *testing.T) {
	for want, try := range map[string]func() error{
		"no endmember is given: at least 1 is needed": func() error { _, err := unmix.New(unmix.NNLS, nil); return err },
		"endmember 1 has 1 bands where 2 are needed":  func() error { _, err := unmix.New(unmix.NNLS, [][]float64{{1, 2}, {3}}); return err },
		"endmember 0: band 1 is NaN; all values must be finite": func() error {
			_, err := unmix.New(unmix.NNLS, [][]float64{{1, math.NaN()}})
			return err
		},
		"endmember 2 is a combination of those before it: leave it out": func() error {
			_, err := unmix.New(unmix.NNLS, [][]float64{{1, 2, 3}, {3, 2, 1}, {4, 4, 4}})
			return err
		},
		"endmember 0 is a combination of those before it: leave it out": func() error { _, err := unmix.New(unmix.UCLS, [][]float64{{0, 0}}); return err },
		"endmember 2 is a combination with the sum 1 of those before it: leave it out": func() error {
			_, err := unmix.New(unmix.FCLS, [][]float64{{1, 2, 3}, {3, 2, 1}, {2, 2, 2}})
			return err
		},
		"3 endmembers of 2 bands: nnls has one solution only for at most 2": func() error { _, err := unmix.New(unmix.NNLS, random(rand.New(rand.NewPCG(1, 1)), 3, 2)); return err },
		"4 endmembers of 2 bands: fcls has one solution only for at most 3": func() error { _, err := unmix.New(unmix.FCLS, random(rand.New(rand.NewPCG(1, 1)), 4, 2)); return err },
		`option method="lasso": want fcls, nnls, ucls`:                      func() error { _, err := option.Find("method", unmix.Methods(), "lasso"); return err },
		"no method of unmixing is given":                                    func() error { _, err := unmix.New(nil, [][]float64{{1}}); return err },
		"the endmembers have 1 bands, the cube 2":                           func() error { return into(t, [][]float64{{1}}, 1) },
		"the result has 3 values per pixel for 2 endmembers":                func() error { return into(t, [][]float64{{1, 2}, {2, 1}}, 3) },
	} {
		if err := try(); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	for _, m := range []*unmix.Method{unmix.UCLS, unmix.NNLS, unmix.FCLS} {
		if got, err := option.Find("method", unmix.Methods(), fmt.Sprint(m)); err != nil || got != m {
			t.Errorf("%s: %v", m, err)
		}
	}
}

// into unmixes a cube of two bands into a plane with the given number of values per pixel.
func into(t *testing.T, e [][]float64, values int) error {
	c := cube(t, [][]float64{{1, 2}}, scene.Options{})
	s, err := unmix.New(unmix.FCLS, e)
	if err != nil {
		return err
	}
	plane, _ := scene.NewPlane(c.Bounds(), values)
	_, err = s.Cube(t.Context(), c, c.Bounds(), plane, nil)
	return err
}

// Solving ends for a spectrum that is not finite, too.
func TestSpectraThatAreNotFiniteEnd(t *testing.T) {
	for _, m := range []*unmix.Method{unmix.UCLS, unmix.NNLS, unmix.FCLS} {
		s, err := unmix.New(m, [][]float64{{1, 2, 3}, {3, 2, 2}})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []float64{math.NaN(), math.Inf(1)} {
			if rmse := s.Solve([]float64{1, v, 2}, make([]float64, 2)); rmse < 1e300 {
				t.Errorf("%s of %v: RMSE %v", m, v, rmse)
			}
		}
	}
}

func BenchmarkSolve(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, m := range []*unmix.Method{unmix.UCLS, unmix.NNLS, unmix.FCLS} {
		e, x := random(r, 10, 200), random(r, 64, 200)
		s, err := unmix.New(m, e)
		if err != nil {
			b.Fatal(err)
		}
		a := make([]float64, 10)
		b.Run(strings.ToUpper(m.String()), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				s.Solve(x[i%64], a)
			}
		})
	}
}
