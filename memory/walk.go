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
func (a *Array[T]) Blocks() iter.Seq2[axial.Number, []T] { return a.view.Load().eachBlock() }

// eachBlock is Blocks for a view.
func (v *view[T]) eachBlock() iter.Seq2[axial.Number, []T] {
	return func(yield func(axial.Number, []T) bool) {
		for i := range v.segs {
			seg := &v.segs[i]
			if !yield(seg.number, seg.head) {
				return
			}
			end := v.slabsOf(i) - seg.headSlabs()
			for at := 0; at < end; {
				b, first, n := seg.block(at)
				n = min(n, end-first)
				number := seg.number + axial.Number((len(seg.head)+first*seg.slab)/v.perChunk)
				if !yield(number, v.blocks[seg.first+b][:n*seg.slab:n*seg.slab]) {
					return
				}
				at = first + n
			}
		}
	}
}

// Chunks yields every chunk that the array has at the call, in the order of their numbers: its
// index, in a slice that is reused, and its elements. They are row-major, include those outside the
// bounds, and are the array's own memory.
func (a *Array[T]) Chunks() iter.Seq2[[]int, []T] {
	v := a.view.Load()
	return func(yield func([]int, []T) bool) {
		index := make([]int, len(v.axes))
		for number, block := range v.eachBlock() {
			for ; len(block) > 0; block = block[v.perChunk:] {
				v.grid.Index(number, index)
				number++
				if !yield(index, block[:v.perChunk:v.perChunk]) {
					return
				}
			}
		}
	}
}
