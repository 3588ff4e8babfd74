package stats

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drx"
	"drx/cube"
	"drx/dtype"
	"drx/nd"
)

// everything are all statistics that go over any dimensions; ofOne those of one dimension.
var (
	everything = []Func{
		{Op: Count},
		{Op: Missing},
		{Op: Sum},
		{Op: Mean},
		{Op: Std},
		{Op: Var},
		{Op: Min},
		{Op: Max},
		Median,
		{Op: Quantile},
		{Op: Quantile, Percent: 100},
		{Op: Quantile, Percent: 33.3},
	}
	ofOne = []Func{{Op: First}, {Op: Last}, {Op: ArgMin}, {Op: ArgMax}}
)

// An element is a value of the model, with its position along the only reduced dimension.
type element struct {
	value   float64
	missing bool
	pos     int
	index   int
}

// want computes a statistic in the simplest way. It returns NaN if there is no value.
func want(f Func, elements []element, ddof int) float64 {
	var values []element
	sum := new(big.Float).SetPrec(400)
	for _, e := range elements {
		if !e.missing {
			values = append(values, e)
			sum.Add(sum, big.NewFloat(e.value))
		}
	}
	n := len(values)
	switch {
	case f.Op == Count:
		return float64(n)
	case f.Op == Missing:
		return float64(len(elements) - n)
	case n == 0:
		return math.NaN()
	}
	count := new(big.Float).SetPrec(400).SetInt64(int64(n))
	mean := new(big.Float).SetPrec(400).Quo(sum, count)
	byPlace := slices.SortedFunc(slices.Values(values), func(a, b element) int { return a.pos - b.pos })
	float := func(x *big.Float) float64 { v, _ := x.Float64(); return v }
	switch f.Op {
	case Sum:
		return float(sum)
	case Mean:
		return float(mean)
	case Var, Std:
		squares := new(big.Float).SetPrec(400)
		for _, e := range values {
			d := new(big.Float).SetPrec(400).Sub(big.NewFloat(e.value), mean)
			squares.Add(squares, d.Mul(d, d))
		}
		if n <= ddof {
			return math.NaN()
		}
		v := float(squares) / float64(n-ddof)
		if f.Op == Std {
			return math.Sqrt(v)
		}
		return v
	case First:
		return byPlace[0].value
	case Last:
		return byPlace[n-1].value
	}
	slices.SortStableFunc(byPlace, func(a, b element) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return 0
	})
	most := byPlace[n-1].value
	switch f.Op {
	case Min:
		return byPlace[0].value
	case Max:
		return most
	case ArgMin:
		return float64(byPlace[0].index)
	case ArgMax:
		return float64(byPlace[slices.IndexFunc(byPlace, func(e element) bool { return e.value == most })].index)
	}
	at := float64(n-1) * f.Percent / 100
	low := byPlace[int(at)].value
	high := byPlace[min(n-1, int(at)+1)].value
	return low + (high-low)*(at-math.Floor(at))
}

// A sample is a random array with its elements.
type sample struct {
	a      *drx.Array
	values []element // row-major
	bounds nd.Section
}

// newSample makes an array of any real type. Some of its elements are missing or were never
// written.
func newSample(t *testing.T, rng *rand.Rand) *sample {
	types := []dtype.DType{
		dtype.Int8, dtype.Uint16, dtype.Int32, dtype.Int64, dtype.Uint64, dtype.Float32, dtype.Float64, dtype.Float16, dtype.Bool,
	}
	kind := types[rng.IntN(len(types))]
	rank := 1 + rng.IntN(3)
	spec := drx.Spec{DType: kind, Shape: make([]int, rank), ChunkShape: make([]int, rank), FillValue: []any{0, 1}[rng.IntN(2)]}
	for d := range rank {
		spec.Shape[d], spec.ChunkShape[d] = 1+rng.IntN(12), 1+rng.IntN(5)
	}
	if kind == dtype.Bool {
		spec.FillValue = false
	} else if rng.IntN(3) == 0 {
		spec.Attrs = map[string]any{"scale_factor": 0.25, "add_offset": -3.5, "missing_value": 5}
	}
	a, err := drx.Create(filepath.Join(t.TempDir(), "a"), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Discard() })
	d := rng.IntN(rank)
	if _, err := a.ExtendLow(d, 1+rng.IntN(4)); err != nil {
		t.Fatal(err)
	}
	s := &sample{a: a, bounds: a.Bounds()}
	part := slices.Clone(s.bounds)
	part[d].Hi -= rng.IntN(part[d].Len())
	n, _ := part.Len()
	b := make([]byte, 0, n*kind.Size())
	for range n {
		v, err := kind.EncodeValue(rng.IntN(2))
		if kind != dtype.Bool {
			v, err = kind.EncodeValue(rng.IntN(9))
		}
		if kind.IsFloat() && rng.IntN(7) == 0 {
			v, err = kind.EncodeValue(math.NaN())
		}
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, v...)
	}
	if err := a.WriteBytes(part, b, nil); err != nil {
		t.Fatal(err)
	}
	s.load(t)
	return s
}

// load reads all elements as package meaning decodes them.
func (s *sample) load(t *testing.T) {
	of, err := meaningOf(s.a)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := s.bounds.Len()
	b := make([]byte, n*s.a.DType().Size())
	if err := s.a.ReadBytes(s.bounds, b, nil); err != nil {
		t.Fatal(err)
	}
	for _, v := range of.Decode(nil, b) {
		s.values = append(s.values, element{value: v, missing: math.IsNaN(v)})
	}
}

// selection returns random indices of each dimension, in any order.
func (s *sample) selection(rng *rand.Rand) cube.Selection {
	sel := make(cube.Selection, len(s.bounds))
	for d, r := range s.bounds {
		for range 1 + rng.IntN(3) {
			lo := r.Lo + rng.IntN(r.Len())
			sel[d] = append(sel[d], nd.Span(lo, lo+1+rng.IntN(r.Hi-lo)).By(1+rng.IntN(3)))
		}
	}
	return sel
}

// groupsOf returns random groups of a dimension: each position is in one group, in none, or in
// several consecutive ones.
func groupsOf(rng *rand.Rand, dim, n int) *Grouping {
	g := &Grouping{Dim: dim, Names: make([]string, 1+rng.IntN(4))}
	for range n {
		lo := rng.IntN(len(g.Names) + 1)
		g.of = append(g.of, span{lo, lo + rng.IntN(len(g.Names)-lo+1)})
	}
	return g
}

// request returns a random request, and its groups by dimension.
func (s *sample) request(rng *rand.Rand) (Request, []*Grouping) {
	req := Request{Select: s.selection(rng), Funcs: everything, DDOF: rng.IntN(2), Memory: []int{1, 1 << 12, 0}[rng.IntN(3)], Goroutines: 1 + rng.IntN(3)}
	req.Over = []int{}
	for d := range s.bounds {
		if rng.IntN(2) == 0 {
			req.Over = append(req.Over, d)
		}
	}
	groups := make([]*Grouping, len(s.bounds))
	for d := range groups {
		if rng.IntN(3) > 0 {
			continue
		}
		groups[d] = groupsOf(rng, d, req.Select[d].Len())
		req.Groups = append(req.Groups, groups[d])
		req.Over = slices.DeleteFunc(req.Over, func(o int) bool { return o == d })
	}
	if len(req.Over)+len(req.Groups) == 1 {
		req.Funcs = append(slices.Clone(everything), ofOne...)
	}
	return req, groups
}

// cellsOf divides the selected elements into the cells of the result, row-major. groups are those
// of each dimension, nil for none.
func (s *sample) cellsOf(sel cube.Selection, over []int, groups []*Grouping) [][]element {
	shape, out := sel.Shape(), []int{}
	for d, n := range shape {
		if groups[d] != nil {
			n = len(groups[d].Names)
		}
		if !slices.Contains(over, d) {
			out = append(out, n)
		}
	}
	n, _ := nd.Product(out...)
	cells := make([][]element, n)
	strides := nd.Order(nil).Strides(s.bounds.Shape())
	position := make([]int, len(shape))
	var add func(e element, d, cell int)
	add = func(e element, d, cell int) {
		switch {
		case d == len(shape):
			cells[cell] = append(cells[cell], e)
		case groups[d] != nil:
			g := groups[d]
			for k := g.of[position[d]].lo; k < g.of[position[d]].hi; k++ {
				add(e, d+1, cell*len(g.Names)+k)
			}
		case slices.Contains(over, d):
			add(e, d+1, cell)
		default:
			add(e, d+1, cell*shape[d]+position[d])
		}
	}
	for more := true; more; more = nd.Next(position, make([]int, len(shape)), shape) {
		from, along := 0, 0
		for d, p := range position {
			from += (sel[d].At(p) - s.bounds[d].Lo) * strides[d]
			if slices.Contains(over, d) || groups[d] != nil {
				along = d
			}
		}
		e := s.values[from]
		e.pos, e.index = position[along], sel[along].At(position[along])
		add(e, 0, 0)
	}
	return cells
}

// TestCompute compares all statistics of random selections of random arrays, over random dimensions
// and of random groups, with the same statistics of lists of values, with little memory and with
// much.
func TestCompute(t *testing.T) {
	for seed := range seeds() {
		rng := rand.New(rand.NewPCG(seed, 7))
		s := newSample(t, rng)
		req, groups := s.request(rng)
		elements := 0
		req.Progress = func(n int) { elements += n }
		r, err := Compute(context.Background(), s.a, req)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		cells := s.cellsOf(req.Select, req.Over, groups)
		if len(r.Count) != len(cells) {
			t.Fatalf("seed %d: %d results, want %d", seed, len(r.Count), len(cells))
		}
		for c := range r.Columns {
			column := &r.Columns[c]
			got := r.Float64s(column)
			for i, elements := range cells {
				w := want(column.Func, elements, req.DDOF)
				if !isClose(got[i], w) {
					t.Fatalf("seed %d: %v over %v of cell %d is %v, want %v of %v", seed, column.Func, req.Over, i, got[i], w, elements)
				}
			}
		}
		if n, _ := nd.Product(req.Select.Shape()...); req.Memory == 0 && elements != n {
			t.Fatalf("seed %d: %d elements were reduced, want %d", seed, elements, n)
		}
	}
}

// seeds returns the number of random arrays to try.
func seeds() uint64 {
	if os.Getenv("DRX_SOAK") != "" {
		return 2000
	}
	return 60
}

// isClose reports whether two results differ only by rounding.
func isClose(got, want float64) bool {
	return got == want || math.IsNaN(got) && math.IsNaN(want) || math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))
}

// Results have the same bits with any number of goroutines and any memory.
func TestSameBits(t *testing.T) {
	a, err := drx.Create(filepath.Join(t.TempDir(), "a"), drx.Spec{DType: dtype.Float64, Shape: []int{100, 10, 15}, ChunkShape: []int{2, 4, 7}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Discard()
	rng := rand.New(rand.NewPCG(1, 2))
	data := make([]float64, 100*10*15)
	for i := range data {
		data[i] = math.Ldexp(rng.Float64()-0.5, rng.IntN(100))
	}
	if err := drx.Write(a, nil, data); err != nil {
		t.Fatal(err)
	}
	for _, over := range [][]int{nil, {0}, {1, 2}, {0, 2}, {2}} {
		var first string
		for _, goroutines := range []int{1, 2, 5} {
			for _, memory := range []int{0, 30000} {
				r, err := Compute(context.Background(), a, Request{Over: over, Funcs: everything, Goroutines: goroutines, Memory: memory})
				if err != nil {
					t.Fatal(err)
				}
				if got := fmt.Sprint(r.Columns); first == "" {
					first = got
				} else if got != first {
					t.Fatalf("over %v: other bits with %d goroutines and %d bytes of memory", over, goroutines, memory)
				}
				req := Request{Over: over, Funcs: everything, Goroutines: goroutines, Memory: memory}
				if got := fmt.Sprint(inParallel(t, 3, a, req).Columns); got != first {
					t.Fatalf("over %v: other bits with 3 procs, %d goroutines and %d bytes of memory", over, goroutines, memory)
				}
			}
		}
	}
}
