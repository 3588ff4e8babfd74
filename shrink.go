package drx

import (
	"fmt"
	"slices"

	"drx/axial"
	"drx/internal/meta"
	"drx/nd"
)

// Shrink takes so many elements from dimension dim, from the high side or, with Low, from
// the low side. What is taken is gone, at once for whoever uses this Array, with the next
// Sync for everybody: chunks outside the new bounds become unwritten and their bytes go
// back to the file system, and growing again reads as the fill value. The chunk grid stays
// as it is, so that every other chunk stays where it is. The error wraps ErrRank for a
// dimension that does not exist, ErrBounds unless 1 <= by <= extent and for a Growth other
// than High or Low, ErrReadOnly or ErrClosed; the array is unchanged then.
func (a *Array) Shrink(dim, by int, how ...Growth) error {
	op := fmt.Sprintf("shrink dimension %d by %d", dim, by)
	done, err := a.begin(op, true)
	if err != nil {
		return err
	}
	defer done()
	low, _, err := meta.Growths(how, Low)
	if err != nil {
		return a.errorf(op, err)
	}
	a.commit.Lock()
	defer a.commit.Unlock()
	a.grow.Lock()
	defer a.grow.Unlock()
	return a.errorf(op, a.shrink(meta.Shrink{Dim: dim, By: by, Low: low}))
}

func (a *Array) shrink(h meta.Shrink) error {
	if err := a.alone(); err != nil {
		return err
	}
	before := a.state.Load()
	record := meta.Record{Shrink: &h}
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
	if err := a.pool.Forget(outside, func() error { return a.store.Clear(outside) }); err != nil {
		return err
	}
	return a.apply([]meta.Record{record})
}

// entryBytes is what a chunk takes in the table.
const entryBytes = 16

// heldOutside returns the chunks that are written, or in memory, and wholly outside the
// bounds after a dimension shrank, each once. It looks at every chunk taken away or at what
// the device holds of the chunk table, whatever is less: neither the shape of a sparse array
// nor what was written of a dense one makes it slow.
func (a *Array) heldOutside(before, after *meta.State, h meta.Shrink) ([]axial.Number, error) {
	lo, hi := chunksOutside(before, after, h)
	taken, err := nd.Product(nd.Shape(lo, hi)...)
	if err != nil {
		return nil, err
	}
	usage, err := a.store.Usage(0) // the bytes only: no chunk is counted
	if err != nil {
		return nil, err
	}
	if int64(taken) <= usage.Table/entryBytes {
		return a.heldInGrid(before.Grid, lo, hi)
	}
	return a.heldInTable(before.Grid, lo, hi)
}

// chunksOutside returns the bounds of the chunks that a dimension loses.
func chunksOutside(before, after *meta.State, h meta.Shrink) (lo, hi []int) {
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

// heldInGrid returns the chunks with indices in [lo, hi) that are written or in memory. It
// asks for each of them.
func (a *Array) heldInGrid(grid *axial.Grid, lo, hi []int) ([]axial.Number, error) {
	var held []axial.Number
	for _, run := range grid.Runs(lo, hi) {
		for index, more := slices.Clone(run.Lo), true; more; more = nd.Next(index, run.Lo, run.Hi) {
			q := run.Number(index)
			absent, err := a.pool.Absent(q)
			if err != nil {
				return nil, err
			}
			if !absent {
				held = append(held, q)
			}
		}
	}
	return held, nil
}

// heldInTable is heldInGrid, but goes through the pool and the chunk table.
func (a *Array) heldInTable(grid *axial.Grid, lo, hi []int) ([]axial.Number, error) {
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
	var held []axial.Number
	for _, q := range a.pool.Held() {
		if inside(q) {
			held = append(held, q)
		}
	}
	err := a.store.Each(grid.Chunks(), func(q axial.Number, err error) error {
		if !inside(q) {
			return nil // a damaged entry elsewhere is no concern of this
		}
		held = append(held, q)
		return err
	})
	slices.Sort(held)
	return slices.Compact(held), err
}

// outsideBounds returns a function that reports whether a chunk lies wholly outside of the bounds. It
// must not be called by several goroutines at once.
func outsideBounds(s *meta.State) func(q axial.Number) bool {
	index := make([]int, len(s.Lo))
	return func(q axial.Number) bool {
		if !s.Grid.Index(q, index) {
			return true
		}
		for d, i := range index {
			if from, to := chunkRange(s, d); i < from || i >= to {
				return true
			}
		}
		return false
	}
}

// chunkRange returns the chunk indices that the elements of a dimension lie in, an empty
// range for none.
func chunkRange(s *meta.State, d int) (from, to int) {
	from = nd.FloorDiv(s.Lo[d], s.Chunk[d])
	if s.Lo[d] == s.Hi[d] {
		return from, from
	}
	return from, nd.CeilDiv(s.Hi[d], s.Chunk[d])
}

// blankRegrown sets to the fill value what an extension makes visible again of chunks that
// were partly inside the bounds all the time: they may still hold what a Shrink took away.
// Nobody sees it before the extension is made.
func (a *Array) blankRegrown(before, after *meta.State, e meta.Extend) error {
	d := e.Dim
	sec := nd.Box(after.Lo, after.Hi)
	from, to := chunkRange(before, d)
	if e.Low {
		sec[d].Hi = before.Lo[d]
		sec[d].Lo = max(sec[d].Lo, before.WidestLo[d], from*before.Chunk[d])
	} else {
		sec[d].Lo = before.Hi[d]
		sec[d].Hi = min(sec[d].Hi, before.WidestHi[d], to*before.Chunk[d])
	}
	if sec[d].Lo >= sec[d].Hi {
		return nil
	}
	t := &transfer{array: a, op: opBlank, state: after, done: func() {}}
	if err := t.resolve(sec, nil); err != nil {
		return err
	}
	return t.fill(after.Fill)
}

// opBlank is the operation of a transfer that blankRegrown makes.
const opBlank = "blank"
