package relayout

import (
	"fmt"
	"slices"

	"drx"
	"drx/dtype"
)

// A converter turns elements of one type into another, in place if need be.
//
//   - Integers that the new type has not are errors, or with clip its nearest.
//   - Floating-point numbers become the nearest integer, halves the even one; then the same.
//     NaN is an error, or with clip the fill value.
//   - Numbers become the nearest floating-point number. A finite one that would become an
//     infinity is an error, or with clip the largest finite one; NaN and infinities stay.
//   - A bool is an integer of 0 or 1. A real number becomes a complex one without imaginary
//     part; complex numbers become no real ones.
type converter struct {
	from, to dtype.DType
	convert  func(dst, src []byte) error // in the byte order of this machine
}

// apply converts little-endian elements and leaves src undefined. It may be the end of dst
// where the new elements are at least as large, else its beginning.
func (c *converter) apply(dst, src []byte) error {
	c.from.ToLittle(src)
	err := c.convert(dst, src)
	c.to.ToLittle(dst)
	return err
}

// newConverter returns nil for equal types. The error wraps drx.ErrDType.
func newConverter(from, to dtype.DType, clip bool, fill []byte) (*converter, error) {
	if from == to {
		return nil, nil
	}
	if from.IsComplex() && !to.IsComplex() {
		return nil, fmt.Errorf("%v elements to %v: %w: they would lose their imaginary parts", from, to, drx.ErrDType)
	}
	c := &converter{from: from, to: to}
	r := rule{from: from, to: to, clip: clip, fill: slices.Clone(fill)}
	to.ToLittle(r.fill)
	if from.IsComplex() { // both are pairs
		r.from, r.to = partOf(from), partOf(to)
	} else if to.IsComplex() {
		r.to, r.imaginary = partOf(to), 1
	}
	switch {
	case r.from.IsFloat():
		c.convert = blockwise[float64](r)
	case r.from == dtype.Uint64:
		c.convert = blockwise[uint64](r)
	default:
		c.convert = blockwise[int64](r)
	}
	return c, nil
}

func partOf(t dtype.DType) dtype.DType {
	if t == dtype.Complex64 {
		return dtype.Float32
	}
	return dtype.Float64
}

// A wide is a type that elements take between two others: all of the old type fit it.
type wide interface{ int64 | uint64 | float64 }

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// A rule says what to do with what does not fit.
type rule struct {
	from, to  dtype.DType
	imaginary int // numbers of value zero after each
	clip      bool
	fill      []byte
}

// misfit is the error for a value that does not fit.
func misfit[W wide](r rule, v W) error {
	return fmt.Errorf("value %v does not fit %v: %w", v, r.to, drx.ErrDType)
}

// blockwise returns a conversion by way of W, which loads a block before it stores it.
func blockwise[W wide](r rule) func(dst, src []byte) error {
	load, store := loader[W](r), storer[W](r)
	from, to := r.from.Size(), r.to.Size()*(1+r.imaginary)
	return func(dst, src []byte) error {
		var block [256]W
		for len(src) > 0 {
			n := min(len(block), len(src)/from)
			load(block[:n], src)
			if err := store(dst, block[:n]); err != nil {
				return err
			}
			src, dst = src[n*from:], dst[n*to:]
		}
		return nil
	}
}
