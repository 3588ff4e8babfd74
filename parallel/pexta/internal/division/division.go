// Package division chooses the chunk shape of a disk array, and divides its chunks among procs.
package division

import (
	"slices"

	"drx/nd"
	"drx/parallel/drxmp"
)

// Work is a section whose chunks are divided among procs.
type Work struct {
	Chunk   []int      // extents of a chunk, in elements
	Section nd.Section // of the disk array, in its indices, not empty
	// Held has the part of the section in each proc's memory, nil if it is empty or not a single
	// box.
	Held []nd.Section
}

// remoteCost is the cost of an element that goes to or comes from another proc, relative to the
// cost of moving it between memory and file: it passes through a buffer, by two copies that both
// use the caches.
const remoteCost = 2

// worthwhile is the largest ratio of the cost of a new division to that of the old one for which it
// replaces the old one: a change takes some messages.
const worthwhile = 0.75

// Better returns the cheapest division, and whether it is worth replacing a division with the given
// zones.
func (w Work) Better(zone func(proc int) []nd.Section) (Blocks, bool) {
	best := w.Best()
	return best, w.cost(w.zones(best)) < worthwhile*w.cost(zone)
}

// Best returns the cheaper division: at the boundaries of the memory's boxes, or an even one.
func (w Work) Best() Blocks {
	even := w.even()
	if like, ok := w.likeMemory(); ok && w.cost(w.zones(like)) <= w.cost(w.zones(even)) {
		return like
	}
	return even
}

// chunks returns the chunk indices [lo, hi) of the section along a dimension.
func (w Work) chunks(d int) (lo, hi int) {
	return nd.FloorDiv(w.Section[d].Lo, w.Chunk[d]), nd.CeilDiv(w.Section[d].Hi, w.Chunk[d])
}

// Blocks divide the chunks of an array over a grid of procs, row-major, in one block each: Cuts
// has the chunk indices of the block boundaries, per dimension.
type Blocks struct {
	Grid []int
	Cuts [][]int
}

// Distribution returns the blocks as a distribution of package drxmp.
func (p Blocks) Distribution() drxmp.Distribution {
	d := drxmp.Distribution{Grid: p.Grid}
	for _, cuts := range p.Cuts {
		d.Dims = append(d.Dims, drxmp.GenBlock(cuts...))
	}
	return d
}

// even divides the chunks of the section into blocks that differ by at most one chunk along each
// dimension.
func (w Work) even() Blocks {
	counts := make([]int, len(w.Section))
	for d := range counts {
		lo, hi := w.chunks(d)
		counts[d] = hi - lo
	}
	p := Blocks{Grid: drxmp.BalancedGrid(len(w.Held), counts)}
	for d, n := range p.Grid {
		lo, hi := w.chunks(d)
		cuts := make([]int, n-1)
		for i := range cuts {
			cuts[i] = lo + (i+1)*(hi-lo)/n
		}
		p.Cuts = append(p.Cuts, cuts)
	}
	return p
}

// likeMemory divides the chunks at the boundaries of the memory's boxes, rounded to the nearest
// chunk. It needs boxes that are the cells of a grid, numbered row-major.
func (w Work) likeMemory() (Blocks, bool) {
	p := Blocks{}
	begins := make([][]int, len(w.Section))
	for d := range w.Section {
		begins[d] = w.begins(d)
		cuts := []int{}
		for _, lo := range begins[d][min(1, len(begins[d])):] {
			cuts = append(cuts, nd.FloorDiv(lo+w.Chunk[d]/2, w.Chunk[d]))
		}
		p.Grid, p.Cuts = append(p.Grid, len(begins[d])), append(p.Cuts, cuts)
	}
	cells, err := nd.Product(p.Grid...)
	if err != nil || cells == 0 || cells > len(w.Held) {
		return p, false
	}
	for proc, box := range w.Held {
		if (box != nil) != (proc < cells) {
			return p, false
		}
		for d := len(box) - 1; d >= 0; d-- {
			if box[d].Lo != begins[d][proc%p.Grid[d]] {
				return p, false
			}
			proc /= p.Grid[d]
		}
	}
	return p, true
}

// begins returns the first indices of the memory's boxes along a dimension, ascending.
func (w Work) begins(d int) []int {
	var all []int
	for _, box := range w.Held {
		if box != nil {
			all = append(all, box[d].Lo)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// zones returns each proc's part of the section under a plan, as one box.
func (w Work) zones(p Blocks) func(proc int) []nd.Section {
	return func(proc int) []nd.Section {
		box := make(nd.Section, len(p.Grid))
		for d := len(box) - 1; d >= 0; d-- {
			i, r := proc%p.Grid[d], w.Section[d]
			if i > 0 {
				r.Lo = max(r.Lo, p.Cuts[d][i-1]*w.Chunk[d])
			}
			if i < len(p.Cuts[d]) {
				r.Hi = min(r.Hi, p.Cuts[d][i]*w.Chunk[d])
			}
			box[d] = nd.Span(r.Lo, r.Hi)
			proc /= p.Grid[d]
		}
		if proc > 0 {
			return nil
		}
		return []nd.Section{box}
	}
}

// cost returns the work of the proc with the most work, in elements.
func (w Work) cost(zone func(proc int) []nd.Section) float64 {
	most := 0.0
	for p, held := range w.Held {
		var all, near float64
		for _, z := range zone(p) {
			part := Intersect(z, w.Section)
			all += Size(part)
			near += Size(Intersect(part, held))
		}
		most = max(most, all+remoteCost*(all-near))
	}
	return most
}

// Intersect returns the intersection of two boxes, nil if it is empty or one of them is nil.
func Intersect(a, b nd.Section) nd.Section {
	if len(a) == 0 || len(a) != len(b) {
		return nil
	}
	both := make(nd.Section, len(a))
	for d := range a {
		both[d] = nd.Span(max(a[d].Lo, b[d].Lo), min(a[d].Hi, b[d].Hi))
		if both[d].Lo >= both[d].Hi {
			return nil
		}
	}
	return both
}

// Size returns the number of elements of a box, 0 for nil; as a float, because it may overflow an
// int.
func Size(box nd.Section) float64 {
	if box == nil {
		return 0
	}
	n := 1.0
	for _, r := range box {
		n *= float64(r.Len())
	}
	return n
}
