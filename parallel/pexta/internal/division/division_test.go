package division

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"drx"
	"drx/axial"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
)

// each calls f for all indices of a box.
func each(box nd.Section, f func(index string)) {
	lo, hi := box.Bounds()
	index := slices.Clone(lo)
	for more := Size(box) > 0; more; more = nd.Next(index, lo, hi) {
		f(fmt.Sprint(index))
	}
}

// covers fails unless the parts have each element of the boxes once, and no others.
func covers(t *testing.T, what string, boxes, parts []nd.Section) {
	t.Helper()
	count := map[string]int{}
	for _, box := range boxes {
		each(box, func(i string) { count[i]++ })
	}
	for _, part := range parts {
		each(part, func(i string) { count[i]-- })
	}
	for i, n := range count {
		if n != 0 {
			t.Fatalf("%s: boxes %v, parts %v: element %s is there %d times too few", what, boxes, parts, i, n)
		}
	}
}

func randomBox(rng *rand.Rand, rank int) nd.Section {
	box := make(nd.Section, rank)
	for d := range box {
		lo := rng.IntN(20) - 8
		box[d] = nd.Span(lo, lo+1+rng.IntN(12))
	}
	return box
}

func randomChunk(rng *rand.Rand, rank int) []int {
	chunk := make([]int, rank)
	for d := range chunk {
		chunk[d] = 1 + rng.IntN(5)
	}
	return chunk
}

// chunksOf returns the number of chunks that a box touches.
func chunksOf(box nd.Section, chunk []int) int {
	n := 1
	for d, r := range box {
		n *= nd.CeilDiv(r.Hi, chunk[d]) - nd.FloorDiv(r.Lo, chunk[d])
	}
	return n
}

// TestParts: the parts make up the boxes, have at most the given size, and share no chunk if chunks
// fit.
func TestParts(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 0))
		rank := 1 + rng.IntN(3)
		chunk, elements := randomChunk(rng, rank), 1+rng.IntN(60)
		box := randomBox(rng, rank)
		var parts []nd.Section
		p := Divide([]nd.Section{box}, chunk, elements)
		for part, ok := p.Next(); ok; part, ok = p.Next() {
			parts = append(parts, part)
			if Size(part) > float64(elements) {
				t.Fatalf("part %v has more than %d elements", part, elements)
			}
		}
		covers(t, "divided", []nd.Section{box}, parts)
		if n, _ := nd.Product(chunk...); n <= elements {
			sum := 0
			for _, part := range parts {
				sum += chunksOf(part, chunk)
			}
			if sum != chunksOf(box, chunk) {
				t.Fatalf("box %v in chunks of %v: parts %v share chunks", box, chunk, parts)
			}
		}
	}
}

// TestInside: the inside and the rest make up the outer box, and share no chunk.
func TestInside(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		rank := 1 + rng.IntN(3)
		chunk, outer := randomChunk(rng, rank), randomBox(rng, rank)
		box := Intersect(outer, randomBox(rng, rank))
		var inside nd.Section
		if box != nil {
			inside = Inside(box, outer, chunk)
		}
		rest := Without(outer, inside)
		all := slices.Clone(rest)
		if inside != nil {
			all = append(all, inside)
			if Intersect(inside, box).String() != inside.String() {
				t.Fatalf("%v is not in %v", inside, box)
			}
			for _, r := range rest {
				if Intersect(chunksAround(r, chunk), chunksAround(inside, chunk)) != nil {
					t.Fatalf("%v and %v share chunks of %v", inside, r, chunk)
				}
			}
		}
		covers(t, "inside", []nd.Section{outer}, all)
	}
	if got := Without(nd.Sec(nd.Span(0, 9)), nil); len(got) != 1 {
		t.Errorf("without nothing: %v", got)
	}
}

// chunksAround returns the indices of the chunks that a box touches.
func chunksAround(box nd.Section, chunk []int) nd.Section {
	around := make(nd.Section, len(box))
	for d, r := range box {
		around[d] = nd.Span(nd.FloorDiv(r.Lo, chunk[d]), nd.CeilDiv(r.Hi, chunk[d]))
	}
	return around
}

// TestBest: the zones of the best division make up the section, and drxmp derives the same zones
// from it. Neither the even division nor that of the memory costs less.
func TestBest(t *testing.T) {
	like := 0
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 2))
		w := randomWork(rng)
		best := w.Best()
		zones := make([]nd.Section, 0, len(w.Held))
		for p := range w.Held {
			if z := w.zones(best)(p); z != nil && Size(z[0]) > 0 {
				zones = append(zones, z...)
			}
		}
		covers(t, "best", []nd.Section{w.Section}, slices.DeleteFunc(zones, func(z nd.Section) bool { return Intersect(z, w.Section) == nil }))
		cost := w.cost(w.zones(best))
		if even := w.cost(w.zones(w.even())); cost > even {
			t.Fatalf("%+v: costs %v, evenly %v", w, cost, even)
		}
		if plan, ok := w.likeMemory(); ok {
			like++
			if c := w.cost(w.zones(plan)); cost > c {
				t.Fatalf("%+v: costs %v, like the memory %v", w, cost, c)
			}
		}
		sameAsDrxmp(t, w, best)
	}
	if like < 50 {
		t.Errorf("only %d were like the memory", like)
	}
}

// randomWork returns a section, mostly held in blocks as global arrays are.
func randomWork(rng *rand.Rand) Work {
	rank := 1 + rng.IntN(3)
	w := Work{Chunk: randomChunk(rng, rank), Section: randomBox(rng, rank), Held: make([]nd.Section, 1+rng.IntN(6))}
	if rng.IntN(4) == 0 {
		for p := range w.Held {
			w.Held[p] = Intersect(w.Section, randomBox(rng, rank))
		}
		return w
	}
	grid := drxmp.BalancedGrid(len(w.Held), w.Section.Shape())
	for p := range w.Held {
		box, q := make(nd.Section, rank), p
		for d := rank - 1; d >= 0; d-- {
			n, r := grid[d], w.Section[d]
			box[d] = nd.Span(r.Lo+r.Len()*(q%n)/n, r.Lo+r.Len()*(q%n+1)/n)
			q /= n
		}
		w.Held[p] = Intersect(box, w.Section)
	}
	return w
}

// sameAsDrxmp compares the zones of a plan with those of package drxmp.
func sameAsDrxmp(t *testing.T, w Work, p Blocks) {
	t.Helper()
	lo, hi := w.Section.Bounds()
	around, err := axial.New(chunksAround(w.Section, w.Chunk).Bounds())
	if err != nil {
		t.Fatal(err)
	}
	d, err := drxmp.NewDecomposition(p.Distribution(), len(w.Held), around, w.Chunk, lo, hi)
	if err != nil {
		t.Fatalf("%+v: %+v: %v", w, p, err)
	}
	for proc := range w.Held {
		var theirs, ours nd.Section
		if s := d.Zone(proc).Sections(); len(s) > 0 {
			theirs = Intersect(s[0], w.Section)
		}
		if z := w.zones(p)(proc); z != nil {
			ours = Intersect(z[0], w.Section)
		}
		if theirs.String() != ours.String() {
			t.Fatalf("%+v: %+v: proc %d has %v, in drxmp %v", w, p, proc, ours, theirs)
		}
	}
}

// TestBetter: a division is replaced when one proc would have all the work, and not by itself.
func TestBetter(t *testing.T) {
	w := Work{Chunk: []int{4, 4}, Section: nd.Sec(nd.Span(0, 64), nd.Span(0, 64)), Held: make([]nd.Section, 4)}
	now := w.zones(w.Best())
	if p, ok := w.Better(now); ok {
		t.Errorf("better than itself: %v", p)
	}
	w.Section = nd.Sec(nd.Span(0, 32), nd.Span(0, 32)) // the zone of proc 0
	if _, ok := w.Better(now); !ok {
		t.Error("one proc keeps all the work")
	}
}

// TestChunkShape: known shapes, and the limits for all.
func TestChunkShape(t *testing.T) {
	for _, c := range []struct {
		t                    dtype.DType
		shape, request, want []int
	}{
		{dtype.Float64, []int{8192, 8192}, []int{1024, 1024}, []int{256, 512}},
		{dtype.Float64, []int{8192, 8192}, []int{1000, 1000}, []int{250, 500}},
		{dtype.Float64, []int{8192, 8192}, []int{1, 8192}, []int{16, 8192}},
		{dtype.Int32, []int{100, 100}, []int{1024, 256}, []int{1024, 256}},
		{dtype.Int32, []int{100, 100}, []int{10, 10}, []int{80, 80}},
		{dtype.Complex128, []int{10, 10, 10, 10, 10, 10, 10}, []int{5, 5, 5, 5, 5, 5, 5}, []int{3, 5, 5, 5, 5, 5, 5}},
		{dtype.Float64, []int{8192, 8192}, []int{1 << 40, 1}, []int{1 << 17, 1}},
	} {
		if got := ChunkShape(c.t, c.shape, c.request); !slices.Equal(got, c.want) {
			t.Errorf("%v %v, requests of %v: %v, want %v", c.t, c.shape, c.request, got, c.want)
		}
	}
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 3))
		shape, request := make([]int, 1+rng.IntN(7)), []int(nil)
		for d := range shape {
			shape[d] = 1 + rng.IntN(1<<rng.IntN(14))
			request = append(request, rng.IntN(shape[d]+1)-1)
		}
		chunk := ChunkShape(dtype.Float64, shape, request)
		if n := bytes(dtype.Float64, chunk); n > chunkBytes || slices.Min(chunk) < 1 {
			t.Errorf("%v, requests of %v: chunk %v has %v bytes", shape, request, chunk, n)
		}
		if unknown := ChunkShape(dtype.Float64, shape, nil); !slices.Equal(unknown, drx.DefaultChunk(dtype.Float64, shape)) {
			t.Errorf("%v: %v without requests", shape, unknown)
		}
	}
}
