package transfer

import (
	"cmp"
	"slices"

	"drx/axial"
	"drx/internal/chunkio"
	"drx/internal/plan"
	"drx/internal/strided"
	"drx/nd"
)

// patchBytes is the most bytes of one chunk that are patched: what needs a copy of more is better kept by
// the pool.
const patchBytes = 1 << 20

// patch writes a part of a chunk without the rest of it, and reports whether it did. change makes the
// same change in the bytes of the chunk, for a copy that the pool has.
func (j *job) patch(c *plan.Copy, change func(chunk []byte)) (bool, error) {
	if c.Whole || !j.State.Plain() || j.Pool.Dirty(c.Chunk) {
		return false, nil
	}
	l := j.linesOf(c)
	n := l.count()
	bytes := n * l.line
	if bytes > patchBytes {
		return false, nil
	}
	return j.Pool.Patch(c.Chunk, n+bytes/j.Pool.PatchCost, func() (bool, error) {
		if !j.Store.Patchable(c.Chunk) && !j.starts(n, bytes, j.State.Fill) {
			return false, nil // so that the lines are not copied for nothing
		}
		return j.writePieces(c.Chunk, l.pieces(j.buf[c.At:]), j.State.Fill)
	}, change)
}

// writePieces writes pieces of a chunk without the rest of it, and reports whether it did.
func (c *Chunks) writePieces(q axial.Number, pieces []chunkio.Piece, fill []byte) (bool, error) {
	done, err := c.Store.Patch(q, pieces)
	if done || err != nil {
		return done, err
	}
	bytes := 0
	for _, p := range pieces {
		bytes += len(p.Bytes)
	}
	if !c.starts(len(pieces), bytes, fill) {
		return false, nil
	}
	return c.Store.Start(q, pieces)
}

// starts reports whether a chunk that was never written gets so many pieces in the file, the rest of it
// being a hole: if the pool is full and it costs less than to write all of the chunk.
func (c *Chunks) starts(pieces, bytes int, fill []byte) bool {
	cost := pieces + bytes/c.Pool.PatchCost
	return cost*c.Pool.PatchCost <= c.Store.ChunkBytes() && strided.IsZero(fill) && c.Pool.Full()
}

// lines are a box of a chunk as lines of consecutive bytes.
type lines struct {
	from            int   // where the first line begins in the chunk, in bytes
	line            int   // bytes of a line
	shape, steps    []int // of the box, by descending steps in the chunk, in bytes
	strides, counts []int // in the buffer, in bytes; lines along each dimension
	elem            int   // bytes of an element
}

// linesOf returns the lines of a copy. The elements of the chunk must lie in strides.
func (j *job) linesOf(c *plan.Copy) lines {
	dims := make([]int, 0, len(c.Box.Shape))
	for d, n := range c.Box.Shape {
		if n > 1 {
			dims = append(dims, d)
		}
	}
	slices.SortFunc(dims, func(a, b int) int { return cmp.Compare(c.Box.Steps[b], c.Box.Steps[a]) })
	l := lines{from: c.From, elem: j.State.DType.Size()}
	for _, d := range dims {
		l.shape, l.steps, l.strides = append(l.shape, c.Box.Shape[d]), append(l.steps, c.Box.Steps[d]), append(l.strides, j.Strides[d])
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

// pieces returns the lines with copies of their bytes in a buffer that begins with the first of them.
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
