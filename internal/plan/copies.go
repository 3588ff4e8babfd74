package plan

import (
	"sync"

	"drx/axial"
	"drx/internal/layout"
)

// A Copy is the part of a section that lies in one chunk: a box of the chunk, and the position of
// the box in the buffer of the section.
type Copy struct {
	Chunk axial.Number
	Box   layout.Box
	// From and Bytes are the window of the box: the offset and the length of the smallest range of
	// the chunk's bytes that contains it.
	From, Bytes int
	At          int  // offset of the first element in the buffer, in bytes
	Whole       bool // the box is the whole chunk
}

// Window returns the window of the box in the bytes of the chunk.
func (c *Copy) Window(chunk []byte) []byte { return chunk[c.From : c.From+c.Bytes] }

// listCopies is the largest number of copies in a list.
const listCopies = 256

// A List holds copies of a section, one per chunk, by ascending chunk number. They are divided into
// groups that are copied together. Groups may be copied in any order and concurrently.
type List struct {
	copies []Copy
	shapes []int // backing memory for the shapes of the boxes
	starts []int // position of the first copy of each group, and the end of the last group
}

var lists = sync.Pool{New: func() any { return &List{copies: make([]Copy, 0, listCopies)} }}

// Groups returns the number of groups.
func (l *List) Groups() int { return len(l.starts) - 1 }

// Group returns the copies of a group.
func (l *List) Group(i int) []Copy { return l.copies[l.starts[i]:l.starts[i+1]] }

// A Grouping decides which copies are copied together. It reports whether next becomes part of the
// group before it, which has n copies with the given total of bytes and ends with last.
type Grouping func(last, next *Copy, n, bytes int) bool

// Runs groups whole chunks with consecutive numbers, at most limit per group. If chunks adjoin in
// the file, each group is contiguous there. A copy of a part of a chunk is a group of its own.
func Runs(limit int) Grouping {
	return func(last, next *Copy, n, _ int) bool {
		return n < limit && last.Whole && next.Whole && next.Chunk == last.Chunk+1
	}
}

// Batches groups copies up to a number of copies and a total of bytes.
func Batches(limit, bytes int) Grouping {
	return func(_, next *Copy, n, have int) bool { return n < limit && have+next.Bytes <= bytes }
}

// Single makes each copy a group of its own.
func Single(_, _ *Copy, _, _ int) bool { return false }

// Each calls f with all copies of the section, in lists by ascending chunk number. It reuses the
// list between calls, and stops at the first error and returns it.
func (t *Section) Each(group Grouping, f func(*List) error) error {
	l := lists.Get().(*List)
	defer lists.Put(l)
	l.reset()
	err := Each(t.State, t.Ranges, func(p *Piece) error {
		l.add(t, p)
		if len(l.copies) < listCopies {
			return nil
		}
		l.group(group)
		defer l.reset()
		return f(l)
	})
	if err == nil && len(l.copies) > 0 {
		l.group(group)
		err = f(l)
	}
	return err
}

// Of returns the copy for one chunk, whose number must be in the grid. It returns false if the
// section does not touch the chunk.
func (t *Section) Of(chunk axial.Number) (Copy, bool) {
	var c cutter
	if !c.reset(t.State, t.Ranges) || !t.State.Grid.Index(chunk, c.piece.Chunk) {
		return Copy{}, false
	}
	for d, i := range c.piece.Chunk {
		if i < c.lo[d] || i >= c.hi[d] || c.nextTouched(d, i) != i {
			return Copy{}, false
		}
	}
	c.piece.Number = chunk
	c.cut()
	var l List
	l.add(t, &c.piece)
	return l.copies[0], true
}

func (l *List) reset() { l.copies, l.shapes = l.copies[:0], l.shapes[:0] }

func (l *List) add(t *Section, p *Piece) {
	n := len(l.shapes)
	l.shapes = append(l.shapes, p.Shape...) // if this reallocates, earlier copies keep the old memory
	c := Copy{Chunk: p.Number, Whole: p.Whole, Box: t.layoutBox(p, l.shapes[n:len(l.shapes):len(l.shapes)])}
	for d, pos := range p.Pos {
		c.At += pos * t.Strides[d]
	}
	c.From, c.Bytes = t.State.Window(c.Box)
	l.copies = append(l.copies, c)
}

// group divides the copies into groups.
func (l *List) group(joins Grouping) {
	l.starts = append(l.starts[:0], 0)
	bytes := l.copies[0].Bytes
	for i := 1; i < len(l.copies); i++ {
		if !joins(&l.copies[i-1], &l.copies[i], i-l.starts[len(l.starts)-1], bytes) {
			l.starts, bytes = append(l.starts, i), 0
		}
		bytes += l.copies[i].Bytes
	}
	l.starts = append(l.starts, len(l.copies))
}
