package advise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// better compares shapes exactly, as fractions, where floating-point numbers might be wrong.
func (p Problem) better(a, b []int) bool {
	x, y := p.total(a), p.total(b)
	if math.Abs(x-y) > 1e-9*y {
		return x < y
	}
	return p.compare(a, b) < 0
}

func (p Problem) total(chunk []int) float64 {
	total := 0.0
	for _, a := range p.Accesses {
		class := a.Weight
		for d, n := range a.Box {
			class *= factor(n, chunk[d], p.extent(d)).float()
		}
		total += class
	}
	return total
}

// exhaustive tries every shape that fits. It shares no code with the search.
func exhaustive(p Problem) []int {
	limit, k := p.block()/p.ElemSize, p.rank()
	var best []int
	chunk := make([]int, k)
	var try func(d, maxLogs int)
	try = func(d, maxLogs int) {
		if d == k {
			if best == nil || p.better(chunk, best) {
				best = slices.Clone(chunk)
			}
			return
		}
		longest := maxLogs
		if p.Shape != nil && p.Shape[d] > 0 {
			longest = min(longest, p.Shape[d])
		}
		for c := 1; c <= longest; c++ {
			chunk[d] = c
			try(d+1, maxLogs/c)
		}
	}
	try(0, limit)
	return best
}

// randomProblem makes a problem small enough for exhaustive.
func randomProblem(r *rand.Rand, rank, elements int) Problem {
	p := Problem{ElemSize: 1 + r.IntN(8)}
	p.Block = p.ElemSize*(1+r.IntN(elements)) + r.IntN(p.ElemSize)
	longest := 1 + r.IntN(30)
	if r.IntN(2) == 0 {
		p.Shape = make([]int, rank)
		for d := range p.Shape {
			p.Shape[d] = r.IntN(2) * (1 + r.IntN(30))
		}
	}
	if r.IntN(3) == 0 {
		p.Stripe = max(p.Block/2, p.ElemSize) + r.IntN(p.Block)
		for p.block() < p.ElemSize {
			p.Stripe++
		}
	}
	for range 1 + r.IntN(4) {
		p.Accesses = append(p.Accesses, randomAccess(r, p.Shape, rank, longest))
	}
	return p
}

func randomAccess(r *rand.Rand, shape []int, rank, longest int) Access {
	a := Access{Box: make([]int, rank), Weight: float64(1 + r.IntN(8))}
	if r.IntN(2) == 0 {
		a.Weight = r.Float64() + 1e-6
	}
	for d := range a.Box {
		a.Box[d] = 1
		if r.IntN(4) > 0 {
			a.Box[d] += r.IntN(longest)
		}
		if shape != nil && shape[d] > 0 {
			if a.Box[d] = min(a.Box[d], shape[d]); r.IntN(3) == 0 {
				a.Box[d] = shape[d]
			}
		}
	}
	return a
}

// The acceptance test of the package: 500 random cases of rank up to 4.
func TestBestIsExhaustive(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	for i := range 500 {
		rank := 1 + i%4
		p := randomProblem(r, rank, []int{400, 300, 150, 80}[rank-1])
		checkExhaustive(t, i, p)
	}
}

// In higher ranks the search computes new bounds at several depths.
func TestBestIsExhaustiveInHighRanks(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	for i := range 60 {
		checkExhaustive(t, i, randomProblem(r, 5+i%3, 40))
	}
}

func checkExhaustive(t *testing.T, i int, p Problem) {
	t.Helper()
	got, err := Best(p)
	if err != nil {
		t.Fatalf("case %d, %+v: %v", i, p, err)
	}
	if want := exhaustive(p); !slices.Equal(got.Chunk, want) {
		t.Fatalf("case %d, %+v: %v costs %g, exhaustive search finds %v for %g",
			i, p, got.Chunk, got.Chunks, want, p.cost(want).Chunks)
	}
}

// Interchangeable dimensions are searched in one order only.
func TestBestOfSymmetricPatterns(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 200 {
		rank := 2 + i%3
		p := Problem{ElemSize: 1, Block: 1 + r.IntN(100)}
		if i%2 == 0 {
			p.Shape = slices.Repeat([]int{1 + r.IntN(12)}, rank)
		}
		for range 1 + r.IntN(2) {
			first := randomAccess(r, p.Shape, rank, 12)
			for d := range rank { // all rotations
				box := slices.Concat(first.Box[d:], first.Box[:d])
				p.Accesses = append(p.Accesses, Access{box, first.Weight})
			}
		}
		if i%4 == 0 { // equal except for one extent
			p.Shape[r.IntN(rank)] += 1 + r.IntN(8)
		}
		checkExhaustive(t, i, p)
	}
}

// Ties of the cost are broken by the number of elements, then the sum of extents, then the first
// extents.
func TestTies(t *testing.T) {
	for _, c := range []struct {
		p    Problem
		want []int
	}{
		// A point touches one chunk of any shape.
		{Problem{Accesses: []Access{{[]int{1, 1}, 1}}, ElemSize: 1, Block: 64}, []int{1, 1}},
		// A square is best; among equal shapes, the one with longer rows.
		{Problem{Accesses: []Access{{[]int{5, 5}, 1}}, ElemSize: 1, Block: 9}, []int{3, 3}},
		{Problem{Accesses: []Access{{[]int{5, 5}, 1}}, ElemSize: 1, Block: 8}, []int{2, 4}},
		// Whole rows of 10 touch two chunks of 5 to 9.
		{Problem{Accesses: []Access{{[]int{10}, 1}}, ElemSize: 1, Block: 9, Shape: []int{10}}, []int{5}},
	} {
		got, err := Best(c.p)
		if err != nil || !slices.Equal(got.Chunk, c.want) {
			t.Errorf("%+v: %v, %v, want %v", c.p, got.Chunk, err, c.want)
		}
	}
}

// realistic returns problems too large for exhaustive search: series along every dimension, for
// which the bound is nearly constant, and boxes of every kind.
func realistic(rank, block int) map[string]Problem {
	lines := Problem{ElemSize: 8, Block: block}
	planes := Problem{ElemSize: 8, Block: block, Shape: make([]int, rank)}
	r := rand.New(rand.NewPCG(uint64(rank), 1))
	boxes := Problem{ElemSize: 8, Block: block}
	for d := range rank {
		line, plane := Access{make([]int, rank), 1}, Access{make([]int, rank), 1}
		planes.Shape[d] = 100 * (1 + d)
		for e := range rank {
			line.Box[e], plane.Box[e] = 1, 100*(1+e)
		}
		line.Box[d], plane.Box[d] = 1000, 1
		lines.Accesses = append(lines.Accesses, line)
		planes.Accesses = append(planes.Accesses, plane)
		boxes.Accesses = append(boxes.Accesses, randomAccess(r, nil, rank, 200))
	}
	return map[string]Problem{"lines": lines, "planes": planes, "boxes": boxes}
}

// No neighbour of the best shape is better, nor any of a thousand random shapes.
func TestBestOfRealSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 4))
	for _, rank := range []int{2, 4, 6} {
		for name, p := range realistic(rank, 1<<20) {
			best, err := Best(p)
			if err != nil {
				t.Fatal(err)
			}
			if best.Bytes > 1<<20 {
				t.Errorf("%s of rank %d: %d bytes", name, rank, best.Bytes)
			}
			for range 1000 {
				other := randomShape(r, best.Chunk, 1<<17, p.Shape)
				if p.better(other, best.Chunk) {
					t.Errorf("%s of rank %d: %v is better than %v", name, rank, other, best.Chunk)
				}
			}
		}
	}
}

// randomShape multiplies and divides extents of a shape, within limits.
func randomShape(r *rand.Rand, near []int, elements int, shape []int) []int {
	other := slices.Clone(near)
	for range 2 + r.IntN(len(near)) {
		d := r.IntN(len(near))
		other[d] = 1
		maxLogs := elements
		for _, c := range other {
			maxLogs /= c
		}
		if shape != nil {
			maxLogs = min(maxLogs, shape[d])
		}
		other[d] = max(1, min(maxLogs, int(float64(near[d])*math.Exp(r.NormFloat64()/4))))
		if r.IntN(2) == 0 {
			other[d] = max(1, maxLogs)
		}
	}
	return other
}

func BenchmarkBest(b *testing.B) {
	for _, rank := range []int{2, 3, 4, 7, 10} {
		for _, name := range []string{"lines", "planes", "boxes"} {
			b.Run(fmt.Sprintf("rank%d/%s", rank, name), func(b *testing.B) {
				p := realistic(rank, 1<<20)[name]
				var c Cost
				for b.Loop() {
					var err error
					if c, err = Best(p); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(c.Nodes), "nodes")
			})
		}
	}
}
