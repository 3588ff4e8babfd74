package drx

import (
	"fmt"
	"slices"

	"drx/axial"
	"drx/internal/state"
)

// Shrink takes the so many highest indices from dimension dim. What is taken is gone, at once for whoever uses this Array, with the next
// Sync for everybody: chunks outside the new bounds become unwritten and their bytes go
// back to the file system, and growing again reads as the fill value. The chunk grid stays
// as it is, so that every other chunk stays where it is. The error wraps ErrRank for a
// dimension that does not exist, ErrBounds unless 1 <= by <= extent, ErrReadOnly or ErrClosed; the
// array is unchanged then.
func (a *Array) Shrink(dim, by int) error {
	return a.shrink(state.Shrink{Dim: dim, By: by})
}

// ShrinkLow is Shrink that takes the lowest indices.
func (a *Array) ShrinkLow(dim, by int) error {
	return a.shrink(state.Shrink{Dim: dim, By: by, Low: true})
}

func (a *Array) shrink(h state.Shrink) error {
	op := fmt.Sprintf("shrink dimension %d by %d", h.Dim, h.By)
	done, err := a.begin(op, true)
	if err != nil {
		return err
	}
	defer done()
	a.commit.Lock()
	defer a.commit.Unlock()
	a.grow.Lock()
	defer a.grow.Unlock()
	return a.errorf(op, a.shrunk(h))
}

// shrunk is shrink with the locks held.
func (a *Array) shrunk(h state.Shrink) error {
	if err := a.alone(); err != nil {
		return err
	}
	before := a.state.Load()
	record := state.Record{Shrink: &h}
	after, err := before.Apply(record)
	if err != nil {
		return err
	}
	if err := a.finish(); err != nil {
		return err
	}
	outside, err := a.heldOutside(before, after, h)
	if err != nil {
		return err
	}
	if err := a.pool.Forget(outside, func() error { return a.writer.Clear(outside) }); err != nil {
		return err
	}
	return a.apply([]state.Record{record})
}

// heldOutside returns the chunks that are written, or in memory, and wholly outside the
// bounds after a dimension shrank, each once.
func (a *Array) heldOutside(before, after *state.State, h state.Shrink) ([]axial.Number, error) {
	lo, hi := chunksOutside(before, after, h)
	var held []axial.Number
	err := a.eachHeld(before.Grid, lo, hi, func(q axial.Number) error {
		held = append(held, q)
		return nil
	})
	slices.Sort(held)
	return slices.Compact(held), err
}

// chunksOutside returns the bounds of the chunks that a dimension loses.
func chunksOutside(before, after *state.State, h state.Shrink) (lo, hi []int) {
	lo, hi = make([]int, len(before.Lo)), make([]int, len(before.Lo))
	for d := range lo {
		lo[d], hi[d] = chunkRange(before, d)
	}
	if from, to := chunkRange(after, h.Dim); from == to {
		// Nothing is left: all of the array is outside.
	} else if h.Low {
		hi[h.Dim] = from
	} else {
		lo[h.Dim] = to
	}
	return lo, hi
}

// outsideBounds returns a function that reports whether a chunk lies wholly outside of the bounds. It
// must not be called by several goroutines at once.
func outsideBounds(s *state.State) func(q axial.Number) bool {
	c := newClip(s)
	return func(q axial.Number) bool {
		if !s.Grid.Index(q, c.index) {
			return true
		}
		c.locate()
		return c.outside()
	}
}
