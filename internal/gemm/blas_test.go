package gemm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"
)

// Dgemm computes the same as gonum's, for all transposes, strides and factors.
func TestDgemmIsAsGonums(t *testing.T) {
	transposes := []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}
	factors := []float64{0, 1, -0.7}
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 9))
		m, n, k := sizes(rng)
		tA, tB := transposes[rng.IntN(3)], transposes[rng.IntN(3)]
		alpha, beta := factors[rng.IntN(3)], factors[rng.IntN(3)]
		a, b, c := random(rng, m, k, tA != blas.NoTrans), random(rng, k, n, tB != blas.NoTrans), random(rng, m, n, false)
		if beta == 0 {
			c.Data[0] = math.NaN() // must have no effect
		}
		want, got := slices.Clone(c.Data), slices.Clone(c.Data)
		gonum.Implementation{}.Dgemm(tA, tB, m, n, k, alpha, a.Data, a.Stride, b.Data, b.Stride, beta, want, c.Stride)
		implementation{}.Dgemm(tA, tB, m, n, k, alpha, a.Data, a.Stride, b.Data, b.Stride, beta, got, c.Stride)
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= 1e-14*float64(k+10)) {
				t.Fatalf("seed %d, %d x %d x %d: element %d is %v, want %v", seed, m, n, k, i, got[i], want[i])
			}
		}
	}
}

func TestDgemmRefusesWhatGonumRefuses(t *testing.T) {
	s := make([]float64, 12)
	type args struct {
		tA            blas.Transpose
		m, n, k       int
		a             []float64
		lda           int
		b             []float64
		ldb           int
		c             []float64
		ldc           int
		panicExpected bool
	}
	for i, x := range []args{
		{blas.NoTrans, 3, 4, 3, s, 3, s, 4, s, 4, false},
		{'x', 3, 4, 3, s, 3, s, 4, s, 4, true},
		{blas.NoTrans, -1, 4, 3, s, 3, s, 4, s, 4, true},
		{blas.NoTrans, 3, 4, 3, s, 2, s, 4, s, 4, true},
		{blas.NoTrans, 3, 4, 3, s[:8], 3, s, 4, s, 4, true},
		{blas.NoTrans, 3, 4, 3, s, 3, s[:11], 4, s, 4, true},
		{blas.NoTrans, 3, 4, 3, s, 3, s, 4, s[:11], 4, true},
		{blas.NoTrans, 3, 4, 3, s, 3, s, 4, s, 3, true},
		{blas.Trans, 4, 3, 3, s, 4, s, 3, s, 3, false},
		{blas.Trans, 4, 3, 3, s, 3, s, 3, s, 3, true},
	} {
		panics := func() (p bool) {
			defer func() { p = recover() != nil }()
			implementation{}.Dgemm(x.tA, blas.NoTrans, x.m, x.n, x.k, 1, x.a, x.lda, x.b, x.ldb, 0, x.c, x.ldc)
			return false
		}()
		if panics != x.panicExpected {
			t.Errorf("call %d: panics: %v, want %v", i, panics, x.panicExpected)
		}
	}
}

// After use, package mat multiplies with Mul. An implementation that the program has selected is
// kept.
func TestUse(t *testing.T) {
	before := blas64.Implementation()
	defer blas64.Use(before)
	blas64.Use(gonum.Implementation{})
	use()
	if _, ours := blas64.Implementation().(implementation); !ours {
		t.Fatalf("blas64 uses %T", blas64.Implementation())
	}
	rng := rand.New(rand.NewPCG(1, 1))
	a, b := mat.NewDense(30, 300, numbers(rng, 9000)), mat.NewDense(300, 20, numbers(rng, 6000))
	want := make([]float64, 600)
	plain(30, 20, 300, 1, Matrix{Data: a.RawMatrix().Data, Stride: 300}, Matrix{Data: b.RawMatrix().Data, Stride: 20}, want, 20)
	var c mat.Dense
	c.Mul(a, b)
	if !sameBits(c.RawMatrix().Data, want) {
		t.Error("mat does not multiply with Mul")
	}
	other := struct{ implementation }{}
	blas64.Use(other)
	use()
	if blas64.Implementation() != blas.Float64(other) {
		t.Error("use has replaced an implementation that was chosen")
	}
}
