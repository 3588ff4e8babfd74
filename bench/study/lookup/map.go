package lookup

import (
	"fmt"
	"slices"

	"drx/axial"
	"drx/internal/errkind"
	"drx/nd"
)

// A Map is the mapping F* of an extendible array, with two structures for each dimension, one
// per side. It numbers chunks as an axial.Grid with the same history does, but follows the
// papers in every step: sentinels, a record even for a segment without chunks, and the
// initial allocation as a record of dimension 0 (thesis, figure 3.3.2).
//
// Extend changes a Map. Any number of goroutines may read it while none extends it.
type Map struct {
	lo, hi []int
	chunks axial.Number
	axes   []axis
	make   func() Index
	last   Record // the last in the history
}

// An axis has the records of one dimension. Indices from origin upwards existed initially or were
// adjoined on the high side.
type axis struct {
	origin    int
	high, low Index
}

// NewMap returns the map of an array with bounds [lo, hi) in chunk indices, whose chunks
// are numbered in row-major order, over structures made by newIndex. Errors are those of
// axial.New and of Index.Insert.
func NewMap(newIndex func() Index, lo, hi []int) (*Map, error) {
	if _, err := axial.New(lo, hi); err != nil {
		return nil, err
	}
	m := &Map{make: newIndex}
	for d := range lo {
		if err := m.addAxis(lo[d], hi[d]); err != nil {
			return nil, err
		}
	}
	m.chunks = axial.Number(volume(lo, hi))
	// Row-major order is that of an extension of dimension 0 from nothing.
	from := slices.Clone(hi)
	from[0] = lo[0]
	return m, m.insert(newRecord(0, axial.High, 0, 0, lo, from))
}

// NewCubicalMap returns the map of an array with side chunks in each dimension that grew from one
// chunk by one along each dimension in turn: of all histories of as many chunks the one with
// the most records (thesis, lemma 4.3.1 and corollary 4.3.1).
func NewCubicalMap(newIndex func() Index, rank, side int) (*Map, error) {
	m, err := NewMap(newIndex, make([]int, rank), slices.Repeat([]int{1}, rank))
	for i := 0; err == nil && i < rank*(side-1); i++ {
		err = m.Extend((i+1)%rank, 1, axial.High)
	}
	return m, err
}

// addAxis adds a dimension with bounds [lo, hi) and its sentinel.
func (m *Map) addAxis(lo, hi int) error {
	a := axis{origin: lo, high: m.make(), low: m.make()}
	if err := a.high.Insert(sentinel(len(m.axes), lo)); err != nil {
		return err
	}
	m.axes = append(m.axes, a)
	m.lo, m.hi = append(m.lo, lo), append(m.hi, hi)
	return nil
}

// insert adds the record to its structure and to the end of the history.
func (m *Map) insert(r Record) error {
	if err := m.axes[r.Dim].side(r.Side).Insert(r); err != nil {
		return err
	}
	m.last = r
	return nil
}

func (a *axis) side(s axial.Side) Index {
	if s == axial.Low {
		return a.low
	}
	return a.high
}

func volume(lo, hi []int) int {
	v := 1
	for d := range lo {
		v *= hi[d] - lo[d]
	}
	return v
}

// Extend adds by chunk indices on one side of dimension dim. Errors are those of axial.Grid.Extend
// and of Index.Insert; they leave the map unchanged.
func (m *Map) Extend(dim, by int, side axial.Side) error {
	if dim < 0 || dim >= m.Rank() {
		return errkind.Errorf(nd.ErrRank, "dimension %d of a map of rank %d", dim, m.Rank())
	}
	if by < 0 {
		return errkind.Errorf(nd.ErrBounds, "dimension %d: extension by %d chunks: want at least 0", dim, by)
	}
	if by == 0 {
		return nil
	}
	lo, hi, chunks, err := m.widened(dim, by, side)
	if err != nil {
		return err
	}
	if dim != m.last.Dim || side != m.last.Side { // else uninterrupted: the last segment continues
		if err := m.insert(newRecord(dim, side, m.last.Seq+1, m.chunks, m.lo, m.hi)); err != nil {
			return err
		}
	}
	m.lo, m.hi, m.chunks = lo, hi, chunks
	return nil
}

// widened returns the bounds and the number of chunks after an extension.
func (m *Map) widened(dim, by int, side axial.Side) (lo, hi []int, chunks axial.Number, err error) {
	lo, hi = slices.Clone(m.lo), slices.Clone(m.hi)
	if side == axial.Low {
		lo[dim] -= by
	} else {
		hi[dim] += by
	}
	if lo[dim] > hi[dim] || hi[dim]-lo[dim] < 0 { // a sum or an extent wrapped around
		return nil, nil, 0, fmt.Errorf("dimension %d: extension by %d chunks: %w", dim, by, nd.ErrOverflow)
	}
	n, err := nd.Product(nd.Shape(lo, hi)...)
	if err != nil {
		return nil, nil, 0, fmt.Errorf("dimension %d: extension by %d chunks: %w", dim, by, err)
	}
	return lo, hi, axial.Number(n), nil
}

// AddDim adds a last dimension of extent one. Every chunk keeps its number, and no record
// changes, as the new dimension's coefficient is 0 in all of them. It returns an
// error wrapping nd.ErrRank if the rank is already nd.MaxRank.
func (m *Map) AddDim() error {
	if m.Rank() == nd.MaxRank {
		return errkind.Errorf(nd.ErrRank, "a dimension more than %d", nd.MaxRank)
	}
	return m.addAxis(0, 1)
}

// Rank returns the number of dimensions.
func (m *Map) Rank() int { return len(m.axes) }

// Lo returns the low bounds; the caller must not change them.
func (m *Map) Lo() []int { return m.lo }

// Hi returns the high bounds, exclusive; the caller must not change them.
func (m *Map) Hi() []int { return m.hi }

// Chunks returns the number of chunks.
func (m *Map) Chunks() axial.Number { return m.chunks }

// Number returns F*(index), the number of the chunk, and false if the index is outside
// the bounds or does not have one entry per dimension. It finds the floor in each dimension;
// the latest of these records, which has the largest M, holds the chunk.
func (m *Map) Number(index []int) (axial.Number, bool) {
	q, _, ok := m.Count(index)
	return q, ok
}

// Count is Number and also returns the number of key comparisons.
func (m *Map) Count(index []int) (q axial.Number, comparisons int, ok bool) {
	if len(index) != len(m.axes) {
		return -1, 0, false
	}
	var latest *Record
	for d, i := range index {
		if i < m.lo[d] || i >= m.hi[d] {
			return -1, comparisons, false
		}
		r, n := m.axes[d].floor(i)
		if latest == nil || r.Seq > latest.Seq {
			latest = r
		}
		comparisons += n
	}
	return latest.number(index), comparisons, true
}

// floor returns the record that covers index i, which must be within the bounds.
func (a *axis) floor(i int) (*Record, int) {
	if i >= a.origin {
		return a.high.Floor(i)
	}
	return a.low.Floor(^i)
}

// Index computes the inverse of F*: it stores the k-dimensional index of the chunk with number q
// in index. It returns false and leaves index unchanged if there is no such chunk or index does
// not have one entry per dimension.
func (m *Map) Index(q axial.Number, index []int) bool {
	_, ok := m.CountInverse(q, index)
	return ok
}

// CountInverse is Index and also returns the number of comparisons. On each side of each
// dimension it finds the record with the largest M <= q; the latest of these holds the chunk.
func (m *Map) CountInverse(q axial.Number, index []int) (comparisons int, ok bool) {
	if q < 0 || q >= m.chunks || len(index) != len(m.axes) {
		return 0, false
	}
	var latest *Record
	for d := range m.axes {
		for _, x := range [2]Index{m.axes[d].high, m.axes[d].low} {
			r, n := x.Inverse(q)
			comparisons += n
			if r != nil && (latest == nil || r.Seq > latest.Seq) {
				latest = r
			}
		}
	}
	latest.index(q, index)
	return comparisons, true
}

// Bytes returns the memory that the structures hold, in bytes.
func (m *Map) Bytes() int {
	n := 0
	for d := range m.axes {
		n += m.axes[d].high.Bytes() + m.axes[d].low.Bytes()
	}
	return n
}
