package memory

import (
	"iter"

	"drx/axial"
)

// Blocks yields the memory of all chunks that the array has at the call, in the order of their
// numbers. Each block is a contiguous sequence of chunks: the number of its first chunk, and the
// elements of all. A segment is one block, or several if it was continued. The elements of a chunk
// are row-major and include those outside the bounds. Blocks are the array's own memory: writing to
// one changes the array.
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

// blocksOf calls f with the memory of segment i that is in use, block by block, until f returns false.
// It returns false in that case.
func (v *view[T]) blocksOf(i int, f func([]T) bool) bool {
	seg := &v.segs[i]
	if !f(seg.head) {
		return false
	}
	end := v.slabsOf(i) - seg.headSlabs()
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

// Chunks yields every chunk that the array has at the call, in the order of their numbers: its index,
// in a slice that is reused, and its elements. They are row-major, include those outside the bounds,
// and are the array's own memory.
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
