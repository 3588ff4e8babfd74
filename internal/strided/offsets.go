package strided

import (
	"fmt"
	"unsafe"
)

// Gather copies elements of elem bytes each that lie at offsets, in bytes, of src to one
// after the other in dst. It panics when an element lies outside of src or dst; those
// before it may have been copied by then. The buffers must not overlap.
func Gather(dst, src []byte, offsets []int, elem int) {
	limit := checkOffsets(len(dst), len(src), len(offsets), elem)
	d, s := base(dst), base(src)
	switch {
	case elem == 1:
		gather[uint8](d, s, offsets, limit)
	case elem == 2 && wordwise:
		gather[uint16](d, s, offsets, limit)
	case elem == 4 && wordwise:
		gather[uint32](d, s, offsets, limit)
	case elem == 8 && wordwise:
		gather[uint64](d, s, offsets, limit)
	case elem == 16 && wordwise:
		gather[[2]uint64](d, s, offsets, limit)
	default:
		for i, at := range offsets {
			within(at, limit)
			copy(dst[i*elem:(i+1)*elem], src[at:at+elem])
		}
	}
}

// Scatter copies the elements of elem bytes each that lie one after the other in src to
// offsets, in bytes, of dst, the later ones over the earlier where offsets are the same.
// It panics as Gather does.
func Scatter(dst []byte, offsets []int, src []byte, elem int) {
	limit := checkOffsets(len(src), len(dst), len(offsets), elem)
	d, s := base(dst), base(src)
	switch {
	case elem == 1:
		scatter[uint8](d, offsets, s, limit)
	case elem == 2 && wordwise:
		scatter[uint16](d, offsets, s, limit)
	case elem == 4 && wordwise:
		scatter[uint32](d, offsets, s, limit)
	case elem == 8 && wordwise:
		scatter[uint64](d, offsets, s, limit)
	case elem == 16 && wordwise:
		scatter[[2]uint64](d, offsets, s, limit)
	default:
		for i, at := range offsets {
			within(at, limit)
			copy(dst[at:at+elem], src[i*elem:(i+1)*elem])
		}
	}
}

// checkOffsets checks that n elements fit into the dense buffer, one after the other, and
// returns the largest offset that one may have in the other buffer, or -1.
func checkOffsets(dense, sparse, n, elem int) (limit int) {
	if elem < 1 {
		panic(fmt.Sprintf("strided: elements of %d bytes", elem))
	}
	if n > dense/elem {
		panic(fmt.Sprintf("strided: %d elements of %d bytes in a buffer of %d", n, elem, dense))
	}
	return max(sparse-elem, -1)
}

func gather[W word](dst, src unsafe.Pointer, offsets []int, limit int) {
	var w W
	for i, at := range offsets {
		within(at, limit)
		move[W](dst, i*int(unsafe.Sizeof(w)), src, at)
	}
}

func scatter[W word](dst unsafe.Pointer, offsets []int, src unsafe.Pointer, limit int) {
	var w W
	for i, at := range offsets {
		within(at, limit)
		move[W](dst, at, src, i*int(unsafe.Sizeof(w)))
	}
}

func within(at, limit int) {
	if at < 0 || at > limit {
		panic(fmt.Sprintf("strided: offset %d is not within 0 and %d", at, limit))
	}
}
