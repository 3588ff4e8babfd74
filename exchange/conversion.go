package exchange

import (
	"fmt"
	"slices"

	"drx/dtype"
)

// A conversion turns the elements of a file into those of an array, step by step. The zero conversion changes nothing.
type conversion struct {
	steps  []func(elements []byte) ([]byte, error)
	widest int // size of the largest element after a step, in bytes
}

// add adds a step whose elements are of type t.
func (c *conversion) add(t dtype.DType, step func(elements []byte) ([]byte, error)) {
	c.steps, c.widest = append(c.steps, step), max(c.widest, t.Size())
}

// apply converts elements, which it may overwrite. The result is valid until the next call.
func (c conversion) apply(elements []byte) (_ []byte, err error) {
	for _, step := range c.steps {
		if elements, err = step(elements); err != nil {
			return nil, err
		}
	}
	return elements, nil
}

// boxBytes returns the size of a box of stored elements of type t that has at most limit bytes before and after the conversion.
func (c conversion) boxBytes(limit int, t dtype.DType) int {
	return max(1, limit/max(c.widest, t.Size())) * t.Size()
}

// typeStep returns the step that converts elements.
func typeStep(from, to dtype.DType, c *dtype.Converter) func([]byte) ([]byte, error) {
	var out []byte // used again
	return func(elements []byte) ([]byte, error) {
		n := len(elements) / from.Size() * to.Size()
		out = slices.Grow(out[:0], n)[:n]
		if err := c.Apply(out, elements); err != nil {
			return nil, fmt.Errorf("%w; %s", err, clipHint)
		}
		return out, nil
	}
}
