package drx

import (
	"slices"

	"drx/internal/layout"
	"drx/internal/state"
	"drx/nd"
)

// A clip tells which part of a chunk lies within the bounds of a state.
type clip struct {
	state      *state.State
	index      []int // of the chunk, set by whoever uses the clip, before locate
	lo, extent []int // the part within the bounds, in elements of the chunk
}

func newClip(s *state.State) clip {
	k := len(s.Lo)
	return clip{state: s, index: make([]int, k), lo: make([]int, k), extent: make([]int, k)}
}

// locate finds the part of the chunk at index, and reports whether that is all of it.
func (c *clip) locate() (whole bool) {
	s := c.state
	whole = true
	for d, i := range c.index {
		c.lo[d] = max(0, s.Lo[d]-i*s.Chunk[d])
		c.extent[d] = min(s.Chunk[d], s.Hi[d]-i*s.Chunk[d]) - c.lo[d]
		whole = whole && c.extent[d] == s.Chunk[d]
	}
	return whole
}

// outside reports whether the chunk that was located lies wholly outside of the bounds.
func (c *clip) outside() bool {
	return slices.ContainsFunc(c.extent, func(n int) bool { return n <= 0 })
}

// section returns the elements within the bounds of the chunk that was located.
func (c *clip) section() nd.Section {
	sec := make(nd.Section, len(c.index))
	for d, i := range c.index {
		lo := i*c.state.Chunk[d] + c.lo[d]
		sec[d] = nd.Span(lo, lo+c.extent[d])
	}
	return sec
}

// blankOutside fills what buf, the chunk that was located, has outside of the bounds: before and
// after them in one dimension after the other. Some of it must be within them.
func (c *clip) blankOutside(buf []byte) {
	s := c.state
	for d, n := range s.Chunk {
		end := c.lo[d] + c.extent[d]
		for _, part := range [][2]int{{0, c.lo[d]}, {end, n}} {
			shape := slices.Clone(s.Chunk)
			if shape[d] = part[1] - part[0]; shape[d] == 0 {
				continue
			}
			b := layout.Box{First: part[0] * s.Strides[d], Steps: s.Strides, Shape: shape}
			from, _ := s.Window(b)
			s.Layout.Fill(buf[from:], b, s.Fill)
		}
	}
}
