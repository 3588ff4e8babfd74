package transfer

import (
	"errors"
	"slices"

	"drx/axial"
	"drx/internal/chunkstore"
	"drx/internal/plan"
	"drx/internal/state"
	"drx/internal/strided"
	"drx/nd"
)

// ErrReadOnly is wrapped by the error of a write to an array that is open for reading.
var ErrReadOnly = errors.New("array is open for reading only")

// lockedBytes is the largest size of the chunks that are locked, and in memory, at the same time.
const lockedBytes = 16 << 20

// changeShared calls change with the bytes of every chunk that the section touches, in an array
// that other processes write as well. Chunks that only this process writes are changed in the pool;
// chunks that others write, too, are changed in the file, under locks.
func (j *job) changeShared(change func(c *plan.Copy, chunk []byte)) error {
	own := slices.ContainsFunc(j.reserved, func(own nd.Section) bool { return own.Contains(j.Ranges) })
	if !own && !j.Sharer.HasOwners() {
		return chunkstore.ErrOld
	}
	return j.Each(plan.Single, func(l *plan.List) error {
		var sharedChunks []plan.Copy
		for i := range l.Groups() {
			c := &l.Group(i)[0]
			if !j.owns(c.Chunk) {
				sharedChunks = append(sharedChunks, *c)
			} else if err := j.Pool.Update(c.Chunk, c.Whole, func(chunk []byte) { change(c, chunk) }); err != nil {
				return err
			}
		}
		return j.changeLocked(sharedChunks, change)
	})
}

// changeLocked locks chunks, whose numbers must ascend, and calls change with the bytes of each.
func (j *job) changeLocked(copies []plan.Copy, change func(c *plan.Copy, chunk []byte)) error {
	blank := func(chunk []byte) { strided.Repeat(chunk, j.State.Fill) }
	for batch := range slices.Chunk(copies, max(1, lockedBytes/j.State.ChunkBytes)) {
		targets := make([]chunkstore.Target, len(batch))
		for i, c := range batch {
			targets[i] = chunkstore.Target{Number: c.Chunk, Whole: c.Whole}
		}
		if err := j.Sharer.UpdateCommon(targets, blank, func(i int, chunk []byte) { change(&batch[i], chunk) }); err != nil {
			return err
		}
	}
	return nil
}

// owns reports whether only this process writes a chunk: whether the whole chunk lies in one of its
// sections.
func (j *job) owns(q axial.Number) bool { return j.Reserved == nil || owns(j.State, j.reserved, q) }

// owns reports whether a chunk lies in one of the sections that a process has reserved.
func owns(s *state.State, reserved []nd.Section, q axial.Number) bool {
	if len(reserved) == 0 {
		return false
	}
	index := make([]int, len(s.Chunk))
	s.Grid.Index(q, index)
	box := make(nd.Section, len(index))
	for d, i := range index {
		box[d] = nd.Span(i*s.Chunk[d], (i+1)*s.Chunk[d])
	}
	return slices.ContainsFunc(reserved, func(own nd.Section) bool { return own.Contains(box) })
}
