package drx

import (
	"drx/axial"
	"drx/internal/plan"
	"drx/internal/state"
	"drx/nd"
)

// A Layout says where the bytes of an array are in its .xta file. The file is a sequence of slots of equal
// size, one per chunk, in the order of the chunk numbers. A Layout does not change when the array grows.
type Layout struct {
	// ElementOrder is the order of the elements inside a chunk.
	ElementOrder ElementOrder
	// Align is the alignment in bytes: every chunk begins at a multiple of it. 0 means none.
	Align int
	// SlotBytes is the distance in bytes between the beginnings of two consecutive chunks: the size of a chunk,
	// rounded up to a multiple of the alignment.
	SlotBytes int64

	state *state.State
}

// Layout returns the present layout.
func (a *Array) Layout() Layout {
	s := a.now()
	return Layout{ElementOrder: ElementOrder(s.Order), Align: s.Align, SlotBytes: s.Slot(), state: s}
}

// Offset returns the offset in the .xta file, in bytes, at which the chunk with the given number begins.
func (l Layout) Offset(q axial.Number) int64 { return int64(q) * l.SlotBytes }

// Locate returns where an element is stored: the index and the number of its chunk, and the element's own
// offset in the .xta file, in bytes. The error wraps ErrRank or ErrBounds.
func (l Layout) Locate(index ...int) (chunkIndex []int, q axial.Number, offset int64, err error) {
	if err := nd.CheckIndex(index, l.state.Lo, l.state.Hi); err != nil {
		return nil, 0, 0, err
	}
	chunkIndex = make([]int, len(index))
	q, within, _ := plan.Locate(l.state, index, chunkIndex)
	return chunkIndex, q, l.Offset(q) + int64(within), nil
}
