package par

import (
	"slices"

	"drx/internal/errkind"
	"drx/nd"
)

// A Layout describes bytes in a buffer: a run of Bytes contiguous bytes at Offset, repeated
// Count[d] times at a distance of Stride[d] bytes for every d, the outermost first. Thus a section
// of an n-dimensional array has a Layout. The bytes of a layout that is written to must not
// overlap.
type Layout struct {
	Offset, Bytes int
	Count, Stride []int
}

// Contiguous returns the layout of n contiguous bytes from an offset on.
func Contiguous(offset, n int) Layout { return Layout{Offset: offset, Bytes: n} }

// Size returns the number of bytes of the layout, without those between them.
func (l Layout) Size() int {
	n := l.Bytes
	for _, c := range l.Count {
		n *= c
	}
	return n
}

// Check returns an error that wraps ErrArgument if a number is negative, if the numbers of counts
// and strides differ, or if the layout does not fit into a buffer of size bytes.
func (l Layout) Check(size int) error {
	if l.Offset < 0 || l.Bytes < 0 || len(l.Count) != len(l.Stride) {
		return errkind.Errorf(ErrArgument, "layout %v: offset and bytes are not negative, and every count has a stride", l)
	}
	for d, c := range l.Count {
		if c < 0 || l.Stride[d] < 0 {
			return errkind.Errorf(ErrArgument, "layout %v: dimension %d: count %d, stride %d", l, d, c, l.Stride[d])
		}
	}
	if l.Bytes == 0 || slices.Contains(l.Count, 0) {
		return nil
	}
	end, ok := nd.Add(l.Offset, l.Bytes)
	total := l.Bytes
	for d, c := range l.Count {
		span, fits := nd.Mul(c-1, l.Stride[d])
		ok = ok && fits
		end, fits = nd.Add(end, span)
		ok = ok && fits
		total, fits = nd.Mul(total, c)
		ok = ok && fits
	}
	if !ok {
		return errkind.Errorf(ErrArgument, "layout %v: more bytes than can be counted", l)
	}
	if end > size {
		return errkind.Errorf(ErrArgument, "layout %v: ends at byte %d of %d", l, end, size)
	}
	return nil
}

// CheckElements returns an error that wraps ErrArgument unless offset, bytes and strides are
// multiples of the size of an element.
func (l Layout) CheckElements(size int) error {
	whole := l.Offset%size == 0 && l.Bytes%size == 0
	for _, s := range l.Stride {
		whole = whole && s%size == 0
	}
	if !whole {
		return errkind.Errorf(ErrArgument, "layout %v: not in elements of %d bytes", l, size)
	}
	return nil
}

// Simple returns a layout of the same bytes in the same order with as few dimensions as possible:
// none if they are contiguous.
func (l Layout) Simple() Layout {
	s := Layout{Offset: l.Offset, Bytes: l.Bytes}
	if l.Size() == 0 {
		s.Bytes = 0
		return s
	}
	inner := len(l.Count)
	for inner > 0 && (l.Count[inner-1] == 1 || l.Stride[inner-1] == s.Bytes) {
		inner--
		s.Bytes *= l.Count[inner]
	}
	for d := range inner {
		if l.Count[d] != 1 {
			s.Count, s.Stride = append(s.Count, l.Count[d]), append(s.Stride, l.Stride[d])
		}
	}
	return s
}

// A cursor iterates over the contiguous runs of a simple layout.
type cursor struct {
	Layout
	index []int
	at    int // offset of the present run
	used  int // bytes of the run that are consumed
}

func newCursor(l Layout) *cursor {
	l = l.Simple()
	return &cursor{Layout: l, index: make([]int, len(l.Count)), at: l.Offset}
}

// remaining returns the number of unconsumed bytes of the present run.
func (c *cursor) remaining() int { return c.Bytes - c.used }

// advance returns the offset of the next n bytes, and advances by them. n is at most remaining().
func (c *cursor) advance(n int) int {
	off := c.at + c.used
	if c.used += n; c.used < c.Bytes {
		return off
	}
	c.used = 0
	for d := len(c.index) - 1; d >= 0; d-- {
		c.at += c.Stride[d]
		if c.index[d]++; c.index[d] < c.Count[d] {
			break
		}
		c.at -= c.Count[d] * c.Stride[d]
		c.index[d] = 0
	}
	return off
}

// eachRun calls f for every run that is contiguous in both layouts, with its offsets and its
// length. The layouts have the same size.
func eachRun(a, b Layout, f func(a, b, n int)) {
	ca, cb := newCursor(a), newCursor(b)
	for todo := a.Size(); todo > 0; {
		n := min(ca.remaining(), cb.remaining())
		f(ca.advance(n), cb.advance(n), n)
		todo -= n
	}
}
