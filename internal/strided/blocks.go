package strided

import "unsafe"

// A block is 8 x 8 elements that are contiguous along one side in the source and along the other in
// the destination. Line c of the source begins at c*from, line r of the destination at r*to.
// Elements of less than 8 bytes are transposed within words, because the number of loads and stores
// dominates the cost.

func load(p unsafe.Pointer, at int) uint64 { return *(*uint64)(unsafe.Add(p, at)) }

func store(p unsafe.Pointer, at int, w uint64) { *(*uint64)(unsafe.Add(p, at)) = w }

// Masks of every second byte, pair and four of a word, counted from the lowest.
const (
	bytes1 = 0x00FF00FF00FF00FF
	bytes2 = 0x0000FFFF0000FFFF
	bytes4 = 0x00000000FFFFFFFF
)

// swap1 exchanges the odd bytes of a with the even bytes of b; swap2 does so with pairs of
// bytes and swap4 with fours.
func swap1(a, b uint64) (lo, hi uint64) { return a&bytes1 | b&bytes1<<8, a>>8&bytes1 | b&^bytes1 }

func swap2(a, b uint64) (lo, hi uint64) { return a&bytes2 | b&bytes2<<16, a>>16&bytes2 | b&^bytes2 }

func swap4(a, b uint64) (lo, hi uint64) { return a&bytes4 | b<<32, a>>32 | b&^bytes4 }

func block1(dst, src unsafe.Pointer, to, from int) {
	half := unsafe.Add(src, 4*from)
	a0, a1 := swap1(load(src, 0), load(src, from))
	a2, a3 := swap1(load(src, 2*from), load(src, 3*from))
	a4, a5 := swap1(load(half, 0), load(half, from))
	a6, a7 := swap1(load(half, 2*from), load(half, 3*from))
	a0, a2 = swap2(a0, a2)
	a1, a3 = swap2(a1, a3)
	a4, a6 = swap2(a4, a6)
	a5, a7 = swap2(a5, a7)
	a0, a4 = swap4(a0, a4)
	a1, a5 = swap4(a1, a5)
	a2, a6 = swap4(a2, a6)
	a3, a7 = swap4(a3, a7)
	store(dst, 0, a0)
	store(dst, to, a1)
	store(dst, 2*to, a2)
	store(dst, 3*to, a3)
	below := unsafe.Add(dst, 4*to)
	store(below, 0, a4)
	store(below, to, a5)
	store(below, 2*to, a6)
	store(below, 3*to, a7)
}

func block2(dst, src unsafe.Pointer, to, from int) {
	half := unsafe.Add(src, 4*from)
	for r := range 2 {
		d, s := unsafe.Add(dst, 4*r*to), 8*r
		a0, a1 := swap2(load(src, s), load(src, s+from))
		a2, a3 := swap2(load(src, s+2*from), load(src, s+3*from))
		b0, b1 := swap2(load(half, s), load(half, s+from))
		b2, b3 := swap2(load(half, s+2*from), load(half, s+3*from))
		a0, a2 = swap4(a0, a2)
		a1, a3 = swap4(a1, a3)
		b0, b2 = swap4(b0, b2)
		b1, b3 = swap4(b1, b3)
		store(d, 0, a0)
		store(d, 8, b0)
		store(d, to, a1)
		store(d, to+8, b1)
		store(d, 2*to, a2)
		store(d, 2*to+8, b2)
		store(d, 3*to, a3)
		store(d, 3*to+8, b3)
	}
}

func block4(dst, src unsafe.Pointer, to, from int) {
	half := unsafe.Add(src, 4*from)
	for r := range 4 {
		d, s := unsafe.Add(dst, 2*r*to), 8*r
		a0, a1 := swap4(load(src, s), load(src, s+from))
		a2, a3 := swap4(load(src, s+2*from), load(src, s+3*from))
		a4, a5 := swap4(load(half, s), load(half, s+from))
		a6, a7 := swap4(load(half, s+2*from), load(half, s+3*from))
		store(d, 0, a0)
		store(d, 8, a2)
		store(d, 16, a4)
		store(d, 24, a6)
		d = unsafe.Add(d, to)
		store(d, 0, a1)
		store(d, 8, a3)
		store(d, 16, a5)
		store(d, 24, a7)
	}
}

func block8(dst, src unsafe.Pointer, to, from int) {
	for r := range 8 {
		d, s := unsafe.Add(dst, r*to), unsafe.Add(src, 8*r)
		half := unsafe.Add(s, 4*from)
		a0, a1, a2, a3 := load(s, 0), load(s, from), load(s, 2*from), load(s, 3*from)
		a4, a5, a6, a7 := load(half, 0), load(half, from), load(half, 2*from), load(half, 3*from)
		store(d, 0, a0)
		store(d, 8, a1)
		store(d, 16, a2)
		store(d, 24, a3)
		store(d, 32, a4)
		store(d, 40, a5)
		store(d, 48, a6)
		store(d, 56, a7)
	}
}

func block16(dst, src unsafe.Pointer, to, from int) {
	for r := range 8 {
		d, s := unsafe.Add(dst, r*to), unsafe.Add(src, 16*r)
		half := unsafe.Add(s, 4*from)
		move[[2]uint64](d, 0, s, 0)
		move[[2]uint64](d, 16, s, from)
		move[[2]uint64](d, 32, s, 2*from)
		move[[2]uint64](d, 48, s, 3*from)
		move[[2]uint64](d, 64, half, 0)
		move[[2]uint64](d, 80, half, from)
		move[[2]uint64](d, 96, half, 2*from)
		move[[2]uint64](d, 112, half, 3*from)
	}
}
