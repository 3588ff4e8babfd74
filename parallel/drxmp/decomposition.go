package drxmp

import (
	"fmt"

	"drx/axial"
	"drx/nd"
)

// A Decomposition says which proc owns which elements of an array. It is a distribution applied to
// the chunks of the array at one moment, and never changes. Every proc computes it from the same
// numbers.
type Decomposition struct {
	dist   Distribution
	procs  int
	chunks *axial.Grid
	chunk  []int  // extents of a chunk, in elements
	lo, hi []int  // bounds, in elements
	zones  []Zone // by proc, without their chunk numbers
}

// NewDecomposition distributes an array over a number of procs. The array has chunks of the given
// extents and the bounds [lo, hi), both in elements. The error wraps nd.ErrRank or nd.ErrBounds if
// the distribution does not fit.
func NewDecomposition(d Distribution, procs int, chunks *axial.Grid, chunk, lo, hi []int) (*Decomposition, error) {
	rank := chunks.Rank()
	if d.Grid == nil {
		d.Grid = BalancedGrid(procs, chunks.Shape())
	}
	if d.Dims == nil {
		d.Dims = make([]DimDistribution, rank)
	}
	if err := d.check(rank, procs); err != nil {
		return nil, fmt.Errorf("distribution %v: %w", d, err)
	}
	m := &Decomposition{dist: d, procs: procs, chunks: chunks, chunk: chunk, lo: lo, hi: hi}
	for p := range procs {
		m.zones = append(m.zones, m.zone(p))
	}
	return m, nil
}

// Distribution returns the distribution, with its grid.
func (m *Decomposition) Distribution() Distribution { return m.dist }

// Procs returns the number of procs.
func (m *Decomposition) Procs() int { return m.procs }

// Bounds returns the bounds of the array as a section.
func (m *Decomposition) Bounds() nd.Section {
	sec := make(nd.Section, len(m.lo))
	for d := range sec {
		sec[d] = nd.Span(m.lo[d], m.hi[d])
	}
	return sec
}

// OwnerOfChunk returns the proc that owns the chunk with the given index, which must be in the
// grid.
func (m *Decomposition) OwnerOfChunk(chunk []int) int {
	p := 0
	for d, i := range chunk {
		p = p*m.dist.Grid[d] + m.dist.Dims[d].owner(i, m.chunks.Lo()[d], m.chunks.Hi()[d], m.dist.Grid[d])
	}
	return p
}

// Owner returns the proc that owns an element. The error wraps nd.ErrRank or nd.ErrBounds.
func (m *Decomposition) Owner(index ...int) (int, error) {
	if err := nd.CheckIndex(index, m.lo, m.hi); err != nil {
		return 0, err
	}
	chunk := make([]int, len(index))
	for d, i := range index {
		chunk[d] = nd.FloorDiv(i, m.chunk[d])
	}
	return m.OwnerOfChunk(chunk), nil
}

// Zone returns the zone of a proc.
func (m *Decomposition) Zone(proc int) *Zone { return &m.zones[proc] }

// zone computes the zone of a proc.
func (m *Decomposition) zone(proc int) Zone {
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
