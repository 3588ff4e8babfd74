package main

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	extendible "drx/memory"
	"drx/nd"
)

// chunkedStatic repeats figure 6.4.1 of the thesis in memory: it reads random elements of arrays of
// package memory that were never extended, with chunks of one element and of many, one by one and
// with Gather.
var chunkedStatic = experiment{
	name: "memory-chunked", title: "Random elements in memory, chunks, no extensions", figure: "6.4.1",
	plots: staticPlots,
	run:   runChunkedStatic,
}

// chunkedInterleaved repeats figure 6.4.2 in memory: the total time of 1000 random accesses
// with extensions of random dimensions in between.
var chunkedInterleaved = experiment{
	name: "memory-chunked-interleaved", title: "1000 random elements in memory, chunks, with extensions in between", figure: "6.4.2",
	plots: interleavedPlots,
	run:   runChunkedInterleaved,
}

// matrixGrowth extends a matrix by a row and a column in turn and sets the new elements. It
// compares ways to keep a matrix in memory by the cost of growth per element of the final matrix.
var matrixGrowth = experiment{
	name: "memory-growth", title: "A matrix in memory grows by rows and columns in turns",
	plots: []plot{{metric: "growth", x: "rows and columns at the end", y: "ns per element", logX: true, logY: true}},
	run:   runMatrixGrowth,
}

// A libraryArray is an array of package memory.
type libraryArray struct {
	*extendible.Array[float64]
	extents []int
}

func newLibraryArray(extents, chunk []int) (*libraryArray, error) {
	a, err := extendible.New(extendible.Spec[float64]{Shape: extents, ChunkShape: chunk})
	return &libraryArray{a, slices.Clone(extents)}, err
}

func (a *libraryArray) at(index []int) *float64 {
	p, _ := a.Pointer(index...) // on an error p is nil, and the caller panics
	return p
}

func (a *libraryArray) shape() []int { return a.extents }

func (a *libraryArray) extend(dim int) error {
	a.extents[dim]++
	_, err := a.Extend(dim, 1)
	return err
}

// chunkEdges has the edge of a chunk for each rank: about a thousand elements.
var chunkEdges = [...]int{2: 32, 3: 16, 4: 8, 5: 4, 6: 4, 7: 4}

// libraryKinds returns the conventional array and the arrays of package memory.
func libraryKinds() []memoryKind {
	return []memoryKind{
		memoryKinds()[0],
		{"extendible, elements", func(extents []int) (memoryArray, error) { return newLibraryArray(extents, nil) }},
		{"extendible, chunks", func(extents []int) (memoryArray, error) {
			k := len(extents)
			return newLibraryArray(extents, slices.Repeat([]int{chunkEdges[k]}, k))
		}},
	}
}

func runChunkedStatic(l *lab, t *table) error {
	for _, size := range []struct {
		metric string
		n      int
	}{{"access", pick(l, 1<<24, 1<<18)}, {"access, cached", 1 << 15}} {
		for _, k := range pick(l, []int{2, 3, 4, 5, 6, 7}, []int{2, 5}) {
			entrants, err := staticEntrants(cube(k, size.n), pick(l, 1<<18, 1<<14))
			if err != nil {
				return err
			}
			if _, err := l.race(t, cell{metric: size.metric, x: float64(k), unit: nanoseconds}, entrants...); err != nil {
				return err
			}
		}
	}
	return nil
}

// staticEntrants returns entrants that read elements at random indices one by one and, if the array
// has Gather, at once.
func staticEntrants(extents []int, accesses int) ([]entrant, error) {
	var entrants []entrant
	for _, kind := range libraryKinds() {
		a, err := kind.make(extents)
		if err != nil {
			return nil, err
		}
		entrants = append(entrants, entrant{series: kind.name, run: func(seed uint64) (result, error) {
			return accessStatic(a, seed, accesses), nil
		}})
		if a, ok := a.(*libraryArray); ok {
			entrants = append(entrants, entrant{series: kind.name + ", gathered", run: func(seed uint64) (result, error) {
				return accessGathered(a, seed, accesses)
			}})
		}
	}
	return entrants, nil
}

// accessGathered reads the given number of elements at random indices of a cube with one Gather.
func accessGathered(a *libraryArray, seed uint64, accesses int) (result, error) {
	indices := lookupKeys(seed, accesses*len(a.extents), slices.Min(a.extents), false)
	data := make([]float64, accesses)
	var err error
	r := timed(1, accesses, func() string {
		err = a.Gather(indices, data)
		return ""
	})
	return r, err
}

func runChunkedInterleaved(l *lab, t *table) error { return raceInterleaved(l, t, libraryKinds()) }

// growableMatrix is a square matrix. Its grow adds a row and a column with elements v.
type growableMatrix interface {
	grow(v float64) error
	at(i, j int) float64
}

// matrixKinds make square matrices.
var matrixKinds = []struct {
	name string
	make func(side int) (growableMatrix, error)
}{
	{"row-major, moved", func(side int) (growableMatrix, error) {
		return &flatMatrix{newFlatArray([]int{side, side}, side*side)}, nil
	}},
	{"slice of slices", func(side int) (growableMatrix, error) { return newSliceMatrix(side), nil }},
	{"gonum", func(side int) (growableMatrix, error) { return &denseMatrix{mat.NewDense(side, side, nil)}, nil }},
	{"extendible, elements", func(side int) (growableMatrix, error) { return newLibraryMatrix(side, nil) }},
	{"extendible, chunks", func(side int) (growableMatrix, error) { return newLibraryMatrix(side, []int{32, 32}) }},
}

func runMatrixGrowth(l *lab, t *table) error {
	for _, side := range pick(l, []int{128, 256, 512, 1024}, []int{128, 256}) {
		var entrants []entrant
		for _, kind := range matrixKinds {
			entrants = append(entrants, entrant{series: kind.name, run: func(seed uint64) (result, error) {
				m, err := kind.make(side / 16)
				if err != nil {
					return result{}, err
				}
				return growMatrix(m, side/16, side, seed)
			}})
		}
		if _, err := l.race(t, cell{metric: "growth", x: float64(side), unit: nanoseconds}, entrants...); err != nil {
			return err
		}
	}
	return nil
}

// growMatrix extends a matrix and then checks random elements, untimed.
func growMatrix(m growableMatrix, from, to int, seed uint64) (result, error) {
	var c clock
	c.begin()
	for n := from; n < to; n++ {
		if err := m.grow(float64(n)); err != nil {
			return result{}, err
		}
	}
	c.end(to * to)
	rng, sum := rand.New(rand.NewPCG(seed, 353)), 0.0
	for range 1000 {
		sum = sum*1.25 + m.at(rng.IntN(to), rng.IntN(to))
	}
	return result{wall: c.wall, cpu: c.cpu, ops: float64(c.ops), check: strconv.FormatFloat(sum, 'g', -1, 64)}, nil
}

// A flatMatrix is row-major. To grow it is copied as a whole.
type flatMatrix struct{ *flatArray }

func (m *flatMatrix) grow(v float64) error {
	for d := range 2 {
		if err := m.extend(d); err != nil {
			return err
		}
		last := []int{m.extents[0] - 1, m.extents[1] - 1}
		for i := range m.extents[1-d] {
			last[1-d] = i
			*m.flatArray.at(last) = v
		}
	}
	return nil
}

func (m *flatMatrix) at(i, j int) float64 { return *m.flatArray.at([]int{i, j}) }

// A sliceMatrix has a slice for each row. append sometimes reallocates a row.
type sliceMatrix struct{ rows [][]float64 }

func newSliceMatrix(side int) *sliceMatrix {
	m := &sliceMatrix{make([][]float64, side)}
	for i := range m.rows {
		m.rows[i] = make([]float64, side)
	}
	return m
}

func (m *sliceMatrix) grow(v float64) error {
	m.rows = append(m.rows, slices.Repeat([]float64{v}, len(m.rows)))
	for i := range m.rows {
		m.rows[i] = append(m.rows[i], v)
	}
	return nil
}

func (m *sliceMatrix) at(i, j int) float64 { return m.rows[i][j] }

// A denseMatrix is a gonum matrix and grows by its method Grow.
type denseMatrix struct{ *mat.Dense }

func (m *denseMatrix) grow(v float64) error {
	for d := range 2 {
		m.Dense = m.Grow(1-d, d).(*mat.Dense)
		rows, columns := m.Dims()
		if d == 0 {
			m.SetRow(rows-1, slices.Repeat([]float64{v}, columns))
		} else {
			m.SetCol(columns-1, slices.Repeat([]float64{v}, rows))
		}
	}
	return nil
}

func (m *denseMatrix) at(i, j int) float64 { return m.At(i, j) }

// A libraryMatrix is an array of package memory.
type libraryMatrix struct {
	*extendible.Array[float64]
}

func newLibraryMatrix(side int, chunk []int) (libraryMatrix, error) {
	a, err := extendible.New(extendible.Spec[float64]{Shape: []int{side, side}, ChunkShape: chunk})
	return libraryMatrix{a}, err
}

func (m libraryMatrix) grow(v float64) error {
	for d := range 2 {
		added, err := m.Extend(d, 1)
		if err == nil {
			err = m.Fill(added, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m libraryMatrix) at(i, j int) float64 {
	data, err := m.Read(nd.Sec(nd.At(i), nd.At(j)))
	if err != nil {
		return 0
	}
	return data[0]
}
