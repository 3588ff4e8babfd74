package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"drx"
	"drx/internal/gemm"
)

// TestHistories: A and B grow at random, in all dimensions and on both sides. After each session C
// is exactly the product, and the session has computed only the new part.
func TestHistories(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 1))
			between := func(lo, hi int) int { return lo + rng.IntN(hi-lo+1) }
			extent := func(most int) span { lo := between(-40, 40); return span{lo, lo + between(0, most)} }
			p := newProblem(t, extent(70), extent(70), extent(400), [2]bool{seed&1 != 0, seed&2 != 0}, integers)
			computed := 0.0
			for step := range 4 {
				procs := between(1, 4)
				done, err := runSession(procs, p.settings(procs))
				if err != nil {
					t.Fatal(err)
				}
				p.checkExact(t)
				g := p.goal()
				computed += done.products
				if all := float64(g[0].len()) * float64(g[1].len()) * float64(g[2].len()); computed != all {
					t.Fatalf("step %d: %v products were computed up to now, want %v", step, computed, all)
				}
				for range between(1, 3) {
					m := []*matrix{p.a, p.b}[rng.IntN(2)]
					if err := m.grow(rng.IntN(2), between(1, 50), rng.IntN(2) == 0); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

// TestBits: C has the bits of one product in memory, for any number of procs, and grown matrices
// give the same bits for any number of procs. The norm of the error is within the bound that
// README.md states.
func TestBits(t *testing.T) {
	p := newProblem(t, span{0, 90}, span{0, 75}, span{0, 700}, [2]bool{false, true}, normal)
	g := p.goal()
	a, b := p.factors()
	want := make([]float64, g[rows].len()*g[cols].len())
	gemm.Mul(1, g[0].len(), g[1].len(), g[2].len(), 1, gemm.Matrix{Data: a, Stride: g[2].len()}, gemm.Matrix{Data: b, Stride: g[1].len()}, want, g[1].len())
	for procs := 1; procs <= 4; procs++ {
		p.c = fmt.Sprint(p.dir, "/C", procs)
		if _, err := runSession(procs, p.settings(procs)); err != nil {
			t.Fatal(err)
		}
		sameBits(t, p.result(t), want)
	}
	p.checkNorm(t, 1)
	if err := errors.Join(p.a.grow(1, 30, false), p.b.grow(1, 50, false), p.a.grow(0, 9, false)); err != nil {
		t.Fatal(err)
	}
	var grown []float64
	for procs := 1; procs <= 4; procs++ {
		p.c = fmt.Sprint(p.dir, "/C", 5-procs) // of another number of procs
		if _, err := runSession(procs, p.settings(procs)); err != nil {
			t.Fatal(err)
		}
		if grown == nil {
			grown = p.result(t)
		}
		sameBits(t, p.result(t), grown)
	}
	p.checkNorm(t, 2)
}

// checkNorm compares C with sums of twice the precision: the Frobenius norm of the error, which is
// at least its 2-norm, is at most (d + n) u |A| |B|, with d = 256 terms in a block, n blocks, and
// the Frobenius norms of A and B.
func (p *problem) checkNorm(t *testing.T, sessions int) {
	t.Helper()
	const u = 0x1p-53
	g := p.goal()
	a, b := p.factors()
	got := p.result(t)
	norm := func(x []float64) (sum float64) {
		for _, v := range x {
			sum += v * v
		}
		return math.Sqrt(sum)
	}
	n, k := g[cols].len(), g[inner].len()
	diff := make([]float64, len(got))
	for i := range got {
		sum, low := 0.0, 0.0 // dot product of Ogita, Rump and Oishi (2005), Dot2
		for q := range k {
			x, y := a[i/n*k+q], b[q*n+i%n]
			h := x * y
			s := sum + h
			z := s - sum
			low += (sum - (s - z)) + (h - z) + math.FMA(x, y, -h)
			sum = s
		}
		diff[i] = (got[i] - sum) - low
	}
	bound := float64(depth+k/depth+sessions) * u * norm(a) * norm(b)
	if e := norm(diff); !(e <= bound) || e == 0 {
		t.Errorf("the error has the norm %.3g, the bound is %.3g", e, bound)
	}
}

// TestRefused: a session that cannot be right is refused, with the reason.
func TestRefused(t *testing.T) {
	p := newProblem(t, span{0, 40}, span{0, 40}, span{0, 40}, [2]bool{}, integers)
	if _, err := runSession(2, p.settings(2)); err != nil {
		t.Fatal(err)
	}
	newMatrix(t, p.dir, "D", span{0, 4}, span{0, 4}, integers(3))
	for _, c := range []struct {
		what   string
		change func(s *settings)
		want   string
	}{
		{"too little memory", func(s *settings) { s.memory = 1 << 20; s.names[2] += "2" }, "allow more, or remove C and give a smaller -chunk"},
		{"other factors", func(s *settings) { s.names[0], s.names[1] = s.names[1], s.names[0] }, "holds the product of A and B"},
		{"transposed", func(s *settings) { s.transposed[0] = true }, "not of A and B, transposed [true false]"},
		{"another array", func(s *settings) { s.names[2] = p.dir + "/D" }, "choose another name"},
		{"no A", func(s *settings) { s.names[0] += "0" }, "no such file"},
	} {
		s := p.settings(2)
		c.change(&s)
		if _, err := runSession(2, s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
	}
	a, err := drx.Open(p.a.name, drx.Options{Write: true})
	if err == nil {
		err = errors.Join(a.Shrink(0, 1), a.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runSession(1, p.settings(1)); err == nil || !strings.Contains(err.Error(), "have shrunk to rows 0:39") {
		t.Errorf("A has shrunk: %v", err)
	}
}

// TestParseBytes reads numbers of bytes.
func TestParseBytes(t *testing.T) {
	for text, want := range map[string]int64{"7": 7, "3KiB": 3072, "512MiB": 512 << 20, "2TiB": 2 << 40, "-1": 0, "MiB": 0, "9999999999GiB": 0, "1MB": 0} {
		if n, err := parseBytes(text); n != want || (err != nil) != (want == 0) {
			t.Errorf("%s is %d, %v", text, n, err)
		}
	}
}
