package dtype

import (
	"slices"

	"drx/internal/errkind"
)

// Converter converts elements of one type to another, in place if need be.
//
//   - Integers become integers of the same value. One that does not fit is an error, or with
//     clip the nearest that fits.
//   - Floating-point numbers become the nearest integer, halves the even one, and then follow
//     the rule for integers. NaN is an error, or with clip the fill value.
//   - Numbers become the nearest floating-point number. A finite one that would become an
//     infinity is an error, or with clip the largest finite number. NaN and infinities stay.
//   - A bool counts as an integer of 0 or 1. A real number becomes a complex one with imaginary
//     part 0. Complex numbers cannot become real.
type Converter struct {
	from, to DType
	convert  func(dst, src []byte) error // in the byte order of this machine
}

// Apply converts little-endian elements from src to dst and leaves src undefined. The two may share
// memory: src may be the end of dst if the new elements are at least as large as the old ones,
// otherwise the beginning. A nil Converter copies. The error wraps ErrDType for a value that does
// not fit.
func (c *Converter) Apply(dst, src []byte) error {
	if c == nil {
		copy(dst, src)
		return nil
	}
	c.from.ToLittle(src)
	err := c.convert(dst, src)
	c.to.ToLittle(dst)
	return err
}

// NewConverter returns the converter between two types, nil if they are equal. Fill is the fill
// value of the new type, little-endian. The error wraps ErrDType if elements cannot be
// converted.
func NewConverter(from, to DType, clip bool, fill []byte) (*Converter, error) {
	if from == to {
		return nil, nil
	}
	if from.IsComplex() && !to.IsComplex() {
		return nil, errkind.Errorf(ErrDType, "%v elements to %v: they would lose their imaginary parts", from, to)
	}
	c := &Converter{from: from, to: to}
	r := rule{from: from, to: to, clip: clip, fill: slices.Clone(fill)}
	to.ToLittle(r.fill)
	if from.IsComplex() { // converted as pairs of real numbers
		r.from, r.to = from.half(), to.half()
	} else if to.IsComplex() {
		r.to, r.imaginary = to.half(), 1
	}
	switch {
	case r.from.IsFloat():
		c.convert = blockwise[float64](r)
	case r.from == Uint64:
		c.convert = blockwise[uint64](r)
	default:
		c.convert = blockwise[int64](r)
	}
	return c, nil
}

// blockwise returns a conversion with the intermediate type W. It loads a block of elements before
// it stores them, so that conversion in place is safe.
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
