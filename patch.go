package drx

import (
	"cmp"
	"slices"

	"drx/axial"
	"drx/internal/chunkio"
	"drx/internal/strided"
	"drx/nd"
)

// A few bytes of a chunk are changed without the rest of it, see pool.Pool.Patch.

// patch changes bytes of chunk q, from byte within on.
func (a *Array) patch(q axial.Number, within int, b []byte) error {
	change := func(data []byte) { copy(data[within:], b) }
	done, err := a.pool.Patch(q, 1, func() (bool, error) {
		return a.put(q, []chunkio.Piece{{At: within, Bytes: b}})
	}, change)
	if done || err != nil {
		return err
	}
	return a.pool.Update(q, false, change)
}

// put writes pieces of chunk q without the rest of it, and reports whether it did.
func (a *Array) put(q axial.Number, pieces []chunkio.Piece) (bool, error) {
	done, err := a.store.Patch(q, pieces)
	if done || err != nil {
		return done, err
	}
	bytes := 0
	for _, p := range pieces {
		bytes += len(p.Bytes)
	}
	if !a.starts(len(pieces), bytes) {
		return false, nil
	}
	return a.store.Start(q, pieces)
}

// starts reports whether a chunk that was never written gets so many pieces in their places, the rest
// being a hole of the file: as the pool has no room for it, and it costs less than to write it all.
func (a *Array) starts(pieces, bytes int) bool {
	cost := pieces + bytes/a.pool.PatchCost
	return cost*a.pool.PatchCost <= a.store.ChunkBytes() && allZeroBytes(a.state.Load().Fill) && a.pool.Full()
}

// lines are a part of a chunk as lines of consecutive bytes.
type lines struct {
	from            int   // byte of the chunk at which the first begins
	line            int   // bytes of one
	shape, steps    []int // of the part, by descending steps in the chunk, which are in bytes
	strides, counts []int // in the buffer, in bytes; of lines along each dimension
	elem            int
}

// linesOf returns the lines of a move, whose chunk is not along a curve.
func (t *transfer) linesOf(m *move) lines {
	dims := make([]int, 0, len(m.box.Shape))
	for d, n := range m.box.Shape {
		if n > 1 {
			dims = append(dims, d)
		}
	}
	slices.SortFunc(dims, func(i, j int) int { return cmp.Compare(m.box.Steps[j], m.box.Steps[i]) })
	l := lines{from: m.from, elem: t.state.DType.Size()}
	for _, d := range dims {
		l.shape, l.steps, l.strides = append(l.shape, m.box.Shape[d]), append(l.steps, m.box.Steps[d]), append(l.strides, t.strides[d])
	}
	l.counts, l.line = slices.Clone(l.shape), l.elem
	for last := len(dims) - 1; last >= 0 && l.steps[last] == l.line; last-- {
		l.counts[last], l.line = 1, l.line*l.shape[last]
	}
	return l
}

// count returns the number of lines.
func (l lines) count() int {
	n, _ := nd.Product(l.counts...)
	return n
}

// pieces returns the lines with their bytes, copies of those of a buffer.
func (l lines) pieces(buf []byte) []chunkio.Piece {
	pieces := make([]chunkio.Piece, l.count())
	dense := make([]byte, len(pieces)*l.line)
	strides := nd.Order(nil).Strides(l.shape)
	for d := range strides {
		strides[d] *= l.elem
	}
	strided.Copy(dense, strides, buf, l.strides, l.shape, l.elem)
	index, zero := make([]int, len(l.shape)), make([]int, len(l.shape))
	for i := range pieces {
		at := l.from
		for d, x := range index {
			at += x * l.steps[d]
		}
		pieces[i] = chunkio.Piece{At: at, Bytes: dense[i*l.line : (i+1)*l.line]}
		nd.Next(index, zero, l.counts)
	}
	return pieces
}

// patch writes a part of a chunk without the rest of it, and reports whether it did. put is how it
// is written to bytes of the chunk.
func (t *transfer) patch(m *move, buf []byte, put func(data []byte)) (bool, error) {
	a := t.array
	if m.whole || !t.state.Plain() || a.pool.Dirty(m.number) {
		return false, nil
	}
	l := t.linesOf(m)
	bytes := l.count() * l.line
	if bytes > runBytes {
		return false, nil // copies of so much are better kept by the pool
	}
	n := l.count()
	return a.pool.Patch(m.number, n+bytes/a.pool.PatchCost, func() (bool, error) {
		if !a.store.Patchable(m.number) && !a.starts(n, bytes) {
			return false, nil // before the lines are copied
		}
		return a.put(m.number, l.pieces(buf[m.at:]))
	}, put)
}
