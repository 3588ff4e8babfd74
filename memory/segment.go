package memory

import (
	"math/bits"

	"drx/axial"
	"drx/dtype"
)

const (
	// maxBlock is the size in bytes up to which each block is twice as large as the previous one.
	maxBlock = 64 << 20
	// maxBytes is the largest size of an array in bytes, more than the memory of any machine.
	maxBytes = 1 << 46
)

// A segment is the memory of one segment of the grid: its head and the blocks that continue
// it. It never changes.
type segment[T dtype.Element] struct {
	number axial.Number // of its first chunk
	head   []T
	slab   int   // number of elements per chunk index along its dimension
	first  int   // position of its first block in view.blocks
	shift  uint8 // block 0 has 1<<shift slabs
	double uint8 // number of blocks whose successor is twice as large
}

// newSegment returns a segment and determines the sizes of its blocks. The first block is as large
// as the head, which doubles the memory of the segment, as append does for a slice.
func newSegment[T dtype.Element](number axial.Number, head []T, slab, first, elemBytes int) segment[T] {
	largest := bits.Len(uint(max(1, maxBlock/elemBytes/slab))) - 1
	shift := min(bits.Len(uint(len(head)/slab-1)), largest)
	return segment[T]{
		number: number, head: head, slab: slab, first: first,
		shift: uint8(shift), double: uint8(largest - shift),
	}
}

// headSlabs returns the number of slabs in the head.
func (s *segment[T]) headSlabs() int { return len(s.head) / s.slab }

// block returns the number of the block that holds a slab, and the first slab and the number of
// slabs of that block. Slabs are counted from the end of the head.
func (s *segment[T]) block(slab int) (i, first, slabs int) {
	i = bits.Len(uint(slab>>s.shift+1)) - 1
	if d := int(s.double); i >= d {
		first = (1<<d - 1) << s.shift
		shift := int(s.shift) + d
		i = (slab - first) >> shift
		return d + i, first + i<<shift, 1 << shift
	}
	return i, (1<<i - 1) << s.shift, 1 << (int(s.shift) + i)
}
