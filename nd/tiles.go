package nd

import (
	"iter"
	"slices"
)

// Tiles divides a section of finite ranges into parts, so that each element is in one of them. The
// cuts lie between tiles of the given extents, usually chunks. A part has at most the given number
// of elements, unless it is a single tile. Tiles halves the dimension with the most tiles until a
// part is small enough.
func (s Section) Tiles(tile []int, elements int) iter.Seq[Section] {
	return func(yield func(Section) bool) { s.halve(tile, elements, yield) }
}

// halve yields the parts of s. It returns false if yield did.
func (s Section) halve(tile []int, elements int, yield func(Section) bool) bool {
	longest, tiles := 0, 0
	for d, r := range s {
		if n := CeilDiv(r.Hi, tile[d]) - FloorDiv(r.Lo, tile[d]); n > tiles {
			longest, tiles = d, n
		}
	}
	n, err := s.Len()
	if err == nil && n == 0 {
		return true
	}
	if tiles < 2 || err == nil && n <= elements {
		return yield(s)
	}
	r := s[longest]
	middle := (FloorDiv(r.Lo, tile[longest]) + tiles/2) * tile[longest]
	low, high := slices.Clone(s), slices.Clone(s)
	step := max(1, r.Step)
	last := r.Lo + (middle-r.Lo-1)/step*step // of the low part
	low[longest].Hi, high[longest].Lo = middle, last+step
	return low.halve(tile, elements, yield) && high.halve(tile, elements, yield)
}
