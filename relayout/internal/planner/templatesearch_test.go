package planner

import (
	"math"
	"math/rand/v2"
	"testing"

	"drx/nd"
	"drx/relayout/internal/arraytest"
)

// everyTemplate calls f with all templates of a problem.
func everyTemplate(p *problem, f func(chunks []int)) {
	lo, hi := make([]int, len(p.axes)), make([]int, len(p.axes))
	chunks := make([]int, len(p.axes))
	for d, a := range p.axes {
		lo[d], hi[d], chunks[d] = 1, a.targetChunks()+1, 1
	}
	for more := true; more; more = nd.Next(chunks, lo, hi) {
		f(chunks)
	}
}

// The search must find the same as a trial of every template and every traversal.
func TestSearchIsExact(t *testing.T) {
	traversals, short := 0, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 9))
		src, dst, order := randomGrids(r, 600)
		p := newProblem(src.permuted(order), dst)
		memory := p.leastMemory() + int64(float64(r.IntN(1500))*r.Float64())
		reads, need := int64(math.MaxInt64), int64(math.MaxInt64)
		everyTemplate(p, func(chunks []int) {
			profiles := p.profiles(choice{chunks: chunks, minWritten: make([]int, len(chunks))})
			b := p.buffers(profiles, maxHalvings)
			mem := b.bytes(1, 1)
			for _, perm := range permutations(len(profiles)) {
				if other := needIn(profiles, perm) + b.staging; other < mem {
					t.Fatalf("seed %d: traversal %v needs %d, %v needs %d", seed, perm, other, b.traversal, mem)
				} else if other > mem {
					traversals++
				}
			}
			if c := p.cost(profiles).Reads; mem <= memory && (c < reads || c == reads && mem < need) {
				reads, need = c, mem
			}
		})
		c, ok := p.bestTemplate(memory, candidateCache{})
		if !ok {
			t.Fatalf("seed %d: nothing in %d bytes", seed, memory)
		}
		profiles := p.profiles(c)
		b := p.buffers(profiles, maxHalvings)
		if got := p.cost(profiles).Reads; got != reads || b.bytes(1, 1) != need {
			t.Errorf("seed %d: %d reads with %d bytes, best is %d with %d", seed, got, b.bytes(1, 1), reads, need)
		}
		if everything := (choice{chunks: allChunks(p), minWritten: make([]int, len(p.axes))}); p.cost(p.profiles(everything)).Reads < reads {
			short++
		}
	}
	if traversals == 0 || short < 30 {
		t.Errorf("traversals mattered %d times, memory %d times", traversals, short)
	}
}

func allChunks(p *problem) []int {
	var n []int
	for _, a := range p.axes {
		n = append(n, a.targetChunks())
	}
	return n
}

// needIn returns the memory for a traversal, without staging buffers, computed independently.
func needIn(profiles []profile, perm []int) int64 {
	work, sum := 1, 0
	for i, d := range perm {
		work *= profiles[d].written
		layer := profiles[d].unused
		for _, e := range perm[:i] {
			layer *= profiles[e].template
		}
		for _, e := range perm[i+1:] {
			layer *= profiles[e].read
		}
		sum += layer
	}
	return int64(work + sum)
}

func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var all [][]int
	for _, p := range permutations(n - 1) {
		for at := range n {
			q := append(append(append([]int{}, p[:at]...), n-1), p[at:]...)
			all = append(all, q)
		}
	}
	return all
}

// More memory must never cost more, and NewPlan must use no more than it has.
func TestMoreMemoryIsNoWorse(t *testing.T) {
	for seed := range arraytest.Trials(60) {
		r := rand.New(rand.NewPCG(seed, 11))
		src, dst, order := randomGrids(r, 20000)
		src.ElemSize, dst.ElemSize = 2, 2+r.IntN(4)
		least := newProblem(src.permuted(order), dst).leastMemory()
		last := Cost{BytesRead: math.MaxInt64}
		for memory := least; memory < 64*least; memory += memory / 2 {
			s := newPassSearch(src.permuted(order), dst, memory)
			one := s.between(s.src, s.dst)
			if !one.ok || one.cost.compare(last) > 0 {
				t.Errorf("seed %d: one pass costs %v with %d bytes, %v with less", seed, one.cost, memory, last)
			}
			last = one.cost
		}
		if _, err := NewPlan(src, dst, order, least-1); err == nil {
			t.Errorf("seed %d: a plan below one target chunk", seed)
		}
	}
}
