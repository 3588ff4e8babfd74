package scene

import (
	"context"
	"math"
)

// A Thumbnail is a scene reduced to the size of a picture: each element is the mean over a square
// of pixels.
type Thumbnail struct {
	Rows, Cols int
	Values     [][]float64 // per band, row by row; NaN without usable pixels
}

// NewThumbnail returns bands of a cube, given by their numbers in the cube, with at most side rows
// and columns. The error is one of reading.
func NewThumbnail(ctx context.Context, c *Cube, bands []int, side int) (*Thumbnail, error) {
	b := c.Bounds()
	step := max(1, (max(b.Lines(), b.Samples())+side-1)/side)
	t := &Thumbnail{Rows: (b.Lines() + step - 1) / step, Cols: (b.Samples() + step - 1) / step}
	n := t.Rows * t.Cols
	counts := make([]int, n)
	for range bands {
		t.Values = append(t.Values, make([]float64, n))
	}
	type part struct {
		tile   Block
		valid  []bool
		values []float64 // of the bands, pixel by pixel
	}
	err := Map(ctx, c, b, func(t *Tile) (part, error) {
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

// Composite returns the numbers of three of n bands for red, green and blue: those nearest to 640,
// 550 and 460 nm, or, if there are no wavelengths, three evenly spaced ones. unit is "nm" or "um";
// if it is empty, wavelengths above 100 are in nm.
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
