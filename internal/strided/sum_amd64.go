package strided

import (
	"unsafe"

	"drx/internal/crc32c"
)

// StreamSum is Stream. If the box is all of src, in order, it may also compute the checksum of src;
// ok reports whether it did. That takes little additional time, because the processor waits for
// memory.
func StreamSum(dst []byte, dstStride []int, src []byte, srcStride, shape []int, elem int) (sum uint32, ok bool) {
	var buffer [inline]dim
	dims, run, ok := normalize(buffer[:0], dst, dstStride, src, srcStride, shape, elem)
	if !ok {
		return 0, false
	}
	if !inOrder(dims, run, len(src)) || !copies(base(dst), dims, run) {
		streamRuns(base(dst), base(src), dims, run)
		return 0, false
	}
	var c crc32c.Copier
	if len(dims) == 0 {
		c.Rows(base(dst), base(src), run, 1, 0, 0)
	} else {
		sumBox(&c, base(dst), base(src), dims, run)
	}
	fence()
	return c.Sum(), true
}

// inOrder reports whether a box in normal form is all n bytes of the source, in order.
func inOrder(dims []dim, run, n int) bool {
	for i := len(dims) - 1; i >= 0; i-- {
		if dims[i].src != run {
			return false
		}
		run *= dims[i].n
	}
	return run == n
}

// copies reports whether a Copier can copy a box in normal form to dst.
func copies(dst unsafe.Pointer, dims []dim, run int) bool {
	for _, d := range dims {
		if !crc32c.Copies(dst, run, d.dst) {
			return false
		}
	}
	return crc32c.Copies(dst, run, 0)
}

// sumBox copies a box in normal form, whose first runs are at dst and src, in the order of both.
func sumBox(c *crc32c.Copier, dst, src unsafe.Pointer, dims []dim, run int) {
	d := dims[0]
	if len(dims) == 1 {
		c.Rows(dst, src, run, d.n, d.dst, prefetchRuns*d.dst)
		return
	}
	for i := range d.n {
		sumBox(c, unsafe.Add(dst, i*d.dst), unsafe.Add(src, i*d.src), dims[1:], run)
	}
}
