package planner

import (
	"math"
	"slices"
)

// A candidate is a template extent worth trying along one axis.
type candidate struct {
	chunks int // target chunks of the template
	profile
}

// dominates reports whether c is nowhere worse than o.
func (c candidate) dominates(o candidate) bool {
	return c.sourceReads <= o.sourceReads && c.template <= o.template && c.written <= o.written &&
		c.read <= o.read && c.unused <= o.unused && c.source <= o.source
}

// candidates returns the templates of one axis that no other dominates, those with the fewest
// reads first. The memory of a template grows with every quantity that dominates compares, so
// the best template of a problem consists of candidates.
func (a axis) candidates() []candidate {
	var all []candidate
	for _, n := range a.templateLengths() {
		c := candidate{n, a.profile(n, 0)}
		if slices.ContainsFunc(all, func(o candidate) bool { return o.dominates(c) }) {
			continue
		}
		all = append(slices.DeleteFunc(all, c.dominates), c)
	}
	slices.SortFunc(all, func(c, o candidate) int { return c.sourceReads - o.sourceReads })
	return all
}

// On an axis of at most shortAxis target chunks, every length of a template is tried; on a
// longer one, the lengths up to fewLengths and some others.
const (
	shortAxis  = 256
	fewLengths = 48
)

// templateLengths returns the lengths of templates to try, in target chunks, ascending: all of them
// on a short axis. On a long one they are the short lengths, the lengths that cut the axis into few
// equal parts, multiples of the lcm-block by powers of two, and fractions of it.
func (a axis) templateLengths() []int {
	n := a.targetChunks()
	lcmBlock := lcm(a.s, a.t) / a.t
	var all []int
	most := shortAxis
	if n > shortAxis {
		most = fewLengths
	}
	for m := 1; m <= min(n, most); m++ {
		all = append(all, m, (n+m-1)/m)
	}
	for m := lcmBlock; m < n; m *= 2 {
		all = append(all, m)
	}
	for k := 2; k < most && lcmBlock/k > most; k++ {
		all = append(all, min(n, lcmBlock/k))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// A candidateCache keeps the candidates of axes, which several problems of a plan share.
type candidateCache map[axis][]candidate

func (c candidateCache) of(a axis) []candidate {
	found, ok := c[a]
	if !ok {
		found = a.candidates()
		c[a] = found
	}
	return found
}

// A templateSearch finds the template that moves the fewest bytes within the memory: depth-first
// over the dimensions, by branch and bound. The lower bound on reads is the product of those of the
// chosen dimensions and the least ones of the others; that on memory is computed in the same way.
type templateSearch struct {
	problem *problem
	memory  int64
	options [][]candidate // of each dimension
	least   []profile     // of each dimension, the least of every field

	chosen []profile // of the dimensions chosen so far, the least ones of the rest
	chunks []int
	budget int // number of templates that may still be tried

	best       []int // nil while none is found
	bestReads  int64
	bestMemory int64
}

// searchBudget is the largest number of templates that a search tries. Only problems with many
// dimensions and many awkward chunks have more.
const searchBudget = 200_000

// bestTemplate returns the template with the fewest reads among those whose buffers fit the
// memory, in bytes, and of these the one with the smallest buffers. The result is exact up
// to the lengths that templateLengths leaves out, and up to searchBudget. It is false if no
// template fits. The paper's figure 2 is a descent that may end in a local minimum.
func (p *problem) bestTemplate(memory int64, known candidateCache) (choice, bool) {
	s := &templateSearch{problem: p, memory: memory, budget: searchBudget, bestReads: math.MaxInt64, bestMemory: math.MaxInt64}
	for _, a := range p.axes {
		options := known.of(a)
		s.options = append(s.options, options)
		s.least = append(s.least, least(options))
	}
	s.chosen = slices.Clone(s.least)
	s.chunks = make([]int, len(p.axes))
	s.try(0)
	return choice{s.best, make([]int, len(p.axes)), maxHalvings, 1, 1}, s.best != nil
}

// least returns a profile with the smallest value of every field.
func least(options []candidate) profile {
	p := options[0].profile
	for _, o := range options {
		p.sourceReads, p.template = min(p.sourceReads, o.sourceReads), min(p.template, o.template)
		p.written, p.read = min(p.written, o.written), min(p.read, o.read)
		p.unused, p.source = min(p.unused, o.unused), min(p.source, o.source)
	}
	return p
}

// try chooses for the dimensions from d on.
func (s *templateSearch) try(d int) {
	if s.budget--; s.budget < 0 && s.best != nil {
		return
	}
	reads := s.problem.cost(s.chosen).Reads
	if reads > s.bestReads {
		return
	}
	b := s.problem.buffers(s.chosen, maxHalvings)
	memory := b.bytes(1, 1)
	if memory > s.memory || reads == s.bestReads && memory >= s.bestMemory {
		return
	}
	if d == len(s.options) {
		s.best, s.bestReads, s.bestMemory = slices.Clone(s.chunks), reads, memory
		return
	}
	for _, o := range s.options[d] {
		s.chosen[d], s.chunks[d] = o.profile, o.chunks
		s.try(d + 1)
	}
	s.chosen[d] = s.least[d]
}
