package drxmp

import (
	"cmp"
	"slices"

	"drx/axial"
	"drx/nd"
)

// A Zone is the set of elements that one proc owns: in each dimension their indices lie in one of
// several spans. In memory a zone is one dense array, in which the spans of each dimension are
// adjacent.
type Zone struct {
	chunks *axial.Grid
	own    [][]span // per dimension, in chunk indices
	spans  [][]span // the same in elements, within the bounds
	shape  []int
}

// Shape returns the extents of the zone in memory, in elements; a zone without elements has an
// extent of 0.
func (z *Zone) Shape() []int { return slices.Clone(z.shape) }

// Len returns the number of elements.
func (z *Zone) Len() int {
	n := 1
	for _, extent := range z.shape {
		n *= extent
	}
	return n
}

// Sections returns the boxes of indices of the zone in row-major order: one for Block and GenBlock,
// several for cyclic distributions, none for a zone without elements.
func (z *Zone) Sections() []nd.Section {
	var all []nd.Section
	for _, p := range z.parts(nil) {
		all = append(all, p.sec)
	}
	return all
}

// Chunks returns the numbers of the zone's chunks in the order of the file, and the position of
// each in memory if the chunks lie there row-major: the globalMap and the inMemoryMap of the
// listing in Otoo and Rotem 2007, section IV.
func (z *Zone) Chunks() (file []axial.Number, memory []int) {
	rank := len(z.own)
	lists, hi := make([][]int, rank), make([]int, rank)
	for d, spans := range z.own {
		for _, s := range spans {
			for i := s.lo; i < s.hi; i++ {
				lists[d] = append(lists[d], i)
			}
		}
		hi[d] = len(lists[d])
	}
	var numbers []axial.Number // in row-major order
	lo, at, chunk := make([]int, rank), make([]int, rank), make([]int, rank)
	for more := !slices.Contains(hi, 0); more; more = nd.Next(at, lo, hi) {
		for d, i := range at {
			chunk[d] = lists[d][i]
		}
		q, _ := z.chunks.Number(chunk)
		numbers = append(numbers, q)
	}
	memory = nd.RowMajor.Dims(len(numbers)) // the positions, in order
	slices.SortFunc(memory, func(i, j int) int { return cmp.Compare(numbers[i], numbers[j]) })
	slices.Sort(numbers)
	return numbers, memory
}

// A part is the intersection of one box of a zone with a section.
type part struct {
	sec   nd.Section
	local []int // index of its first element in the zone's memory
	step  []int // distance to the next element there, per dimension, in elements
	pos   []int // position of its first element in the section
}

// parts returns the parts of a zone selected by a resolved section, in row-major order; nil selects
// the whole zone.
func (z *Zone) parts(sec nd.Section) []part {
	rank := len(z.spans)
	lists := make([][]part, rank) // of rank 1
	hi := make([]int, rank)
	for d := range z.spans {
		r := nd.All
		if sec != nil {
			r = sec[d]
		}
		lists[d] = partsAlong(z.spans[d], r)
		hi[d] = len(lists[d])
	}
	var all []part
	lo, at := make([]int, rank), make([]int, rank)
	for more := !slices.Contains(hi, 0); more; more = nd.Next(at, lo, hi) {
		var p part
		for d, i := range at {
			one := &lists[d][i]
			p.sec, p.local = append(p.sec, one.sec[0]), append(p.local, one.local[0])
			p.step, p.pos = append(p.step, one.step[0]), append(p.pos, one.pos[0])
		}
		all = append(all, p)
	}
	return all
}

// partsAlong is parts for one dimension.
func partsAlong(spans []span, r nd.Range) []part {
	var all []part
	at := 0 // start of the span in the zone's memory
	for _, s := range spans {
		c, step := nd.Range{Lo: s.lo, Hi: s.hi, Step: 1}, 1
		pos := 0
		if r != nd.All {
			step = r.Stride()
			pos = max(0, nd.CeilDiv(s.lo-r.Lo, step))
			c = nd.Range{Lo: r.Lo + pos*step, Hi: min(s.hi, r.Hi), Step: step}
		}
		if c.Lo < c.Hi {
			all = append(all, part{nd.Section{c}, []int{at + c.Lo - s.lo}, []int{step}, []int{pos}})
		}
		at += s.hi - s.lo
	}
	return all
}
