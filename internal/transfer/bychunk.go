package transfer

import (
	"slices"

	"drx/axial"
)

// byChunk groups elements by their chunks.
type byChunk struct {
	chunks   []axial.Number // in the order in which they occur
	groupOf  []int32        // position of the chunk of each element in chunks
	position map[axial.Number]int32
}

// group groups elements; numbers are the numbers of their chunks.
func (c *byChunk) group(numbers []axial.Number) {
	if c.position == nil {
		c.position = map[axial.Number]int32{}
	}
	clear(c.position)
	c.chunks, c.groupOf = c.chunks[:0], slices.Grow(c.groupOf[:0], len(numbers))[:len(numbers)]
	for i, q := range numbers {
		at, known := c.position[q]
		if !known {
			at = int32(len(c.chunks))
			c.position[q] = at
			c.chunks = append(c.chunks, q)
		}
		c.groupOf[i] = at
	}
}

// elementsByChunk returns the positions of the elements of each chunk, ascending.
func (c *byChunk) elementsByChunk() [][]int32 {
	ends := make([]int, len(c.chunks))
	for _, group := range c.groupOf {
		ends[group]++
	}
	all := make([]int32, len(c.groupOf))
	lists := make([][]int32, len(c.chunks))
	from := 0
	for group, n := range ends {
		lists[group] = all[from : from : from+n]
		from += n
	}
	for i, group := range c.groupOf {
		lists[group] = append(lists[group], int32(i))
	}
	return lists
}
