// Package strided copies and fills n-dimensional boxes of elements between buffers with different
// strides. It is the only package that rearranges elements.
//
// A box is brought into a normal form (box.go), in which dimensions that are contiguous on both
// sides have become part of the element. It is then copied plane by plane: in lines (lines.go) if
// both sides step fastest along the same dimension, otherwise in tiles (tiles.go). Boxes larger
// than the caches may be written with non-temporal stores, with a checksum computed on the way
// (stream.go, sum_amd64.go), or be prefetched (fetch.go). Before the first byte is copied, all
// bytes of the box are checked to lie within the buffers; the kernels rely on that and use plain
// pointers. The race detector does not see the accesses of the last three files.
package strided

import (
	"fmt"
	"unsafe"
)

// Copy copies a box of shape elements of elem bytes each. The element at index i lies
// at byte sum(i[d]*stride[d]) of each buffer, with its own strides. A stride of 0 in the
// source repeats its elements. The bytes copied from and to must not overlap.
//
// It panics, with nothing copied, if elem is not positive, an extent is negative, or a stride is
// negative or leads outside a buffer. Callers have checked their sections, so that is a bug.
func Copy(dst []byte, dstStride []int, src []byte, srcStride, shape []int, elem int) {
	var buffer [inline]dim
	if dims, run, ok := normalize(buffer[:0], dst, dstStride, src, srcStride, shape, elem); ok {
		copyBox(base(dst), base(src), dims, run)
	}
}

// Fill sets every element of a box of shape to value. It panics as Copy does.
func Fill(dst []byte, stride, shape []int, value []byte) {
	var buffer [inline]dim
	dims, run, ok := normalize(buffer[:0], dst, stride, dst, stride, shape, len(value))
	if !ok {
		return
	}
	// The first run is filled with the value, every other one is a copy of the first.
	Repeat(dst[:run], value)
	for i := range dims {
		dims[i].src = 0
	}
	copyBox(base(dst), base(dst), dims, run)
}

// repeated is the length from which on Repeat copies the same bytes repeatedly, so that they stay
// in the first-level cache.
const repeated = 8 << 10

// Repeat fills b, whose length is a multiple of len(value), with copies of value. It
// panics when the value is empty.
func Repeat(b, value []byte) {
	if len(value) == 0 {
		panic("strided: repeat of an empty value")
	}
	if IsZero(value) {
		clear(b)
		return
	}
	n := copy(b, value)
	for n < len(b) && n < repeated {
		n += copy(b[n:], b[:n])
	}
	for at := n; at < len(b); {
		at += copy(b[at:], b[:n])
	}
}

// IsZero reports whether all bytes are zero.
func IsZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

func base(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

// check panics unless every element of a box lies within both buffers.
func check(dims []dim, dst, src, elem int) {
	if elem < 1 {
		panic(fmt.Sprintf("strided: elements of %d bytes", elem))
	}
	dst, src = dst-elem, src-elem
	if dst < 0 || src < 0 {
		panic(fmt.Sprintf("strided: element of %d bytes beyond buffers of %d and %d", elem, dst+elem, src+elem))
	}
	for _, d := range dims {
		dst -= span(d.n, d.dst, dst)
		src -= span(d.n, d.src, src)
	}
}
