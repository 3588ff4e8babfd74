package plan

import (
	"fmt"

	"drx/internal/layout"
	"drx/internal/state"
	"drx/nd"
)

// A Section is a section of an array together with the layout of a buffer: the element at position
// p of the section lies at byte sum(p[d]*Strides[d]) of the buffer.
type Section struct {
	State   *state.State
	Ranges  nd.Section // resolved, so within the bounds of State
	Shape   []int      // of the section, in elements
	Strides []int      // of the buffer, in bytes
	Size    int        // of all elements, in bytes

	steps []int // distance of neighbouring elements inside a chunk, in elements

	few [3 * fewDims]int // memory of Shape, Strides and steps for few dimensions
}

// fewDims is the rank up to which a Section needs no further memory.
const fewDims = 4

// NewSection resolves a section against the bounds of a state, nil for the whole array. The buffer
// is dense, in the given order of the dimensions. The error wraps nd.ErrRank, nd.ErrBounds or, if
// the size in bytes does not fit an int, nd.ErrOverflow.
func NewSection(s *state.State, sec nd.Section, order nd.Order) (*Section, error) {
	ranges, err := sec.Resolve(s.Lo, s.Hi)
	if err != nil {
		return nil, err
	}
	if err := order.Check(len(s.Lo)); err != nil {
		return nil, err
	}
	t := &Section{State: s, Ranges: ranges}
	k, ints := len(ranges), t.few[:]
	if k > fewDims {
		ints = make([]int, 3*k)
	}
	t.Shape, t.Strides, t.steps = ints[:k:k], ints[k:2*k:2*k], ints[2*k:3*k]
	for d, r := range ranges {
		t.Shape[d] = r.Len()
		t.steps[d] = s.Strides[d] * r.Step
	}
	n, err := nd.Product(t.Shape...)
	if err != nil {
		return nil, err
	}
	size, ok := nd.Mul(n, s.DType.Size())
	if !ok {
		return nil, fmt.Errorf("section %v of %v: %w", ranges, s.DType, nd.ErrOverflow)
	}
	t.Size = size
	order.FillStrides(t.Strides, t.Shape)
	for d := range t.Strides {
		t.Strides[d] *= s.DType.Size()
	}
	return t, nil
}

// Extent returns the smallest length of a buffer for the section in bytes, 0 if the section is
// empty.
func (t *Section) Extent() int {
	if t.Size == 0 {
		return 0
	}
	end := t.State.DType.Size()
	for d, n := range t.Shape {
		end += (n - 1) * t.Strides[d]
	}
	return end
}

// layoutBox returns the elements of a piece as a box of its chunk.
func (t *Section) layoutBox(p *Piece, shape []int) layout.Box {
	b := layout.Box{Steps: t.steps, Shape: shape}
	for d, first := range p.First {
		b.First += first * t.State.Strides[d]
	}
	return b
}
