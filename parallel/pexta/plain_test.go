package pexta_test

import (
	"bytes"
	"slices"

	"drx/nd"
)

// A plain is the model of an array in the tests: row-major bytes.
type plain struct {
	elem  int
	shape []int
	data  []byte
}

func newPlain(elem int, shape []int) *plain {
	n, _ := nd.Product(shape...)
	return &plain{elem, slices.Clone(shape), make([]byte, n*elem)}
}

func (p *plain) clone() *plain {
	return &plain{p.elem, slices.Clone(p.shape), slices.Clone(p.data)}
}

// at returns the element with an index.
func (p *plain) at(index []int) []byte {
	n := 0
	for d, i := range index {
		n = n*p.shape[d] + i
	}
	return p.data[n*p.elem : (n+1)*p.elem]
}

// each calls f for all indices of a box, given by its extents.
func each(shape []int, f func(index []int)) {
	index := make([]int, len(shape))
	for {
		f(index)
		d := len(index) - 1
		for ; d >= 0; d-- {
			if index[d]++; index[d] < shape[d] {
				break
			}
			index[d] = 0
		}
		if d < 0 {
			return
		}
	}
}

// copyBox copies a box that begins at from in src to the one that begins at to in p. shape has the
// extents in p. If the copy is transposed the indices in src run in the other order.
func (p *plain) copyBox(to []int, src *plain, from, shape []int, transposed bool) {
	here, there := make([]int, len(shape)), make([]int, len(shape))
	each(shape, func(index []int) {
		for d, i := range index {
			e := d
			if transposed {
				e = len(index) - 1 - d
			}
			here[d], there[e] = to[d]+i, from[e]+i
		}
		copy(p.at(here), src.at(there))
	})
}

// grown returns the array with other extents, and zeros where it had no elements.
func (p *plain) grown(shape []int) *plain {
	g := newPlain(p.elem, shape)
	zero := make([]int, len(shape))
	g.copyBox(zero, p, zero, p.shape, false)
	return g
}

// box returns the bytes of a section, row-major.
func (p *plain) box(sec nd.Section) []byte {
	var b bytes.Buffer
	lo, _ := sec.Bounds()
	at := make([]int, len(lo))
	each(sec.Shape(), func(index []int) {
		for d, i := range index {
			at[d] = lo[d] + i
		}
		b.Write(p.at(at))
	})
	return b.Bytes()
}
