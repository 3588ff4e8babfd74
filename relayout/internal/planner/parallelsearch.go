package planner

import (
	"fmt"
	"slices"

	"drx/internal/errkind"
	"drx/nd"
)

// NewParallelPlan plans a copy by procs procs, each with buffers of at most memory bytes: section 5
// of the paper. The memory of all procs counts as one, so templates are larger than NewPlan's for
// one proc; every source chunk is read by one of the procs for each template. Of the load-balanced
// max-blocks it chooses the one that moves the fewest bytes; if there are none, a row of procs
// chunks. There is one pass only: where memory is short, source chunks are read again. The error
// wraps nd.ErrBounds if there are no procs or ErrMemory, or is that of CheckGrids.
func NewParallelPlan(src, dst Grid, order nd.Order, memory int64, procs int) (*ParallelPlan, error) {
	s, err := newParallelSearch(src, dst, order, memory, procs)
	if err != nil {
		return nil, err
	}
	return s.best(s.fill)
}

// Resume returns the plan by which procs procs resume the copy of a saved plan, with its templates
// and steps. The error wraps ErrMismatch for another copy or one of several passes, or comes from
// NewParallelPlan.
func (s *SavedPlan) Resume(src, dst Grid, order nd.Order, memory int64, procs int) (*ParallelPlan, error) {
	search, err := newParallelSearch(src, dst, order, memory, procs)
	if err != nil {
		return nil, err
	}
	const anyMemory = 1<<63 - 1 // only the buffers of the procs are limited
	plan, err := s.Restore(src, dst, order, anyMemory)
	if err != nil {
		return nil, err
	}
	if len(plan.Passes) != 1 {
		return nil, fmt.Errorf("%w: in %d passes, where several procs make one", ErrMismatch, len(plan.Passes))
	}
	return search.best(func(p *ParallelPlan) bool {
		search.set(p, plan.Passes[0].choice)
		return p.PeakMemory <= memory
	})
}

// A parallelSearch finds the best parallel plan.
type parallelSearch struct {
	empty      ParallelPlan // the plan without boxes, templates and buffers
	src, dst   Grid         // in the order of the target's dimensions
	memory     int64        // of a proc
	candidates candidateCache
}

func newParallelSearch(src, dst Grid, order nd.Order, memory int64, procs int) (*parallelSearch, error) {
	if err := CheckGrids(src, dst, order); err != nil {
		return nil, err
	}
	if procs < 1 {
		return nil, errkind.Errorf(nd.ErrBounds, "%d procs: want at least one", procs)
	}
	s := &parallelSearch{src: src.permuted(order), dst: dst, memory: memory, candidates: candidateCache{}}
	s.empty = ParallelPlan{Source: src, Order: order, Procs: procs, Memory: memory, Pass: Pass{Source: s.src, Target: dst}}
	return s, nil
}

// best returns the cheapest of the plans for the boxes to try. Fill completes the plan for a box
// and reports whether its buffers fit the memory.
func (s *parallelSearch) best(fill func(p *ParallelPlan) bool) (*ParallelPlan, error) {
	if s.dst.empty() {
		return &s.empty, nil
	}
	var best *ParallelPlan
	least := int64(0)
	for _, block := range s.blocks() {
		p := s.empty
		p.Block = block
		ok := fill(&p)
		if ok && (best == nil || p.Pass.Cost.compare(best.Pass.Cost) < 0) {
			best = &p
		}
		if !ok && (least == 0 || p.PeakMemory < least) {
			least = p.PeakMemory
		}
	}
	if best == nil {
		return nil, fmt.Errorf("memory of %d bytes: %w: the buffers of a proc take %d", s.memory, ErrMemory, least)
	}
	return best, nil
}

// blocks returns the boxes to try.
func (s *parallelSearch) blocks() [][]int {
	var grid []int
	for _, a := range newProblem(s.src, s.dst).axes {
		grid = append(grid, a.targetChunks())
	}
	if found := maxBlocks(s.empty.Procs, grid); len(found) > 0 {
		return found
	}
	row := slices.Repeat([]int{1}, len(grid))
	row[slices.Index(grid, slices.Max(grid))] = s.empty.Procs
	return [][]int{row}
}

// fill completes a plan with the template that causes the fewest reads among those whose buffers
// fit, and reports whether there is one. Otherwise PeakMemory is the memory of the smallest
// template. The memory of all procs is an upper bound for a template, because the procs' buffers
// may be filled unevenly; fill lowers it until the buffers fit.
func (s *parallelSearch) fill(p *ParallelPlan) bool {
	problem := newProblem(s.src, s.dst)
	for memory := Mul(s.memory, int64(s.empty.Procs)); ; memory -= memory / 4 {
		c, ok := problem.bestTemplate(memory, s.candidates)
		if !ok {
			c = choice{chunks: slices.Clone(p.Block)}
		}
		s.set(p, p.wholeBlocks(problem, c))
		if p.PeakMemory <= s.memory || !ok {
			return p.PeakMemory <= s.memory
		}
	}
}

// wholeBlocks returns the choice with templates and steps that are multiples of the box, and
// without halving source chunks.
func (p *ParallelPlan) wholeBlocks(problem *problem, c choice) choice {
	w := choice{chunks: make([]int, len(c.chunks)), minWritten: make([]int, len(c.chunks))}
	for d, a := range problem.axes {
		w.chunks[d] = min(a.targetChunks(), nd.CeilDiv(c.chunks[d], p.Block[d])*p.Block[d])
		if p.Block[d] > 1 {
			w.minWritten[d] = min(p.Block[d]*a.t, a.n)
		}
	}
	return w
}

// set sets the choice of a plan and the buffers that it needs. To count the buffers it simulates
// the steps, and stops once there are more buffers than fit into the memory.
func (s *parallelSearch) set(p *ParallelPlan, c choice) {
	c.works, c.stagings = 1, 1
	p.Pass = newPass(s.src, s.dst, c)
	staging := p.StagingBytes()
	most := max(0, s.memory-staging) / p.ChunkBufferBytes()
	f := p.NewInFlight()
	for step := range p.Pass.Steps(0) {
		f.Begin(step)
		if int64(f.buffers) > most {
			break
		}
	}
	p.ChunkBuffers = f.buffers
	p.PeakMemory = add(staging, Mul(int64(p.ChunkBuffers), p.ChunkBufferBytes()))
	p.Pass.WorkBuffers, p.Pass.StagingBuffers, p.Pass.PeakMemory = 0, 1, p.PeakMemory
}
