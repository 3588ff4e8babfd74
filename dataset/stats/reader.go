package stats

import (
	"fmt"
	"math"

	"drx"
	"drx/nd"
)

// A Reader reads elements as numbers, in the units of the attributes of their array. It is not safe
// for concurrent use.
type Reader struct{ source *source[float64] }

// NewReader returns a Reader of an array of real numbers. The error wraps drx.ErrDType for complex
// elements and for attributes that do not define the meaning of the elements.
func NewReader(a *drx.Array) (*Reader, error) {
	p := &plan{a: a}
	if err := p.setMeaning(); err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name(), err)
	}
	return &Reader{newSource[float64](a, p.of)}, nil
}

// Read returns the values of a section, dense and row-major, NaN for missing ones. They are valid
// until the next call.
func (r *Reader) Read(sec nd.Section) ([]float64, error) {
	n, err := sec.Len()
	if err != nil {
		return nil, err
	}
	if err := r.source.load(sec, n); err != nil {
		return nil, err
	}
	if r.source.dirty {
		for i, flag := range r.source.flags {
			if flag != 0 {
				r.source.values[i] = math.NaN()
			}
		}
	}
	return r.source.values, nil
}

// MayBeMissing reports whether an array of real numbers can have missing values: NaN, or elements
// that its attributes or its fill value mark. The error is that of NewReader.
func MayBeMissing(a *drx.Array) (bool, error) {
	of, err := meaningOf(a)
	if err != nil {
		return false, err
	}
	return of.Type.IsFloat() || of.Indices() > 0 || len(of.Missing) > 0, nil
}
