package plan

import (
	"drx/axial"
	"drx/internal/meta"
	"drx/nd"
)

// Locate returns the number of the chunk that holds a single element, and the offset of the
// element in the chunk, in bytes; false for an index outside of the bounds or of another rank.
// It stores the index of the chunk in chunk, which has room for it.
func Locate(s *meta.State, index, chunk []int) (q axial.Number, within int, ok bool) {
	if len(index) != len(s.Lo) {
		return 0, 0, false
	}
	chunk = chunk[:len(index)]
	position := 0
	for d, i := range index {
		if i < s.Lo[d] || i >= s.Hi[d] {
			return 0, 0, false
		}
		c := 0
		if s.Shift != nil {
			c = i >> s.Shift[d] // rounds down, for negative numbers too
		} else {
			c = nd.FloorDiv(i, s.Chunk[d])
		}
		chunk[d] = c
		position += (i - c*s.Chunk[d]) * s.Strides[d]
	}
	q, ok = s.Grid.Number(chunk)
	return q, s.Offset(position), ok
}
