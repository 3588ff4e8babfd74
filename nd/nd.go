// Package nd implements the arithmetic of n-dimensional index spaces: ranges and
// sections of an array, the order of dimensions in memory, and products with
// overflow checks. It does no I/O and knows nothing of files or chunks.
//
// Terms (the same in the whole project):
//
//	rank     the number of dimensions
//	dim      a dimension's number, 0 for the slowest in row-major order
//	shape    the extents, one per dimension
//	bounds   [lo, hi) per dimension; lo is negative after growth on the low side
//	section  a half-open box of indices, optionally strided
//	view     elements in memory with a shape
package nd

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"drx/internal/errkind"
)

// MaxRank is the largest number of dimensions an array may have.
const MaxRank = 64

// Sentinel errors, wrapped with the dimension, the value and the limit.
var (
	// ErrRank is returned when the number of indices, extents or ranges given
	// differs from the number of dimensions of the array.
	ErrRank = errors.New("wrong number of dimensions")
	// ErrBounds is returned when an index or a range lies outside the bounds.
	ErrBounds = errors.New("out of bounds")
	// ErrOverflow is returned when a product or sum does not fit an int.
	ErrOverflow = errors.New("too large")
)

// Mul returns a*b for non-negative a and b, and whether it fits an int.
func Mul(a, b int) (int, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > math.MaxInt {
		return 0, false
	}
	return int(lo), true
}

// Add returns a+b for any a and b, and whether it fits an int.
func Add(a, b int) (int, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}

// Product multiplies non-negative extents. It returns 1 for no extents, 0 when
// one of them is 0 (whatever the others are), and an error wrapping ErrOverflow
// when the product does not fit an int.
func Product(extents ...int) (int, error) {
	p, ok := 1, true
	for _, n := range extents {
		if n == 0 {
			return 0, nil
		}
		if ok {
			p, ok = Mul(p, n)
		}
	}
	if !ok {
		return 0, fmt.Errorf("product of extents %v: %w: more than %d", extents, ErrOverflow, math.MaxInt)
	}
	return p, nil
}

// FloorDiv returns a/b rounded towards minus infinity, for b > 0: the chunk
// index of element a when b is the chunk's extent.
func FloorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// CeilDiv returns a/b rounded towards plus infinity, for b > 0.
func CeilDiv(a, b int) int {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}

// Shape returns the extents hi - lo of bounds.
func Shape(lo, hi []int) []int {
	s := make([]int, len(lo))
	for d := range lo {
		s[d] = hi[d] - lo[d]
	}
	return s
}

// CheckRank returns an error wrapping ErrRank if n is not rank. what names the
// things that were counted, as in "indices".
func CheckRank(what string, n, rank int) error {
	if n != rank {
		return errkind.Errorf(ErrRank, "%d %s for an array of rank %d", n, what, rank)
	}
	return nil
}

// CheckIndex returns an error wrapping ErrRank or ErrBounds unless
// lo[d] <= index[d] < hi[d] for every dimension d.
func CheckIndex(index, lo, hi []int) error {
	if err := CheckRank("indices", len(index), len(lo)); err != nil {
		return err
	}
	for d, i := range index {
		if i < lo[d] || i >= hi[d] {
			return DimErrorf(d, "%w", errkind.Errorf(ErrBounds, "index %d outside [%d, %d)", i, lo[d], hi[d]))
		}
	}
	return nil
}

// Next advances index to the next position of the box [lo, hi) in row-major order
// and reports whether there was one; after the last it is back at lo. The box must
// not be empty.
func Next(index, lo, hi []int) bool {
	for d := len(index) - 1; d >= 0; d-- {
		index[d]++
		if index[d] < hi[d] {
			return true
		}
		index[d] = lo[d]
	}
	return false
}
