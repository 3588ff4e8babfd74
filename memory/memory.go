// Package memory implements extendible arrays in memory, like the arrays of package drx but without
// files. An array grows along any dimension, on either side, and by new dimensions, and never
// copies an element to grow: a pointer to an element stays valid.
//
//	a, err := memory.New(memory.Spec[float64]{Shape: []int{0, 512}})
//	added, err := a.Extend(0, 1)           // the section that is new
//	err = a.Write(added, row)              // []float64, row-major
//	v, err := a.At(0, 7)
//	err = a.Store(file, nil)               // into a *drx.Array
//
// # Addresses
//
// The mapping is that of the files (package axial): the index of an element's chunk determines its
// segment, and one affine map per segment its position there. By default chunks have extents of
// one: each element is a chunk, as in Nimako's thesis (2016), chapter 3, and no division is needed
// to find it. Larger chunks keep neighbours in all dimensions together (section 6.4.1).
//
//	segment   head             the chunks of the segment's first extension
//	          block 0, 1, ...  the chunks of extensions that continued it without interruption
//
// Head and blocks are separate pieces of memory that never move. A slab is all elements with one
// chunk index along the segment's dimension. Blocks hold whole slabs: the first as many as the
// head, rounded up to a power of two, the next twice as many, and so on up to 64 MiB. So a million
// steps of one slab need about twenty blocks, and the block of a slab is computed, not searched
// for. At most half of the memory that grew step by step is in reserve, never more than 64 MiB or
// one slab. The system provides it only when it is used.
//
// # Concurrency
//
// An array may be used by any number of goroutines. Each call uses the bounds at its start, and
// none waits for an Extend. Elements are ordinary memory: goroutines that access the same element,
// at least one of them writing, must synchronise as for a slice. Growing accesses no existing
// element. An Extend after a Shrink sets elements that become visible again to the fill value:
// calls that began before the Shrink and use these elements must have ended.
//
// # Errors
//
// Errors name the dimension, the value and the limit, and wrap the errors of package drx. An
// operation that returns an error has not changed the bounds. If the system has no memory left,
// the program ends, as always in Go.
//
// # Invariants
//
//  1. A view never changes; a growing array gets a new view that shares memory with the old one.
//  2. A view has the segments of its grid, in order, and memory for all their chunks.
//  3. Elements of that memory that were never within the bounds have the fill value.
package memory

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"drx/axial"
	"drx/dtype"
	"drx/internal/state"
	"drx/nd"
)

// A Spec describes an array to create. Shape is required; all other fields have a useful zero
// value.
type Spec[T dtype.Element] struct {
	// Shape holds the extents, in elements. An extent may be zero if the dimension is meant to
	// grow.
	Shape []int
	// Lo holds the low bounds; nil is zeros. The array begins with the bounds
	// [Lo, Lo + Shape).
	Lo []int
	// ChunkShape holds the extents of a chunk, in elements; nil is ones. Addresses are computed
	// fastest for powers of two.
	ChunkShape []int
	// FillValue is the value of elements that were never written.
	FillValue T
	// Dims holds the names of the dimensions. Names may be empty, and nil means no names.
	Dims []string
}

// An Array is an extendible array in memory. The package comment defines its concurrent use.
type Array[T dtype.Element] struct {
	view atomic.Pointer[view[T]]
	grow sync.Mutex // held to replace the view
}

// New returns an array of fill values. The error wraps drx.ErrRank if Lo, Chunk or Dims does not
// have one entry per extent or a name occurs twice, drx.ErrBounds for a negative extent or a chunk
// extent less than one, and drx.ErrOverflow if the array exceeds 64 bits or 64 TiB.
func New[T dtype.Element](spec Spec[T]) (*Array[T], error) {
	h, err := spec.header()
	if err != nil {
		return nil, fail("new", err)
	}
	state, err := (*state.State)(nil).Apply(state.Record{Header: h})
	if err != nil {
		return nil, fail("new", err)
	}
	v, err := newView(state, spec.FillValue)
	if err != nil {
		return nil, fail("new", err)
	}
	a := &Array[T]{}
	a.view.Store(v)
	return a, nil
}

// header returns the first record of the log of an array file with this spec.
func (s Spec[T]) header() (*state.Header, error) {
	k := len(s.Shape)
	t := dtype.Of[T]()
	h := &state.Header{
		Version: state.Version, DType: t.String(), Order: string(state.Row), Chunk: s.ChunkShape,
		Lo: s.Lo, Hi: make([]int, k), Dims: s.Dims, Fill: t.ToJSON(t.Little(dtype.Bytes([]T{s.FillValue}))),
	}
	if h.Chunk == nil {
		h.Chunk = slices.Repeat([]int{1}, k)
	}
	if h.Lo == nil {
		h.Lo = make([]int, k)
	}
	if err := nd.CheckRank("low bounds", len(h.Lo), k); err != nil {
		return nil, err
	}
	for d, n := range s.Shape {
		var ok bool
		if h.Hi[d], ok = nd.Add(h.Lo[d], n); !ok {
			return nil, fmt.Errorf("dimension %d: %d elements from index %d: %w", d, n, h.Lo[d], nd.ErrOverflow)
		}
	}
	return h, nil
}

// fail prefixes an error with the package and the operation.
func fail(op string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("memory: %s: %w", op, err)
}

func (a *Array[T]) state() *state.State { return a.view.Load().state }

// DType returns the element type.
func (a *Array[T]) DType() dtype.DType { return dtype.Of[T]() }

// Rank returns the number of dimensions.
func (a *Array[T]) Rank() int { return len(a.state().Lo) }

// Shape returns the present extents, in elements.
func (a *Array[T]) Shape() []int {
	s := a.state()
	return nd.Shape(s.Lo, s.Hi)
}

// Bounds returns the present bounds as the section of the whole array.
func (a *Array[T]) Bounds() nd.Section {
	s := a.state()
	return nd.Box(s.Lo, s.Hi)
}

// ChunkShape returns the extents of a chunk, in elements.
func (a *Array[T]) ChunkShape() []int { return slices.Clone(a.state().Chunk) }

// FillValue returns the value of elements that were never written.
func (a *Array[T]) FillValue() T { return a.view.Load().fill }

// Dims returns the names of the dimensions; "" for a dimension without a name.
func (a *Array[T]) Dims() []string { return slices.Clone(a.state().Dims) }

// Grid returns the present chunk grid, which computes chunk numbers and holds the expansion
// history. It does not change when the array grows. The caller must not extend it.
func (a *Array[T]) Grid() *axial.Grid { return a.state().Grid }

// Allocated returns the number of elements for which memory is allocated, including the reserve.
func (a *Array[T]) Allocated() int { return a.view.Load().allocated }
