// Package strided copies and fills n-dimensional boxes of elements between buffers
// that lay their dimensions out differently: the one place where elements are
// rearranged.
package strided

import (
	"encoding/binary"

	"drx/nd"
)

// tile is the edge of the blocks in which a transpose is done, so that the lines of
// both sides stay in the first-level cache: 32 x 32 elements of 8 bytes are 8 KiB.
const tile = 32

// Copy copies a box of shape elements of elem bytes each. The element at index i lies
// at byte sum(i[d]*stride[d]) of each buffer, with its own strides. It panics when a
// stride leads outside a buffer: callers have checked their sections.
func Copy(dst []byte, dstStride []int, src []byte, srcStride, shape []int, elem int) {
	var b box
	if !b.init(dstStride, srcStride, shape, elem) {
		return
	}
	if b.rank == 1 && b.dst[0] == b.elem && b.src[0] == b.elem {
		n := b.shape[0] * b.elem
		copy(dst[:n], src[:n])
		return
	}
	b.outer(b.rank-2, func(d, s int) { b.plane(dst[d:], src[s:]) })
}

// Fill sets every element of a box of shape to value.
func Fill(dst []byte, stride, shape []int, value []byte) {
	var b box
	if !b.init(stride, stride, shape, len(value)) {
		return
	}
	b.outer(b.rank-1, func(at, _ int) {
		step, n := b.dst[b.rank-1], b.shape[b.rank-1]
		if step == len(value) {
			Repeat(dst[at:at+n*step], value)
			return
		}
		for range n {
			copy(dst[at:], value)
			at += step
		}
	})
}

// Repeat fills b, whose length is a multiple of len(value), with copies of value.
func Repeat(b, value []byte) {
	for n := copy(b, value); n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

// A box is the normal form of a copy: extents of one dropped, dimensions sorted by
// falling stride in the destination, neighbours that are contiguous on both sides made
// one. It has at least one dimension.
type box struct {
	rank, elem      int
	shape, dst, src [nd.MaxRank]int
}

func (b *box) init(dst, src, shape []int, elem int) bool {
	b.elem = elem
	for d, n := range shape {
		if n == 0 {
			return false
		}
		if n > 1 {
			b.insert(n, dst[d], src[d])
		}
	}
	if b.rank == 0 {
		b.insert(1, elem, elem)
	}
	b.merge()
	return true
}

// insert keeps the dimensions sorted by falling destination stride.
func (b *box) insert(n, dst, src int) {
	i := b.rank
	for ; i > 0 && b.dst[i-1] < dst; i-- {
		b.shape[i], b.dst[i], b.src[i] = b.shape[i-1], b.dst[i-1], b.src[i-1]
	}
	b.shape[i], b.dst[i], b.src[i] = n, dst, src
	b.rank++
}

func (b *box) merge() {
	last := 0
	for i := 1; i < b.rank; i++ {
		n := b.shape[i]
		if b.dst[last] == n*b.dst[i] && b.src[last] == n*b.src[i] {
			b.shape[last], b.dst[last], b.src[last] = b.shape[last]*n, b.dst[i], b.src[i]
			continue
		}
		last++
		b.shape[last], b.dst[last], b.src[last] = n, b.dst[i], b.src[i]
	}
	b.rank = last + 1
}

// outer calls f with the byte offsets of every position of the first n dimensions.
func (b *box) outer(n int, f func(dst, src int)) {
	if n <= 0 {
		f(0, 0)
		return
	}
	var index [nd.MaxRank]int
	dst, src := 0, 0
	for {
		f(dst, src)
		d := n - 1
		for ; d >= 0; d-- {
			index[d]++
			dst += b.dst[d]
			src += b.src[d]
			if index[d] < b.shape[d] {
				break
			}
			dst -= b.shape[d] * b.dst[d]
			src -= b.shape[d] * b.src[d]
			index[d] = 0
		}
		if d < 0 {
			return
		}
	}
}

// plane copies the last two dimensions: row by row when rows are contiguous on both
// sides, else in tiles.
func (b *box) plane(dst, src []byte) {
	i := b.rank - 1
	cols, dcol, scol := b.shape[i], b.dst[i], b.src[i]
	rows, drow, srow := 1, 0, 0
	if b.rank > 1 {
		rows, drow, srow = b.shape[i-1], b.dst[i-1], b.src[i-1]
	}
	if dcol == b.elem && scol == b.elem {
		n := cols * b.elem
		for r := range rows {
			copy(dst[r*drow:r*drow+n], src[r*srow:r*srow+n])
		}
		return
	}
	for r := 0; r < rows; r += tile {
		for c := 0; c < cols; c += tile {
			for y := r; y < min(rows, r+tile); y++ {
				line(dst[y*drow+c*dcol:], dcol, src[y*srow+c*scol:], scol, min(tile, cols-c), b.elem)
			}
		}
	}
}

// line copies n elements between two strides.
func line(dst []byte, dstep int, src []byte, sstep, n, elem int) {
	le := binary.LittleEndian
	d, s := 0, 0
	switch elem {
	case 1:
		for range n {
			dst[d] = src[s]
			d, s = d+dstep, s+sstep
		}
	case 2:
		for range n {
			le.PutUint16(dst[d:], le.Uint16(src[s:]))
			d, s = d+dstep, s+sstep
		}
	case 4:
		for range n {
			le.PutUint32(dst[d:], le.Uint32(src[s:]))
			d, s = d+dstep, s+sstep
		}
	case 8:
		for range n {
			le.PutUint64(dst[d:], le.Uint64(src[s:]))
			d, s = d+dstep, s+sstep
		}
	default:
		for range n {
			copy(dst[d:d+elem], src[s:s+elem])
			d, s = d+dstep, s+sstep
		}
	}
}
