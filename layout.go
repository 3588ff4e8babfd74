package drx

import (
	"drx/axial"
	"drx/internal/plan"
	"drx/internal/state"
	"drx/nd"
)

// A Layout says where the bytes of an array are in its .xta file, which is a sequence of slots of one
// size, one per chunk, in the order of the chunk numbers. It does not change when the array grows.
type Layout struct {
	// ElementOrder is the order of the elements inside a chunk.
	ElementOrder ElementOrder
	// Align is the alignment: every chunk begins at a multiple of so many bytes. 0 is none.
	Align int
	// SlotBytes is the distance from the beginning of one chunk to that of the next: the bytes of a
	// chunk, rounded up to the alignment.
	SlotBytes int64

	state *state.State
}

// Layout returns the present layout.
func (a *Array) Layout() Layout {
	s := a.now()
	return Layout{ElementOrder: ElementOrder(s.Order), Align: s.Align, SlotBytes: s.Slot(), state: s}
}

// Offset returns where the chunk with the given number begins in the .xta file, in bytes.
func (l Layout) Offset(q axial.Number) int64 { return int64(q) * l.SlotBytes }

// Locate returns where an element is stored: the index and the number of its chunk, and its offset in the
// .xta file in bytes. The error wraps ErrRank or ErrBounds.
func (l Layout) Locate(index ...int) (chunkIndex []int, q axial.Number, offset int64, err error) {
	if err := nd.CheckIndex(index, l.state.Lo, l.state.Hi); err != nil {
		return nil, 0, 0, err
	}
	chunkIndex = make([]int, len(index))
	q, within, _ := plan.Locate(l.state, index, chunkIndex)
	return chunkIndex, q, l.Offset(q) + int64(within), nil
}
