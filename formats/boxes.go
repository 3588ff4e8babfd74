package formats

import (
	"iter"
	"slices"

	"drx/nd"
)

// Boxes cuts a section, which Check has resolved, into boxes of at most the given number of bytes,
// in the order of the file. If the file has chunks, boxes end at chunk boundaries, so that no chunk
// is decoded twice; a chunk that is larger than the limit is a box of its own. Without chunks the
// boxes ascend, which streams require.
func (i Info) Boxes(sec nd.Section, bytes int) iter.Seq[nd.Section] {
	dims := i.Order.Dims(len(sec))
	size := i.boxShape(sec, dims, bytes)
	return func(yield func(nd.Section) bool) { cut(slices.Clone(sec), dims, size, yield) }
}

// boxShape returns the extents of a box. It makes the fastest dimensions as long as the limit
// allows.
func (i Info) boxShape(sec nd.Section, dims []int, limit int) []int {
	size, bytes := make([]int, len(sec)), i.DType.Size()
	for d, r := range sec {
		size[d] = 1
		if i.Chunk != nil {
			size[d] = i.Chunk[d]
		}
		bytes = atMost(limit, bytes, max(1, min(size[d], r.Len())))
	}
	for k := len(dims) - 1; k >= 0; k-- {
		d := dims[k]
		n := min(limit/max(1, bytes), nd.CeilDiv(sec[d].Len(), size[d])) // chunks side by side
		if n > 1 {
			bytes *= n
			size[d] *= n
		}
		if size[d] < sec[d].Len() && i.Chunk == nil {
			break
		}
	}
	return size
}

// atMost returns a product, or the limit if it is larger.
func atMost(limit, a, b int) int {
	n, ok := nd.Mul(a, b)
	if !ok || n > limit {
		return limit
	}
	return n
}

// cut yields the boxes of a section, cut along the given dimensions at multiples of size. It
// returns false if yield has returned false.
func cut(sec nd.Section, dims, size []int, yield func(nd.Section) bool) bool {
	if len(dims) == 0 {
		return yield(slices.Clone(sec))
	}
	d := dims[0]
	whole := sec[d]
	defer func() { sec[d] = whole }()
	for lo := whole.Lo; lo < whole.Hi; {
		hi := min(whole.Hi, (lo/size[d]+1)*size[d])
		sec[d] = nd.Span(lo, hi)
		if !cut(sec, dims[1:], size, yield) {
			return false
		}
		lo = hi
	}
	return true
}
