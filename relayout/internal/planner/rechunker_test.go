package planner

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"drx/nd"
)

// For 200 random problems no plan may move more bytes than a copy chunk by chunk, than rechunker,
// or than the best single pass. TestComparedPlans of package exec carries out the same plans.
func TestNeverWorseThanOthers(t *testing.T) {
	less := map[string]int{}
	for seed := range uint64(200) {
		if seed == 0 {
			seed = 3289 // here intermediate chunks reached below the bounds
		}
		r := rand.New(rand.NewPCG(seed, 4))
		src, dst, order := randomGrids(r, 40000)
		elem := 1 << r.IntN(4)
		src.ElemSize, dst.ElemSize = elem, elem
		memory := int64(elem * (volume(src.ChunkShape) + volume(dst.ChunkShape)) * (1 + r.IntN(8)))
		p, err := NewPlan(src, dst, order, memory)
		if err != nil {
			t.Fatal(err)
		}
		byChunk, err := ChunkByChunkCost(src, dst, order)
		if err != nil {
			t.Fatal(err)
		}
		rechunker, err := rechunkerCost(src, dst, order, memory)
		if err != nil {
			t.Fatal(err)
		}
		s := newPassSearch(src.permuted(order), dst, memory)
		single := s.between(s.src, s.dst)
		for name, c := range map[string]Cost{"chunk by chunk": byChunk, "rechunker": rechunker, "one pass": single.cost} {
			if c.Bytes() < p.Cost().Bytes() {
				t.Errorf("seed %d: %v -> %v order %v elem %d memory %d: %d passes move %d bytes, %s %d",
					seed, src, dst, order, elem, memory, len(p.Passes), p.Cost().Bytes(), name, c.Bytes())
			}
			if p.Cost().Bytes() < c.Bytes() {
				less[name]++
			}
		}
	}
	t.Logf("of 200 problems, fewer bytes than: %v", less)
	if less["chunk by chunk"] < 20 || less["rechunker"] < 20 || less["one pass"] == 0 {
		t.Errorf("the problems say little: %v", less)
	}
}

// The test has a problem of rechunker's documentation: chunks of one time step to chunks of the
// whole time and parts of the map.
func TestRechunker(t *testing.T) {
	for _, c := range []struct {
		shape, src, dst           []int
		memory                    int64
		read, intermediate, write []int
	}{
		// Everything fits: the regions to read and to write agree, and there is no intermediate
		// array.
		{[]int{8, 8}, []int{1, 8}, []int{8, 1}, 1 << 20, []int{8, 8}, []int{8, 8}, []int{8, 8}},
		// A row of chunks becomes a column: both are consolidated as far as 32 elements allow.
		{[]int{8, 16}, []int{1, 16}, []int{8, 1}, 32, []int{2, 16}, []int{2, 4}, []int{8, 4}},
		{[]int{100, 60}, []int{10, 60}, []int{100, 6}, 600, []int{10, 60}, []int{10, 6}, []int{100, 6}},
	} {
		r := newRechunker(c.shape, c.src, c.dst, 1, c.memory)
		want := rechunker{c.read, c.intermediate, c.write}
		if diff := cmp.Diff(want, r, cmp.AllowUnexported(rechunker{})); diff != "" {
			t.Errorf("%v to %v: %s", c.src, c.dst, diff)
		}
	}
	// 10 regions of 10 intermediate chunks each, read again once: four times the array.
	zero, shape := []int{0, 0}, []int{100, 60}
	cost, err := rechunkerCost(Grid{zero, shape, []int{10, 60}, 1}, Grid{zero, shape, []int{100, 6}, 1}, nil, 600)
	if want := (Cost{110, 110, 12000, 12000}); err != nil || cost != want {
		t.Errorf("%v, %v; want %v", cost, err, want)
	}
}

// The counts behind rechunkerCost must agree with a simulation that marks elements.
func TestRegions(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 5))
		a := axis{n: 1 + r.IntN(40), s: 1 + r.IntN(12), t: 1}
		extent := 1 + r.IntN(15)
		touched, covered := 0, 0
		for lo := 0; lo < a.n; lo += extent {
			hi := min(lo+extent, a.n)
			for from := 0; from < a.n; from += a.s {
				inside, outside := 0, 0
				for x := from; x < min(from+a.s, a.n); x++ {
					if lo <= x && x < hi {
						inside++
					} else {
						outside++
					}
				}
				if inside > 0 {
					touched++
				}
				if inside > 0 && outside == 0 {
					covered++
				}
			}
		}
		if got := a.sumOverRegions(extent, a.sourceChunksIn); got != touched {
			t.Errorf("seed %d: %d touched, want %d", seed, got, touched)
		}
		if got := a.sumOverRegions(extent, a.sourceChunksWithin); got != covered {
			t.Errorf("seed %d: %d covered, want %d", seed, got, covered)
		}
	}
}

func TestComparisonsRefuse(t *testing.T) {
	good, bad := Grid{[]int{0}, []int{4}, []int{2}, 1}, Grid{[]int{0}, []int{5}, []int{2}, 1}
	if _, err := ChunkByChunkCost(good, bad, nil); err == nil {
		t.Error("chunk by chunk to another shape")
	}
	if _, err := rechunkerCost(good, bad, nil, 100); err == nil {
		t.Error("rechunker to another shape")
	}
	none := Grid{[]int{3}, []int{3}, []int{2}, 1}
	for _, order := range []nd.Order{nil, {0}} {
		a, err := ChunkByChunkCost(none, none, order)
		b, err2 := rechunkerCost(none, none, order, 100)
		if a != (Cost{}) || b != (Cost{}) || err != nil || err2 != nil {
			t.Errorf("nothing costs %v and %v, %v, %v", a, b, err, err2)
		}
	}
}

// A rechunker is a plan of the Python package rechunker (rechunker.algorithm.rechunking_plan): the
// extents of the regions that it reads and writes, and of the chunks of its intermediate array.
// Rechunker makes the chunks to read and to write as large as the memory, in bytes, allows. The
// intermediate chunks are the smaller of both in every dimension.
type rechunker struct{ read, intermediate, write []int }

func newRechunker(shape, src, dst []int, elemSize int, memory int64) rechunker {
	r := rechunker{write: consolidate(shape, dst, nil, elemSize, memory)}
	limit := make([]int, len(src)) // chunks are joined only along dimensions in which they are to grow
	for d := range limit {
		limit[d] = src[d]
		if dst[d] > src[d] {
			limit[d] = r.write[d]
		}
	}
	r.read = consolidate(shape, src, limit, elemSize, memory)
	for d := range shape {
		r.intermediate = append(r.intermediate, min(r.read[d], r.write[d]))
	}
	return r
}

// consolidate makes chunks longer by whole multiples, the last dimension first, up to the
// limits (nil is the shape) and the memory.
func consolidate(shape, chunk, limit []int, elemSize int, memory int64) []int {
	c := make([]int, len(chunk))
	bytes := int64(elemSize)
	for d := range c {
		c[d] = min(chunk[d], shape[d])
		bytes = Mul(bytes, int64(c[d]))
	}
	for d := len(c) - 1; d >= 0; d-- {
		most := shape[d]
		if limit != nil {
			most = min(most, limit[d])
		}
		factor := int(min(memory/max(bytes, 1), math.MaxInt32))
		to := min(most, int(min(Mul(int64(c[d]), int64(factor)), math.MaxInt32)))
		if to < shape[d] {
			to = to / c[d] * c[d]
		}
		if to > c[d] {
			bytes = bytes / int64(c[d]) * int64(to)
			c[d] = to
		}
	}
	return c
}

// rechunkerCost returns the cost of rechunker's plan. Unless the regions to read and to write
// agree, the data goes through the intermediate array. An intermediate chunk that a region covers
// in part is read, changed and written; one that it covers completely is only written.
func rechunkerCost(src, dst Grid, order nd.Order, memory int64) (Cost, error) {
	if err := CheckGrids(src, dst, order); err != nil || dst.empty() {
		return Cost{}, err
	}
	from := src.permuted(order)
	elemSize := min(src.ElemSize, dst.ElemSize)
	r := newRechunker(from.shape(), from.ChunkShape, dst.ChunkShape, elemSize, memory)
	return r.cost(newProblem(from, dst), elemSize), nil
}

// cost counts the chunks that the regions touch.
func (r rechunker) cost(p *problem, elemSize int) Cost {
	direct := true
	read, whole, touched, back := int64(1), int64(1), int64(1), int64(1)
	write, final, chunk := int64(1), int64(1), int64(elemSize)
	for d, a := range p.axes {
		direct = direct && r.read[d] == r.write[d]
		read = Mul(read, int64(a.sumOverRegions(r.read[d], a.sourceChunksIn)))
		write = Mul(write, int64(a.sumOverRegions(r.write[d], a.sourceChunksIn)))
		final = Mul(final, int64(a.targetChunks()))
		m := axis{n: a.n, s: r.intermediate[d], t: r.intermediate[d]}
		whole = Mul(whole, int64(m.sumOverRegions(r.read[d], m.sourceChunksWithin)))
		touched = Mul(touched, int64(m.sumOverRegions(r.read[d], m.sourceChunksIn)))
		back = Mul(back, int64(m.sumOverRegions(r.write[d], m.sourceChunksIn)))
		chunk = Mul(chunk, int64(r.intermediate[d]))
	}
	if direct {
		return p.costOfChunks(write, final)
	}
	again := touched - whole + back // intermediate chunks that are read
	return Cost{
		Reads: add(read, again), Writes: add(touched, final),
		BytesRead:    add(Mul(read, p.sourceChunk), Mul(again, chunk)),
		BytesWritten: add(Mul(touched, chunk), Mul(final, p.targetChunk)),
	}
}

// sumOverRegions sums f over the regions of extent elements into which an axis is divided.
func (a axis) sumOverRegions(extent int, f func(lo, hi int) int) int {
	sum := 0
	for lo := 0; lo < a.n; lo += extent {
		sum += f(lo, min(lo+extent, a.n))
	}
	return sum
}

// sourceChunksWithin returns the number of source chunks all of whose elements lie in [lo, hi).
func (a axis) sourceChunksWithin(lo, hi int) int {
	n := 0
	for from := nd.CeilDiv(lo, a.s) * a.s; from < hi && min(from+a.s, a.n) <= hi; from += a.s {
		n++
	}
	return n
}
