package nd

import (
	"fmt"
	"slices"

	"drx/internal/errkind"
)

// A View is an n-dimensional array in memory: a slice of elements with a shape. Indices begin at 0.
// Views that were made from each other share their elements. The zero View has rank 0 and no
// elements.
type View[T any] struct {
	data           []T // from the first element of the view to its last
	shape, strides []int
}

// NewView returns a view of data, which holds the elements of an array of the given shape, dense
// and in the given order. It copies nothing. The error wraps ErrBounds if the length of data is not
// that of the shape or if an extent is negative, ErrOverflow if the shape is too large, and ErrRank
// if the order does not fit it.
func NewView[T any](data []T, shape []int, order Order) (View[T], error) {
	if err := order.Check(len(shape)); err != nil {
		return View[T]{}, err
	}
	for d, n := range shape {
		if n < 0 {
			return View[T]{}, errkind.Errorf(ErrBounds, "dimension %d: extent %d is negative", d, n)
		}
	}
	n, err := Product(shape...)
	if err == nil && n != len(data) {
		err = errkind.Errorf(ErrBounds, "%d elements for the shape %v: want %d", len(data), shape, n)
	}
	if err != nil {
		return View[T]{}, err
	}
	return View[T]{data, slices.Clone(shape), order.Strides(shape)}, nil
}

// Shape returns the extents.
func (v View[T]) Shape() []int { return slices.Clone(v.shape) }

// Strides returns, per dimension, the distance between neighbours in memory, in elements.
func (v View[T]) Strides() []int { return slices.Clone(v.strides) }

// Len returns the number of elements.
func (v View[T]) Len() int {
	if len(v.data) == 0 {
		return 0
	}
	n := 1
	for _, extent := range v.shape {
		n *= extent
	}
	return n
}

// At returns the element at an index. Like the index expression of a slice it panics if there is
// none.
func (v View[T]) At(index ...int) T { return v.data[v.offset(index)] }

// Set changes the element at an index, in the memory that the view shares. It panics as At does.
func (v View[T]) Set(x T, index ...int) { v.data[v.offset(index)] = x }

func (v View[T]) offset(index []int) int {
	if len(index) != len(v.shape) {
		panic(fmt.Sprintf("nd: %d indices for a view of rank %d", len(index), len(v.shape)))
	}
	offset := 0
	for d, i := range index {
		if i < 0 || i >= v.shape[d] {
			panic(fmt.Sprintf("nd: dimension %d: index %d outside [0, %d)", d, i, v.shape[d]))
		}
		offset += i * v.strides[d]
	}
	return offset
}

// Section returns a view of a section, which shares the elements. The error is that of
// Section.Resolve: it wraps ErrRank or ErrBounds.
func (v View[T]) Section(sec Section) (View[T], error) {
	sec, err := sec.Resolve(make([]int, len(v.shape)), v.shape)
	if err != nil {
		return View[T]{}, err
	}
	part := View[T]{shape: sec.Shape(), strides: make([]int, len(sec))}
	first, last := 0, 0
	for d, r := range sec {
		part.strides[d] = v.strides[d]
		if r.Len() > 1 { // otherwise the stride is never used, and the product could overflow
			part.strides[d] *= r.Step
		}
		first += r.Lo * v.strides[d]
		last += (r.Len() - 1) * part.strides[d]
	}
	if len(v.data) > 0 && !slices.Contains(part.shape, 0) {
		part.data = v.data[first : first+last+1 : first+last+1]
	}
	return part, nil
}

// Data returns the elements, dense and row-major: the view's own memory if IsDense, otherwise a
// copy.
func (v View[T]) Data() []T {
	if v.IsDense() {
		return v.data
	}
	data := make([]T, 0, v.Len())
	index, lo := make([]int, len(v.shape)), make([]int, len(v.shape))
	for more := true; more; more = Next(index, lo, v.shape) {
		data = append(data, v.data[v.offset(index)])
	}
	return data
}

// IsDense reports whether the elements are dense and row-major in memory. Views without elements
// are dense.
func (v View[T]) IsDense() bool {
	dense := 1
	for d := len(v.shape) - 1; d >= 0; d-- {
		if v.shape[d] != 1 && v.strides[d] != dense && len(v.data) > 0 {
			return false
		}
		dense *= v.shape[d]
	}
	return true
}

// Matrix returns the view as a matrix: its last dimension as columns, all others together as rows,
// and the elements as Data returns them. These are the arguments of gonum's constructor:
//
//	m := mat.NewDense(v.Matrix())
func (v View[T]) Matrix() (rows, cols int, data []T) {
	if v.Len() == 0 {
		return 0, 0, nil
	}
	cols = 1
	if rank := len(v.shape); rank > 0 {
		cols = v.shape[rank-1]
	}
	return v.Len() / cols, cols, v.Data()
}
