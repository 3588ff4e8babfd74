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
	b := &blanking{array: a, state: after, sec: sec}
	chunks := make([]axial.Number, 0, batchMoves)
	err := a.eachHeld(before.Grid, lo, hi, func(q axial.Number) error {
		if chunks = append(chunks, q); len(chunks) < batchMoves {
			return nil
		}
		defer func() { chunks = chunks[:0] }()
		return b.blank(chunks)
	})
	if err != nil {
		return err
	}
	return b.blank(chunks)
}

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

// A blanking sets the elements of a section to the fill value, chunk by chunk.
type blanking struct {
	array *Array
	state *state.State
	sec   nd.Section
}

// blank blanks what lies in the section of chunks, each of which has something there. It sorts them. In
// a shared array they are changed under locks: no process has reserved all of such a chunk, a part of
// which becomes visible only now.
func (b *blanking) blank(chunks []axial.Number) error {
	slices.Sort(chunks)
	moves := make([]move, 0, len(chunks))
	for _, q := range slices.Compact(chunks) {
		moves = append(moves, b.moveOf(q))
	}
	fill := func(data []byte, m *move) { b.state.Layout.Fill(data[m.from:], m.box, b.state.Fill) }
	a := b.array
	if !a.shared {
		return inParallel(len(moves), a.parallel, func(i int) error {
			m := &moves[i]
			return a.pool.Update(m.number, m.whole, func(data []byte) { fill(data, m) })
		})
	}
	common := make([]*move, len(moves))
	for i := range moves {
		common[i] = &moves[i]
	}
	return a.updateCommon(common, fill)
}

// moveOf returns the move of the part of the section that lies in chunk q. It has no buffer.
func (b *blanking) moveOf(q axial.Number) move {
	s, k := b.state, len(b.sec)
	chunk, part := make([]int, k), make(nd.Section, k)
	s.Grid.Index(q, chunk)
	for d, box := range chunkBox(s, chunk) {
		part[d] = nd.Range{Lo: max(box.Lo, b.sec[d].Lo), Hi: min(box.Hi, b.sec[d].Hi), Step: 1}
	}
	batch := batch{}
	t := transfer{state: s, strides: make([]int, k), steps: s.Strides}
	_ = plan.Each(s, part, func(p *plan.Piece) error { // one, and no error
		batch.add(&t, p)
		return nil
	})
	return batch.moves[0]
}
