package strided

import (
	"fmt"
	"math/bits"
	"unsafe"
)

// inline is the number of dimensions of more than one element that need no allocation.
const inline = 8

// A dim is a dimension of a box: its extent and its strides in bytes. A box is a list of
// dims, sorted by falling stride in the destination, so that the last steps fastest.
type dim struct{ n, dst, src int }

// boxOf appends the dims of a box to buffer, without those of one element. ok is false if the box
// is empty.
func boxOf(buffer []dim, dst, src, shape []int) (dims []dim, ok bool) {
	dims = buffer
	ok = true
	for d, n := range shape {
		switch {
		case n > 1:
			dims = insert(dims, dim{n, dst[d], src[d]})
		case n < 0:
			panic(fmt.Sprintf("strided: dimension %d has %d elements", d, n))
		case n == 0:
			ok = false
		}
	}
	return dims, ok
}

// normalize checks a box of elements of elem bytes in two buffers and brings it into normal form.
// It returns the dims, in buffer, and the length in bytes of the contiguous run that is now the
// element. ok is false if the box is empty.
func normalize(buffer []dim, dst []byte, dstStride []int, src []byte, srcStride, shape []int, elem int) (dims []dim, run int, ok bool) {
	dims, ok = boxOf(buffer, dstStride, srcStride, shape)
	if !ok {
		return nil, 0, false
	}
	check(dims, len(dst), len(src), elem)
	dims, run = fold(merge(dims), elem)
	return dims, run, true
}

// insert keeps dims sorted by falling destination stride.
func insert(dims []dim, d dim) []dim {
	i := len(dims)
	dims = append(dims, d)
	for ; i > 0 && dims[i-1].dst < d.dst; i-- {
		dims[i] = dims[i-1]
	}
	dims[i] = d
	return dims
}

// span returns the distance in bytes of the last of n > 1 elements from the first and
// panics if it is not between 0 and limit. A negative stride counts as a huge unsigned one.
func span(n, stride, limit int) int {
	hi, lo := bits.Mul(uint(n-1), uint(stride))
	if hi != 0 || lo > uint(limit) {
		panic(fmt.Sprintf("strided: stride of %d bytes for %d elements leads outside the buffer by %d bytes left",
			stride, n, limit))
	}
	return int(lo)
}

// merge merges neighbouring dims that can be stepped through with one stride on both sides.
func merge(dims []dim) []dim {
	if len(dims) < 2 {
		return dims
	}
	last := 0
	for _, d := range dims[1:] {
		p := &dims[last]
		if p.dst == d.n*d.dst && p.src == d.n*d.src {
			*p = dim{p.n * d.n, d.dst, d.src}
			continue
		}
		last++
		dims[last] = d
	}
	return dims[:last+1]
}

// fold removes the last dim if its elements are contiguous on both sides: they become one larger
// element.
func fold(dims []dim, elem int) ([]dim, int) {
	last := len(dims) - 1
	if last < 0 || dims[last].dst != elem || dims[last].src != elem {
		return dims, elem
	}
	return dims[:last], elem * dims[last].n
}

// copyBox copies a box in normal form, whose first elements are at dst and src. Its planes consist
// of the fastest dim of dst and, if that is another one, the fastest dim of src. Long elements are
// copied in the order of dst.
func copyBox(dst, src unsafe.Pointer, dims []dim, elem int) {
	last := len(dims) - 1
	switch last {
	case -1:
		copyLong(dst, src, elem)
		return
	case 0:
		lines(dst, src, dim{n: 1}, dims[0], elem)
		return
	}
	fast := last
	for i := last - 1; i >= 0; i-- {
		if dims[i].src < dims[fast].src {
			fast = i
		}
	}
	if fast == last || elem > maxWordElem {
		walkLines(dst, src, dims, elem)
		return
	}
	rows := dims[fast]
	copy(dims[fast:], dims[fast+1:last])
	dims[last-1] = rows
	walkTiles(dst, src, dims, elem)
}

func walkLines(dst, src unsafe.Pointer, dims []dim, elem int) {
	if len(dims) == 2 {
		lines(dst, src, dims[0], dims[1], elem)
		return
	}
	for i := range dims[0].n {
		walkLines(unsafe.Add(dst, i*dims[0].dst), unsafe.Add(src, i*dims[0].src), dims[1:], elem)
	}
}

func walkTiles(dst, src unsafe.Pointer, dims []dim, elem int) {
	if len(dims) == 2 {
		tiles(dst, src, dims[0], dims[1], elem)
		return
	}
	for i := range dims[0].n {
		walkTiles(unsafe.Add(dst, i*dims[0].dst), unsafe.Add(src, i*dims[0].src), dims[1:], elem)
	}
}
