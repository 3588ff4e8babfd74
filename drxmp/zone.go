package drxmp

import (
	"fmt"
	"slices"

	"drx/axial"
	"drx/nd"
)

// A Map says who owns what of an array as it is at one moment: a distribution over its chunks.
// It never changes, and is the same on all procs: everything is computed.
type Map struct {
	dist   Distribution
	procs  int
	chunks *axial.Grid
	chunk  []int  // extents of a chunk, in elements
	lo, hi []int  // bounds, in elements
	zones  []Zone // by proc, without their chunks
}

// NewMap distributes an array, with chunks of the given extents and the bounds [lo, hi) in
// elements, over so many procs. The error wraps nd.ErrRank or nd.ErrBounds where the
// distribution does not suit.
func NewMap(d Distribution, procs int, chunks *axial.Grid, chunk, lo, hi []int) (*Map, error) {
	rank := chunks.Rank()
	if d.Grid == nil {
		d.Grid = BalancedGrid(procs, chunks.Shape())
	}
	if d.Dims == nil {
		d.Dims = make([]Dealing, rank)
	}
	if err := d.check(rank, procs); err != nil {
		return nil, fmt.Errorf("distribution %v: %w", d, err)
	}
	m := &Map{dist: d, procs: procs, chunks: chunks, chunk: chunk, lo: lo, hi: hi}
	for p := range procs {
		m.zones = append(m.zones, m.zone(p))
	}
	return m, nil
}

// Distribution returns the distribution, with its grid.
func (m *Map) Distribution() Distribution { return m.dist }

// Procs returns the number of procs.
func (m *Map) Procs() int { return m.procs }

// OwnerOfChunk returns the proc that owns the chunk with an index, which must be in the grid.
func (m *Map) OwnerOfChunk(chunk []int) int {
	p := 0
	for d, i := range chunk {
		p = p*m.dist.Grid[d] + m.dist.Dims[d].owner(i, m.chunks.Lo()[d], m.chunks.Hi()[d], m.dist.Grid[d])
	}
	return p
}

// Owner returns the proc that owns an element. The error wraps nd.ErrRank or nd.ErrBounds.
func (m *Map) Owner(index ...int) (int, error) {
	if err := nd.CheckIndex(index, m.lo, m.hi); err != nil {
		return 0, err
	}
	chunk := make([]int, len(index))
	for d, i := range index {
		chunk[d] = nd.FloorDiv(i, m.chunk[d])
	}
	return m.OwnerOfChunk(chunk), nil
}

// Zone returns what a proc owns.
func (m *Map) Zone(proc int) *Zone { return &m.zones[proc] }

// A Zone is what one proc owns: the elements whose index is, in each dimension, in one of some
// spans. In memory a zone is one dense array, its spans put together in each dimension.
type Zone struct {
	chunks *axial.Grid
	own    [][]span // per dimension, in chunk indices
	spans  [][]span // the same in elements, within the bounds
	shape  []int
}

// zone computes what a proc owns.
func (m *Map) zone(proc int) Zone {
	rank := len(m.chunk)
	z := Zone{chunks: m.chunks, own: make([][]span, rank), spans: make([][]span, rank), shape: make([]int, rank)}
	if n, _ := nd.Product(m.dist.Grid...); proc >= n {
		return z
	}
	for d := rank - 1; d >= 0; d-- {
		n := m.dist.Grid[d]
		z.own[d] = m.dist.Dims[d].spans(proc%n, m.chunks.Lo()[d], m.chunks.Hi()[d], n)
		proc /= n
		for _, s := range z.own[d] {
			e := span{max(m.lo[d], s.lo*m.chunk[d]), min(m.hi[d], s.hi*m.chunk[d])}
			z.spans[d] = appendSpan(z.spans[d], e)
			z.shape[d] += max(0, e.hi-e.lo)
		}
	}
	return z
}

// Shape returns the extents of the zone in memory, in elements; a zone without elements has an
// extent of 0.
func (z *Zone) Shape() []int { return slices.Clone(z.shape) }

// Len returns the number of elements.
func (z *Zone) Len() int {
	n := 1
	for _, extent := range z.shape {
		n *= extent
	}
	return n
}

// Sections returns the boxes of indices that the zone consists of, in row-major order: one, unless
// chunks are dealt in turn, and none for a zone without elements.
func (z *Zone) Sections() []nd.Section {
	var all []nd.Section
	for _, p := range z.cut(nil) {
		all = append(all, p.sec)
	}
	return all
}

// Chunks returns the numbers of the zone's chunks in the order of the file, and where each is in
// memory if that is row-major by chunk: the globalMap and the inMemoryMap of the listing in Otoo
// and Rotem 2007, section IV.
func (z *Zone) Chunks() (file []axial.Number, memory []int) {
	type place struct {
		number axial.Number
		at     int
	}
	var all []place
	z.eachChunk(func(chunk []int) {
		q, _ := z.chunks.Number(chunk)
		all = append(all, place{q, len(all)})
	})
	slices.SortFunc(all, func(a, b place) int { return int(a.number - b.number) })
	file, memory = make([]axial.Number, len(all)), make([]int, len(all))
	for i, p := range all {
		file[i], memory[i] = p.number, p.at
	}
	return file, memory
}

// eachChunk calls f with the indices of the zone's chunks in row-major order.
func (z *Zone) eachChunk(f func(chunk []int)) {
	rank := len(z.own)
	lists := make([][]int, rank)
	hi := make([]int, rank)
	for d, spans := range z.own {
		for _, s := range spans {
			for i := s.lo; i < s.hi; i++ {
				lists[d] = append(lists[d], i)
			}
		}
		if hi[d] = len(lists[d]); hi[d] == 0 {
			return
		}
	}
	lo, at, chunk := make([]int, rank), make([]int, rank), make([]int, rank)
	for more := true; more; more = nd.Next(at, lo, hi) {
		for d, i := range at {
			chunk[d] = lists[d][i]
		}
		f(chunk)
	}
}

// A part is a box of a zone that a section selects.
type part struct {
	sec   nd.Section
	local []int // where its first element is in the zone's memory
	step  []int // and how far the next one is, per dimension
	pos   []int // where its first element is in the section
}

// cut returns the parts of a zone that a resolved section selects, in row-major order; nil is
// all of the zone.
func (z *Zone) cut(sec nd.Section) []part {
	rank := len(z.spans)
	lists := make([][]part, rank) // of rank 1
	hi := make([]int, rank)
	for d := range z.spans {
		r := nd.All
		if sec != nil {
			r = sec[d]
		}
		lists[d] = cutDim(z.spans[d], r)
		if hi[d] = len(lists[d]); hi[d] == 0 {
			return nil
		}
	}
	var all []part
	lo, at := make([]int, rank), make([]int, rank)
	for more := true; more; more = nd.Next(at, lo, hi) {
		var p part
		for d, i := range at {
			one := &lists[d][i]
			p.sec, p.local = append(p.sec, one.sec[0]), append(p.local, one.local[0])
			p.step, p.pos = append(p.step, one.step[0]), append(p.pos, one.pos[0])
		}
		all = append(all, p)
	}
	return all
}

// cutDim is cut along one dimension.
func cutDim(spans []span, r nd.Range) []part {
	var all []part
	at := 0 // of the span in the zone's memory
	for _, s := range spans {
		c, step := nd.Range{Lo: s.lo, Hi: s.hi, Step: 1}, 1
		pos := 0
		if r != nd.All {
			step = r.Stride()
			pos = max(0, nd.CeilDiv(s.lo-r.Lo, step))
			c = nd.Range{Lo: r.Lo + pos*step, Hi: min(s.hi, r.Hi), Step: step}
		}
		if c.Lo < c.Hi {
			all = append(all, part{nd.Section{c}, []int{at + c.Lo - s.lo}, []int{step}, []int{pos}})
		}
		at += s.hi - s.lo
	}
	return all
}
