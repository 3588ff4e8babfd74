package drx

import (
	"fmt"
	"slices"

	"drx/axial"
	"drx/internal/plan"
	"drx/internal/state"
	"drx/nd"
)

// Shrink removes the given number of highest indices from dimension dim. The elements are gone at once for this
// Array, and with the next Sync for everybody. Chunks outside of the new bounds become unwritten, and their
// space is given back to the file system. If the array grows again, the elements read as the fill value. The
// chunk grid does not change, so every other chunk stays where it is. The error wraps ErrRank if the dimension
// does not exist, ErrBounds unless 1 <= by <= extent, ErrReadOnly or ErrClosed. After such an error the array
// is unchanged.
func (a *Array) Shrink(dim, by int) error {
	return a.shrink(state.Shrink{Dim: dim, By: by})
}

// ShrinkLow is like Shrink but removes the lowest indices.
func (a *Array) ShrinkLow(dim, by int) error {
	return a.shrink(state.Shrink{Dim: dim, By: by, Low: true})
}

// shrink is Shrink on either side.
func (a *Array) shrink(h state.Shrink) error {
	op := fmt.Sprintf("shrink dimension %d by %d", h.Dim, h.By)
	done, err := a.begin(op, true)
	if err != nil {
		return err
	}
	defer done()
	a.commitMu.Lock()
	defer a.commitMu.Unlock()
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	return a.errorf(op, a.shrinkLocked(h))
}

// shrinkLocked is shrink for a caller that holds the locks.
func (a *Array) shrinkLocked(h state.Shrink) error {
	if err := a.errUnlessExclusive(); err != nil {
		return err
	}
	before := a.state.Load()
	record := state.Record{Shrink: &h}
	after, err := before.Apply(record)
	if err != nil {
		return err
	}
	if err := a.finishCommitLocked(); err != nil {
		return err
	}
	outside, err := a.existingOutside(before, after, h)
	if err != nil {
		return err
	}
	if err := a.pool.Forget(outside, func() error { return a.writer.Clear(outside) }); err != nil {
		return err
	}
	return a.apply([]state.Record{record})
}

// existingOutside returns the chunks that are written or in memory and that a Shrink puts completely outside of
// the bounds, in ascending order.
func (a *Array) existingOutside(before, after *state.State, h state.Shrink) ([]axial.Number, error) {
	lo, hi := chunksOutside(before, after, h)
	var held []axial.Number
	err := a.eachExisting(before.Grid, lo, hi, func(q axial.Number) error {
		held = append(held, q)
		return nil
	})
	slices.Sort(held)
	return slices.Compact(held), err
}

// chunksOutside returns the box of chunk indices, [lo, hi), that a Shrink puts completely outside of the
// bounds.
func chunksOutside(before, after *state.State, h state.Shrink) (lo, hi []int) {
	lo, hi = make([]int, len(before.Lo)), make([]int, len(before.Lo))
	for d := range lo {
		lo[d], hi[d] = before.ChunkRange(d)
	}
	if from, to := after.ChunkRange(h.Dim); from == to {
		// The array has no elements any more: all of its chunks are outside.
	} else if h.Low {
		hi[h.Dim] = from
	} else {
		lo[h.Dim] = to
	}
	return lo, hi
}

// outsideBounds returns a function that reports whether a chunk is completely outside of the bounds of s. The
// function must not be called by several goroutines at the same time.
func outsideBounds(s *state.State) func(q axial.Number) bool {
	c := newClip(s)
	return func(q axial.Number) bool {
		if !s.Grid.Index(q, c.index) {
			return true
		}
		c.clipChunk()
		return c.outside()
	}
}

// blankRegrown prepares an extension of an array that was larger once. Chunks that always were partly within
// the bounds may still hold elements that a Shrink removed; blankRegrown sets those that the extension makes
// visible again to the fill value. It looks only at chunks that are written or in memory, because the others
// read as the fill value. It runs before the extension, so that nobody sees the old elements.
func (a *Array) blankRegrown(before, after *state.State, e state.Extend) error {
	sec := regrown(before, after, e)
	lo, hi := make([]int, len(sec)), make([]int, len(sec))
	for d, r := range sec {
		if r.Len() == 0 {
			return nil
		}
		lo[d], hi[d] = nd.FloorDiv(r.Lo, after.Chunk[d]), nd.CeilDiv(r.Hi, after.Chunk[d])
	}
	part, err := plan.NewSection(after, sec, nil)
	if err != nil {
		return err
	}
	chunks := make([]axial.Number, 0, blankChunks)
	blank := func() error {
		slices.Sort(chunks)
		err := a.chunks.Blank(part, slices.Compact(chunks))
		chunks = chunks[:0]
		return err
	}
	err = a.eachExisting(before.Grid, lo, hi, func(q axial.Number) error {
		if chunks = append(chunks, q); len(chunks) < blankChunks {
			return nil
		}
		return blank()
	})
	if err != nil {
		return err
	}
	return blank()
}

// blankChunks is the number of chunks that are blanked together.
const blankChunks = 256

// regrown returns the elements that an extension makes visible again in the chunks that are partly within the
// bounds. The section is empty if there are none.
func regrown(before, after *state.State, e state.Extend) nd.Section {
	d := e.Dim
	sec := nd.Box(after.Lo, after.Hi)
	from, to := before.ChunkRange(d)
	if e.Low {
		sec[d].Hi = before.Lo[d]
		sec[d].Lo = max(sec[d].Lo, before.WidestLo[d], from*before.Chunk[d])
	} else {
		sec[d].Lo = before.Hi[d]
		sec[d].Hi = min(sec[d].Hi, before.WidestHi[d], to*before.Chunk[d])
	}
	for d := range sec {
		sec[d].Step = 1
	}
	return sec
}
