package relayout

import "slices"

// MaxBlocks enumerates the load-balanced max-blocks of figure 7 of the paper: boxes of procs
// target chunks, given by their extents in chunks, that belong to procs different processes
// when the chunks of the grid, numbered in row-major order, are dealt to them in turn. As
// they are dealt in turn, what holds for the box at the origin holds for all. In each step
// of a parallel copy, every process then writes one chunk. The list may be empty: where the
// offsets of all dimensions share a factor with procs.
func MaxBlocks(procs int, grid []int) [][]int {
	m := maxBlocks{offset: make([]int, len(grid)), factor: make([]int, len(grid))}
	var free []int
	number := 1 % procs // of chunks between neighbours along a dimension
	for d, n := range slices.Backward(grid) {
		m.offset[d], m.factor[d] = number, 1
		if number > 0 {
			free = append(free, d)
		}
		number = number * (n % procs) % procs
	}
	slices.Reverse(free)
	m.generate(procs, free)
	return m.found
}

type maxBlocks struct {
	offset, factor []int
	found          [][]int
}

// generate gives what is left of the number of processes to the dimensions that are free.
// Along a dimension, procs / gcd(procs, offset) processes own chunks, and each owns one
// before any owns a second.
func (m *maxBlocks) generate(procs int, free []int) {
	if procs == 1 {
		if !slices.ContainsFunc(m.found, func(f []int) bool { return slices.Equal(f, m.factor) }) {
			m.found = append(m.found, slices.Clone(m.factor))
		}
		return
	}
	for i, d := range free {
		f := procs / gcd(procs, m.offset[d])
		if f == 1 || len(free) == 1 && f != procs {
			continue
		}
		m.factor[d] = f
		m.generate(procs/f, slices.Delete(slices.Clone(free), i, i+1))
		m.factor[d] = 1
	}
}
