// Package axial computes where the chunks of an extendible array are stored: the
// mapping function F* from the history of expansions, and its inverse.
//
// A Grid is a k-dimensional grid of chunks. Extending dimension l by n adjoins one
// segment: the box of n indices along l and the full current extent of every other
// dimension. Its chunks take the next free numbers, in row-major order with l moved
// to the front, so that inside one segment the number is an affine function of the
// index I:
//
//	q = M + d*C[l] + sum over j != l of (I[j] - lo[j])*C[j]
//
//	d    = I[l] - hi[l] on the high side, lo[l] - 1 - I[l] on the low side
//	C[l] = product of the other extents at the time of the extension
//	C[j] = product of the extents of the dimensions after j, l left out
//	M    = the number of chunks before the extension
//
// with the bounds [lo, hi) those before the extension. The record of the expansion,
// {start, M, C}, goes to the axial vector of dimension l. Repeated extension of one
// dimension on one side, with no other extension in between, lengthens the last segment and
// adds no record. No chunk's number ever changes.
//
// To find F*(I), each dimension contributes the record that covers I[j]; of these k
// candidates the latest segment holds the chunk. See Otoo and Rotem, "Parallel Access
// of Out-Of-Core Dense Extendible Arrays" (2007), section III, and Nimako's thesis
// (2016), section 3.3; growth on the low side and new dimensions follow from the same
// "one affine map per segment".
//
// # Invariants
//
//  1. Numbers are dense: the chunks of a grid are numbered 0 to Chunks()-1, once each.
//  2. Segments are disjoint, not empty, and together the whole grid; segment i+1 begins
//     where segment i ends.
//  3. A Grid never changes. Extend and AddDim return a new one that shares memory with
//     the old, in which every old index has the number it had.
//  4. The coefficient of a dimension that was added after a segment is 0 in that segment.
package axial

import (
	"fmt"
	"math"
	"slices"

	"drx/internal/errkind"
	"drx/nd"
)

// A Number is a chunk's number: its position in the file, counted in chunks.
type Number int64

// A Side is an end of a dimension.
type Side uint8

// The sides a dimension grows on.
const (
	High Side = iota // towards larger indices
	Low              // towards smaller, eventually negative, indices
)

// String returns "high" or "low".
func (s Side) String() string {
	if s == Low {
		return "low"
	}
	return "high"
}

// A Grid is the chunk grid of an array at one moment of its history. It is safe for
// any number of goroutines to use; of the grids derived from one New, only one at a
// time may be extended.
type Grid struct {
	lo, hi []int // bounds in chunk indices
	chunks Number

	// One entry per segment, in order of their numbers.
	segs   []segment
	maps   []int64 // per segment: base, then one signed factor per dimension
	bounds []int   // per segment: lo and hi per dimension, when it was adjoined

	axes    []axis
	owned   uint64 // bit d: no other grid has the records of axis d
	tabled  bool   // every axis has its auxiliary table
	lineage *lineage
}

// A segment is the part of an expansion record that does not change.
type segment struct {
	number Number // M, the number of its first chunk
	start  int    // the index along dim of its first chunk
	dim    int32
	side   Side
	plain  bool // it is the initial allocation: row-major, no dimension moved to the front
}

// lineage lets grids share the memory behind their slices: only the newest grid may append in
// place, the others copy first.
type lineage struct{ tip *Grid }

// New returns the grid with bounds [lo, hi), whose chunks are numbered in row-major
// order. Extents may be zero. It returns an error wrapping nd.ErrRank when the ranks of
// lo and hi differ or are not in 1..nd.MaxRank, nd.ErrBounds when lo[d] > hi[d], and
// nd.ErrOverflow when the number of chunks does not fit 64 bits.
func New(lo, hi []int) (*Grid, error) {
	if err := nd.CheckRank("upper bounds", len(hi), len(lo)); err != nil {
		return nil, err
	}
	if len(lo) < 1 || len(lo) > nd.MaxRank {
		return nil, errkind.Errorf(nd.ErrRank, "rank %d is not in 1..%d", len(lo), nd.MaxRank)
	}
	for d := range lo {
		if lo[d] > hi[d] {
			return nil, errkind.Errorf(nd.ErrBounds, "dimension %d: low bound %d above high bound %d", d, lo[d], hi[d])
		}
		if hi[d]-lo[d] < 0 {
			return nil, fmt.Errorf("dimension %d: extent of [%d, %d): %w", d, lo[d], hi[d], nd.ErrOverflow)
		}
	}
	chunks, err := nd.Product(nd.Shape(lo, hi)...)
	if err != nil {
		return nil, err
	}
	g := &Grid{lo: slices.Clone(lo), hi: slices.Clone(hi), chunks: Number(chunks), axes: make([]axis, len(lo))}
	g.lineage = &lineage{tip: g}
	if chunks > 0 {
		// The papers disagree about the dimension that has the record of the initial allocation.
		// Here it is the last one, as in figure 3 of 2007.
		g.adjoin(segment{dim: int32(len(lo) - 1), start: lo[len(lo)-1], plain: true})
	}
	g.reindex()
	return g, nil
}

// Rank returns the number of dimensions.
func (g *Grid) Rank() int { return len(g.lo) }

// Lo returns the low bounds; the caller must not change them.
func (g *Grid) Lo() []int { return g.lo }

// Hi returns the high bounds, exclusive; the caller must not change them.
func (g *Grid) Hi() []int { return g.hi }

// Shape returns the extents.
func (g *Grid) Shape() []int { return nd.Shape(g.lo, g.hi) }

// Chunks returns the number of chunks.
func (g *Grid) Chunks() Number { return g.chunks }

// Extend returns the grid with by more chunk indices on one side of dimension dim. It
// returns an error wrapping nd.ErrRank when there is no such dimension, nd.ErrBounds
// when by is negative, and nd.ErrOverflow when a bound or the number of chunks would
// not fit 64 bits. Extending by zero returns g.
func (g *Grid) Extend(dim, by int, side Side) (*Grid, error) {
	if by == 0 && dim >= 0 && dim < g.Rank() {
		return g, nil
	}
	n := g.successor()
	if err := n.grow(dim, by, side); err != nil {
		return nil, err
	}
	g.lineage.tip = n
	return n, nil
}

// Grow is Extend for a grid that no other code uses, for example when a history is replayed: it
// changes the grid itself. After an error the grid must not be used. Grids that were derived from g
// before are not affected.
func (g *Grid) Grow(dim, by int, side Side) error {
	if by == 0 && dim >= 0 && dim < g.Rank() {
		return nil
	}
	if g.lineage.tip != g {
		n := g.successor()
		*g = *n
		g.lineage.tip = g
	}
	return g.grow(dim, by, side)
}

func (g *Grid) grow(dim, by int, side Side) error {
	if dim < 0 || dim >= g.Rank() {
		return errkind.Errorf(nd.ErrRank, "dimension %d of a grid of rank %d", dim, g.Rank())
	}
	if by < 0 {
		return errkind.Errorf(nd.ErrBounds, "dimension %d: extension by %d chunks: want at least 0", dim, by)
	}
	first, start := g.chunks, g.hi[dim]
	if side == Low {
		start = g.lo[dim] - 1
	}
	uninterrupted := first > 0 && g.lastIs(dim, side)
	if err := g.widen(dim, by, side); err != nil {
		return err
	}
	if g.chunks > 0 && !uninterrupted {
		g.adjoin(segment{dim: int32(dim), side: side, start: start, number: first})
	}
	if first == 0 {
		g.reindex()
	} else {
		if g.owned&(1<<dim) == 0 {
			g.axes[dim].own()
			g.owned |= 1 << dim
		}
		g.axes[dim].grow(by, side, uint32(len(g.segs)-1), !uninterrupted, g.lo[dim], g.hi[dim])
		g.tabled = g.allTabled()
	}
	return nil
}

// Reserve allocates memory for a number of additional segments, so that adding them takes less
// time.
func (g *Grid) Reserve(segments int) {
	g.segs = slices.Grow(g.segs, segments)
	g.maps = slices.Grow(g.maps, segments*(g.Rank()+1))
	g.bounds = slices.Grow(g.bounds, segments*2*g.Rank())
}

// AddDim returns the grid with one more dimension, the last, of extent one: every chunk
// keeps its number and has index 0 in the new dimension (strong extendibility). It
// returns an error wrapping nd.ErrRank when the rank is nd.MaxRank already.
func (g *Grid) AddDim() (*Grid, error) {
	k := g.Rank()
	if k == nd.MaxRank {
		return nil, errkind.Errorf(nd.ErrRank, "more than %d dimensions", nd.MaxRank)
	}
	n := &Grid{
		lo: append(slices.Clone(g.lo), 0), hi: append(slices.Clone(g.hi), 1),
		chunks: g.chunks, segs: slices.Clone(g.segs),
		maps:   make([]int64, 0, len(g.segs)*(k+2)),
		bounds: make([]int, 0, len(g.segs)*2*(k+1)),
		axes:   append(slices.Clone(g.axes), axis{records: new(records)}),
	}
	for s := range g.segs {
		lo, hi := g.boundsOf(s)
		n.maps = append(append(n.maps, g.mapOf(s)...), 0)
		n.bounds = append(append(append(append(n.bounds, lo...), 0), hi...), 1)
	}
	for d := range n.axes {
		n.axes[d] = n.axes[d].unshared()
	}
	if n.chunks > 0 {
		n.axes[k].reset(0, 1)
	}
	n.tabled = n.allTabled()
	n.lineage = &lineage{tip: n}
	return n, nil
}

// Number returns F*(index), the number of the chunk, and false if the index is
// outside the bounds or does not have one entry per dimension. It allocates nothing and
// takes O(k) time, or O(k log E) for E records on dimensions with very many indices
// per record.
func (g *Grid) Number(index []int) (Number, bool) {
	seg, ok := g.segmentOf(index)
	if !ok {
		return -1, false
	}
	return g.numberIn(seg, index), true
}

// numberIn applies the affine map of a segment.
func (g *Grid) numberIn(seg int, index []int) Number {
	m := g.maps[seg*(len(index)+1):]
	m = m[:len(index)+1]
	q, m := m[0], m[1:]
	for d, i := range index {
		q += m[d] * int64(i)
	}
	return Number(q)
}

// Numbers is Number for several chunks, whose indices are concatenated in indices: rank entries for
// each of numbers. It returns the number of chunks before the first index outside the bounds, or
// len(numbers) if there is none. The numbers after those are undefined.
func (g *Grid) Numbers(indices []int, numbers []Number) int {
	k := len(g.axes)
	if !g.tabled {
		for n := range numbers {
			q, ok := g.Number(indices[n*k : (n+1)*k])
			if !ok {
				return n
			}
			numbers[n] = q
		}
		return len(numbers)
	}
	numbers = g.latest(indices, numbers)
	for n, seg := range numbers {
		numbers[n] = g.numberIn(int(seg), indices[n*k:(n+1)*k])
	}
	return len(numbers)
}

// latest stores the segments of chunks in numbers, as segmentOf would find them, one dimension
// after the other. It returns the entries before the first index outside the bounds.
func (g *Grid) latest(indices []int, segs []Number) []Number {
	clear(segs)
	for d := range g.axes {
		table, origin := g.axes[d].table, g.axes[d].origin
		for n, at := 0, d; n < len(segs); n, at = n+1, at+len(g.axes) {
			u := uint(indices[at] - origin)
			if u >= uint(len(table)) {
				segs = segs[:n]
				break
			}
			segs[n] = max(segs[n], Number(table[u]))
		}
	}
	return segs
}

// segmentOf returns the segment that holds a chunk: the latest of the records that
// cover its index in each dimension.
func (g *Grid) segmentOf(index []int) (int, bool) {
	if len(index) != len(g.axes) {
		return 0, false
	}
	if !g.tabled {
		return g.searchSegment(index)
	}
	latest := uint32(0)
	for d, i := range index {
		a := &g.axes[d]
		// One unsigned comparison checks both bounds.
		u := uint(i - a.origin)
		if u >= uint(len(a.table)) {
			return 0, false
		}
		latest = max(latest, a.table[u])
	}
	return int(latest), true
}

func (g *Grid) searchSegment(index []int) (int, bool) {
	latest := uint32(0)
	for d, i := range index {
		if i < g.lo[d] || i >= g.hi[d] || g.chunks == 0 {
			return 0, false
		}
		latest = max(latest, g.axes[d].lookup(i))
	}
	return int(latest), true
}

// Index computes the inverse of F*: it stores in index the k-dimensional index of the chunk with
// number q. If there is no such chunk, or index does not have one entry per dimension, it returns
// false and does not change index. The segment is the one with the largest M <= q; repeated
// division by the coefficients gives the index.
func (g *Grid) Index(q Number, index []int) bool {
	k := g.Rank()
	if q < 0 || q >= g.chunks || len(index) != k {
		return false
	}
	s := g.segmentWith(q)
	seg := &g.segs[s]
	lo, _ := g.boundsOf(s)
	m := g.mapOf(s)[1:]
	rest := int64(q - seg.number)
	l := int(seg.dim)
	if !seg.plain {
		c := m[l]
		if seg.side == Low {
			c = -c
			index[l] = seg.start - int(rest/c)
		} else {
			index[l] = seg.start + int(rest/c)
		}
		rest %= c
	}
	for d := range index {
		switch {
		case d == l && !seg.plain:
		case m[d] == 0: // a dimension that was added after the segment
			index[d] = 0
		default:
			index[d] = lo[d] + int(rest/m[d])
			rest %= m[d]
		}
	}
	return true
}

// segmentWith returns the segment that contains chunk number q.
func (g *Grid) segmentWith(q Number) int {
	s, found := slices.BinarySearchFunc(g.segs, q, func(s segment, q Number) int {
		switch {
		case s.number < q:
			return -1
		case s.number > q:
			return 1
		}
		return 0
	})
	if !found {
		s--
	}
	return s
}

// successor returns a copy of g that may append to the shared memory.
func (g *Grid) successor() *Grid {
	n := *g
	k := g.Rank()
	bounds := append(append(make([]int, 0, 2*k), g.lo...), g.hi...)
	n.lo, n.hi = bounds[:k:k], bounds[k:]
	n.axes, n.owned = append(make([]axis, 0, k), g.axes...), 0
	if g.lineage.tip == g {
		return &n
	}
	// Another grid was derived from g and owns the memory after the end of g's slices.
	n.segs, n.maps, n.bounds = slices.Clip(g.segs), slices.Clip(g.maps), slices.Clip(g.bounds)
	for d := range n.axes {
		n.axes[d] = n.axes[d].unshared()
	}
	n.lineage = &lineage{}
	g.lineage = n.lineage
	return &n
}

// widen moves a bound and recounts the chunks.
func (g *Grid) widen(dim, by int, side Side) error {
	extent := g.hi[dim] - g.lo[dim]
	if side == Low {
		g.lo[dim] -= by
	} else {
		g.hi[dim] += by
	}
	// by is positive and the bounds were in order. So a sum that wrapped around shows as a
	// reversal, and an extent beyond the range of an int as a negative difference.
	if g.lo[dim] > g.hi[dim] || g.hi[dim]-g.lo[dim] < 0 {
		return fmt.Errorf("dimension %d: extension by %d chunks: %w", dim, by, nd.ErrOverflow)
	}
	if g.chunks > 0 { // without allocating another list of extents
		if more, ok := nd.Mul(int(g.chunks)/extent, by); ok && more <= math.MaxInt-int(g.chunks) {
			g.chunks += Number(more)
			return nil
		}
	}
	chunks, err := nd.Product(nd.Shape(g.lo, g.hi)...)
	if err != nil {
		return fmt.Errorf("dimension %d: extension by %d chunks: %w", dim, by, err)
	}
	g.chunks = Number(chunks)
	return nil
}

// lastIs reports whether the last segment was adjoined to this side of dim.
func (g *Grid) lastIs(dim int, side Side) bool {
	last := g.segs[len(g.segs)-1]
	return int(last.dim) == dim && last.side == side && !last.plain
}

// adjoin appends a segment that spans the present bounds of the grid in every dimension but its
// own, and computes its affine map. Intermediate sums may wrap around, for indices near the ends of
// the 64-bit range. The results are still right, because the numbers themselves fit 64 bits.
func (g *Grid) adjoin(s segment) {
	k := g.Rank()
	l := int(s.dim)
	g.maps = grown(g.maps, 1+k)
	g.maps = g.maps[:len(g.maps)+1+k]
	m := g.maps[len(g.maps)-1-k:] // every entry is set below
	m[0] = int64(s.number)
	product := int64(1)
	for d := k - 1; d >= 0; d-- {
		if d == l && !s.plain {
			continue
		}
		m[1+d] = product
		m[0] -= int64(g.lo[d]) * product
		product *= int64(g.hi[d] - g.lo[d])
	}
	if !s.plain {
		if s.side == Low {
			product = -product
		}
		m[1+l] = product
		m[0] -= int64(s.start) * product
	}
	g.segs = append(grown(g.segs, 1), s)
	g.bounds = append(append(grown(g.bounds, 2*k), g.lo...), g.hi...)
}

// grown returns a slice with capacity for n more entries. If it has to move, its capacity doubles:
// append alone would move long histories more often, and leave more garbage.
func grown[T any](s []T, n int) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	return slices.Grow(s, len(s)+n)
}

// mapOf returns the affine map of segment s: its base and one factor per dimension.
func (g *Grid) mapOf(s int) []int64 {
	w := g.Rank() + 1
	return g.maps[s*w : (s+1)*w : (s+1)*w]
}

// boundsOf returns the bounds of the grid when segment s was adjoined, including the segment as it
// was first adjoined.
func (g *Grid) boundsOf(s int) (lo, hi []int) {
	k := g.Rank()
	b := g.bounds[2*k*s : 2*k*(s+1)]
	return b[:k:k], b[k:]
}

// reindex builds the axes of a grid of at most one segment.
func (g *Grid) reindex() {
	for d := range g.axes {
		g.axes[d] = axis{records: new(records)}
		if g.chunks > 0 {
			g.axes[d].reset(g.lo[d], g.hi[d])
		}
	}
	g.tabled = g.allTabled()
}

func (g *Grid) allTabled() bool {
	if g.chunks == 0 {
		return false
	}
	for d := range g.axes {
		if g.axes[d].table == nil {
			return false
		}
	}
	return true
}
