package transfer

import (
	"cmp"
	"slices"

	"drx/axial"
	"drx/internal/chunkstore"
	"drx/internal/plan"
	"drx/internal/strided"
	"drx/nd"
)

// patchBytes is the largest number of bytes of one chunk that are patched. The pool is better for
// larger changes.
const patchBytes = 1 << 20

// patch writes a part of a chunk without reading the rest, and reports whether it did. If the pool
// holds a copy of the chunk, it applies change to that.
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
		if j.Patcher == nil || !j.Patcher.Patchable(c.Chunk) && !j.cheaperSparse(n, bytes, j.State.Fill) {
			return false, nil // before copying the lines
		}
		return j.writePieces(c.Chunk, l.pieces(j.buf[c.At:]), j.State.Fill)
	}, change)
}

// writePieces writes pieces of a chunk without reading the rest, and reports whether it did.
func (c *Chunks) writePieces(q axial.Number, pieces []chunkstore.Piece, fill []byte) (bool, error) {
	if c.Patcher == nil {
		return false, nil
	}
	done, err := c.Patcher.Patch(q, pieces)
	if done || err != nil {
		return done, err
	}
	bytes := 0
	for _, p := range pieces {
		bytes += len(p.Bytes)
	}
	if !c.cheaperSparse(len(pieces), bytes, fill) {
		return false, nil
	}
	return c.Patcher.Start(q, pieces)
}

// cheaperSparse reports whether pieces of a chunk that was never written should go to the file
// directly, so that the rest of the chunk is a hole. That requires a fill value of zero. It pays if
// the pool is full and the pieces cost less than writing the whole chunk.
func (c *Chunks) cheaperSparse(pieces, bytes int, fill []byte) bool {
	cost := pieces + bytes/c.Pool.PatchCost
	return cost*c.Pool.PatchCost <= c.Store.ChunkBytes() && strided.IsZero(fill) && c.Pool.Full()
}

// lines is a box of a chunk, divided into lines of consecutive bytes.
type lines struct {
	from            int   // offset of the first line in the chunk, in bytes
	line            int   // length of a line in bytes
	shape, steps    []int // of the box, by descending steps in the chunk, in bytes
	strides, counts []int // in the buffer, in bytes; lines along each dimension
	elem            int   // size of an element in bytes
}

// linesOf returns the lines of a copy. The elements of the chunk must have constant strides.
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

// pieces returns the lines as pieces. It copies their bytes from a buffer that begins with the
// first line.
func (l lines) pieces(buf []byte) []chunkstore.Piece {
	pieces := make([]chunkstore.Piece, l.count())
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
		pieces[i] = chunkstore.Piece{At: at, Bytes: dense[i*l.line : (i+1)*l.line]}
		nd.Next(index, zero, l.counts)
	}
	return pieces
}
