package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/hyper/scene"
)

// BenchmarkRanges compares the extremes of skewers over a first tile, and over one that does not
// exceed them, with the matrix product alone.
func BenchmarkRanges(b *testing.B) {
	const bands = 224
	block := scene.Block{Hi: scene.Pixel{Line: scene.TileLines, Sample: scene.TileSamples}}
	rng := rand.New(rand.NewPCG(1, 1))
	data, forms := make([]float64, block.Pixels()*bands), make([]float64, 1024*bands)
	for i := range data {
		data[i] = rng.Float64()
	}
	for i := range forms {
		forms[i] = rng.NormFloat64()
	}
	norms := slices.Repeat([]float64{15}, len(forms)/bands)
	tile := &scene.Tile{Block: block, Bands: bands, Data: data, Valid: slices.Repeat([]bool{true}, block.Pixels())}
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				f()
			}
			b.ReportMetric(2*float64(len(data)*len(norms))*float64(b.N)/b.Elapsed().Seconds()/1e9, "GF/s")
		})
	}
	run("ranges", func() { tileRanges(tile, forms, norms, newExtremes(len(norms))) })
	so := newExtremes(len(norms))
	tileRanges(tile, forms, norms, so)
	for i := range norms {
		so.high[i]++
		so.low[i]--
	}
	run("further ranges", func() { tileRanges(tile, forms, norms, so) })
	for _, m := range []int{32, 64, 256, 1024} {
		values := make([]float64, m*block.Pixels())
		run(fmt.Sprintf("product/%d", m), func() {
			for i := 0; i < len(norms); i += m {
				multiply(values, forms[i*bands:][:m*bands], data, bands)
			}
		})
	}
}
