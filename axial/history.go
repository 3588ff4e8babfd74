package axial

import (
	"bytes"
	"slices"
	"strconv"

	"drx/internal/errkind"
	"drx/nd"
)

// A History is how a grid has grown, in as few steps as its segments: what FromHistory needs to
// make the same grid.
type History struct {
	Lo    []int `json:"lo"` // the bounds at the beginning
	Hi    []int `json:"hi"`
	Steps Steps `json:"steps,omitempty"`
}

// Steps has two numbers for each step of a history: a dimension, and the number of indices that it
// grew by, negative on the low side. The number of dimensions so far and 0 add one. In JSON it is a
// string of decimal numbers, with a space between two, which is read in a tenth of the time of a
// list.
type Steps []int

// MarshalText writes the numbers.
func (s Steps) MarshalText() ([]byte, error) {
	var text []byte
	for i, n := range s {
		if i > 0 {
			text = append(text, ' ')
		}
		text = strconv.AppendInt(text, int64(n), 10)
	}
	return text, nil
}

// UnmarshalText reads the numbers. The error is that of strconv.Atoi.
func (s *Steps) UnmarshalText(text []byte) error {
	*s = make(Steps, 0, bytes.Count(text, []byte{' '})+1)
	for more := len(text) > 0; more; {
		var word []byte
		word, text, more = bytes.Cut(text, []byte{' '})
		n, err := strconv.Atoi(string(word))
		if err != nil {
			return err
		}
		*s = append(*s, n)
	}
	return nil
}

// History returns how the grid has grown. Extensions that lengthened a segment are one step.
func (g *Grid) History() History {
	if len(g.segs) == 0 {
		return History{Lo: slices.Clone(g.lo), Hi: slices.Clone(g.hi)}
	}
	rank, first := g.rankOf(0), 0
	lo, hi := g.boundsOf(0)
	h := History{Lo: slices.Clone(lo[:rank]), Hi: slices.Clone(hi[:rank]), Steps: make(Steps, 0, 2*len(g.segs))}
	if s := g.segs[0]; s.plain {
		first = 1
	} else { // the grid had no chunks, because this dimension had no indices
		h.Lo[s.dim] = s.start
		if s.side == Low {
			h.Lo[s.dim] = s.start + 1
		}
		h.Hi[s.dim] = h.Lo[s.dim]
	}
	for s := first; s < len(g.segs); s++ {
		for ; rank < g.rankOf(s); rank++ {
			h.Steps = append(h.Steps, rank, 0)
		}
		from, to := g.reach(s)
		by := to - from
		if g.segs[s].side == Low {
			by = -by
		}
		h.Steps = append(h.Steps, int(g.segs[s].dim), by)
	}
	for ; rank < g.Rank(); rank++ {
		h.Steps = append(h.Steps, rank, 0)
	}
	return h
}

// rankOf returns the number of dimensions that the grid had when segment s was adjoined: the
// coefficients of later ones are 0.
func (g *Grid) rankOf(s int) int {
	m := g.mapOf(s)[1:]
	for len(m) > 1 && m[len(m)-1] == 0 {
		m = m[:len(m)-1]
	}
	return len(m)
}

// FromHistory returns the grid with a history, in which every chunk has the number that it had. The
// errors are those of New, Extend and AddDim; a history that ends in half a step wraps nd.ErrRank.
func FromHistory(h History) (*Grid, error) {
	g, err := New(h.Lo, h.Hi)
	if err != nil {
		return nil, err
	}
	if len(h.Steps)%2 != 0 {
		return nil, errkind.Errorf(nd.ErrRank, "a history of %d numbers, two for each step", len(h.Steps))
	}
	g.Reserve(len(h.Steps) / 2)
	for i := 0; i < len(h.Steps); i += 2 {
		dim, by := h.Steps[i], h.Steps[i+1]
		switch {
		case by == 0 && dim == g.Rank():
			g, err = g.AddDim()
		case by < 0:
			err = g.Grow(dim, -by, Low)
		default:
			err = g.Grow(dim, by, High)
		}
		if err != nil {
			return nil, err
		}
	}
	return g, nil
}
