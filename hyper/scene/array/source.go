package array

import (
	"context"
	"fmt"

	"drx"
	"drx/dtype"
	"drx/hyper/scene"
	"drx/nd"
)

// A Source reads the spectra of an array.
type Source struct {
	a        *drx.Array
	dims     Dims
	lo, hi   []int
	elements *Elements
}

// New returns the source for an array of real numbers, converted as by Elements: the attributes
// scale_factor and add_offset are not applied. The source keeps the present bounds of the array;
// after growth, make a new source. Band 0 is the first one, whatever its index in the array. It is
// an error if the type is complex, or the array has other dimensions.
func New(a *drx.Array, dims Dims) (*Source, error) {
	if err := dims.check(a); err != nil {
		return nil, err
	}
	if a.DType().IsComplex() {
		return nil, fmt.Errorf("%s: the elements are %s; spectra are real numbers", a.Name(), a.DType())
	}
	s := &Source{a: a, dims: dims}
	s.lo, s.hi = a.Bounds().Bounds()
	if s.Bands() < 1 {
		return nil, fmt.Errorf("%s: there are no bands yet", a.Name())
	}
	var err error
	if s.elements, err = NewElements(a.DType(), a.FillValue(), a.Attrs()); err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name(), err)
	}
	return s, nil
}

// Number returns the type of the numbers: that of the elements, or its signed or unsigned
// counterpart if the attribute _Unsigned says so.
func (s *Source) Number() dtype.DType { return s.elements.Number }

// Bounds returns the lines and samples that the array had when the source was made.
func (s *Source) Bounds() scene.Block {
	return scene.Block{
		Lo: scene.Pixel{Line: s.lo[s.dims.Line], Sample: s.lo[s.dims.Sample]},
		Hi: scene.Pixel{Line: s.hi[s.dims.Line], Sample: s.hi[s.dims.Sample]},
	}
}

// Bands returns the number of bands that the array had when the source was made.
func (s *Source) Bands() int { return s.hi[s.dims.Band] - s.lo[s.dims.Band] }

// Integers16 reports whether all numbers are integers of at most 16 bits.
func (s *Source) Integers16() bool { return s.elements.Integers16() }

// Read reads the spectra of a block. Elements that were never written are the fill value. It
// returns the errors of drx.Array.ReadBytes.
func (s *Source) Read(ctx context.Context, b scene.Block, dst []float64) error {
	if err := ctx.Err(); err != nil || len(dst) == 0 {
		return err
	}
	sec := make(nd.Section, 3)
	sec[s.dims.Line] = nd.Span(b.Lo.Line, b.Hi.Line)
	sec[s.dims.Sample] = nd.Span(b.Lo.Sample, b.Hi.Sample)
	sec[s.dims.Band] = nd.Span(s.lo[s.dims.Band], s.hi[s.dims.Band])
	memory := dtype.Bytes(dst)
	// The elements are read to the end of the memory, and the numbers are written from its
	// beginning.
	stored := memory[len(memory)-len(dst)*s.a.DType().Size():]
	if err := s.a.ReadBytes(sec, stored, nd.Order{s.dims.Line, s.dims.Sample, s.dims.Band}); err != nil {
		return err
	}
	if err := s.elements.Decode(dst, stored); err != nil {
		return fmt.Errorf("%s: %s: %w", s.a.Name(), b, err)
	}
	return nil
}
