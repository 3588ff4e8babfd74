package drxmp

import "slices"

// BalancedGrid returns the grid of procs over a grid of chunks whose largest block has the fewest
// chunks; of those, the one whose blocks have the smallest surface, and the first one then.
// Of a dimension without chunks, which is to grow, nothing is known: it counts like one with as
// many chunks as there are procs.
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

type balance struct {
	chunks, grid  []int
	best          []int
	most, surface float64 // of best; floats: the products need not fit an int
}

// try gives the dimensions from d on all factors of a number of procs.
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
