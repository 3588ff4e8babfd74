package planner

import "slices"

// maxBlocks enumerates the load-balanced max-blocks of figure 7 of the paper: boxes of procs
// target chunks, given by their extents in chunks, whose chunks belong to different procs if
// the chunks of the grid, numbered in row-major order, are dealt to the procs in turn. If this
// holds for the box at the origin, it holds for all boxes of that shape. In each step of a
// parallel copy, every proc then writes one chunk. The list is empty if the offsets of all
// dimensions share a factor with procs.
func maxBlocks(procs int, grid []int) [][]int {
	s := maxBlockSearch{offset: make([]int, len(grid)), factor: make([]int, len(grid))}
	var free []int
	offset := 1 % procs // of chunk numbers between neighbours along a dimension
	for d, n := range slices.Backward(grid) {
		s.offset[d], s.factor[d] = offset, 1
		if offset > 0 {
			free = append(free, d)
		}
		offset = offset * (n % procs) % procs
	}
	slices.Reverse(free)
	s.generate(procs, free)
	return s.found
}

// A maxBlockSearch factors the number of procs over the dimensions.
type maxBlockSearch struct {
	offset, factor []int
	found          [][]int
}

// generate distributes the remaining factor of the number of procs over the free dimensions.
// Along a dimension, procs / gcd(procs, offset) procs own chunks, and each of them owns one
// before any owns a second.
func (s *maxBlockSearch) generate(procs int, free []int) {
	if procs == 1 {
		if !slices.ContainsFunc(s.found, func(f []int) bool { return slices.Equal(f, s.factor) }) {
			s.found = append(s.found, slices.Clone(s.factor))
		}
		return
	}
	for i, d := range free {
		f := procs / gcd(procs, s.offset[d])
		if f == 1 || len(free) == 1 && f != procs {
			continue
		}
		s.factor[d] = f
		s.generate(procs/f, slices.Delete(slices.Clone(free), i, i+1))
		s.factor[d] = 1
	}
}
