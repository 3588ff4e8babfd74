package gemm

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// report reports billions of multiplications and additions per second.
func report(b *testing.B, flops float64) {
	b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GF/s")
}

// BenchmarkMul multiplies square matrices on one core and on all, beside gonum. Package openblas
// compares with OpenBLAS.
func BenchmarkMul(b *testing.B) {
	for _, n := range []int{4, 32, 224, 1000, 2000} {
		rng := rand.New(rand.NewPCG(1, 1))
		x, y, z := numbers(rng, n*n), numbers(rng, n*n), numbers(rng, n*n)
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				for range b.N {
					f()
				}
				report(b, 2*float64(n)*float64(n)*float64(n))
			})
		}
		for _, kn := range kernels {
			if kn != portable || n < 1000 {
				run(kn.name, func() { kn.mul(1, n, n, n, 1, Matrix{x, n, false}, Matrix{y, n, false}, z, n) })
			}
		}
		run("all-cores", func() { Mul(runtime.GOMAXPROCS(0), n, n, n, 1, Matrix{x, n, false}, Matrix{y, n, false}, z, n) })
		if n < 1000 {
			run("gonum", func() {
				gonum.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, x, n, y, n, 1, z, n)
			})
		}
	}
}

// BenchmarkGram computes the sums of products of a tile of 1024 pixels. Operations are counted as
// for a whole product, twice as many as necessary.
func BenchmarkGram(b *testing.B) {
	const rows = 1024
	for _, cols := range []int{103, 198, 224, 425} {
		rng := rand.New(rand.NewPCG(1, 1))
		x, c := numbers(rng, rows*cols), make([]float64, cols*cols)
		flops := 2 * float64(rows) * float64(cols) * float64(cols)
		for _, kn := range kernels {
			b.Run(fmt.Sprintf("%d/%s", cols, kn.name), func(b *testing.B) {
				for range b.N {
					kn.gram(c, x, rows, cols, cols)
				}
				report(b, flops)
			})
		}
		b.Run(fmt.Sprintf("%d/product", cols), func(b *testing.B) {
			for range b.N {
				Mul(1, cols, cols, rows, 1, Matrix{x, cols, true}, Matrix{x, cols, false}, c, cols)
			}
			report(b, flops)
		})
	}
}
