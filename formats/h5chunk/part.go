//go:build (hdf5 || netcdf) && cgo

package h5chunk

import (
	"slices"

	"drx/nd"
)

// A part is the part of a section in one chunk.
type part struct {
	index []int      // of the chunk in the grid of chunks
	box   nd.Section // its elements
	sec   nd.Section
}

func newPart(chunk []int, sec nd.Section, index []int) part {
	p := part{slices.Clone(index), make(nd.Section, len(sec)), sec}
	for d, s := range sec {
		lo := index[d] * chunk[d]
		p.box[d] = nd.Span(max(s.Lo, lo), min(s.Hi, lo+chunk[d]))
	}
	return p
}

// eachRun calls f for the runs of elements that adjoin each other both in the section and in a
// row-major buffer of the given extents, in which the first element of the box is at the index
// corner: f gets the numbers of the first elements, and how many follow.
func (p part) eachRun(extents, corner []int, f func(to, from, n int)) {
	to, from, outer, run := 0, 0, len(p.box), 1
	for whole := true; whole && outer > 0; {
		outer--
		n := p.box[outer].Len()
		run *= n
		whole = n == extents[outer] && n == p.sec[outer].Len()
	}
	toStep, fromStep := make([]int, len(p.box)), make([]int, len(p.box))
	for d, i, j := len(p.box)-1, 1, 1; d >= 0; d-- {
		toStep[d], fromStep[d] = i, j
		to += (p.box[d].Lo - p.sec[d].Lo) * i
		from += corner[d] * j
		i, j = i*p.sec[d].Len(), j*extents[d]
	}
	lo, hi, index := make([]int, outer), make([]int, outer), make([]int, outer)
	for d := range hi {
		hi[d] = p.box[d].Len()
	}
	for more := true; more; more = outer > 0 && nd.Next(index, lo, hi) {
		t, s := to, from
		for d, i := range index {
			t, s = t+i*toStep[d], s+i*fromStep[d]
		}
		f(t, s, run)
	}
}

// corner returns the index, within the chunk, of the first element of the part.
func (p part) corner(chunk []int) []int {
	at := make([]int, len(p.box))
	for d, s := range p.box {
		at[d] = s.Lo - p.index[d]*chunk[d]
	}
	return at
}

// whole returns the elements of the part in buf, size bytes each, if they are all of a chunk, and
// together; nil otherwise.
func (p part) whole(buf []byte, size int, extents []int) (elements []byte) {
	all, err := nd.Product(extents...)
	if n, _ := p.box.Len(); err != nil || n != all {
		return nil
	}
	p.eachRun(extents, p.corner(extents), func(to, _, n int) {
		if n == all {
			elements = buf[to*size : (to+n)*size]
		}
	})
	return elements
}

// copyFrom copies the elements from a chunk, size bytes each.
func (p part) copyFrom(buf, chunk []byte, size int, extents []int) {
	p.eachRun(extents, p.corner(extents), func(to, from, n int) { copy(buf[to*size:(to+n)*size], chunk[from*size:]) })
}

// copyTo copies the elements to a chunk, size bytes each.
func (p part) copyTo(chunk, buf []byte, size int, extents []int) {
	p.eachRun(extents, p.corner(extents), func(to, from, n int) { copy(chunk[from*size:(from+n)*size], buf[to*size:]) })
}

// copyDense copies the elements from a buffer that has no others.
func (p part) copyDense(buf, box []byte, size int) {
	p.eachRun(p.box.Shape(), make([]int, len(p.box)), func(to, from, n int) { copy(buf[to*size:(to+n)*size], box[from*size:]) })
}
