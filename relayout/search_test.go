package relayout

import (
	"math"
	"math/rand/v2"
	"testing"

	"drx/nd"
)

// everyTemplate calls f with all templates of a problem.
func everyTemplate(p *problem, f func(blocks []int)) {
	lo, hi := make([]int, len(p.axes)), make([]int, len(p.axes))
	blocks := make([]int, len(p.axes))
	for d, a := range p.axes {
		lo[d], hi[d], blocks[d] = 1, a.blocks()+1, 1
	}
	for more := true; more; more = nd.Next(blocks, lo, hi) {
		f(blocks)
	}
}

// The hunt finds what trying every template and every traversal finds.
func TestHuntIsExact(t *testing.T) {
	traversals, short := 0, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 9))
		src, dst, order := randomGrids(r, 600)
		p := newProblem(src.permuted(order), dst)
		memory := p.least() + int64(float64(r.IntN(1500))*r.Float64())
		reads, need := int64(math.MaxInt64), int64(math.MaxInt64)
		everyTemplate(p, func(blocks []int) {
			profiles := p.profilesOf(choice{blocks: blocks, atLeast: make([]int, len(blocks))})
			l := p.layout(profiles, mostHalved)
			mem := l.bytes(1, 1)
			for _, perm := range permutations(len(profiles)) {
				if other := needIn(profiles, perm) + l.stage; other < mem {
					t.Fatalf("seed %d: traversal %v needs %d, %v needs %d", seed, perm, other, l.traversal, mem)
				} else if other > mem {
					traversals++
				}
			}
			if c := p.cost(profiles).Reads; mem <= memory && (c < reads || c == reads && mem < need) {
				reads, need = c, mem
			}
		})
		c, ok := p.best(memory)
		if !ok {
			t.Fatalf("seed %d: nothing in %d bytes", seed, memory)
		}
		profiles := p.profilesOf(c)
		l := p.layout(profiles, mostHalved)
		if got := p.cost(profiles).Reads; got != reads || l.bytes(1, 1) != need {
			t.Errorf("seed %d: %d reads with %d bytes, best is %d with %d", seed, got, l.bytes(1, 1), reads, need)
		}
		if everything := (choice{blocks: blocksOf(p), atLeast: make([]int, len(p.axes))}); p.cost(p.profilesOf(everything)).Reads < reads {
			short++
		}
	}
	if traversals == 0 || short < 30 {
		t.Errorf("traversals mattered %d times, memory %d times", traversals, short)
	}
}

func blocksOf(p *problem) []int {
	var n []int
	for _, a := range p.axes {
		n = append(n, a.blocks())
	}
	return n
}

// needIn returns the memory without stages for a traversal, written down once more.
func needIn(profiles []profile, perm []int) int64 {
	work, sum := 1, 0
	for i, d := range perm {
		work *= profiles[d].block
		layer := profiles[d].unused
		for _, e := range perm[:i] {
			layer *= profiles[e].templ
		}
		for _, e := range perm[i+1:] {
			layer *= profiles[e].fresh
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

// More memory never costs more, and NewPlan uses no more than it has.
func TestMoreMemoryIsNoWorse(t *testing.T) {
	for seed := range trials(60) {
		r := rand.New(rand.NewPCG(seed, 11))
		src, dst, order := randomGrids(r, 20000)
		src.Elem, dst.Elem = 2, 2+r.IntN(4)
		least := newProblem(src.permuted(order), dst).least()
		last := Cost{BytesRead: math.MaxInt64}
		for memory := least; memory < 64*least; memory += memory / 2 {
			s := newSolver(src.permuted(order), dst, memory)
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
