package relayout

import (
	"fmt"
	"reflect"
	"slices"

	"drx/internal/errkind"
	"drx/nd"
	"drx/relayout/internal/planner"
)

// A ParallelPlan says how several procs copy one grid to another in one pass. In every step they
// complete a box of target chunks, at least one chunk for each proc. A plan is made by
// NewParallelPlan or ResumeParallelPlan; changing the fields of one does not change the plan.
type ParallelPlan struct {
	Order      nd.Order // dimension d of the target is dimension Order[d] of the source
	Procs      int
	Pass       Pass  // without a template if there are no elements
	Block      []int // extents of the box, in target chunks; see ParallelTarget for the owners
	PeakMemory int64 // bytes of all buffers of a proc

	plan *planner.ParallelPlan
}

// NewParallelPlan plans the copy of src to dst, as NewPlan does, by procs procs, each with buffers
// of at most memory bytes. The memory of all procs counts as one, so templates are larger than
// NewPlan's with the memory of one; every source chunk is read by one of the procs for each
// template. There is one pass only: where memory is short, source chunks are read again. The error
// wraps nd.ErrRank, nd.ErrBounds, nd.ErrOverflow or ErrMemory.
func NewParallelPlan(src, dst Grid, order nd.Order, memory int64, procs int) (*ParallelPlan, error) {
	return describeParallel(planner.NewParallelPlan(planner.Grid(src), planner.Grid(dst), order, memory, procs))
}

// ResumeParallelPlan returns the plan by which procs procs resume the copy that was interrupted in
// dst, each with buffers of at most memory bytes. Without an interrupted copy it is
// NewParallelPlan. The copy may have been begun by any number of procs, or by Copy in one pass. The
// error wraps ErrMismatch if that was another copy or one in several passes, ErrMemory if the
// buffers take more, or is that of NewParallelPlan.
func ResumeParallelPlan(dst ArrayInfo, src Grid, order nd.Order, memory int64, procs int) (*ParallelPlan, error) {
	found, err := readCheckpoint(dst)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return NewParallelPlan(src, GridOf(dst), order, memory, procs)
	}
	p, err := found.Resume(planner.Grid(src), planner.Grid(GridOf(dst)), order, memory, procs)
	return describeParallel(p, invalidCheckpoint(err))
}

// describeParallel returns a plan with its public description.
func describeParallel(p *planner.ParallelPlan, err error) (*ParallelPlan, error) {
	if err != nil {
		return nil, err
	}
	return &ParallelPlan{p.Order, p.Procs, describePass(&p.Pass), p.Block, p.PeakMemory, p}, nil
}

// checkArrays returns an error that wraps ErrMismatch unless the plan is one for these arrays.
func checkArrays(p *planner.ParallelPlan, dst, src ArrayInfo) error {
	if g := GridOf(dst); !reflect.DeepEqual(planner.Grid(g), p.Pass.Target) {
		return fmt.Errorf("target %v: %w: the plan is for %v", g, ErrMismatch, p.Pass.Target)
	}
	g, from := GridOf(src), p.Source
	within := src.Bounds().Contains(nd.Box(from.Lo, from.Hi))
	if !within || !slices.Equal(g.ChunkShape, from.ChunkShape) || g.ElemSize != from.ElemSize {
		return fmt.Errorf("source %v: %w: the plan is for %v", g, ErrMismatch, from)
	}
	return nil
}

// checkResumed returns an error that wraps ErrMismatch unless a checkpoint is that of the plan,
// regardless of the numbers of buffers.
func checkResumed(p *planner.ParallelPlan, c *checkpoint) error {
	mine := p.Saved()
	if len(c.Passes) != 1 || !reflect.DeepEqual(mine.Source, c.Source) || !slices.Equal(mine.Order, c.Order) {
		return fmt.Errorf("%w: of %v to %v in the order %v, in %d passes", ErrMismatch, c.Source.Lo, c.Source.Hi, c.Order, len(c.Passes))
	}
	theirs, ours := c.Passes[0], mine.Passes[0]
	theirs.WorkBuffers, theirs.StagingBuffers = ours.WorkBuffers, ours.StagingBuffers
	if !reflect.DeepEqual(theirs, ours) {
		return fmt.Errorf("%w: by templates of %v chunks and steps of %v elements", ErrMismatch, theirs.TemplateChunks, theirs.MinWritten)
	}
	if c.Pass != 0 {
		return errkind.Errorf(nd.ErrBounds, "attribute %s: pass %d: there is one, number 0", progressAttr, c.Pass)
	}
	if err := p.Pass.CheckPosition(c.Position); err != nil {
		return fmt.Errorf("attribute %s: %w", progressAttr, err)
	}
	return nil
}
