package scene

import (
	"context"
	"fmt"
	"math"
)

// A Tee is a sink that writes values to several other sinks, and computes the mean of each value
// over the pixels that have one.
type Tee struct {
	to    []Sink
	n     int
	sum   []float64
	count []int
}

// NewTee returns a tee for n values per pixel. It is an error if a sink has another number.
func NewTee(n int, to ...Sink) (*Tee, error) {
	for _, s := range to {
		if s.Values() != n {
			return nil, fmt.Errorf("a result with %d values per pixel for %d values", s.Values(), n)
		}
	}
	return &Tee{to: to, n: n, sum: make([]float64, n), count: make([]int, n)}, nil
}

// Values returns the number of values of each pixel.
func (t *Tee) Values() int { return t.n }

// Write forwards the values of a block. The error is that of a sink.
func (t *Tee) Write(ctx context.Context, b Block, values []float64) error {
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

// Means returns the mean of each value; NaN for a value that no pixel has.
func (t *Tee) Means() []float64 {
	means := make([]float64, t.n)
	for i := range means {
		means[i] = t.sum[i] / float64(t.count[i])
	}
	return means
}

// Copy writes the values of a cube to a sink with as many values per pixel; unusable pixels become
// NaN. The errors are those of the cube and the sink.
func Copy(ctx context.Context, c *Cube, sink Sink) error {
	return Transform(ctx, c, c.Bounds(), sink, copyTile)
}

// CopyByProcs is Copy by the procs of the cube, see TransformByProcs.
func CopyByProcs(ctx context.Context, c *Cube, sink Sink) error {
	return TransformByProcs(ctx, c, c.Bounds(), sink, copyTile)
}

func copyTile(t *Tile, dst []float64) error {
	for i, valid := range t.Valid {
		if valid {
			copy(dst[i*t.Bands:][:t.Bands], t.Spectrum(i))
		}
	}
	return nil
}
