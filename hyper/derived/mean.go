package derived

import (
	"context"
	"fmt"
	"math"

	"drx/hyper/scene"
)

// Mean returns the scene of means over the usable pixels in the k x k pixels around each pixel.
// Unusable pixels stay unusable. If a block b of the cube changes or is added, the pixels of
// b.Grow(k/2) change. It is an error if k is even or less than 1.
func Mean(c *scene.Cube, k int) (*scene.Cube, error) {
	if k < 1 || k%2 == 0 {
		return nil, fmt.Errorf("a mean of %d x %d pixels: the extent must be odd and at least 1", k, k)
	}
	w, unit := c.Wavelengths()
	return scene.New(&mean{c, k / 2}, scene.Options{
		Wavelengths: w, Unit: unit, KeepZero: true, Memory: c.Options().Memory, Workers: c.Workers(), Comm: c.Options().Comm,
	})
}

type mean struct {
	cube   *scene.Cube
	radius int
}

// Bounds returns the bounds of the cube.
func (m *mean) Bounds() scene.Block { return m.cube.Bounds() }

// Bands returns the number of bands of the cube.
func (m *mean) Bands() int { return m.cube.Bands() }

// Integers16 returns false: means are fractions.
func (m *mean) Integers16() bool { return false }

// Read computes the means of a block: it sums along the lines first, then along the samples.
func (m *mean) Read(ctx context.Context, b scene.Block, dst []float64) error {
	t, err := m.cube.Read(ctx, b.Grow(m.radius))
	if err != nil {
		return err
	}
	if m.radius == 0 {
		m.alone(t, dst)
		return nil
	}
	width := t.Block.Samples()
	sums, counts := make([]float64, width*t.Bands), make([]int, width)
	for line := b.Lo.Line; line < b.Hi.Line; line++ {
		m.column(t, line, sums, counts)
		for sample := b.Lo.Sample; sample < b.Hi.Sample; sample++ {
			p := scene.Pixel{Line: line, Sample: sample}
			out := dst[b.Index(p)*t.Bands:][:t.Bands]
			if !t.Valid[t.Block.Index(p)] {
				fill(out, math.NaN())
				continue
			}
			fill(out, 0)
			n := 0
			for s := max(sample-m.radius, t.Block.Lo.Sample); s < min(sample+m.radius+1, t.Block.Hi.Sample); s++ {
				i := s - t.Block.Lo.Sample
				add(out, sums[i*t.Bands:][:t.Bands])
				n += counts[i]
			}
			for i := range out {
				out[i] /= float64(n)
			}
		}
	}
	return nil
}

// alone copies the spectra, which are the means for k = 1.
func (m *mean) alone(t *scene.Tile, dst []float64) {
	for i, v := range t.Data {
		dst[i] = v + 0 // +0 turns -0 into 0, as sums do
	}
	for i, valid := range t.Valid {
		if !valid {
			fill(dst[i*t.Bands:][:t.Bands], math.NaN())
		}
	}
}

// column sums and counts, for every sample of the tile, the usable pixels of the lines around line.
func (m *mean) column(t *scene.Tile, line int, sums []float64, counts []int) {
	fill(sums, 0)
	clear(counts)
	for l := max(line-m.radius, t.Block.Lo.Line); l < min(line+m.radius+1, t.Block.Hi.Line); l++ {
		first := t.Block.Index(scene.Pixel{Line: l, Sample: t.Block.Lo.Sample})
		for i := range counts {
			if t.Valid[first+i] {
				add(sums[i*t.Bands:][:t.Bands], t.Spectrum(first+i))
				counts[i]++
			}
		}
	}
}

func fill(dst []float64, v float64) {
	for i := range dst {
		dst[i] = v
	}
}

func add(dst, src []float64) {
	for i, v := range src {
		dst[i] += v
	}
}
