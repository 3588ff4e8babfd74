package array

import (
	"context"
	"fmt"
	"slices"

	"drx"
	"drx/dtype"
	"drx/hyper/scene"
	"drx/nd"
)

// A Sink writes results into an array.
type Sink struct {
	a       *drx.Array
	order   nd.Order         // lines, samples, values
	convert *dtype.Converter // from float64; nil if the elements are float64
}

// Create makes an array for results of the pixels of a block, with dimensions line, sample and
// valueName, such as "endmember"; without a valueName, and with one value per pixel, the array has
// two dimensions. Its elements have type t; unwritten ones are NaN if the type has it, else 0. The
// caller closes the array. It returns the errors of drx.Create.
func Create(name string, b scene.Block, t dtype.DType, values int, valueName string, o drx.Options) (*drx.Array, *Sink, error) {
	spec := drx.Spec{
		DType: t, Shape: []int{b.Lines(), b.Samples()}, Lo: []int{b.Lo.Line, b.Lo.Sample}, Dims: []string{"line", "sample"}, Options: o,
	}
	if valueName != "" {
		spec.Shape, spec.Lo, spec.Dims = append(spec.Shape, values), append(spec.Lo, 0), append(spec.Dims, valueName)
	} else if values != 1 {
		return nil, nil, fmt.Errorf("%s: %d values per pixel need a name for their dimension", name, values)
	}
	if t.IsFloat() {
		spec.FillValue = "NaN"
	}
	a, err := drx.Create(name, spec)
	if err != nil {
		return nil, nil, err
	}
	order := nd.Order{0, 1, 2}[:len(spec.Shape)]
	s, err := NewSink(a, order)
	if err != nil {
		return nil, nil, fmt.Errorf("%w; also %v", err, a.Close())
	}
	return a, s, nil
}

// NewSink returns a sink for an array. order has the numbers of its dimensions for the lines, the
// samples and, if there are three, the values. Values are rounded to the type of the elements.
// Values out of its range become the nearest one in range, and for integers NaN becomes the fill
// value, see dtype.Converter. It is an error if the array has other dimensions.
func NewSink(a *drx.Array, order nd.Order) (*Sink, error) {
	rank := a.Rank()
	if err := order.Check(rank); err != nil || rank < 2 || rank > 3 || order == nil {
		return nil, fmt.Errorf("%s: a result has the dimensions lines, samples and, if wanted, values, not %v of %d", a.Name(), []int(order), rank)
	}
	c, err := dtype.NewConverter(dtype.Float64, a.DType(), true, a.FillValue())
	return &Sink{a, slices.Clone(order), c}, err
}

// Values returns the present extent of the dimension of values; 1 if there is none.
func (s *Sink) Values() int {
	if len(s.order) < 3 {
		return 1
	}
	r := s.a.Bounds()[s.order[2]]
	return r.Hi - r.Lo
}

// Bounds returns the present lines and samples of the array.
func (s *Sink) Bounds() scene.Block {
	lo, hi := s.a.Bounds().Bounds()
	l, m := s.order[0], s.order[1]
	return scene.Block{Lo: scene.Pixel{Line: lo[l], Sample: lo[m]}, Hi: scene.Pixel{Line: hi[l], Sample: hi[m]}}
}

// Write writes the values of a block. The error is one of scene.CheckValues or of
// drx.Array.WriteBytes.
func (s *Sink) Write(ctx context.Context, b scene.Block, values []float64) error {
	if err := ctx.Err(); err != nil || len(values) == 0 {
		return err
	}
	if err := scene.CheckValues(s, s.Bounds(), b, values); err != nil {
		return fmt.Errorf("%s: %w", s.a.Name(), err)
	}
	sec := s.a.Bounds()
	sec[s.order[0]] = nd.Span(b.Lo.Line, b.Hi.Line)
	sec[s.order[1]] = nd.Span(b.Lo.Sample, b.Hi.Sample)
	memory := slices.Clone(dtype.Bytes(values))
	swap(memory)
	if s.convert != nil {
		stored := make([]byte, len(values)*s.a.DType().Size())
		if err := s.convert.Apply(stored, memory); err != nil {
			return fmt.Errorf("%s: %s: %w", s.a.Name(), b, err)
		}
		memory = stored
	}
	return s.a.WriteBytes(sec, memory, s.order)
}
