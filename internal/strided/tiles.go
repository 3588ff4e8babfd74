package strided

import "unsafe"

// edge is the edge of a tile in elements. A tile has so few cache lines and pages on both sides
// that they stay in the caches and the TLB until it is copied.
const edge = 64

// block is the edge of the blocks in which the words of a tile are transposed.
const block = 8

// strip is the length of a tile that is narrower than a block.
const strip = 512

// tiles copies a plane whose rows are the dim that is fastest in src and whose cols are
// the one that is fastest in dst, in tiles.
func tiles(dst, src unsafe.Pointer, rows, cols dim, elem int) {
	packed := wordwise && rows.src == elem && cols.dst == elem && elem <= 16 && elem&(elem-1) == 0
	high, wide := edge, edge
	if rows.n < block {
		wide = strip
	}
	if cols.n < block {
		high = strip
	}
	for r := 0; r < rows.n; r += high {
		for c := 0; c < cols.n; c += wide {
			d, s := unsafe.Add(dst, r*rows.dst+c*cols.dst), unsafe.Add(src, r*rows.src+c*cols.src)
			tr, tc := rows.part(r, high), cols.part(c, wide)
			if packed {
				packedTile(d, s, tr, tc, elem)
			} else {
				tile(d, s, tr, tc, elem)
			}
		}
	}
}

// part returns the part of d that begins at element at and has at most n elements.
func (d dim) part(at, n int) dim { return dim{min(n, d.n-at), d.dst, d.src} }

// tile copies a plane along its longer side.
func tile(dst, src unsafe.Pointer, rows, cols dim, elem int) {
	if rows.n > cols.n {
		rows, cols = cols, rows
	}
	lines(dst, src, rows, cols, elem)
}

// packedTile copies a plane whose elements have 1, 2, 4, 8 or 16 bytes and are contiguous along
// rows in src and along cols in dst: whole blocks first, then the remainder to the right and below.
// Blocks follow each other along src, which measured faster than along dst, above all for strides
// that are powers of two.
func packedTile(dst, src unsafe.Pointer, rows, cols dim, elem int) {
	high, wide := rows.n&^(block-1), cols.n&^(block-1)
	for c := 0; c < wide; c += block {
		for r := 0; r < high; r += block {
			d, s := unsafe.Add(dst, r*rows.dst+c*elem), unsafe.Add(src, r*elem+c*cols.src)
			transpose(d, s, rows.dst, cols.src, elem)
		}
	}
	if high > 0 && wide < cols.n {
		right := cols.part(wide, block)
		tile(unsafe.Add(dst, wide*elem), unsafe.Add(src, wide*cols.src), rows.part(0, high), right, elem)
	}
	if high < rows.n {
		tile(unsafe.Add(dst, high*rows.dst), unsafe.Add(src, high*elem), rows.part(high, block), cols, elem)
	}
}

// transpose copies a block.
func transpose(dst, src unsafe.Pointer, to, from, elem int) {
	switch elem {
	case 1:
		block1(dst, src, to, from)
	case 2:
		block2(dst, src, to, from)
	case 4:
		block4(dst, src, to, from)
	case 8:
		block8(dst, src, to, from)
	default:
		block16(dst, src, to, from)
	}
}
