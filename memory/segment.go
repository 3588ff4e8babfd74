package memory

import (
	"math/bits"

	"drx/axial"
	"drx/dtype"
)

const (
	// maxBlock limits the blocks that are twice the one before, in bytes.
	maxBlock = 64 << 20
	// maxBytes is more memory than any machine has.
	maxBytes = 1 << 46
)

// A segment is the memory of one segment of the grid: its head and the blocks that continue
// it. It never changes.
type segment[T dtype.Element] struct {
	number axial.Number // of its first chunk
	head   []T
	slab   int   // elements that one chunk index along its dimension holds
	first  int   // of its blocks, in view.blocks
	shift  uint8 // block 0 has 1<<shift slabs,
	double uint8 // and so many blocks are followed by one twice as large
}

// newSegment decides on the sizes of the blocks. A first one as large as the head doubles
// what the segment has, as append does to a slice.
func newSegment[T dtype.Element](number axial.Number, head []T, slab, first, elemBytes int) segment[T] {
	largest := bits.Len(uint(max(1, maxBlock/elemBytes/slab))) - 1
	shift := min(bits.Len(uint(len(head)/slab-1)), largest)
	return segment[T]{
		number: number, head: head, slab: slab, first: first,
		shift: uint8(shift), double: uint8(largest - shift),
	}
}

// heads returns the slabs of the head.
func (s *segment[T]) heads() int { return len(s.head) / s.slab }

// block returns which of its blocks holds a slab, counted from the end of the head, and the
// slabs of that block: its first and their number.
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
