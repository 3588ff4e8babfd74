package planner

import (
	"iter"
	"slices"

	"drx/nd"
)

// A Box is the elements [Lo, Hi) of a pass. Indices count from the first element of the pass,
// along the dimensions of the target.
type Box struct{ Lo, Hi []int }

// newBox returns an empty box at the origin.
func newBox(rank int) Box { return Box{make([]int, rank), make([]int, rank)} }

// Shape returns the extents of the box.
func (b Box) Shape() []int { return nd.Shape(b.Lo, b.Hi) }

// Elements returns the number of elements of the box.
func (b Box) Elements() int { return volume(b.Shape()) }

// With returns the box with the bounds [lo, hi) in dimension d.
func (b Box) With(d, lo, hi int) Box {
	b = Box{slices.Clone(b.Lo), slices.Clone(b.Hi)}
	b.Lo[d], b.Hi[d] = lo, hi
	return b
}

// cut cuts a box in dimension d at x1 = end(d, Lo[d]), x2 = end(d, x1), and so on, in every
// dimension. The pieces come in row-major order.
func (b Box) cut(end func(d, x int) int) iter.Seq[Box] {
	cuts := make([][]int, len(b.Lo))
	count := make([]int, len(b.Lo))
	for d := range cuts {
		cuts[d] = []int{b.Lo[d]}
		for x := b.Lo[d]; x < b.Hi[d]; {
			x = min(end(d, x), b.Hi[d])
			cuts[d] = append(cuts[d], x)
		}
		count[d] = len(cuts[d]) - 1
	}
	return func(yield func(Box) bool) {
		at, zero := make([]int, len(count)), make([]int, len(count))
		for more := b.Elements() > 0; more; more = nd.Next(at, zero, count) {
			piece := newBox(len(at))
			for d, i := range at {
				piece.Lo[d], piece.Hi[d] = cuts[d][i], cuts[d][i+1]
			}
			if !yield(piece) {
				return
			}
		}
	}
}

// slabs cuts a box along dimension d only. In a dense buffer in which d varies slowest every
// slab is contiguous.
func (b Box) slabs(d int, end func(x int) int) []Box {
	return slices.Collect(b.cut(func(e, x int) int {
		if e == d {
			return end(x)
		}
		return b.Hi[e]
	}))
}
