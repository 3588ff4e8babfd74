package derived

import (
	"context"
	"fmt"
	"math"
	"slices"

	"drx/hyper/scene"
	"drx/internal/gemm"
)

// A Projection maps a spectrum x of n bands to d values: y = A (x - Offset), where row i of A is
// Axes[i], of n numbers. It can be kept as JSON.
type Projection struct {
	Axes [][]float64 `json:"axes"`
	// Offset has n numbers; nil means zeros.
	Offset []float64 `json:"offset,omitempty"`
	// Divisor, if not nil, has d numbers u: y is divided by u'y, which projects along rays through
	// the origin onto the plane u'y = 1. A pixel with u'y = 0 is not usable.
	Divisor []float64 `json:"divisor,omitempty"`
	// Constant, if not 0, is a further value at the end of each y.
	Constant float64 `json:"constant,omitempty"`
}

// Check returns an error if the projection does not fit spectra with a number of bands.
func (p *Projection) Check(bands int) error {
	if len(p.Axes) == 0 {
		return fmt.Errorf("a projection needs at least 1 axis")
	}
	for i, a := range p.Axes {
		if len(a) != bands {
			return fmt.Errorf("axis %d of the projection has %d bands, the scene %d", i, len(a), bands)
		}
	}
	if p.Offset != nil && len(p.Offset) != bands {
		return fmt.Errorf("the offset of the projection has %d bands, the scene %d", len(p.Offset), bands)
	}
	if p.Divisor != nil && len(p.Divisor) != len(p.Axes) {
		return fmt.Errorf("the divisor of the projection has %d numbers for %d axes", len(p.Divisor), len(p.Axes))
	}
	return nil
}

// Values returns the number of values that a pixel has after the projection.
func (p *Projection) Values() int {
	if p.Constant != 0 {
		return len(p.Axes) + 1
	}
	return len(p.Axes)
}

// Apply stores the projection of a spectrum in dst, which has Values() numbers. centred is scratch
// memory for one spectrum.
func (p *Projection) Apply(dst, spectrum, centred []float64) {
	if p.Offset != nil {
		for i, v := range spectrum {
			centred[i] = v - p.Offset[i]
		}
		spectrum = centred
	}
	for i, a := range p.Axes {
		dst[i] = Dot(a, spectrum)
	}
	p.finish(dst)
}

// finish applies Divisor and Constant to the products of a spectrum with the axes.
func (p *Projection) finish(y []float64) {
	d := len(p.Axes)
	if p.Divisor != nil {
		by := Dot(p.Divisor, y[:d])
		for i := range d {
			y[i] /= by
		}
	}
	if p.Constant != 0 {
		y[d] = p.Constant
	}
}

// Dot returns the scalar product of two vectors of equal length. The order of its sums is the same
// on all machines: four sums, of every fourth product each. The conversions keep compilers from
// fusing products and sums.
func Dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += float64(a[i] * b[i])
		s1 += float64(a[i+1] * b[i+1])
		s2 += float64(a[i+2] * b[i+2])
		s3 += float64(a[i+3] * b[i+3])
	}
	for ; i < len(a); i++ {
		s0 += float64(a[i] * b[i])
	}
	return (s0 + s1) + (s2 + s3)
}

// Project returns the scene of the projected pixels: its bands are the values of the projection.
// Unusable pixels stay unusable. It returns the error of Check.
func Project(c *scene.Cube, p *Projection) (*scene.Cube, error) {
	if err := p.Check(c.Bands()); err != nil {
		return nil, err
	}
	return scene.New(&projectedSource{c, p, gemm.Matrix{Data: slices.Concat(p.Axes...), Stride: c.Bands()}}, scene.Options{KeepZero: true, Memory: c.Options().Memory, Workers: c.Workers(), Comm: c.Options().Comm})
}

type projectedSource struct {
	cube *scene.Cube
	p    *Projection
	axes gemm.Matrix
}

// Bounds returns the bounds of the cube.
func (s *projectedSource) Bounds() scene.Block { return s.cube.Bounds() }

// Bands returns the number of values of the projection.
func (s *projectedSource) Bands() int { return s.p.Values() }

// Integers16 returns false.
func (s *projectedSource) Integers16() bool { return false }

// Read projects the pixels of a block, with one matrix product. The results equal those of Apply up
// to rounding.
func (s *projectedSource) Read(ctx context.Context, b scene.Block, dst []float64) error {
	t, err := s.cube.Read(ctx, b)
	if err != nil {
		return err
	}
	for i := range t.Valid {
		x := t.Spectrum(i)
		for band, v := range s.p.Offset {
			x[band] -= v
		}
	}
	d := s.Bands()
	clear(dst)
	gemm.Mul(1, len(t.Valid), len(s.p.Axes), t.Bands, 1, gemm.Matrix{Data: t.Data, Stride: t.Bands}, s.axes.T(), dst, d)
	for i, valid := range t.Valid {
		if y := dst[i*d:][:d]; valid {
			s.p.finish(y)
		} else {
			fill(y, math.NaN())
		}
	}
	return nil
}
