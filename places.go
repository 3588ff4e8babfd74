package drx

import (
	"slices"

	"drx/axial"
	"drx/internal/meta"
	"drx/internal/plan"
	"drx/nd"
)

// places are elements by the chunks they lie in.
type places struct {
	chunks []axial.Number // in the order in which they occur
	group  []int32        // of each element: the position of its chunk in chunks
	within []int          // of each element: its offset in the chunk, in bytes
	slots  []int32        // a hash table of the chunks: position + 1, 0 for none
}

// locate computes where elements are.
func (p *places) locate(s *meta.State, indices []int) error {
	k := len(s.Lo)
	n := len(indices) / k
	p.chunks, p.group, p.within = p.chunks[:0], slices.Grow(p.group[:0], n)[:n], slices.Grow(p.within[:0], n)[:n]
	if len(p.slots) == 0 {
		p.slots = make([]int32, 1024)
	}
	clear(p.slots)
	var chunk [nd.MaxRank]int
	for i := range n {
		q, within, ok := plan.Locate(s, indices[i*k:(i+1)*k], chunk[:])
		if !ok {
			return nd.CheckIndex(indices[i*k:(i+1)*k], s.Lo, s.Hi)
		}
		p.group[i], p.within[i] = p.position(q), within
	}
	return nil
}

// position returns the position of chunk q in chunks, where it is put if it is new.
func (p *places) position(q axial.Number) int32 {
	mask := uint64(len(p.slots) - 1)
	for h := hash(q) & mask; ; h = (h + 1) & mask {
		switch at := p.slots[h]; {
		case at == 0:
			p.chunks = append(p.chunks, q)
			p.slots[h] = int32(len(p.chunks))
			if 2*len(p.chunks) > len(p.slots) {
				p.rehash()
			}
			return int32(len(p.chunks) - 1)
		case p.chunks[at-1] == q:
			return at - 1
		}
	}
}

// hash spreads numbers, which are often consecutive or have a common factor.
func hash(q axial.Number) uint64 {
	h := uint64(q) * 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	return h ^ h>>32
}

func (p *places) rehash() {
	p.slots = make([]int32, 2*len(p.slots))
	mask := uint64(len(p.slots) - 1)
	for i, q := range p.chunks {
		h := hash(q) & mask
		for p.slots[h] != 0 {
			h = (h + 1) & mask
		}
		p.slots[h] = int32(i + 1)
	}
}

// lists returns the elements of each chunk, in their order.
func (p *places) lists() [][]int32 {
	ends := make([]int, len(p.chunks))
	for _, group := range p.group {
		ends[group]++
	}
	all := make([]int32, len(p.group))
	lists := make([][]int32, len(p.chunks))
	from := 0
	for group, n := range ends {
		lists[group] = all[from : from : from+n]
		from += n
	}
	for i, group := range p.group {
		lists[group] = append(lists[group], int32(i))
	}
	return lists
}
