//go:build openblas

package openblas_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"drx/internal/gemm"
	"drx/internal/gemm/openblas"
)

func numbers(rng *rand.Rand, n int) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = rng.NormFloat64()
	}
	return s
}

// OpenBLAS and package gemm agree.
func TestMulIsThatOfOpenBLAS(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	const m, n, k = 301, 250, 530
	a, b := numbers(rng, m*k), numbers(rng, k*n)
	want, got := make([]float64, m*n), make([]float64, m*n)
	for i := range 4 {
		x, y := gemm.Matrix{Data: a, Stride: k}, gemm.Matrix{Data: b, Stride: n}
		if i&1 != 0 {
			x = gemm.Matrix{Data: a, Stride: m, Transposed: true}
		}
		if i&2 != 0 {
			y = gemm.Matrix{Data: b, Stride: k, Transposed: true}
		}
		openblas.Mul(1, m, n, k, x, y, want, n)
		gemm.Mul(2, m, n, k, 1, x, y, got, n)
		for j := range want {
			if math.Abs(got[j]-want[j]) > 1e-12 {
				t.Fatalf("transposes %d: element %d is %v, want %v", i, j, got[j], want[j])
			}
		}
	}
}

// BenchmarkMul multiplies square matrices with one and two threads, and computes the product for
// covariances: 224 x 224 from 1024 pixels, of which package gemm computes only half.
func BenchmarkMul(b *testing.B) {
	for _, size := range [][2]int{{32, 32}, {224, 224}, {224, 1024}, {1000, 1000}, {2000, 2000}} {
		n, k := size[0], size[1]
		rng := rand.New(rand.NewPCG(1, 1))
		x, y, z := numbers(rng, n*k), numbers(rng, k*n), numbers(rng, n*n)
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%dx%d/%s", n, k, name), func(b *testing.B) {
				for range b.N {
					f()
				}
				b.ReportMetric(2*float64(n)*float64(n)*float64(k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GF/s")
			})
		}
		for threads := 1; threads <= 2; threads++ {
			run(fmt.Sprintf("openblas-%d", threads), func() {
				openblas.Mul(threads, n, n, k, gemm.Matrix{Data: x, Stride: k}, gemm.Matrix{Data: y, Stride: n}, z, n)
			})
			run(fmt.Sprintf("gemm-%d", threads), func() {
				gemm.Mul(threads, n, n, k, 1, gemm.Matrix{Data: x, Stride: k}, gemm.Matrix{Data: y, Stride: n}, z, n)
			})
		}
		run("gram", func() { gemm.Gram(z, x, k, n, n) })
	}
}
