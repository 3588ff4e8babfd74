package drx

import (
	"slices"

	"drx/axial"
	"drx/internal/plan"
	"drx/internal/state"
	"drx/nd"
)

// blankRegrown sets to the fill value what an extension makes visible again of chunks that
// were partly inside the bounds all the time: they may still hold what a Shrink took away. It looks
// at chunks that are written or in memory only: the others read as the fill value. Nobody sees it
// before the extension is made.
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
	err = a.eachHeld(before.Grid, lo, hi, func(q axial.Number) error {
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

// blankChunks is how many chunks are blanked together.
const blankChunks = 256

// regrown returns what an extension makes visible again of the chunks that the array has elements in, an
// empty section for nothing.
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

// chunkRange returns the chunk indices that the elements of a dimension lie in, an empty
// range for none.
func chunkRange(s *state.State, d int) (from, to int) {
	from = nd.FloorDiv(s.Lo[d], s.Chunk[d])
	if s.Lo[d] == s.Hi[d] {
		return from, from
	}
	return from, nd.CeilDiv(s.Hi[d], s.Chunk[d])
}
