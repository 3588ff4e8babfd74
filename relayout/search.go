package relayout

import (
	"math"
	"slices"
)

// A candidate is a template extent worth trying along one axis.
type candidate struct {
	blocks int
	profile
}

// beats says that c is nowhere worse than o.
func (c candidate) beats(o candidate) bool {
	return c.reads <= o.reads && c.templ <= o.templ && c.block <= o.block &&
		c.fresh <= o.fresh && c.unused <= o.unused && c.stage <= o.stage
}

// candidates returns the templates of one axis that no other beats, those that read least
// first. Memory grows with every quantity that beats compares, so the best template of a
// problem is made of candidates.
func (a axis) candidates() []candidate {
	var all []candidate
	for _, m := range a.lengths() {
		c := candidate{m, a.profile(m, 0)}
		if slices.ContainsFunc(all, func(o candidate) bool { return o.beats(c) }) {
			continue
		}
		all = append(slices.DeleteFunc(all, c.beats), c)
	}
	slices.SortFunc(all, func(c, o candidate) int { return c.reads - o.reads })
	return all
}

// Every length of a template is tried on an axis of so many target chunks, and so many on a
// longer one.
const (
	everyLength = 256
	someLengths = 48
)

// lengths returns the lengths of templates to look at, ascending: all of them on a short
// axis; on a long one the short lengths, whole numbers of lcm-blocks and what divides the
// axis evenly.
func (a axis) lengths() []int {
	n := a.blocks()
	period := lcm(a.s, a.t) / a.t
	var all []int
	most := everyLength
	if n > everyLength {
		most = someLengths
	}
	for m := 1; m <= min(n, most); m++ {
		all = append(all, m, (n+m-1)/m)
	}
	for m := period; m < n; m *= 2 {
		all = append(all, m)
	}
	for k := 2; k < most && period/k > most; k++ {
		all = append(all, min(n, period/k))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// A hunt looks for the template that moves the least bytes within the memory, by depth
// first over the dimensions with bounds: the reads of what is chosen times the least of the
// rest, and the memory of what is chosen with the least of the rest.
type hunt struct {
	problem *problem
	memory  int64
	options [][]candidate
	least   []profile // of each axis, component by component

	chosen []profile
	blocks []int
	budget int

	best       []int
	reads, mem int64
}

// mostHalved is how often a source chunk is halved at most, if the memory does not allow for
// a buffer of a whole one: the parts are read one after the other, so that the source array,
// which keeps a chunk in memory, reads it once.
const mostHalved = 3

// huntBudget is how many templates a hunt looks at, at most: more than there are in all
// problems but those of many dimensions with many awkward chunks.
const huntBudget = 200_000

// best returns the template that reads least within a bound on memory in bytes, and among
// equals needs the least memory. It is exact up to the lengths that lengths leaves out and
// huntBudget.
func (p *problem) best(memory int64) (choice, bool) {
	h := &hunt{problem: p, memory: memory, budget: huntBudget, reads: math.MaxInt64, mem: math.MaxInt64}
	for _, a := range p.axes {
		options, ok := p.known[a]
		if !ok {
			options = a.candidates()
			p.known[a] = options
		}
		h.options = append(h.options, options)
		h.least = append(h.least, least(options))
	}
	h.chosen = slices.Clone(h.least)
	h.blocks = make([]int, len(p.axes))
	h.try(0)
	return choice{h.best, make([]int, len(p.axes)), mostHalved}, h.best != nil
}

// least returns the smallest of every component.
func least(options []candidate) profile {
	p := options[0].profile
	for _, o := range options {
		p.reads = min(p.reads, o.reads)
		p.templ, p.block, p.fresh = min(p.templ, o.templ), min(p.block, o.block), min(p.fresh, o.fresh)
		p.unused, p.stage = min(p.unused, o.unused), min(p.stage, o.stage)
	}
	return p
}

// try chooses for the dimensions from d on.
func (h *hunt) try(d int) {
	if h.budget--; h.budget < 0 && h.best != nil {
		return
	}
	reads := h.problem.cost(h.chosen).Reads
	if reads > h.reads {
		return
	}
	l := h.problem.layout(h.chosen, mostHalved)
	mem := l.bytes(1, 1)
	if mem > h.memory || reads == h.reads && mem >= h.mem {
		return
	}
	if d == len(h.options) {
		h.best, h.reads, h.mem = slices.Clone(h.blocks), reads, mem
		return
	}
	for _, o := range h.options[d] {
		h.chosen[d], h.blocks[d] = o.profile, o.blocks
		h.try(d + 1)
	}
	h.chosen[d] = h.least[d]
}
