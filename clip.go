package drx

import (
	"slices"

	"drx/internal/layout"
	"drx/internal/state"
	"drx/nd"
)

// A clip computes which part of a chunk lies within the bounds of a state. The user sets index and calls
// clipChunk; the other methods are about that chunk.
type clip struct {
	state      *state.State
	index      []int // of the chunk
	lo, extent []int // the part within the bounds, relative to the chunk's first element
}

// newClip returns a clip for the bounds of s.
func newClip(s *state.State) clip {
	k := len(s.Lo)
	return clip{state: s, index: make([]int, k), lo: make([]int, k), extent: make([]int, k)}
}

// clipChunk computes the part of the chunk at c.index and reports whether it is the whole chunk.
func (c *clip) clipChunk() (whole bool) {
	s := c.state
	whole = true
	for d, i := range c.index {
		c.lo[d] = max(0, s.Lo[d]-i*s.Chunk[d])
		c.extent[d] = min(s.Chunk[d], s.Hi[d]-i*s.Chunk[d]) - c.lo[d]
		whole = whole && c.extent[d] == s.Chunk[d]
	}
	return whole
}

// outside reports whether no element of the chunk is within the bounds.
func (c *clip) outside() bool {
	return slices.ContainsFunc(c.extent, func(n int) bool { return n <= 0 })
}

// section returns the chunk's elements within the bounds.
func (c *clip) section() nd.Section {
	sec := make(nd.Section, len(c.index))
	for d, i := range c.index {
		lo := i*c.state.Chunk[d] + c.lo[d]
		sec[d] = nd.Span(lo, lo+c.extent[d])
	}
	return sec
}

// blankOutside sets the elements of buf, which holds the chunk, that are outside of the bounds to the fill
// value, one dimension after the other. Some element must be within the bounds.
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
