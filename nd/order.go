package nd

import (
	"fmt"
	"strconv"
	"strings"

	"drx/internal/errkind"
)

// An Order is the order of the dimensions of a section in a buffer, from the
// slowest varying to the fastest. A nil Order is row-major. Reading a
// section of shape (a, b, c) in the order {2, 0, 1} gives a row-major buffer of
// shape (c, a, b): the transposed section.
type Order []int

// RowMajor is the order of C: the last dimension varies fastest.
var RowMajor Order

// ColMajor is the order of Fortran: the first dimension varies fastest.
func ColMajor(rank int) Order {
	o := make(Order, rank)
	for i := range o {
		o[i] = rank - 1 - i
	}
	return o
}

// Check returns an error wrapping ErrRank unless o is nil or a permutation of
// 0 .. rank-1.
func (o Order) Check(rank int) error {
	if o == nil {
		return nil
	}
	if len(o) != rank {
		return CheckRank("dimensions in the order", len(o), rank)
	}
	seen := make([]bool, rank)
	for _, d := range o {
		if d < 0 || d >= rank || seen[d] {
			return errkind.Errorf(ErrRank, "order %v is not a permutation of the dimensions 0 to %d", []int(o), rank-1)
		}
		seen[d] = true
	}
	return nil
}

// Dims returns the dimensions from the slowest to the fastest. Unlike o itself
// the result is not nil for a nil Order.
func (o Order) Dims(rank int) []int {
	if o != nil {
		return o
	}
	dims := make([]int, rank)
	for d := range dims {
		dims[d] = d
	}
	return dims
}

// Strides returns, per dimension, the distance in elements between neighbours
// in a dense buffer of the given shape and this order.
func (o Order) Strides(shape []int) []int {
	strides := make([]int, len(shape))
	o.FillStrides(strides, shape)
	return strides
}

// FillStrides stores what Strides returns in strides, which has the length of shape.
func (o Order) FillStrides(strides, shape []int) {
	step := 1
	for i := len(shape) - 1; i >= 0; i-- {
		d := i
		if o != nil {
			d = o[i]
		}
		strides[d] = step
		step *= shape[d]
	}
}

// Apply returns the shape of the buffer for a section of the given shape: its
// extents, permuted by o.
func (o Order) Apply(shape []int) []int {
	out := make([]int, len(shape))
	for i, d := range o.Dims(len(shape)) {
		out[i] = shape[d]
	}
	return out
}

// ParseOrder reads "row" (or nothing), "col" or a permutation like "2,0,1" for an
// array of the given rank. The error wraps ErrRank when the numbers are no
// permutation of the dimensions; other text is an error too.
func ParseOrder(text string, rank int) (Order, error) {
	switch text {
	case "", "row":
		return RowMajor, nil
	case "col":
		return ColMajor(rank), nil
	}
	o := make(Order, 0, rank)
	for field := range strings.SplitSeq(text, ",") {
		d, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil {
			return nil, fmt.Errorf("order %q is not row, col or a permutation like 1,0", text)
		}
		o = append(o, d)
	}
	if err := o.Check(rank); err != nil {
		return nil, err
	}
	return o, nil
}
