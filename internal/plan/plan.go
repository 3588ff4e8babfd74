// Package plan cuts a section of an array into pieces, one per chunk that it touches, in the
// order of the chunks in the file. It does no I/O.
//
//	Piece     what a section selects of one chunk, in elements (plan.go)
//	Section   a section and the layout of a buffer for it (section.go)
//	Copy      a Piece in bytes: its range in the chunk and in the buffer; a List has many (copies.go)
//	Locate    the chunk and the byte of a single element (locate.go)
//
// A Piece of chunkstore and journal is something else: changed bytes of a chunk.
package plan

import (
	"slices"
	"sync"

	"drx/axial"
	"drx/internal/state"
	"drx/nd"
)

// A Piece is the part of a section that lies in one chunk. The element at position p of
// the piece (0 <= p[d] < Shape[d]) is element First[d] + p[d]*step of the chunk, and
// element Pos[d] + p[d] of the section.
type Piece struct {
	Number axial.Number
	Chunk  []int // index of the chunk
	First  []int // first element inside the chunk
	Pos    []int // first position inside the section
	Shape  []int
	// Whole reports that the piece is the whole chunk, including the elements outside the bounds.
	// Those count, because the array may grow over them before the piece is written.
	Whole bool
}

// Each calls f with every piece of a resolved section, chunk numbers ascending. The piece
// is reused between calls. It stops at the first error and returns it.
func Each(s *state.State, sec nd.Section, f func(*Piece) error) error {
	c := cutters.Get().(*cutter)
	defer cutters.Put(c)
	if !c.reset(s, sec) {
		return nil
	}
	if c.inOneChunk() {
		copy(c.piece.Chunk, c.lo)
		c.piece.Number, _ = s.Grid.Number(c.lo)
		c.cut()
		return f(&c.piece)
	}
	for _, run := range s.Grid.Runs(c.lo, c.hi) {
		if err := c.walk(&run, f); err != nil {
			return err
		}
	}
	return nil
}

// A cutter cuts one section into pieces.
type cutter struct {
	state  *state.State
	sec    nd.Section
	lo, hi []int // the chunk indices that the section touches
	piece  Piece
	ints   []int // backing memory of lo, hi and piece
}

var cutters = sync.Pool{New: func() any { return new(cutter) }}

// reset prepares the cutter for a section. It returns false if the section is empty.
func (c *cutter) reset(s *state.State, sec nd.Section) bool {
	k := len(sec)
	if cap(c.ints) < 6*k {
		c.ints = make([]int, 6*k)
	}
	i := c.ints[:6*k]
	c.state, c.sec, c.lo, c.hi = s, sec, i[:k], i[k:2*k]
	c.piece = Piece{Chunk: i[2*k : 3*k], First: i[3*k : 4*k], Pos: i[4*k : 5*k], Shape: i[5*k:]}
	for d, r := range sec {
		n := r.Len()
		if n == 0 {
			return false
		}
		last := r.Lo + (n-1)*r.Step
		c.lo[d] = nd.FloorDiv(r.Lo, s.Chunk[d])
		c.hi[d] = nd.FloorDiv(last, s.Chunk[d]) + 1
	}
	return true
}

// inOneChunk reports whether the section lies in one chunk.
func (c *cutter) inOneChunk() bool {
	for d := range c.lo {
		if c.hi[d]-c.lo[d] > 1 {
			return false
		}
	}
	return true
}

// walk calls f for the chunks of one run, in the order of their numbers.
func (c *cutter) walk(run *axial.Run, f func(*Piece) error) error {
	p := &c.piece
	for d := range p.Chunk {
		p.Chunk[d] = c.nextTouched(d, run.Lo[d])
		if run.Down && d == run.Order[0] {
			p.Chunk[d] = c.previousTouched(d, run.Hi[d]-1)
		}
		if p.Chunk[d] < run.Lo[d] || p.Chunk[d] >= run.Hi[d] {
			return nil
		}
	}
	for more := true; more; more = c.next(run) {
		p.Number = run.Number(p.Chunk)
		c.cut()
		if err := f(p); err != nil {
			return err
		}
	}
	return nil
}

// next advances piece.Chunk in the order of the run.
func (c *cutter) next(run *axial.Run) bool {
	chunk := c.piece.Chunk
	for i, d := range slices.Backward(run.Order) {
		if i == 0 && run.Down {
			chunk[d] = c.previousTouched(d, chunk[d]-1)
			return chunk[d] >= run.Lo[d]
		}
		chunk[d] = c.nextTouched(d, chunk[d]+1)
		if chunk[d] < run.Hi[d] {
			return true
		}
		chunk[d] = c.nextTouched(d, run.Lo[d])
	}
	return false
}

// nextTouched returns the first chunk index from i upwards that the section touches in dimension
// d. A step longer than a chunk skips some. After the last it returns hi[d].
func (c *cutter) nextTouched(d, i int) int {
	r, extent := c.sec[d], c.state.Chunk[d]
	if r.Step <= extent || i >= c.hi[d] {
		return i
	}
	pos := max(0, nd.CeilDiv(i*extent-r.Lo, r.Step))
	if pos >= r.Len() {
		return c.hi[d]
	}
	return nd.FloorDiv(r.Lo+pos*r.Step, extent)
}

// previousTouched returns the first chunk index from i downwards that the section touches in
// dimension d, or lo[d]-1 if there is none.
func (c *cutter) previousTouched(d, i int) int {
	r, extent := c.sec[d], c.state.Chunk[d]
	if r.Step <= extent || i < c.lo[d] {
		return i
	}
	pos := (i*extent + extent - 1 - r.Lo) / r.Step
	return nd.FloorDiv(r.Lo+pos*r.Step, extent)
}

// cut intersects the section with the chunk at piece.Chunk, which it touches.
func (c *cutter) cut() {
	p := &c.piece
	p.Whole = true
	for d, r := range c.sec {
		from := p.Chunk[d] * c.state.Chunk[d] // the chunk's elements [from, to)
		to := from + c.state.Chunk[d]
		p.Pos[d] = 0
		if from > r.Lo {
			p.Pos[d] = (from-r.Lo-1)/r.Step + 1
		}
		first := r.Lo + p.Pos[d]*r.Step
		p.Shape[d] = nd.Range{Lo: first, Hi: min(to, r.Hi), Step: r.Step}.Len()
		p.First[d] = first - from
		p.Whole = p.Whole && p.Shape[d] == c.state.Chunk[d]
	}
}
