package drx

import (
	"slices"

	"drx/axial"
	"drx/internal/plan"
	"drx/internal/state"
	"drx/nd"
)

// places are where elements lie.
type places struct {
	number []axial.Number // of each element: its chunk
	within []int          // of each element: its offset in the chunk, in bytes
	byChunk
}

// byChunk are elements by the chunks they lie in.
type byChunk struct {
	chunks []axial.Number // in the order in which they occur
	group  []int32        // of each element: the position of its chunk in chunks
	slots  []int32        // a hash table of the chunks: position + 1, 0 for none
}

// locate computes where elements are.
func (p *places) locate(s *state.State, indices []int) error {
	k := len(s.Lo)
	n := len(indices) / k
	p.number, p.within = slices.Grow(p.number[:0], n)[:n], slices.Grow(p.within[:0], n)[:n]
	if i := plan.LocateMany(s, indices, p.number, p.within); i < n {
		return nd.CheckIndex(indices[i*k:(i+1)*k], s.Lo, s.Hi)
	}
	return nil
}

// keep drops all elements but those of a list, which ascends.
func (p *places) keep(list []int32) {
	for i, from := range list {
		p.number[i], p.within[i] = p.number[from], p.within[from]
	}
	p.number, p.within = p.number[:len(list)], p.within[:len(list)]
}

// collect finds the chunks of elements that lie in chunks with these numbers.
func (c *byChunk) collect(numbers []axial.Number) {
	if len(c.slots) == 0 {
		c.slots = make([]int32, 1024)
	}
	clear(c.slots)
	c.chunks, c.group = c.chunks[:0], slices.Grow(c.group[:0], len(numbers))[:len(numbers)]
	for i, q := range numbers {
		c.group[i] = c.position(q)
	}
}

// position returns the position of chunk q in chunks, where it is put if it is new.
func (c *byChunk) position(q axial.Number) int32 {
	mask := uint64(len(c.slots) - 1)
	for h := hash(q) & mask; ; h = (h + 1) & mask {
		switch at := c.slots[h]; {
		case at == 0:
			c.chunks = append(c.chunks, q)
			c.slots[h] = int32(len(c.chunks))
			if 2*len(c.chunks) > len(c.slots) {
				c.rehash()
			}
			return int32(len(c.chunks) - 1)
		case c.chunks[at-1] == q:
			return at - 1
		}
	}
}

// hash spreads numbers, which are often consecutive or have a common factor.
func hash(q axial.Number) uint64 {
	h := uint64(q) * 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	return h ^ h>>32
}

func (c *byChunk) rehash() {
	c.slots = make([]int32, 2*len(c.slots))
	mask := uint64(len(c.slots) - 1)
	for i, q := range c.chunks {
		h := hash(q) & mask
		for c.slots[h] != 0 {
			h = (h + 1) & mask
		}
		c.slots[h] = int32(i + 1)
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
