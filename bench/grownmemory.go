package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"drx/axial"
	"drx/bench/study/lookup"
	"drx/nd"
)

// The plots of the experiments without and with extensions, for both single elements and chunks.
var (
	staticPlots = []plot{
		{metric: "access", x: "rank", y: "ns per element"},
		{metric: "access, cached", title: "The same of an array that fits the processor's caches", x: "rank", y: "ns per element"},
	}
	interleavedPlots = []plot{
		{metric: "total 2-d", title: "1000 random elements and extensions, 2-D", x: "extensions", y: "ms in all", logX: true, logY: true},
		{metric: "total 3-d", title: "1000 random elements and extensions, 3-D", x: "extensions", y: "ms in all", logX: true, logY: true},
		{metric: "total 4-d", title: "1000 random elements and extensions, 4-D", x: "extensions", y: "ms in all", logX: true, logY: true},
	}
)

// memoryStatic repeats figure 3.5.1 of the thesis: it accesses random elements of extendible and of
// conventional arrays in memory that were never extended.
var memoryStatic = experiment{
	name: "memory-static", title: "Random elements in memory, no extensions", figure: "3.5.1",
	plots: staticPlots,
	run:   runMemoryStatic,
}

// memoryInterleaved repeats figure 3.5.2: the total time of 1000 random accesses with
// extensions of random dimensions in between.
var memoryInterleaved = experiment{
	name: "memory-interleaved", title: "1000 random elements in memory with extensions in between", figure: "3.5.2",
	plots: interleavedPlots,
	run:   runMemoryInterleaved,
}

// A memoryArray is an array of float64 in memory that can be extended.
type memoryArray interface {
	at(index []int) *float64
	extend(dim int) error // by one index
	shape() []int
}

// A flatArray is the conventional array: row-major, and copied as a whole to grow.
type flatArray struct {
	extents, coef []int
	data          []float64
}

// newFlatArray returns an array of the given extents with room for n elements.
func newFlatArray(extents []int, n int) *flatArray {
	a := &flatArray{extents: extents, coef: make([]int, len(extents)), data: make([]float64, n)}
	c := 1
	for d := len(extents) - 1; d >= 0; d-- {
		a.coef[d] = c
		c *= extents[d]
	}
	return a
}

func (a *flatArray) number(index []int) int {
	q := 0
	for d, i := range index {
		q += i * a.coef[d]
	}
	return q
}

func (a *flatArray) at(index []int) *float64 { return &a.data[a.number(index)] }

func (a *flatArray) shape() []int { return a.extents }

// extend moves every row to its new position.
func (a *flatArray) extend(dim int) error {
	k := len(a.extents)
	wider := slices.Clone(a.extents)
	wider[dim]++
	n, err := nd.Product(wider...)
	if err != nil {
		return err
	}
	b := newFlatArray(wider, n)
	index, hi := make([]int, k), slices.Clone(a.extents)
	row := hi[k-1]
	hi[k-1] = 1
	for more := true; more; more = nd.Next(index, make([]int, k), hi) {
		from := a.number(index)
		copy(b.data[b.number(index):], a.data[from:from+row])
	}
	*a = *b
	return nil
}

// A pagedArray is the extendible array: F* gives the position of an element in blocks of memory
// that never move. The thesis has a block for each segment; with blocks of equal size the segment
// need not be looked up a second time.
type pagedArray struct {
	number func(index []int) (axial.Number, bool)
	grow   func(dim int) (axial.Number, error) // returns the number of elements
	sizes  func() []int
	pages  [][]float64
}

const pageBits = 16 // elements of a page, as a power of two

func (a *pagedArray) at(index []int) *float64 {
	q, _ := a.number(index)
	return &a.pages[q>>pageBits][q&(1<<pageBits-1)]
}

func (a *pagedArray) shape() []int { return a.sizes() }

func (a *pagedArray) extend(dim int) error {
	n, err := a.grow(dim)
	if err == nil {
		a.reserve(n)
	}
	return err
}

// reserve adds pages up to n elements.
func (a *pagedArray) reserve(n axial.Number) {
	for axial.Number(len(a.pages))<<pageBits < n {
		a.pages = append(a.pages, make([]float64, 1<<pageBits))
	}
}

// newMapArray returns an extendible array over one kind of structure.
func newMapArray(kind lookup.Kind, extents []int) (*pagedArray, error) {
	m, err := lookup.NewMap(kind.New, make([]int, len(extents)), extents)
	if err != nil {
		return nil, err
	}
	a := &pagedArray{number: m.Number, sizes: m.Hi}
	a.grow = func(dim int) (axial.Number, error) {
		err := m.Extend(dim, 1, axial.High)
		return m.Chunks(), err
	}
	a.reserve(m.Chunks())
	return a, nil
}

// newGridArray returns an extendible array over an axial.Grid.
func newGridArray(extents []int) (*pagedArray, error) {
	g, err := axial.New(make([]int, len(extents)), extents)
	if err != nil {
		return nil, err
	}
	a := &pagedArray{number: g.Number, sizes: func() []int { return g.Hi() }}
	a.grow = func(dim int) (axial.Number, error) {
		if g, err = g.Extend(dim, 1, axial.High); err != nil {
			return 0, err
		}
		a.number = g.Number
		return g.Chunks(), nil
	}
	a.reserve(g.Chunks())
	return a, nil
}

// A memoryKind makes arrays of one kind.
type memoryKind struct {
	name string
	make func(extents []int) (memoryArray, error)
}

// memoryKinds returns the kinds of arrays to compare. The thesis uses vectors.
func memoryKinds() []memoryKind {
	kinds := []memoryKind{{"conventional", func(extents []int) (memoryArray, error) {
		n, err := nd.Product(extents...)
		return newFlatArray(slices.Clone(extents), n), err
	}}}
	for _, k := range lookup.Kinds(thesisBucket) {
		if k.Name == "branch-free" || k.Name == "llrb" {
			continue
		}
		kinds = append(kinds, memoryKind{"extendible, " + k.Name, func(extents []int) (memoryArray, error) {
			return newMapArray(k, extents)
		}})
	}
	return append(kinds, memoryKind{"extendible, axial.Grid", func(extents []int) (memoryArray, error) {
		return newGridArray(extents)
	}})
}

// cube returns k equal extents of about n elements in all.
func cube(k, n int) []int {
	return slices.Repeat([]int{int(math.Round(math.Pow(float64(n), 1/float64(k))))}, k)
}

func runMemoryStatic(l *lab, t *table) error {
	for _, size := range []struct {
		metric string
		n      int
	}{{"access", pick(l, 1<<23, 1<<18)}, {"access, cached", 1 << 15}} {
		for _, k := range pick(l, []int{2, 3, 4, 5, 6, 7}, []int{2, 5}) {
			var entrants []entrant
			for _, kind := range memoryKinds() {
				var a memoryArray // made when it is first needed
				entrants = append(entrants, entrant{series: kind.name, run: func(seed uint64) (result, error) {
					if a == nil {
						var err error
						if a, err = kind.make(cube(k, size.n)); err != nil {
							return result{}, err
						}
					}
					return accessStatic(a, seed, pick(l, 1<<18, 1<<14)), nil
				}})
			}
			if _, err := l.race(t, cell{metric: size.metric, x: float64(k), unit: nanoseconds}, entrants...); err != nil {
				return err
			}
		}
	}
	return nil
}

// accessStatic adds one to the given number of elements at random indices of a cube.
func accessStatic(a memoryArray, seed uint64, accesses int) result {
	k := len(a.shape())
	indices := lookupKeys(seed, accesses*k, slices.Min(a.shape()), false)
	return timed(1, accesses, func() string {
		sum := 0.0
		for i := 0; i < len(indices); i += k {
			e := a.at(indices[i : i+k])
			*e++
			sum += *e
		}
		return strconv.FormatFloat(sum, 'g', -1, 64)
	})
}

func runMemoryInterleaved(l *lab, t *table) error { return raceInterleaved(l, t, memoryKinds()) }

// raceInterleaved races arrays of these kinds that grow between accesses.
func raceInterleaved(l *lab, t *table, kinds []memoryKind) error {
	for _, c := range []struct {
		metric string
		k      int
	}{{"total 2-d", 2}, {"total 3-d", 3}, {"total 4-d", 4}} {
		for _, extensions := range pick(l, []int{1, 3, 10, 30, 100}, []int{1, 10}) {
			var entrants []entrant
			for _, kind := range kinds {
				entrants = append(entrants, entrant{series: kind.name, run: func(seed uint64) (result, error) {
					a, err := kind.make(cube(c.k, pick(l, 1<<20, 1<<16)))
					if err != nil {
						return result{}, err
					}
					return accessInterleaved(a, seed, extensions)
				}})
			}
			if _, err := l.race(t, cell{metric: c.metric, x: float64(extensions), unit: milliseconds}, entrants...); err != nil {
				return err
			}
		}
	}
	return nil
}

// accessInterleaved adds one to 1000 elements at random indices. It divides the accesses into equal
// parts and extends a random dimension after each. The time includes both.
func accessInterleaved(a memoryArray, seed uint64, extensions int) (result, error) {
	const accesses = 1000
	rng := rand.New(rand.NewPCG(seed, 352))
	index := make([]int, len(a.shape()))
	var c clock
	sum := 0.0
	c.begin()
	for i := range accesses {
		if i*extensions/accesses != (i+1)*extensions/accesses {
			if err := a.extend(rng.IntN(len(index))); err != nil {
				return result{}, err
			}
		}
		for d, n := range a.shape() {
			index[d] = rng.IntN(n)
		}
		e := a.at(index)
		*e++
		sum = sum*1.25 + *e*float64(index[0])
	}
	c.end(accesses)
	return result{wall: c.wall, cpu: c.cpu, check: strconv.FormatFloat(sum, 'g', -1, 64)}, nil
}
