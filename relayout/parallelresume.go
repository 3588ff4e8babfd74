package relayout

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"drx"
	"drx/nd"
	"drx/par"
)

func init() { // so that they are recognised in errors of other processes
	par.Register(ErrMismatch, ErrMemory, context.Canceled, context.DeadlineExceeded,
		drx.ErrIncomplete, drx.ErrDType, drx.ErrClosed, nd.ErrRank, nd.ErrBounds)
}

// ResumeParallel returns the plan by which so many procs, each with so many bytes of memory, go on
// with the copy that was interrupted in dst: with its templates and steps, and a box of their
// own. If none was, it is that of PlanParallel. It may have been begun by any number of procs, or
// by Copy in one pass. The error wraps ErrMismatch where that was another copy, or one of several
// passes; ErrMemory where the buffers take more; or what that of PlanParallel does.
func ResumeParallel(dst Described, src Grid, order nd.Order, memory int64, procs int) (*ParallelPlan, error) {
	into := GridOf(dst)
	m, err := readMark(dst)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return PlanParallel(src, into, order, memory, procs)
	}
	if err := checkGrids(src, into, order); err != nil {
		return nil, err
	}
	plan, err := m.plan(src, into, Options{Order: order, Memory: math.MaxInt64})
	if err != nil {
		return nil, err
	}
	if len(plan.Passes) != 1 {
		return nil, fmt.Errorf("%w: in %d passes, where several procs make one", ErrMismatch, len(plan.Passes))
	}
	return bestParallel(src, into, order, memory, procs, func(p *ParallelPlan, s *solver) bool {
		p.with(s, s.problem(s.src, s.dst), plan.Passes[0].choice)
		return p.Peak <= memory
	})
}

// mark returns the mark of a copy by the plan. It has the buffers that Copy needs to go on with it.
func (p *ParallelPlan) mark() mark {
	m := newMark(p.source(), p.asPlan())
	m.Passes[0].Works, m.Passes[0].Stages = 1, int(min(p.Pass.layout.stage, 1))
	return m
}

// source returns the grid of what is copied, in the order of the source's dimensions.
func (p *ParallelPlan) source() Grid {
	from := p.Pass.Source
	g := Grid{slices.Clone(from.Lo), slices.Clone(from.Hi), slices.Clone(from.Chunk), from.Elem}
	for d, e := range p.Order.Dims(len(from.Lo)) {
		g.Lo[e], g.Hi[e], g.Chunk[e] = from.Lo[d], from.Hi[d], from.Chunk[d]
	}
	return g
}

// checkArrays returns an error that wraps ErrMismatch unless the plan is one for these arrays.
func (p *ParallelPlan) checkArrays(dst, src Described) error {
	if g := GridOf(dst); !reflect.DeepEqual(g, p.Pass.Target) {
		return fmt.Errorf("target %v: %w: the plan is for %v", g, ErrMismatch, p.Pass.Target)
	}
	g, from := GridOf(src), p.source()
	within := slices.Equal(g.Chunk, from.Chunk) && g.Elem == from.Elem
	for d := range from.Lo {
		within = within && from.Lo[d] >= g.Lo[d] && from.Hi[d] <= g.Hi[d]
	}
	if !within {
		return fmt.Errorf("source %v: %w: the plan is for %v", g, ErrMismatch, from)
	}
	return nil
}

// checkMark returns an error that wraps ErrMismatch unless a mark is that of the plan, but for the
// buffers.
func (p *ParallelPlan) checkMark(m *mark) error {
	mine := p.mark()
	if len(m.Passes) != 1 || !reflect.DeepEqual(mine.Source, m.Source) || !slices.Equal(mine.Order, m.Order) {
		return fmt.Errorf("%w: of %v to %v in the order %v, in %d passes", ErrMismatch, m.Source.Lo, m.Source.Hi, m.Order, len(m.Passes))
	}
	was, is := m.Passes[0], mine.Passes[0]
	was.Works, was.Stages = is.Works, is.Stages
	if !reflect.DeepEqual(was, is) {
		return fmt.Errorf("%w: by templates of %v chunks and steps of %v elements", ErrMismatch, was.Blocks, was.AtLeast)
	}
	if m.Pass != 0 {
		return fmt.Errorf("attribute %s: pass %d of 1: %w", doneAttr, m.Pass, nd.ErrBounds)
	}
	return p.Pass.checkDone(m.done)
}
