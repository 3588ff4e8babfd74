package stats

import (
	"math"
	"slices"

	"drx"
	"drx/dataset/meaning"
	"drx/dtype"
	"drx/nd"
)

// Reasons to leave an element out.
const (
	isMissing = 1 + iota // it marks a missing value
	isMasked             // Request.Where excludes it
)

// plain are the element types that Go converts to numbers itself.
type plain interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// A source reads sections of an array as numbers, in the units of its attributes.
type source[T number] struct {
	of     *meaning.Meaning
	dim    int // the dimension with a meaning for each index, see meaning.Meaning.At
	first  int // the first index there
	read   func(sec nd.Section, b []byte) error
	load   func(sec nd.Section, n int) error
	values []T
	flags  []uint8
	dirty  bool // some flags are not 0
}

// newSource returns a source for array a, whose elements have the meaning of. T must be float64 if
// they are scaled.
func newSource[T number](a *drx.Array, of *meaning.Meaning) *source[T] {
	s := &source[T]{of: of, dim: of.Dim(a.Shape(), a.Dims())}
	s.read = func(sec nd.Section, b []byte) error { return a.ReadBytes(sec, b, nil) }
	if s.dim >= 0 {
		s.first = a.Bounds()[s.dim].Lo
		s.load = s.loadEach
		return s
	}
	switch of.Number() {
	case dtype.Int8:
		s.load = loadPlain[int8](s)
	case dtype.Int16:
		s.load = loadPlain[int16](s)
	case dtype.Int32:
		s.load = loadPlain[int32](s)
	case dtype.Int64:
		s.load = loadPlain[int64](s)
	case dtype.Bool, dtype.Uint8:
		s.load = loadPlain[uint8](s)
	case dtype.Uint16:
		s.load = loadPlain[uint16](s)
	case dtype.Uint32:
		s.load = loadPlain[uint32](s)
	case dtype.Uint64:
		s.load = loadPlain[uint64](s)
	case dtype.Float32:
		s.load = loadPlain[float32](s)
	case dtype.Float64:
		s.load = loadPlain[float64](s)
	default:
		s.load = s.loadEach // float16 and bfloat16 have no Go type
	}
	return s
}

// reset makes space for n numbers and clears their flags.
func (s *source[T]) reset(n int) {
	if cap(s.values) < n {
		s.values, s.flags, s.dirty = make([]T, n), make([]uint8, n), false
	}
	if s.dirty {
		clear(s.flags)
	}
	s.values, s.flags, s.dirty = s.values[:n], s.flags[:n], false
}

// flag leaves element i out, for the given reason.
func (s *source[T]) flag(i int, why uint8) {
	s.flags[i] = why
	s.dirty = true
}

// loadPlain returns a function that reads a section of n elements of type E.
func loadPlain[E plain, T number](s *source[T]) func(sec nd.Section, n int) error {
	t := s.of.Type
	var buf, missing []E
	for _, b := range s.of.Missing {
		one := make([]E, 1)
		copy(dtype.Bytes(one), t.Little(b))
		missing = append(missing, one[0])
	}
	return func(sec nd.Section, n int) error {
		buf = slices.Grow(buf[:0], n)[:n]
		b := dtype.Bytes(buf)
		if err := s.read(sec, b); err != nil {
			return err
		}
		t.ToLittle(b) // to the order of this machine
		s.reset(n)
		decode(s, buf, missing)
		return nil
	}
}

// decode converts elements to numbers, flags those that are missing, and scales the numbers.
func decode[E plain, T number](s *source[T], elements, missing []E) {
	values := s.values[:len(elements)]
	for i, e := range elements {
		values[i] = T(e)
		if e != e { // NaN
			s.flag(i, isMissing)
		}
	}
	for _, no := range missing {
		for i, e := range elements {
			if e == no {
				s.flag(i, isMissing)
			}
		}
	}
	if s.of.Scale != nil {
		scale, offset := s.of.Scale[0], s.of.Offset[0]
		for i, v := range values {
			values[i] = T(float64(float64(v)*scale) + offset)
		}
	}
}

// loadEach reads a section of n elements and decodes them one by one, which is slower than
// loadPlain. It handles meanings that differ per index, and element types without a Go type. T must
// be float64.
func (s *source[T]) loadEach(sec nd.Section, n int) error {
	size := s.of.Type.Size()
	b := make([]byte, n*size)
	if err := s.read(sec, b); err != nil {
		return err
	}
	s.reset(n)
	shape, of, inner := sec.Shape(), s.of, 1
	if s.dim >= 0 {
		inner, _ = nd.Product(shape[s.dim+1:]...) // of a box that is in memory
	}
	for i := range n {
		if s.dim >= 0 && i%inner == 0 {
			r := sec[s.dim]
			of = s.of.At(r.Lo + i/inner%shape[s.dim]*r.Stride() - s.first)
		}
		v := of.Value(b[i*size:][:size])
		s.values[i] = T(v)
		if math.IsNaN(v) {
			s.flag(i, isMissing)
		}
	}
	return nil
}
