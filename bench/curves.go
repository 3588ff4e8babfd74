package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"drx/axial"
	"drx/curve"
)

// curveAccess repeats figure 5.4.2 of the thesis in memory: it reads single elements at random
// indices of an array that is extended at intervals. The elements of a chunk are in row-major order
// or along a curve; axial vectors locate the chunk in every case.
var curveAccess = experiment{
	name: "curve-access", title: "Random elements by the order inside of chunks", figure: "5.4.2",
	plots: []plot{
		{metric: "access 2-d", title: "Random elements, 2-D", x: "extensions in between", y: "ns per element"},
		{metric: "access 3-d", title: "Random elements, 3-D", x: "extensions in between", y: "ns per element"},
	},
	run: runCurveAccess,
}

// curveStretch compares the orders by the average nearest-neighbour stretch, the
// metric that section 5.4.2 of the thesis names.
var curveStretch = experiment{
	name: "curve-stretch", title: "Average nearest-neighbour stretch",
	plots: []plot{
		{metric: "stretch 2-d", title: "Stretch of squares", x: "side", y: "stretch / side", logX: true},
		{metric: "stretch 3-d", title: "Stretch of cubes", x: "side", y: "stretch / side²", logX: true},
	},
	run: runCurveStretch,
}

// An inner is an order of the elements of a chunk, with the way to compute their positions.
type inner struct {
	name  string
	make  func([]int) (curve.Order, error)
	table bool // by a table of positions, computed in advance
}

var inners = []inner{
	{name: "row-major", make: curve.Row},
	{name: "Morton", make: curve.Morton},
	{name: "Hilbert (Butz)", make: curve.Hilbert},
	{name: "Hilbert (tree)", make: curve.HilbertTree},
	{name: "Hilbert (table)", make: curve.Hilbert, table: true},
	{name: "symmetric shell", make: curve.Shell},
}

func runCurveAccess(l *lab, t *table) error {
	for _, c := range []struct {
		metric      string
		k, side, of int // at first of^k chunks of side^k elements
	}{{"access 2-d", 2, 32, 16}, {"access 3-d", 3, 8, 8}} {
		for _, extensions := range pick(l, []int{0, 3, 12, 48}, []int{0, 12}) {
			var entrants []entrant
			for _, in := range inners {
				entrants = append(entrants, entrant{series: in.name, run: func(seed uint64) (result, error) {
					m, err := newChunkedMemory(in, slices.Repeat([]int{c.side}, c.k), c.of)
					if err != nil {
						return result{}, err
					}
					return m.interleave(seed, extensions, pick(l, 2_000_000, 200_000))
				}})
			}
			if _, err := l.race(t, cell{metric: c.metric, x: float64(extensions), unit: nanoseconds}, entrants...); err != nil {
				return err
			}
		}
	}
	return nil
}

func runCurveStretch(l *lab, t *table) error {
	for _, name := range curve.Names() {
		for _, side := range pick(l, []int{4, 8, 16, 32, 64, 128, 256, 512, 1024}, []int{4, 16, 64}) {
			if err := addStretch(t, name, []int{side, side}); err != nil {
				return err
			}
		}
		for _, side := range pick(l, []int{4, 8, 16, 32, 64}, []int{4, 16}) {
			if err := addStretch(t, name, []int{side, side, side}); err != nil {
				return err
			}
		}
	}
	return nil
}

// addStretch adds the stretch of an order of a cube, per side^(k-1).
func addStretch(t *table, name string, cube []int) error {
	o, err := curve.New(name, cube)
	if err != nil {
		return err
	}
	s, err := curve.Stretch(o)
	if err != nil {
		return err
	}
	s /= float64(o.Len() / cube[0])
	t.add(row{metric: fmt.Sprintf("stretch %d-d", len(cube)), series: name, x: float64(cube[0]), value: s, low: s, high: s, reps: 1})
	return nil
}

// chunkedMemory is an extendible array in memory, with a slice for each chunk. The value of an
// element follows from its index.
type chunkedMemory struct {
	grid      *axial.Grid
	chunk     []int
	order     curve.Order
	positions []int32 // position of each element of a chunk, by row-major number
	table     bool    // at uses positions rather than order
	chunks    [][]int64
	scratch
}

// scratch holds the chunk index and the index within the chunk during an access.
type scratch struct{ outer, inner []int }

// newChunkedMemory returns an array of of^k chunks.
func newChunkedMemory(in inner, chunk []int, of int) (*chunkedMemory, error) {
	k := len(chunk)
	o, err := in.make(chunk)
	if err != nil {
		return nil, err
	}
	positions, err := curve.Permutation(o)
	if err != nil {
		return nil, err
	}
	grid, err := axial.New(make([]int, k), slices.Repeat([]int{of}, k))
	if err != nil {
		return nil, err
	}
	m := &chunkedMemory{
		grid: grid, chunk: chunk, order: o, positions: positions, table: in.table,
		scratch: scratch{outer: make([]int, k), inner: make([]int, k)},
	}
	m.fill()
	return m, nil
}

// extend adds one chunk index to a dimension.
func (m *chunkedMemory) extend(dim int) error {
	grid, err := m.grid.Extend(dim, 1, axial.High)
	if err != nil {
		return err
	}
	m.grid = grid
	m.fill()
	return nil
}

// fill creates the chunks that do not exist yet.
func (m *chunkedMemory) fill() {
	for q := axial.Number(len(m.chunks)); q < m.grid.Chunks(); q++ {
		m.grid.Index(q, m.outer)
		mark := int64(0)
		for _, i := range m.outer {
			mark = mark*1009 + int64(i)
		}
		elements := make([]int64, len(m.positions))
		for i, p := range m.positions {
			elements[p] = mark<<20 + int64(i)
		}
		m.chunks = append(m.chunks, elements)
	}
}

// at returns an element.
func (m *chunkedMemory) at(index []int) int64 {
	linear := 0
	for d, i := range index {
		m.outer[d] = i / m.chunk[d]
		m.inner[d] = i - m.outer[d]*m.chunk[d]
		linear = linear*m.chunk[d] + m.inner[d]
	}
	q, _ := m.grid.Number(m.outer)
	if m.table {
		return m.chunks[q][m.positions[linear]]
	}
	p, _ := m.order.Position(m.inner)
	return m.chunks[q][p]
}

// interleave reads elements at random indices. It divides the reads into equal parts and extends
// the array between them, the dimensions in turn. Only the reads are timed.
func (m *chunkedMemory) interleave(seed uint64, extensions, accesses int) (result, error) {
	k := len(m.chunk)
	rng := rand.New(rand.NewPCG(seed, 542))
	each := accesses / (extensions + 1)
	r, sum := result{ops: float64(each * (extensions + 1))}, int64(0)
	indices := make([]int, each*k)
	for e := range extensions + 1 {
		if e > 0 {
			if err := m.extend((e - 1) % k); err != nil {
				return r, err
			}
		}
		shape := m.grid.Shape()
		for i := range indices {
			indices[i] = rng.IntN(shape[i%k] * m.chunk[i%k])
		}
		start := time.Now()
		for at := 0; at < len(indices); at += k {
			sum = sum*31 + m.at(indices[at:at+k])
		}
		r.wall += time.Since(start)
	}
	r.check = strconv.FormatInt(sum, 16)
	return r, nil
}
