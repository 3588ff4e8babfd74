// Package strided copies and fills n-dimensional boxes of elements between buffers
// that lay their dimensions out differently: the one place where elements are
// rearranged.
//
// A box is brought into a normal form (box.go), in which what is contiguous on both
// sides has become part of the element, and is then copied plane by plane: in lines
// (lines.go) where both sides step fastest along the same dimension, in tiles
// (tiles.go) where they do not; what is larger than the caches may go past them, also
// summed on the way (stream.go, sum_amd64.go), or be fetched in advance (fetch.go). All bytes
// that a box touches are checked to lie within the buffers before the first is copied; the
// kernels rely on it and use plain pointers. The race detector does not see what those of the
// last three files do.
package strided

import (
	"fmt"
	"unsafe"
)

// Copy copies a box of shape elements of elem bytes each. The element at index i lies
// at byte sum(i[d]*stride[d]) of each buffer, with its own strides. A stride of 0 in the
// source repeats its elements. The bytes copied from and to must not overlap.
//
// It panics, with nothing copied, when elem is not positive, an extent is negative or a
// stride leads outside a buffer, as each negative one does: callers have checked their
// sections.
func Copy(dst []byte, dstStride []int, src []byte, srcStride, shape []int, elem int) {
	var room [inline]dim
	if dims, run, ok := normal(room[:0], dst, dstStride, src, srcStride, shape, elem); ok {
		copyBox(base(dst), base(src), dims, run)
	}
}

// Fill sets every element of a box of shape to value. It panics as Copy does.
func Fill(dst []byte, stride, shape []int, value []byte) {
	var room [inline]dim
	dims, run, ok := normal(room[:0], dst, stride, dst, stride, shape, len(value))
	if !ok {
		return
	}
	// The first run is made from the value, every other one is a copy of the first.
	Repeat(dst[:run], value)
	for i := range dims {
		dims[i].src = 0
	}
	copyBox(base(dst), base(dst), dims, run)
}

// repeated is the length from which Repeat copies the same bytes again and again: they
// stay in the first-level cache.
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
