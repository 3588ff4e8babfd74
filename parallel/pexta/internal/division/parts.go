package division

import (
	"slices"

	"drx/nd"
)

// Parts yields parts of boxes, cut off one by one. It is no iterator, because a coroutine might not
// be resumable in a later call from C.
type Parts struct {
	left     []nd.Section // the next one is last
	chunk    []int
	elements int
}

// Divide divides boxes into parts of at most the given number of elements, at least 1. A part has
// whole chunks of its box, unless one chunk has too many elements.
func Divide(boxes []nd.Section, chunk []int, elements int) *Parts {
	p := &Parts{left: slices.Clone(boxes), chunk: chunk, elements: elements}
	slices.Reverse(p.left)
	return p
}

// Next returns the next part, and false after the last one.
func (p *Parts) Next() (nd.Section, bool) {
	for len(p.left) > 0 {
		box := p.left[len(p.left)-1]
		p.left = p.left[:len(p.left)-1]
		if Size(box) <= float64(p.elements) {
			return box, true
		}
		dim, at := p.middle(box)
		low, high := slices.Clone(box), slices.Clone(box)
		low[dim].Hi, high[dim].Lo = at, at
		p.left = append(p.left, high, low)
	}
	return nil, false
}

// middle returns where to cut a box: between chunks along the dimension with the most chunks;
// within a chunk along the first dimension, so that rows stay whole.
func (p *Parts) middle(box nd.Section) (dim, at int) {
	most := 1
	for d, r := range box {
		first, end := nd.FloorDiv(r.Lo, p.chunk[d]), nd.CeilDiv(r.Hi, p.chunk[d])
		if end-first > most {
			most, dim, at = end-first, d, (first+(end-first)/2)*p.chunk[d]
		}
	}
	if most > 1 {
		return dim, at
	}
	dim = slices.IndexFunc(box, func(r nd.Range) bool { return r.Len() > 1 })
	return dim, box[dim].Lo + box[dim].Len()/2
}

// Inside returns a part of box, which lies in outer: the largest one that has no chunk in common
// with the rest of outer. It is nil if there is none. Chunks at the edge of box are thus left to
// the proc that moves the rest of outer.
func Inside(box, outer nd.Section, chunk []int) nd.Section {
	inside := slices.Clone(box)
	for d := range inside {
		r := &inside[d]
		if r.Lo > outer[d].Lo {
			r.Lo = nd.CeilDiv(r.Lo, chunk[d]) * chunk[d]
		}
		if r.Hi < outer[d].Hi {
			r.Hi = nd.FloorDiv(r.Hi, chunk[d]) * chunk[d]
		}
		if r.Lo >= r.Hi {
			return nil
		}
	}
	return inside
}

// Without returns the boxes that make up outer without box, which lies in it; all of outer if box
// is nil.
func Without(outer, box nd.Section) []nd.Section {
	if box == nil {
		return []nd.Section{outer}
	}
	var rest []nd.Section
	middle := slices.Clone(outer) // the part that is not cut off yet
	for d, r := range box {
		for _, side := range []nd.Range{nd.Span(middle[d].Lo, r.Lo), nd.Span(r.Hi, middle[d].Hi)} {
			if side.Lo < side.Hi {
				cut := slices.Clone(middle)
				cut[d] = side
				rest = append(rest, cut)
			}
		}
		middle[d] = nd.Span(r.Lo, r.Hi)
	}
	return rest
}
