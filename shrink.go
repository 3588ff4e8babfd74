package drx

import (
	"fmt"

	"drx/axial"
	"drx/internal/meta"
	"drx/nd"
)

// Shrink takes so many elements from dimension dim, from the high side or, with Low, from
// the low side. What is taken is gone, at once for whoever uses this Array, with the next
// Sync for everybody: chunks outside the new bounds become unwritten and their bytes go
// back to the file system, and growing again reads as the fill value. The chunk grid stays
// as it is, so that every other chunk stays where it is. The error wraps ErrRank for a
// dimension that does not exist, ErrBounds unless 1 <= by <= extent, ErrReadOnly or
// ErrClosed; the array is unchanged then.
func (a *Array) Shrink(dim, by int, how ...Growth) error {
	op := fmt.Sprintf("shrink dimension %d by %d", dim, by)
	done, err := a.begin(op, true)
	if err != nil {
		return err
	}
	defer done()
	low := false
	for _, h := range how {
		low = low || h == Low
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
	// First the entries, so that nobody loads a chunk again, then the frames.
	if err := a.store.Clear(outside); err != nil {
		return err
	}
	if err := a.apply([]meta.Record{record}); err != nil {
		return err
	}
	for _, q := range outside {
		a.pool.Drop(q)
	}
	return nil
}

// heldOutside returns the chunks that are written, or in memory, and wholly outside the
// bounds after a dimension shrank. It looks at the chunks taken away or at the chunk table,
// whatever is less.
func (a *Array) heldOutside(before, after *meta.State, h meta.Shrink) ([]axial.Number, error) {
	k := len(before.Lo)
	lo, hi := make([]int, k), make([]int, k)
	for d := range k {
		lo[d], hi[d] = chunkRange(before, d)
	}
	if from, to := chunkRange(after, h.Dim); from == to {
		// Nothing is left: all of the array is outside.
	} else if h.Low {
		hi[h.Dim] = from
	} else {
		lo[h.Dim] = to
	}
	var held []axial.Number
	count, err := nd.Product(nd.Shape(lo, hi)...)
	if err != nil {
		return nil, err
	}
	chunks := before.Grid.Chunks()
	if int64(count) <= int64(chunks)/64 || chunks < 1<<16 {
		for _, run := range before.Grid.Runs(lo, hi) {
			for index, more := append([]int(nil), run.Lo...), true; more; more = nd.Next(index, run.Lo, run.Hi) {
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
	index := make([]int, k)
	inside := func(q axial.Number) bool {
		return before.Grid.Index(q, index) && nd.CheckIndex(index, lo, hi) == nil
	}
	for _, q := range a.pool.Held() {
		if inside(q) {
			held = append(held, q)
		}
	}
	err = a.store.Each(chunks, func(q axial.Number, err error) error {
		if err == nil && inside(q) {
			held = append(held, q)
		}
		return err
	})
	return held, err
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
