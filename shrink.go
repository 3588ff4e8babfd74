package drx

import (
	"fmt"
	"slices"

	"drx/axial"
	"drx/internal/layout"
	"drx/internal/plan"
	"drx/internal/state"
	"drx/nd"
)

// Shrink removes the given number of highest indices from dimension dim. The elements are gone at
// once for this Array, and with the next Sync for everybody. Chunks outside of the new bounds
// become unwritten, and their space is given back to the file system. If the array grows again, the
// elements read as the fill value. The chunk grid does not change, so every other chunk stays where
// it is. The error wraps ErrRank if the dimension does not exist, ErrBounds unless 1 <= by <=
// extent, ErrReadOnly or ErrClosed. After such an error the array is unchanged.
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
	a.overwrote.Store(true)
	outside, err := a.existingOutside(before, after, h)
	if err != nil {
		return err
	}
	if err := a.pool.Forget(outside, func() error { return a.writer.Clear(outside) }); err != nil {
		return err
	}
	return a.apply([]state.Record{record})
}

// existingOutside returns the chunks that are written or in memory and that a Shrink puts
// completely outside of the bounds, in ascending order.
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

// chunksOutside returns the box of chunk indices, [lo, hi), that a Shrink puts completely outside
// of the bounds.
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

// outsideBounds returns a function that reports whether a chunk is completely outside of the bounds
// of s. The function must not be called by several goroutines at the same time.
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

// blankRegrown prepares an extension of an array that was larger before. Chunks that always were
// partly within the bounds may still hold elements that a Shrink removed; blankRegrown sets those
// that the extension makes visible again to the fill value. It visits only chunks that are written
// or in memory, because the others read as the fill value. It runs before the extension, so that
// nobody sees the old elements.
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

// blankChunks is the number of chunks that are blanked in one batch.
const blankChunks = 256

// regrown returns the elements that an extension makes visible again in the chunks that are partly
// within the bounds. The section is empty if there are none.
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

// A clip computes the part of a chunk within the bounds of a state. The user sets index and calls
// clipChunk; the other methods refer to that chunk.
type clip struct {
	state      *state.State
	index      []int // of the chunk
	lo, extent []int // the part within the bounds, relative to the chunk's first element
}

// newClip returns a clip for the bounds of s.
func newClip(s *state.State) clip {
	k := len(s.Lo)
	return clip{state: s, index: make([]int, k), lo: make([]int, k), extent: make([]int, k)}
}

// clipChunk computes the part of the chunk at c.index and reports whether it is the whole chunk.
func (c *clip) clipChunk() (whole bool) {
	s := c.state
	whole = true
	for d, i := range c.index {
		c.lo[d] = max(0, s.Lo[d]-i*s.Chunk[d])
		c.extent[d] = min(s.Chunk[d], s.Hi[d]-i*s.Chunk[d]) - c.lo[d]
		whole = whole && c.extent[d] == s.Chunk[d]
	}
	return whole
}

// outside reports whether no element of the chunk is within the bounds.
func (c *clip) outside() bool {
	return slices.ContainsFunc(c.extent, func(n int) bool { return n <= 0 })
}

// section returns the chunk's elements within the bounds.
func (c *clip) section() nd.Section {
	sec := make(nd.Section, len(c.index))
	for d, i := range c.index {
		lo := i*c.state.Chunk[d] + c.lo[d]
		sec[d] = nd.Span(lo, lo+c.extent[d])
	}
	return sec
}

// blankOutside sets the elements of buf, which holds the chunk, outside of the bounds to the fill
// value, dimension by dimension. At least one element must be within the bounds.
func (c *clip) blankOutside(buf []byte) {
	s := c.state
	for d, n := range s.Chunk {
		end := c.lo[d] + c.extent[d]
		for _, part := range [][2]int{{0, c.lo[d]}, {end, n}} {
			shape := slices.Clone(s.Chunk)
			if shape[d] = part[1] - part[0]; shape[d] == 0 {
				continue
			}
			b := layout.Box{First: part[0] * s.Strides[d], Steps: s.Strides, Shape: shape}
			from, _ := s.Window(b)
			s.Layout.Fill(buf[from:], b, s.Fill)
		}
	}
}

// entryBytes is the size of a chunk's entry in the chunk table.
const entryBytes = 16

// directLimit is the number of chunks up to which eachExisting asks for each chunk. For more it
// first asks for the allocated size of the table, which writes back the table's changed pages.
const directLimit = 64

// eachExisting calls f for the existing chunks with indices in [lo, hi): those that are written or
// in memory. The order is undefined, and f may be called twice for a chunk. eachExisting examines
// either every chunk of the box or every allocated entry of the chunk table, whichever is less
// work, so that it is fast in sparse and in densely written arrays. It stops at the first error and
// returns it. f may write existing chunks of the box.
func (a *Array) eachExisting(grid *axial.Grid, lo, hi []int, f func(q axial.Number) error) error {
	chunks, err := nd.Product(nd.Shape(lo, hi)...)
	if err != nil {
		return err
	}
	if chunks <= directLimit {
		return a.eachExistingInGrid(grid, lo, hi, f)
	}
	usage, err := a.store.Usage(0) // only the bytes: this counts no chunks
	if err != nil {
		return err
	}
	if int64(chunks) <= usage.Table/entryBytes {
		return a.eachExistingInGrid(grid, lo, hi, f)
	}
	return a.eachExistingInTable(grid, lo, hi, f)
}

// eachExistingInGrid is eachExisting by a lookup of each chunk of the box.
func (a *Array) eachExistingInGrid(grid *axial.Grid, lo, hi []int, f func(q axial.Number) error) error {
	index := make([]int, len(lo))
	for _, run := range grid.Runs(lo, hi) {
		copy(index, run.Lo)
		for more := true; more; more = nd.Next(index, run.Lo, run.Hi) {
			q := run.Number(index)
			absent, err := a.pool.Absent(q)
			if err == nil && !absent {
				err = f(q)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// eachExistingInTable is eachExisting by a scan of the pool and the chunk table.
func (a *Array) eachExistingInTable(grid *axial.Grid, lo, hi []int, f func(q axial.Number) error) error {
	index := make([]int, len(lo))
	inside := func(q axial.Number) bool {
		if !grid.Index(q, index) {
			return false
		}
		for d, i := range index {
			if i < lo[d] || i >= hi[d] {
				return false
			}
		}
		return true
	}
	for _, q := range a.pool.Held() {
		if !inside(q) {
			continue
		}
		if err := f(q); err != nil {
			return err
		}
	}
	return a.store.Each(grid.Chunks(), func(q axial.Number, err error) error {
		if !inside(q) {
			return nil // even if an entry is damaged: it is outside of the box
		}
		if err != nil {
			return err
		}
		return f(q)
	})
}
