package zarr

import (
	"drx/nd"
)

// A box locates the elements of an n-dimensional box in a buffer or a file, in bytes.
type box struct {
	start   int   // of the first element
	strides []int // between neighbours along each dimension
}

// newBox returns the box that begins at index lo in a dense buffer of the given extents. The
// buffer's first element has the index origin; its elements come in the given order and have size
// bytes each.
func newBox(lo, origin, extents []int, order nd.Order, size int) box {
	b := box{strides: order.Strides(extents)}
	for d := range lo {
		b.strides[d] *= size
		b.start += (lo[d] - origin[d]) * b.strides[d]
	}
	return b
}

// eachRun calls f for each run of a box that is contiguous in both a and b. shape has the extents
// of the box, and the runs come in the given order. n is the length of a run in bytes.
func eachRun(shape []int, order nd.Order, size int, a, b box, f func(atA, atB, n int) error) error {
	dims := order.Dims(len(shape))
	n := size
	for len(dims) > 0 {
		d := dims[len(dims)-1]
		if shape[d] != 1 && (a.strides[d] != n || b.strides[d] != n) {
			break
		}
		n *= shape[d]
		dims = dims[:len(dims)-1]
	}
	lo, hi := make([]int, len(dims)), make([]int, len(dims))
	for i, d := range dims {
		if hi[i] = shape[d]; hi[i] == 0 {
			return nil
		}
	}
	if n == 0 {
		return nil
	}
	for index, more := make([]int, len(dims)), true; more; more = len(dims) > 0 && nd.Next(index, lo, hi) {
		atA, atB := a.start, b.start
		for i, d := range dims {
			atA += index[i] * a.strides[d]
			atB += index[i] * b.strides[d]
		}
		if err := f(atA, atB, n); err != nil {
			return err
		}
	}
	return nil
}

// copyBox copies the elements of a box from one buffer to another.
func copyBox(to []byte, toBox box, from []byte, fromBox box, shape []int, order nd.Order, size int) {
	_ = eachRun(shape, order, size, toBox, fromBox, func(t, f, n int) error {
		copy(to[t:t+n], from[f:f+n])
		return nil
	})
}

// fillBox sets the elements of a box to one value.
func fillBox(to []byte, b box, shape []int, order nd.Order, value []byte) {
	_ = eachRun(shape, order, len(value), b, b, func(at, _, n int) error {
		fillWith(to[at:at+n], value)
		return nil
	})
}

// fillWith fills p with copies of value; len(p) is a multiple of len(value).
func fillWith(p, value []byte) {
	for n := copy(p, value); n > 0 && n < len(p); n *= 2 {
		copy(p[n:], p[:n])
	}
}
