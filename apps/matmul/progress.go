package main

import (
	"cmp"
	"fmt"
	"slices"
)

// A span is a range of indices, [lo, hi).
type span [2]int

func (s span) len() int { return max(0, s[1]-s[0]) }

// in returns the part of s that lies in t.
func (s span) in(t span) span { return span{max(s[0], t[0]), min(s[1], t[1])} }

// A box is the set of products A(r, k) B(k, c) for all rows r, columns c and inner indices k in its
// spans.
type box [3]span

const rows, cols, inner = 0, 1, 2

// empty reports whether there are no products in the box.
func (b box) empty() bool { return b[rows].len() == 0 || b[cols].len() == 0 || b[inner].len() == 0 }

// String writes the spans for messages.
func (b box) String() string {
	return fmt.Sprintf("rows %d:%d, columns %d:%d, inner %d:%d", b[0][0], b[0][1], b[1][0], b[1][1], b[2][0], b[2][1])
}

// in returns the part of b that lies in t.
func (b box) in(t box) box {
	for d := range b {
		b[d] = b[d].in(t[d])
	}
	return b
}

// without returns the products of b that are not in t, as boxes that do not overlap. Rows are cut
// off first, then columns, and the inner dimension last: so the inner span of an element of C is
// cut only where t has a part of it.
func (b box) without(t box) []box {
	t = b.in(t)
	if b.empty() || t.empty() {
		return slices.DeleteFunc([]box{b}, box.empty)
	}
	var parts []box
	for d := range b {
		below, above := b, b
		below[d][1], above[d][0] = t[d][0], t[d][1]
		parts = append(parts, below, above)
		b[d] = t[d]
	}
	return slices.DeleteFunc(parts, box.empty)
}

// A record says which products are summed up in C. It is an attribute of C and is committed
// together with C's elements.
type record struct {
	A, B       string
	Transposed [2]bool
	Done       []box // do not overlap
}

// recordAttr is the name of the attribute.
const recordAttr = "matmul"

// missing returns the products of a goal that are not done, by ascending inner index, then rows,
// then columns. So the boxes that remain after a kill are added to each element of C in the same
// order as without the kill.
func (r *record) missing(goal box) []box {
	left := slices.DeleteFunc([]box{goal}, box.empty)
	for _, done := range r.Done {
		var rest []box
		for _, b := range left {
			rest = append(rest, b.without(done)...)
		}
		left = rest
	}
	slices.SortFunc(left, func(a, b box) int {
		return cmp.Or(cmp.Compare(a[inner][0], b[inner][0]), cmp.Compare(a[rows][0], b[rows][0]), cmp.Compare(a[cols][0], b[cols][0]))
	})
	return left
}

// add notes that a box is done. Boxes that form a larger one are joined, so that the record stays
// short.
func (r *record) add(b box) {
	if b.empty() {
		return
	}
	for i, done := range r.Done {
		if joined, ok := join(done, b); ok {
			r.Done = slices.Delete(r.Done, i, i+1)
			r.add(joined)
			return
		}
	}
	r.Done = append(r.Done, b)
}

// join returns the box that consists of two boxes, if there is one: they differ in one dimension
// only, and touch there.
func join(a, b box) (box, bool) {
	for d := range a {
		whole := a
		whole[d] = span{min(a[d][0], b[d][0]), max(a[d][1], b[d][1])}
		same := a
		same[d] = b[d]
		if same == b && (a[d][1] == b[d][0] || b[d][1] == a[d][0]) {
			return whole, true
		}
	}
	return box{}, false
}
