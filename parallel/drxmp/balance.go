package drxmp

import "slices"

// BalancedGrid returns the grid of procs that minimises the largest block of chunks. Among several
// it chooses the one whose blocks have the smallest surface, and among these the first. A dimension
// without chunks counts as having one chunk per proc.
func BalancedGrid(procs int, chunks []int) []int {
	b := balance{chunks: slices.Clone(chunks), grid: make([]int, len(chunks))}
	for d, n := range b.chunks {
		if n == 0 {
			b.chunks[d] = procs
		}
	}
	b.try(0, procs)
	return b.best
}

// A balance searches the possible grids for a number of procs.
type balance struct {
	chunks, grid  []int
	best          []int
	most, surface float64 // of best; floats, because the products may overflow an int
}

// try tries every distribution of a number of procs over the dimensions from d on.
func (b *balance) try(d, procs int) {
	if d == len(b.grid)-1 {
		b.grid[d] = procs
		b.weigh()
		return
	}
	for n := 1; n <= procs; n++ {
		if procs%n == 0 {
			b.grid[d] = n
			b.try(d+1, procs/n)
		}
	}
}

// weigh makes grid the best one if it is better than best.
func (b *balance) weigh() {
	most, surface := 1.0, 0.0
	for d, n := range b.chunks {
		most *= float64((n + b.grid[d] - 1) / b.grid[d])
	}
	for d, n := range b.chunks {
		surface += most / float64((n+b.grid[d]-1)/b.grid[d])
	}
	if b.best == nil || most < b.most || most == b.most && surface < b.surface {
		b.best, b.most, b.surface = slices.Clone(b.grid), most, surface
	}
}
