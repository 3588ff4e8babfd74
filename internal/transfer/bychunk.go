package transfer

import (
	"slices"

	"drx/axial"
)

// byChunk groups elements by their chunks.
type byChunk struct {
	chunks   []axial.Number // in the order in which they occur
	group    []int32        // of each element: the position of its chunk in chunks
	position map[axial.Number]int32
}

// collect groups elements that lie in chunks with these numbers.
func (c *byChunk) collect(numbers []axial.Number) {
	if c.position == nil {
		c.position = map[axial.Number]int32{}
	}
	clear(c.position)
	c.chunks, c.group = c.chunks[:0], slices.Grow(c.group[:0], len(numbers))[:len(numbers)]
	for i, q := range numbers {
		at, known := c.position[q]
		if !known {
			at = int32(len(c.chunks))
			c.position[q] = at
			c.chunks = append(c.chunks, q)
		}
		c.group[i] = at
	}
}

// lists returns the elements of each chunk, in their order.
func (c *byChunk) lists() [][]int32 {
	ends := make([]int, len(c.chunks))
	for _, group := range c.group {
		ends[group]++
	}
	all := make([]int32, len(c.group))
	lists := make([][]int32, len(c.chunks))
	from := 0
	for group, n := range ends {
		lists[group] = all[from : from : from+n]
		from += n
	}
	for i, group := range c.group {
		lists[group] = append(lists[group], int32(i))
	}
	return lists
}
