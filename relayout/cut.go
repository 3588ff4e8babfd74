package relayout

import (
	"iter"

	"drx/nd"
)

// cut cuts a box: in dimension d at x = lo[d], end(d, x), end(d, end(d, x)), and so on. The
// pieces come in row-major order.
func (b box) cut(end func(d, x int) int) iter.Seq[box] {
	cuts := make([][]int, len(b.lo))
	count := make([]int, len(b.lo))
	for d := range cuts {
		cuts[d] = []int{b.lo[d]}
		for x := b.lo[d]; x < b.hi[d]; {
			x = min(end(d, x), b.hi[d])
			cuts[d] = append(cuts[d], x)
		}
		count[d] = len(cuts[d]) - 1
	}
	return func(yield func(box) bool) {
		at, zero := make([]int, len(count)), make([]int, len(count))
		for more := b.size(1) > 0; more; more = nd.Next(at, zero, count) {
			piece := box{make([]int, len(at)), make([]int, len(at))}
			for d, i := range at {
				piece.lo[d], piece.hi[d] = cuts[d][i], cuts[d][i+1]
			}
			if !yield(piece) {
				return
			}
		}
	}
}

// targetEnd returns the end of the target chunk that holds element x.
func (a axis) targetEnd(x int) int { return a.targetCut((x+a.to)/a.t + 1) }

// targets returns the number of target chunks that the elements [lo, hi) lie in.
func (a axis) targets(lo, hi int) int {
	if lo >= hi {
		return 0
	}
	return (hi-1+a.to)/a.t - (lo+a.to)/a.t + 1
}

// chunksIn returns the number of source chunks that a box touches.
func (p *Pass) chunksIn(b box) int64 {
	n := int64(1)
	for d, a := range p.problem.axes {
		n *= int64(a.touched(b.lo[d], b.hi[d]))
	}
	return n
}

// targetsIn returns the number of target chunks that a box touches.
func (p *Pass) targetsIn(b box) int64 {
	n := int64(1)
	for d, a := range p.problem.axes {
		n *= int64(a.targets(b.lo[d], b.hi[d]))
	}
	return n
}

// slabs cuts a box along dimension d at the ends of chunks and nowhere else. In a dense
// buffer in which d varies slowest every slab is contiguous.
func (b box) slabs(d int, end func(x int) int) []box {
	var all []box
	for s := range b.cut(func(e, x int) int {
		if e == d {
			return end(x)
		}
		return b.hi[e]
	}) {
		all = append(all, s)
	}
	return all
}

// A part is what is read at once of a source chunk.
type part struct {
	box
	first bool // of its chunk
}

// parts cuts a box into source chunks, and those of these that are wanted into parts of the size of a
// stage.
func (p *Pass) parts(b box, wanted func(chunk box) bool) []part {
	var all []part
	for chunk := range p.sourcesOf(b) {
		if !wanted(chunk) {
			continue
		}
		first := true
		for piece := range chunk.cut(func(d, x int) int { return x + p.layout.part[d] }) {
			all = append(all, part{piece, first})
			first = false
		}
	}
	return all
}

// enoughLines is how many elements side by side a chunk must have for a transposition to
// use what it loads into a cache.
const enoughLines = 16

// workOrder returns the order of the dimensions in the buffers: the target's, so that data
// is transposed when it is read, unless source chunks are too thin for that; then it is
// transposed when it is written.
func (p *Pass) workOrder(order nd.Order) nd.Order {
	last := len(p.Source.Chunk) - 1
	if p.Source.Chunk[last] >= enoughLines {
		return nil
	}
	inverse := make(nd.Order, len(p.Source.Chunk))
	for d, e := range order.Dims(len(inverse)) {
		inverse[e] = d
	}
	return inverse
}
