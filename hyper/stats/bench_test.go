package stats_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"drx/hyper/scene"
	"drx/hyper/stats"
	"drx/internal/gemm"
)

// BenchmarkSum sums the moments of 256 x 256 pixels with one goroutine. GF/s counts a whole matrix
// product, twice the work that is done; "product" is the product alone.
func BenchmarkSum(b *testing.B) {
	const bands = 224
	all := block(0, 256, 0, 256)
	f := newField(rand.New(rand.NewPCG(1, 9)), all, bands, true)
	c, err := scene.New(f, scene.Options{Workers: 1, KeepZero: true})
	if err != nil {
		b.Fatal(err)
	}
	flops := 2 * float64(all.Pixels()) * bands * bands
	report := func(b *testing.B) {
		b.SetBytes(int64(all.Pixels() * bands * 2))
		b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GF/s")
	}
	for _, kind := range kinds {
		b.Run(fmt.Sprintf("kind-%d", kind), func(b *testing.B) {
			for range b.N {
				must(stats.Sum(b.Context(), c, kind, all, all))
			}
			report(b)
		})
	}
	b.Run("product", func(b *testing.B) {
		x, y := gemm.Matrix{Data: f.data, Stride: bands}, make([]float64, bands*bands)
		for range b.N {
			gemm.Mul(1, bands, bands, all.Pixels(), 1, x.T(), x, y, bands)
		}
		report(b)
	})
	m := must(stats.Sum(b.Context(), c, stats.Spectra, all, all))
	b.Run("covariance", func(b *testing.B) {
		for range b.N {
			must(m.Covariance())
		}
	})
}
