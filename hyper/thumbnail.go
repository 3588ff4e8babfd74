package hyper

import (
	"context"
	"math"

	"drx/hyper/scene"
)

// A Thumbnail is a scene that is small enough for a picture: its elements are means of squares of pixels.
type Thumbnail struct {
	Rows, Cols int
	Values     [][]float64 // per band, row by row; NaN without usable pixels
}

// Shrink returns some bands of a cube, by their numbers in the cube, with at most side rows and columns. The error is one of reading.
func Shrink(ctx context.Context, c *scene.Cube, bands []int, side int) (*Thumbnail, error) {
	b := c.Bounds()
	step := max(1, (max(b.Lines(), b.Samples())+side-1)/side)
	t := &Thumbnail{Rows: (b.Lines() + step - 1) / step, Cols: (b.Samples() + step - 1) / step}
	n := t.Rows * t.Cols
	counts := make([]int, n)
	for range bands {
		t.Values = append(t.Values, make([]float64, n))
	}
	type part struct {
		tile   scene.Block
		valid  []bool
		values []float64 // of the bands, pixel by pixel
	}
	err := scene.Map(ctx, c, b, func(t *scene.Tile) (part, error) {
		p := part{tile: t.Block, valid: append([]bool(nil), t.Valid...)}
		for i := range t.Valid {
			for _, k := range bands {
				p.values = append(p.values, t.Spectrum(i)[k])
			}
		}
		return p, nil
	}, func(p part) error {
		for i, valid := range p.valid {
			if !valid {
				continue
			}
			at := p.tile.At(i)
			to := (at.Line-b.Lo.Line)/step*t.Cols + (at.Sample-b.Lo.Sample)/step
			counts[to]++
			for k := range bands {
				t.Values[k][to] += p.values[i*len(bands)+k]
			}
		}
		return nil
	})
	for k := range bands {
		for i, count := range counts {
			if t.Values[k][i] /= float64(count); count == 0 {
				t.Values[k][i] = math.NaN()
			}
		}
	}
	return t, err
}
