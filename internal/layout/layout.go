// Package layout implements the element orders of chunks: it computes the offsets of elements in a
// chunk and copies boxes of elements from and to chunks. It does no I/O.
//
// The position of an element is the sum of its index times the strides. In row- and column-major
// order the position is the offset in bytes. Along a curve it is the number of the element in
// row-major order, and a table has its position on the curve:
//
//	index (i, j)  --Strides-->  position  ---------------------------->  byte      row, col
//	index (i, j)  --Strides-->  position  --table-->  place * elem  -->  byte      curves
//
// The table has 4 bytes per element of a chunk. It is computed at the first access, so that opening
// an array stays fast, and all users of the layout share it.
package layout

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"drx/curve"
	"drx/internal/strided"
	"drx/nd"
)

// A Layout is the order of the elements in the chunks of an array. It never changes and is
// safe for any number of goroutines.
type Layout struct {
	// Strides is the distance between neighbours per dimension, in positions.
	Strides []int

	shape          []int          // of a chunk
	elem           int            // bytes of an element
	size           int            // bytes of a chunk
	curvePositions func() []int32 // curve position by position; nil if positions are byte offsets
}

// New returns the layout of chunks with the given shape and element size in bytes. order is a name
// for curve.New; if at most one extent exceeds one, all orders but "col" are the same as "row".
// The error wraps nd.ErrOverflow if a curve has more than 2^31 - 1 elements, or is that of
// curve.New.
func New(order string, shape []int, elem int) (*Layout, error) {
	o, err := curve.New(order, shape)
	if err != nil {
		return nil, err
	}
	l := &Layout{shape: slices.Clone(shape), elem: elem, size: o.Len() * elem}
	long := 0
	for _, n := range shape {
		long += min(n-1, 1)
	}
	switch {
	case order == "col":
		l.Strides = nd.ColMajor(len(shape)).Strides(shape)
	default:
		l.Strides = nd.RowMajor.Strides(shape)
	}
	if order == "row" || order == "col" || long < 2 {
		for d := range l.Strides {
			l.Strides[d] *= elem
		}
		return l, nil
	}
	if o.Len() > math.MaxInt32 {
		return nil, fmt.Errorf("chunk of %d elements in %s order: %w: more than %d", o.Len(), order, nd.ErrOverflow, math.MaxInt32)
	}
	l.curvePositions = sync.OnceValue(func() []int32 {
		positions, _ := curve.Permutation(o) // it fails only for more elements
		return positions
	})
	return l, nil
}

// AddDim returns the layout of chunks with one more dimension, the last, of extent one. No element
// moves, so the two layouts share the table.
func (l *Layout) AddDim() *Layout {
	next := *l
	next.shape = append(slices.Clone(l.shape), 1)
	next.Strides = append(slices.Clone(l.Strides), l.unit())
	return &next
}

// unit returns the distance in positions between elements that follow each other.
func (l *Layout) unit() int {
	if l.curvePositions != nil {
		return 1
	}
	return l.elem
}

// Offset returns the offset in bytes, in the chunk, of the element at a position.
func (l *Layout) Offset(position int) int {
	if l.curvePositions == nil {
		return position
	}
	return int(l.curvePositions()[position]) * l.elem
}

// A Box is a box of elements of a chunk: the element with index i, 0 <= i[d] < Shape[d], is at
// position First + sum(i[d]*Steps[d]).
type Box struct {
	First int
	Steps []int
	Shape []int
}

// Window returns the range of bytes of a chunk that contains a box: n bytes from byte from on. The
// functions that copy and fill boxes take these bytes. Along a curve the window is the whole chunk.
func (l *Layout) Window(b Box) (from, n int) {
	if l.curvePositions != nil {
		return 0, l.size
	}
	n = l.elem
	for d, extent := range b.Shape {
		n += (extent - 1) * b.Steps[d]
	}
	return b.First, n
}

// CopyOut copies a box from its window to dst, where the element at index i lies at byte
// sum(i[d]*strides[d]). It panics if that is outside of dst.
func (l *Layout) CopyOut(dst []byte, strides []int, window []byte, b Box) {
	if l.curvePositions == nil {
		strided.Copy(dst, strides, window, b.Steps, b.Shape, l.elem)
		return
	}
	strided.Gather(dst, strides, window, l.curvePositions()[b.First:], b.Steps, b.Shape, l.elem)
}

// StreamOut is CopyOut with non-temporal stores, see strided.Stream.
func (l *Layout) StreamOut(dst []byte, strides []int, window []byte, b Box) {
	if l.curvePositions == nil {
		strided.Stream(dst, strides, window, b.Steps, b.Shape, l.elem)
		return
	}
	l.CopyOut(dst, strides, window, b)
}

// StreamOutSum is StreamOut that may also return the checksum of the window, see strided.StreamSum.
func (l *Layout) StreamOutSum(dst []byte, strides []int, window []byte, b Box) (sum uint32, ok bool) {
	if l.curvePositions == nil {
		return strided.StreamSum(dst, strides, window, b.Steps, b.Shape, l.elem)
	}
	l.CopyOut(dst, strides, window, b)
	return 0, false
}

// CopyIn is the inverse of CopyOut. A stride of 0 repeats elements of src.
func (l *Layout) CopyIn(window []byte, b Box, src []byte, strides []int) {
	if l.curvePositions == nil {
		strided.Copy(window, b.Steps, src, strides, b.Shape, l.elem)
		return
	}
	strided.Scatter(window, l.curvePositions()[b.First:], b.Steps, src, strides, b.Shape, l.elem)
}

// FetchIn is CopyIn from a source that is larger than the caches, see strided.Fetch.
func (l *Layout) FetchIn(window []byte, b Box, src []byte, strides []int) {
	if l.curvePositions == nil {
		strided.Fetch(window, b.Steps, src, strides, b.Shape, l.elem)
		return
	}
	l.CopyIn(window, b, src, strides)
}

// Fill sets every element of a box to value, in its window.
func (l *Layout) Fill(window []byte, b Box, value []byte) {
	n, _ := nd.Product(b.Shape...)
	switch {
	case n*l.elem == len(window): // the whole chunk, in any order
		strided.Repeat(window, value)
	case l.curvePositions == nil:
		strided.Fill(window, b.Steps, b.Shape, value)
	default:
		strided.Scatter(window, l.curvePositions()[b.First:], b.Steps, value, make([]int, len(b.Shape)), b.Shape, l.elem)
	}
}

// Dense reports whether a buffer with these strides, in bytes, holds the elements of a whole chunk
// in the same layout as the file.
func (l *Layout) Dense(strides []int) bool {
	for d, n := range l.shape {
		if n > 1 && (l.curvePositions != nil || strides[d] != l.Strides[d]) {
			return false
		}
	}
	return true
}

// Plain reports whether the elements of a chunk have constant strides, so that the order is row or
// col.
func (l *Layout) Plain() bool { return l.curvePositions == nil }
