// Package memory holds extendible arrays in memory: the array of package drx without a file.
// It grows along any dimension, on either side, and by new dimensions, and no element is ever
// copied for it: a pointer to an element stays valid for as long as it is kept.
//
//	a, err := memory.New(memory.Spec[float64]{Shape: []int{0, 512}})
//	added, err := a.Extend(0, 1)           // the section that is new
//	err = a.Write(added, row)              // []float64, row-major
//	v, err := a.At(0, 7)
//	err = a.Store(file, nil)               // into a *drx.Array
//
// # Where an element is
//
// The mapping is that of the files (package axial): the index of an element's chunk gives its
// segment and its place in it, by one affine map per segment. Chunks have extents of one
// unless Spec says otherwise: then each element is a chunk, the array of Nimako's thesis
// (2016), chapter 3, and there is no division to find it; larger ones keep neighbours
// together in all dimensions (section 6.4.1).
//
//	segment   head             exactly what its extension adjoined
//	          block 0, 1, ...  what continued it, without another extension in between
//
// Each of them is memory of its own that never moves. A slab is what one chunk index along the
// segment's dimension holds. The blocks hold whole slabs, as many as the head, rounded up to a
// power of two, then twice as many, and so on up to 64 MiB: a million steps of one slab make
// some twenty blocks, and the one that holds a slab is computed, not searched for. So at most half
// of what was grown step by step is kept in reserve, never more than 64 MiB or a slab, and
// the system does not give it until it is used.
//
// # Concurrency
//
// The array itself may be used by any number of goroutines: a call takes the bounds that it
// finds when it begins and keeps them, and nobody waits for an Extend. The elements are
// ordinary memory: two goroutines that use the same one, one of them to write, must agree on an
// order themselves, as with a slice. Growing touches no element that exists. An Extend after
// a Shrink sets the elements that come back to the fill value: calls that began before the
// Shrink and use these must have ended.
//
// # Errors
//
// Errors are those of package drx: they name the dimension, the value and the limit, and wrap
// its sentinels. An operation that returns an error has not changed the bounds. Memory that
// the system does not have ends the program, as everywhere in Go.
//
// # Invariants
//
//  1. A view never changes; a growing array gets a new one that shares memory with the old.
//  2. Segments of a view are those of its grid, in order; all their chunks have memory.
//  3. Elements of that memory outside of all bounds there ever were are the fill value.
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

// A Spec says what array to make. Shape is required, everything else has a sensible zero
// value.
type Spec[T dtype.Element] struct {
	// Shape holds the extents, in elements. Extents may be zero: the dimension is to grow.
	Shape []int
	// Lo holds the low bounds; nil is zeros. The array begins with the bounds
	// [Lo, Lo + Shape).
	Lo []int
	// ChunkShape holds the extents of a chunk, in elements; nil is ones. Powers of two are found
	// fastest.
	ChunkShape []int
	// FillValue is the value of elements never written.
	FillValue T
	// Dims names the dimensions; nil or empty names leave them without.
	Dims []string
}

// An Array is an extendible array in memory. The package comment says what goroutines may do
// at once.
type Array[T dtype.Element] struct {
	view atomic.Pointer[view[T]]
	grow sync.Mutex // held by whoever makes the next view
}

// New returns an array of fill values. The error wraps drx.ErrRank when Lo, Chunk or Dims have
// not one entry per extent or a name is taken, drx.ErrBounds for a negative extent or a chunk
// extent less than one, and drx.ErrOverflow for more than fits 64 bits or 64 TiB.
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

// header returns the record that an array file of this spec would begin with.
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

// fail puts the package and the operation before an error.
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

// FillValue returns the value of elements never written.
func (a *Array[T]) FillValue() T { return a.view.Load().fill }

// Dims returns the names of the dimensions, empty where there is none.
func (a *Array[T]) Dims() []string { return slices.Clone(a.state().Dims) }

// Grid returns the present chunk grid, which computes the number of any chunk and tells the
// history of the expansions. It does not change when the array grows, and is not to be
// extended.
func (a *Array[T]) Grid() *axial.Grid { return a.state().Grid }

// Allocated returns the elements that there is memory for: those of all chunks and what is in
// reserve.
func (a *Array[T]) Allocated() int { return a.view.Load().allocated }
