package hyper

import (
	"context"
	"fmt"
	"math"

	"drx/hyper/scene"
)

// Within returns a source with the part of another one that is within a block.
func Within(s scene.Source, b scene.Block) scene.Source { return within{s, b.Intersect(s.Bounds())} }

type within struct {
	scene.Source
	bounds scene.Block
}

// Bounds returns the block.
func (w within) Bounds() scene.Block { return w.bounds }

// A Tee is a sink that passes values on to several others, and keeps the mean of each value over the pixels that have it.
type Tee struct {
	to    []scene.Sink
	n     int
	sum   []float64
	count []int
}

// NewTee returns a tee for n values per pixel. The error says that a sink takes another number.
func NewTee(n int, to ...scene.Sink) (*Tee, error) {
	for _, s := range to {
		if s.Values() != n {
			return nil, fmt.Errorf("a result with %d values per pixel for %d values", s.Values(), n)
		}
	}
	return &Tee{to: to, n: n, sum: make([]float64, n), count: make([]int, n)}, nil
}

// Values returns the number of values of each pixel.
func (t *Tee) Values() int { return t.n }

// Write passes the values of a block on. The error is that of a sink.
func (t *Tee) Write(ctx context.Context, b scene.Block, values []float64) error {
	for i, v := range values {
		if !math.IsNaN(v) {
			t.sum[i%t.n] += v
			t.count[i%t.n]++
		}
	}
	for _, s := range t.to {
		if err := s.Write(ctx, b, values); err != nil {
			return err
		}
	}
	return nil
}

// Means returns the mean of each value; NaN for one that no pixel has.
func (t *Tee) Means() []float64 {
	means := make([]float64, t.n)
	for i := range means {
		means[i] = t.sum[i] / float64(t.count[i])
	}
	return means
}

// Copy writes the values of a cube to a sink with as many values per pixel; pixels that are left out become NaN. The errors are those
// of the cube and the sink.
func Copy(ctx context.Context, c *scene.Cube, sink scene.Sink) error {
	return scene.Transform(ctx, c, c.Bounds(), sink, func(t *scene.Tile, dst []float64) error {
		for i, valid := range t.Valid {
			if valid {
				copy(dst[i*t.Bands:][:t.Bands], t.Spectrum(i))
			}
		}
		return nil
	})
}

// Composite returns the numbers of three bands of n for red, green and blue: those nearest to 640, 550 and 460 nm, or, without
// wavelengths, three that are evenly spaced. unit is "nm" or "um"; without one, wavelengths above 100 are in nm.
func Composite(n int, wavelengths []float64, unit string) [3]int {
	rgb := [3]int{n * 5 / 6, n / 2, n / 6}
	if len(wavelengths) == 0 {
		return rgb
	}
	factor := 1.0
	if unit == "um" || unit == "" && wavelengths[0] < 100 {
		factor = 1000
	}
	for i, target := range []float64{640, 550, 460} {
		for b, w := range wavelengths {
			if math.Abs(w*factor-target) < math.Abs(wavelengths[rgb[i]]*factor-target) {
				rgb[i] = b
			}
		}
	}
	return rgb
}
