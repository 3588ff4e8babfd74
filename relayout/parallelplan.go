package relayout

import (
	"fmt"
	"iter"
	"slices"

	"drx/nd"
)

// A ParallelPlan says how several procs copy one grid to another in one pass: in every step
// they complete a box of at least one target chunk each.
type ParallelPlan struct {
	Order nd.Order
	Procs int
	Pass  Pass
	Block []int // extents of the box, in target chunks; those in it belong to different procs
	Slots int   // buffers of a target chunk that a proc has
	Peak  int64 // bytes of all buffers of a proc

	memory int64
}

// asPlan returns the plan as one for several passes.
func (p *ParallelPlan) asPlan() *Plan {
	plan := &Plan{Order: p.Order, Memory: p.memory}
	if len(p.Pass.Template) > 0 {
		plan.Passes = []Pass{p.Pass}
	}
	return plan
}

// PlanParallel plans a copy by so many procs, each with so many bytes of memory, from src,
// with its dimensions in the given order, to dst: section 5 of the paper. The memory of all
// is one, so templates are larger than those of NewPlan for one proc; every source chunk is
// read by one of them for each template. The size of elements may change. Of the load-balanced
// boxes of figure 7, and one of procs chunks in a row where there are none, it takes the one that
// moves the least bytes. There is one pass only: where memory is short, source chunks are
// read again. The error wraps nd.ErrRank, nd.ErrBounds, nd.ErrOverflow or ErrMemory.
func PlanParallel(src, dst Grid, order nd.Order, memory int64, procs int) (*ParallelPlan, error) {
	if err := checkGrids(src, dst, order); err != nil {
		return nil, err
	}
	return bestParallel(src, dst, order, memory, procs, (*ParallelPlan).plan)
}

// bestParallel returns the cheapest of the plans that fill makes for boxes, if their buffers fit.
func bestParallel(src, dst Grid, order nd.Order, memory int64, procs int, fill func(p *ParallelPlan, s *solver) bool) (*ParallelPlan, error) {
	if procs < 1 {
		return nil, fmt.Errorf("%d procs: %w: at least one", procs, nd.ErrBounds)
	}
	s := newSolver(src.permuted(order), dst, memory)
	if s.empty() {
		return &ParallelPlan{Order: order, Procs: procs, Pass: Pass{Source: s.src, Target: s.dst}, memory: memory}, nil
	}
	var best *ParallelPlan
	least := int64(0)
	for _, block := range balanced(procs, s.problem(s.src, s.dst)) {
		p := &ParallelPlan{Order: order, Procs: procs, Block: block, memory: memory}
		ok := fill(p, s)
		if ok && (best == nil || p.Pass.Cost.compare(best.Pass.Cost) < 0) {
			best = p
		}
		if !ok && (least == 0 || p.Peak < least) {
			least = p.Peak
		}
	}
	if best == nil {
		return nil, fmt.Errorf("memory of %d bytes: %w: the buffers of a proc take %d", memory, ErrMemory, least)
	}
	return best, nil
}

// balanced returns the boxes to try.
func balanced(procs int, p *problem) [][]int {
	var grid []int
	for _, a := range p.axes {
		grid = append(grid, a.blocks())
	}
	if found := MaxBlocks(procs, grid); len(found) > 0 {
		return found
	}
	row := slices.Repeat([]int{1}, len(grid))
	row[slices.Index(grid, slices.Max(grid))] = procs
	return [][]int{row}
}

// plan looks for the template that reads least of those whose buffers fit, and reports
// whether there is one. If not, Peak is what the smallest takes.
func (p *ParallelPlan) plan(s *solver) bool {
	problem := s.problem(s.src, s.dst)
	for memory := mul(s.memory, int64(p.Procs)); ; memory -= memory / 4 {
		c, ok := problem.best(memory)
		if !ok {
			c = choice{blocks: slices.Clone(p.Block)}
		}
		p.with(s, problem, p.whole(problem, c))
		if p.Peak <= s.memory || !ok {
			return p.Peak <= s.memory
		}
	}
}

// whole returns the choice with templates and steps of whole boxes, and no parts of source
// chunks.
func (p *ParallelPlan) whole(problem *problem, c choice) choice {
	w := choice{blocks: make([]int, len(c.blocks)), atLeast: make([]int, len(c.blocks))}
	for d, a := range problem.axes {
		w.blocks[d] = min(a.blocks(), nd.CeilDiv(c.blocks[d], p.Block[d])*p.Block[d])
		if p.Block[d] > 1 {
			w.atLeast[d] = min(p.Block[d]*a.t, a.n)
		}
	}
	return w
}

// with takes a choice and finds out what it needs, at most one slot more than there can be.
func (p *ParallelPlan) with(s *solver, problem *problem, c choice) {
	p.Pass = newPass(s.src, s.dst, problem, c, 1, 1)
	stage := p.stageBytes()
	most := max(0, s.memory-stage) / p.slotBytes()
	f := newFlight(p)
	f.each(0, func(*move, done) bool { return int64(f.slots) <= most })
	p.Slots = f.slots
	p.Peak = add(stage, mul(int64(p.Slots), p.slotBytes()))
	p.Pass.Works, p.Pass.Stages, p.Pass.Peak = 0, 1, p.Peak
}

// stageBytes returns the bytes that the largest part of a source chunk takes before or after it is
// converted.
func (p *ParallelPlan) stageBytes() int64 {
	n := int64(max(p.Pass.problem.elem, p.Pass.problem.from))
	for _, profile := range p.Pass.layout.profiles {
		n = mul(n, int64(profile.stage))
	}
	return n
}

// slotBytes returns the bytes of the largest part of a target chunk within the bounds.
func (p *ParallelPlan) slotBytes() int64 {
	n := int64(p.Pass.problem.elem)
	for _, a := range p.Pass.problem.axes {
		n = mul(n, int64(min(a.t, a.n)))
	}
	return n
}

// chunkAt returns the number of the target chunk that holds an element, and the proc that it
// belongs to: along each dimension, chunks are dealt by their index in the target.
func (p *ParallelPlan) chunkAt(x []int) (number, owner int) {
	for d, a := range p.Pass.problem.axes {
		index := nd.FloorDiv(p.Pass.Target.Lo[d]+x[d], a.t)
		owner = owner*p.Block[d] + index - nd.FloorDiv(index, p.Block[d])*p.Block[d]
	}
	return p.Pass.numberOf(x), owner
}

// sourcesOf cuts a box into its parts of source chunks.
func (p *Pass) sourcesOf(b box) iter.Seq[box] {
	return b.cut(func(d, x int) int { return p.problem.axes[d].sourceEnd(x) })
}

// targetsOf cuts a box into its parts of target chunks.
func (p *Pass) targetsOf(b box) iter.Seq[box] {
	return b.cut(func(d, x int) int { return p.problem.axes[d].targetEnd(x) })
}
