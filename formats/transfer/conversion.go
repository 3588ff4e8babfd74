package transfer

import (
	"slices"

	"drx/dtype"
	"drx/nd"
)

// A conversion turns the elements of a file into those of an array, step by step. The zero
// conversion changes nothing.
type conversion struct {
	steps     []func(elements []byte) ([]byte, error)
	widest    int                  // size of the largest element after a step, in bytes
	note      string               // for people; empty for none
	strings   []*string            // of the array, if the conversion adds some; else nil
	onSection func(sec nd.Section) // receives the section of the next elements; nil if no step asks
}

// add adds a step whose elements are of type t.
func (c *conversion) add(t dtype.DType, step func(elements []byte) ([]byte, error)) {
	c.steps, c.widest = append(c.steps, step), max(c.widest, t.Size())
}

// applyTo is apply for the elements of a section.
func (c conversion) applyTo(sec nd.Section, elements []byte) ([]byte, error) {
	if c.onSection != nil {
		c.onSection(sec)
	}
	return c.apply(elements)
}

// addScaling adds a step that applies a scaling.
func (c *conversion) addScaling(s *scaling) {
	c.add(dtype.Float64, s.elements)
	if s.dim >= 0 {
		c.onSection = func(sec nd.Section) { s.sec = sec }
	}
}

// apply converts elements, and may overwrite them. If a step needs their section, they must be
// those of the whole variable. The result is valid until the next call.
func (c conversion) apply(elements []byte) (_ []byte, err error) {
	for _, step := range c.steps {
		if elements, err = step(elements); err != nil {
			return nil, err
		}
	}
	return elements, nil
}

// boxBytes returns the size in bytes of a box of stored elements of type t, such that it has at
// most limit bytes before, between and after the steps.
func (c conversion) boxBytes(limit int, t dtype.DType) int {
	return max(1, limit/max(c.widest, t.Size())) * t.Size()
}

// typeStep returns a step that converts elements from one type to another.
func typeStep(from, to dtype.DType, c *dtype.Converter) func([]byte) ([]byte, error) {
	var out []byte // used again
	return func(elements []byte) ([]byte, error) {
		n := len(elements) / from.Size() * to.Size()
		out = slices.Grow(out[:0], n)[:n]
		if err := c.Apply(out, elements); err != nil {
			return nil, errorf("%w; %v", err, clipHint)
		}
		return out, nil
	}
}
