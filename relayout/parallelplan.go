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
}

// PlanParallel plans a copy by so many procs, each with so many bytes of memory, from src,
// with its dimensions in the given order, to dst: section 5 of the paper. The memory of all
// is one, so templates are larger than those of NewPlan for one proc; every source chunk is
// read by one of them for each template. Elements keep their type. Of the load-balanced boxes
// of figure 7, and one of procs chunks in a row where there are none, it takes the one that
// moves the least bytes. There is one pass only: where memory is short, source chunks are
// read again. The error wraps nd.ErrRank, nd.ErrBounds or ErrMemory.
func PlanParallel(src, dst Grid, order nd.Order, memory int64, procs int) (*ParallelPlan, error) {
	if err := checkGrids(src, dst, order); err != nil {
		return nil, err
	}
	if procs < 1 || src.Elem != dst.Elem {
		return nil, fmt.Errorf("%d procs, elements of %d to %d bytes: %w: at least one, of the same bytes", procs, src.Elem, dst.Elem, nd.ErrBounds)
	}
	s := newSolver(src.permuted(order), dst, memory)
	if s.empty() {
		return &ParallelPlan{Order: order, Procs: procs}, nil
	}
	var best *ParallelPlan
	least := int64(0)
	for _, block := range balanced(procs, s.problem(s.src, s.dst)) {
		p := &ParallelPlan{Order: order, Procs: procs, Block: block}
		ok := p.plan(s)
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
			w.atLeast[d] = min(p.Block[d], a.blocks()) * a.t
		}
	}
	return w
}

// with takes a choice and finds out what it needs, at most one slot more than there can be.
func (p *ParallelPlan) with(s *solver, problem *problem, c choice) {
	p.Pass = newPass(s.src, s.dst, problem, c, 1, 1)
	stage := int64(problem.elem)
	for _, profile := range p.Pass.layout.profiles {
		stage = mul(stage, int64(profile.stage))
	}
	most := max(0, s.memory-stage) / p.slotBytes()
	f := newFlight(p)
	f.each(func(*move) bool { return int64(f.slots) <= most })
	p.Slots = f.slots
	p.Peak = add(stage, mul(int64(p.Slots), p.slotBytes()))
	p.Pass.Works, p.Pass.Stages, p.Pass.Peak = 0, 1, p.Peak
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
// belongs to.
func (p *ParallelPlan) chunkAt(x []int) (number, owner int) {
	for d, a := range p.Pass.problem.axes {
		i := (x[d] + a.to) / a.t
		number = number*a.blocks() + i
		owner = owner*p.Block[d] + i%p.Block[d]
	}
	return number, owner
}

// targetsOf cuts a box into its parts of target chunks.
func (p *Pass) targetsOf(b box) iter.Seq[box] {
	return b.cut(func(d, x int) int { return p.problem.axes[d].targetEnd(x) })
}

// A flight is the target chunks that have been begun, each in a slot of its owner. All procs
// keep the same one. A chunk that a step completes is written during the next step, so its
// slot is free for the one after that.
type flight struct {
	plan    *ParallelPlan
	slot    map[int]int // by chunk
	taken   [][]bool    // by owner and slot
	done    []box       // chunks that the last step completed
	writing []box       // and the one before
	slots   int         // the most that an owner had
}

func newFlight(p *ParallelPlan) *flight {
	return &flight{plan: p, slot: map[int]int{}, taken: make([][]bool, p.Procs)}
}

// each goes through the steps of all templates, until more returns false.
func (f *flight) each(more func(m *move) bool) {
	p := &f.plan.Pass
	count := p.templates()
	index, zero := make([]int, len(count)), make([]int, len(count))
	for next := true; next; next = nd.Next(index, zero, count) {
		s := p.sweep(index)
		for step := true; step; step = s.next() {
			m := s.bare()
			f.begin(m)
			if !more(m) {
				return
			}
		}
	}
}

// begin gives slots to the chunks that a step reads parts of.
func (f *flight) begin(m *move) {
	p := f.plan
	for _, chunk := range f.writing {
		number, owner := p.chunkAt(chunk.lo)
		f.taken[owner][f.slot[number]] = false
		delete(f.slot, number)
	}
	f.writing, f.done = f.done, nil
	for part := range p.Pass.targetsOf(m.read()) {
		number, owner := p.chunkAt(part.lo)
		if _, ok := f.slot[number]; !ok {
			f.slot[number] = f.take(owner)
		}
	}
	for chunk := range p.Pass.targetsOf(m.written()) {
		f.done = append(f.done, chunk)
	}
}

// place returns the owner of the chunk that holds an element, and where in its window it grows.
func (f *flight) place(x []int) (owner, offset int) {
	number, owner := f.plan.chunkAt(x)
	return owner, f.slot[number] * int(f.plan.slotBytes())
}

// take returns the first slot of an owner that is free.
func (f *flight) take(owner int) int {
	i := slices.Index(f.taken[owner], false)
	if i < 0 {
		i = len(f.taken[owner])
		f.taken[owner] = append(f.taken[owner], false)
	}
	f.taken[owner][i] = true
	f.slots = max(f.slots, i+1)
	return i
}
