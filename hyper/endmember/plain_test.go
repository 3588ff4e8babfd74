package endmember_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/hyper/endmember"
	"drx/hyper/scene"

	"gonum.org/v1/gonum/mat"
)

// This file has second, plain implementations of the methods, for scenes in memory.

// gramVolume is sqrt(det(D'D)) / (p-1)!, with the differences of the points to the first one as the
// columns of D.
func gramVolume(points [][]float64) float64 {
	n := len(points) - 1
	g := mat.NewDense(n, n, nil)
	factorial := 1.0
	for i := range n {
		factorial *= float64(i + 1)
		for j := range n {
			s := 0.0
			for b, v := range points[0] {
				s += (points[i+1][b] - v) * (points[j+1][b] - v)
			}
			g.Set(i, j, s)
		}
	}
	return math.Sqrt(max(0, mat.Det(g))) / factorial
}

// argmax returns the number of the spectrum with the largest value, or the first one of those that
// are equal up to rounding.
func argmax(spectra [][]float64, f func(x []float64) float64) int {
	best, value := -1, math.Inf(-1)
	for i, x := range spectra {
		if v := f(x); best < 0 || v > value+1e-9*math.Abs(value) {
			best, value = i, v
		}
	}
	return best
}

// outside returns the part of x outside of the span of the columns, x - U U+ x, by the normal
// equations.
func outside(span [][]float64, x []float64) []float64 {
	if len(span) == 0 {
		return x
	}
	u := mat.NewDense(len(x), len(span), nil)
	for j, s := range span {
		u.SetCol(j, s)
	}
	var g, b, a, p mat.Dense
	g.Mul(u.T(), u)
	v := mat.NewDense(len(x), 1, slices.Clone(x))
	b.Mul(u.T(), v)
	if err := a.Solve(&g, &b); err != nil {
		return make([]float64, len(x))
	}
	p.Mul(u, &a)
	p.Sub(v, &p)
	return mat.Col(nil, 0, &p)
}

func plainATGP(spectra [][]float64, count int) (list []int) {
	var span [][]float64
	for range count {
		i := argmax(spectra, func(x []float64) float64 {
			r := outside(span, x)
			return plainDot(r, r)
		})
		list, span = append(list, i), append(span, spectra[i])
	}
	return list
}

func plainSGA(spectra [][]float64, count int) []int {
	list := []int{argmax(spectra, func(x []float64) float64 { return plainDot(x, x) })}
	points := [][]float64{spectra[list[0]]}
	for len(list) < count {
		i := argmax(spectra, func(x []float64) float64 { return gramVolume(append(points, x)) })
		list, points = append(list, i), append(points, spectra[i])
	}
	return list
}

func plainVCA(spectra [][]float64, count int, seed uint64) (list []int) {
	last := make([]float64, len(spectra[0]))
	last[len(last)-1] = 1
	span := [][]float64{last}
	for k := range count {
		rng := rand.New(rand.NewPCG(seed, uint64(k)))
		w := make([]float64, len(last))
		for i := range w {
			w[i] = rng.NormFloat64()
		}
		f := outside(span, w)
		i := argmax(spectra, func(x []float64) float64 { return math.Abs(plainDot(f, x)) })
		if list = append(list, i); k == 0 {
			span = nil
		}
		span = append(span, spectra[i])
	}
	return list
}

// plainPPI returns how often each spectrum is an extreme of a skewer.
func plainPPI(spectra, skewers [][]float64) []int {
	count := make([]int, len(spectra))
	for _, s := range skewers {
		count[argmax(spectra, func(x []float64) float64 { return plainDot(s, x) })]++
		count[argmax(spectra, func(x []float64) float64 { return -plainDot(s, x) })]++
	}
	return count
}

func plainFIPPI(spectra [][]float64, count int) []int {
	set := map[int]bool{}
	for _, i := range plainATGP(spectra, count) {
		set[i] = true
	}
	for {
		var skewers [][]float64
		for i := range spectra {
			if set[i] {
				skewers = append(skewers, spectra[i])
			}
		}
		index, before := plainPPI(spectra, skewers), len(set)
		for i, n := range index {
			if n > 0 {
				set[i] = true
			}
		}
		if len(set) == before {
			return index
		}
	}
}

// plainNFINDR makes, in each pass, the best exchange for each vertex, in falling order, if it still
// enlarges the simplex.
func plainNFINDR(spectra [][]float64, list []int) []int {
	points := func(list []int) (p [][]float64) {
		for _, i := range list {
			p = append(p, spectra[i])
		}
		return p
	}
	for {
		volume, again := gramVolume(points(list)), false
		best, ratio := make([]int, len(list)), make([]float64, len(list))
		order := make([]int, len(list))
		for j := range list {
			order[j] = j
			of := func(x []float64) float64 {
				p := points(list)
				p[j] = x
				return gramVolume(p) / volume
			}
			best[j] = argmax(spectra, of)
			ratio[j] = of(spectra[best[j]])
		}
		slices.SortStableFunc(order, func(a, b int) int {
			if ratio[a] > ratio[b] {
				return -1
			}
			return 1
		})
		for _, j := range order {
			next := slices.Clone(list)
			next[j] = best[j]
			if v := gramVolume(points(next)); v > volume*(1+1e-9) {
				list, volume, again = next, v, true
			}
		}
		if !again {
			return list
		}
	}
}

// TestAgainstPlain compares the methods with their second implementations.
func TestAgainstPlain(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for range 60 {
		w := newWorld(rng, 3+rng.IntN(5), 3+rng.IntN(3), 4)
		w.now = w.all
		c := newCube(t, w, scene.Options{})
		pixels, spectra := usable(t, c)
		o := endmember.Options{Count: 2 + rng.IntN(min(4, w.bands)-1)}
		seed := rng.Uint64()
		compare := func(m endmember.Method, want []int) {
			t.Helper()
			found, err := endmember.Find(t.Context(), c, m)
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range pixelsOf(t, c, found) {
				if p != pixels[want[i]] {
					t.Fatalf("%T: endmember %d is %v, want %v", m, i, p, pixels[want[i]])
				}
			}
		}
		atgp := plainATGP(spectra, o.Count)
		compare(&endmember.ATGP{Options: o}, atgp)
		compare(&endmember.SGA{Options: o}, plainSGA(spectra, o.Count))
		compare(&endmember.NFINDR{Options: o}, plainNFINDR(spectra, atgp))

		v := &endmember.VCA{Options: o, Seed: seed}
		if _, err := endmember.Find(t.Context(), c, v); err != nil {
			t.Fatal(err)
		}
		var projected [][]float64
		for _, x := range spectra {
			y := make([]float64, v.Projection.Values())
			v.Projection.Apply(y, x, make([]float64, w.bands))
			projected = append(projected, y)
		}
		compare(v, plainVCA(projected, o.Count, seed))

		ppi := &endmember.PPI{Options: o, Skewers: 30, Seed: seed}
		var skewers [][]float64
		for k := range 30 {
			rng := rand.New(rand.NewPCG(seed, uint64(k)))
			s := make([]float64, w.bands)
			for i := range s {
				s[i] = rng.NormFloat64()
			}
			skewers = append(skewers, s)
		}
		fippi := &endmember.FIPPI{Options: o}
		for m, want := range map[endmember.Method][]int{ppi: plainPPI(spectra, skewers), fippi: plainFIPPI(spectra, o.Count)} {
			found, err := endmember.Find(t.Context(), c, m)
			if err != nil {
				if n := len(want) - len(slices.DeleteFunc(want, func(n int) bool { return n > 0 })); n >= o.Count {
					t.Fatalf("%v, but %d pixels are extreme", err, n)
				}
				continue
			}
			got := ppi.Indices()
			if m == fippi {
				got = fippi.Indices()
			}
			checkIndices(t, got, pixels, want, pixelsOf(t, c, found))
		}
	}
}

// checkIndices compares indices with the expected ones, and endmembers with the first of them.
func checkIndices(t *testing.T, got []endmember.Purity, pixels []scene.Pixel, want []int, found []scene.Pixel) {
	t.Helper()
	var list []endmember.Purity
	for i, n := range want {
		if n > 0 {
			list = append(list, endmember.Purity{Pixel: pixels[i], Index: n})
		}
	}
	slices.SortStableFunc(list, func(a, b endmember.Purity) int { return b.Index - a.Index })
	if !slices.Equal(got, list) {
		t.Fatalf("indices %v, want %v", got, list)
	}
	for i, p := range found {
		if p != list[i].Pixel {
			t.Fatalf("endmember %d is %v, want %v", i, p, list[i].Pixel)
		}
	}
}
