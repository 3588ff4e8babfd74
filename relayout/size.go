package relayout

import (
	"math"
	"slices"

	"drx/nd"
	"drx/relayout/internal/planner"
)

// A Size is the space of an array whose chunks are all written, as a copy writes them. Numbers that
// do not fit are math.MaxInt64.
type Size struct {
	Elements int64 // bytes of the elements within the bounds
	Chunks   int64 // bytes of all chunks, which reach beyond the bounds
}

// Utilisation returns the bytes of the elements divided by those of the chunks, or 1 without
// chunks.
func (s Size) Utilisation() float64 {
	if s.Chunks == 0 {
		return 1
	}
	return float64(s.Elements) / float64(s.Chunks)
}

// Size returns the size of an array with this grid, whose chunks begin at multiples of align bytes
// in the file; 0 is no alignment.
func (g Grid) Size(align int) Size {
	elements, chunks := int64(g.ElemSize), int64(1)
	for d, c := range g.ChunkShape {
		elements = planner.Mul(elements, int64(g.Hi[d]-g.Lo[d]))
		if g.Hi[d] == g.Lo[d] {
			chunks = 0
			continue
		}
		chunks = planner.Mul(chunks, int64(nd.CeilDiv(g.Hi[d], c)-nd.FloorDiv(g.Lo[d], c)))
	}
	slot := planner.Grid(g).ChunkBytes()
	if a := int64(align); a > 1 && slot < math.MaxInt64-a {
		slot = (slot + a - 1) / a * a
	}
	return Size{elements, planner.Mul(chunks, slot)}
}

// FittingChunk returns a chunk shape of at most about as many elements as the grid's, in which less
// space is lost beyond the bounds: no chunk is longer than the array, and its extents divide those
// of the array as evenly as they can. Where that makes chunks smaller, other extents are longer.
func (g Grid) FittingChunk() []int {
	chunk, most := make([]int, len(g.ChunkShape)), planner.Grid(g).ChunkBytes()
	for d, c := range g.ChunkShape {
		chunk[d] = g.even(d, c)
	}
	for {
		next := -1
		for d, c := range chunk {
			if c > (g.Hi[d]-g.Lo[d])/2 || next >= 0 && c >= chunk[next] {
				continue
			}
			longer := slices.Clone(chunk)
			longer[d] = g.even(d, 2*c)
			if longer[d] > c && (planner.Grid{ChunkShape: longer, ElemSize: g.ElemSize}).ChunkBytes() <= most {
				next = d
			}
		}
		if next < 0 {
			return chunk
		}
		chunk[next] = g.even(next, 2*chunk[next])
	}
}

// TooLarge reports whether an array with this grid takes more than twice the space of its source,
// because most of its chunks lies beyond the bounds. A difference below one MiB does not count.
func (s Size) TooLarge(source Size) bool {
	return s.Chunks/2 > s.Elements && s.Chunks/2 > source.Chunks && s.Chunks-source.Chunks >= 1<<20
}

// even returns the chunk extent in a dimension that divides it into the same number of parts as c,
// as equally as possible.
func (g Grid) even(d, c int) int {
	n := max(1, g.Hi[d]-g.Lo[d])
	return nd.CeilDiv(n, nd.CeilDiv(n, c))
}
