package drx

import (
	"slices"

	"drx/axial"
	"drx/internal/plan"
	"drx/internal/state"
	"drx/nd"
)

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
	from, to := chunkRange(before, d)
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

// chunkRange returns the range of chunk indices, in dimension d, in which the array has elements. It is empty
// if the array has none.
func chunkRange(s *state.State, d int) (from, to int) {
	from = nd.FloorDiv(s.Lo[d], s.Chunk[d])
	if s.Lo[d] == s.Hi[d] {
		return from, from
	}
	return from, nd.CeilDiv(s.Hi[d], s.Chunk[d])
}
