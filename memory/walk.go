package memory

import (
	"iter"

	"drx/axial"
)

// Blocks yields the memory of all chunks that the array has at the call, in the order of their
// numbers: the number of the first chunk and the elements of that chunk and those that follow
// it, as many as are contiguous. A segment is one block, or several if it was continued. A
// chunk's elements are row-major; those outside the bounds are there too. A block is the
// array's own memory: what is written to it is written to the array.
func (a *Array[T]) Blocks() iter.Seq2[axial.Number, []T] {
	v := a.view.Load()
	return func(yield func(axial.Number, []T) bool) {
		number := axial.Number(0)
		for i := range v.segs {
			more := v.blocksOf(i, func(block []T) bool {
				first := number
				number += axial.Number(len(block) / v.perChunk)
				return yield(first, block)
			})
			if !more {
				return
			}
		}
	}
}

// blocksOf calls f with the memory of segment i that is in use, until f returns false, and
// reports whether it never did.
func (v *view[T]) blocksOf(i int, f func([]T) bool) bool {
	seg := &v.segs[i]
	if !f(seg.head) {
		return false
	}
	end := v.slabsOf(i) - seg.heads()
	for at := 0; at < end; {
		b, first, n := seg.block(at)
		n = min(n, end-first)
		if !f(v.blocks[seg.first+b][: n*seg.slab : n*seg.slab]) {
			return false
		}
		at = first + n
	}
	return true
}

// Chunks yields every chunk that the array has at the call, in the order of their numbers: its
// index, which is reused between calls, and its elements, row-major, those outside the bounds
// included. They are the array's own memory.
func (a *Array[T]) Chunks() iter.Seq2[[]int, []T] {
	v := a.view.Load()
	return func(yield func([]int, []T) bool) {
		index := make([]int, len(v.axes))
		number := axial.Number(0)
		each := func(block []T) bool {
			for ; len(block) > 0; block = block[v.perChunk:] {
				v.grid.Index(number, index)
				number++
				if !yield(index, block[:v.perChunk:v.perChunk]) {
					return false
				}
			}
			return true
		}
		for i := range v.segs {
			if !v.blocksOf(i, each) {
				return
			}
		}
	}
}
