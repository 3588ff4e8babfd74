package relayout

import (
	"context"
	"fmt"
	"time"

	"drx"
	"drx/nd"
	"drx/par"
)

// Source is what a copy reads, as drx.Array does it: any section, from any proc.
type Source interface {
	// ReadBytes fills buf with the elements of a section, dense in an order, little-endian.
	ReadBytes(sec nd.Section, buf []byte, order nd.Order) error
}

// Target is what a copy writes, as drx.Array does it. Every proc writes whole chunks of its
// own, each once.
type Target interface {
	// WriteBytes writes the elements in buf, laid out as for ReadBytes, to a section.
	WriteBytes(sec nd.Section, buf []byte, order nd.Order) error
}

// A ParallelSource is the source of a parallel copy, as one proc has it open.
type ParallelSource interface {
	Source
	Described
}

// A ParallelTarget is the target of a parallel copy, as one proc has it open: drxmp.Array is one.
// Every proc writes chunks that are its own, see ParallelPlan.Block, and sets and commits
// attributes, which all do together, in the same order: it is collective, in a group other
// than that of the copy. What is committed is what all have written. Goroutine procs may share a
// drx.Array: then each of them commits, to no harm.
type ParallelTarget interface {
	Target
	Described
	Committer
	FillValue() []byte // the fill value, as little-endian bytes
}

// ParallelOptions say how to copy by several procs.
type ParallelOptions struct {
	// Clip, Resume and Every are those of Options; the bytes are those that all procs move.
	Clip, Resume bool
	Every        int64
	// Progress, if not nil, is called on proc 0 before the first step and after each one, with
	// the bytes that all procs have moved and have to move, what was moved before an
	// interruption included.
	Progress func(done, total int64)
}

// CopyParallel copies by a plan and options that are the same on all procs: it is collective. What
// a proc has read, and converted to the type of the target, it puts where the target chunks grow,
// in a window at their owners; an owner writes while the next step is read, and so are commits made.
// There is one pass.
//
// The target has the attributes that Copy gives it: a copy that was interrupted goes on with Resume,
// by as many procs as ResumeParallel has a plan for, or with Copy, after the last step that was
// committed. When ctx is done on one proc, the copy ends on all.
//
// Stats are what all procs together have read and written, and the buffers of one. The error is
// the same on all procs: ctx's, the first of the arrays, par.ErrArgument where the plan is for
// another number of procs, or what par returns; or it wraps drx.ErrIncomplete when the target has
// a mark and Resume is not set, or the source has one; ErrMismatch where the plan is none for
// these arrays, or not that of the copy to be resumed; or drx.ErrDType.
func CopyParallel(ctx context.Context, c par.Comm, dst ParallelTarget, src ParallelSource, p *ParallelPlan, o ParallelOptions) (Stats, error) {
	t := &team{plan: p, comm: c, dst: dst, options: o, start: time.Now()}
	if o.Every == 0 {
		t.options.Every = DefaultEvery
	}
	t.stats.Plan = p.asPlan()
	err := c.Agree(fmt.Sprintf("copy of %v of %v in the order %v to %v of %v by %v in templates of %v and %d slots, resume %v, clip %v, every %d",
		p.source(), src.DType(), p.Order.Dims(len(p.Pass.Source.Lo)), p.Pass.Target, dst.DType(), p.Block, p.Pass.Template, p.Slots,
		o.Resume, o.Clip, o.Every), t.prepare(ctx, src))
	switch {
	case err != nil:
	case len(p.Pass.Template) > 0:
		err = t.carryOut(ctx)
	default:
		err = c.Agree("copy of nothing", t.mark.endNothing(dst))
	}
	t.stats.Elapsed = time.Since(t.start)
	if err != nil {
		return t.stats, fmt.Errorf("copy of %s to %s: %w", src.Name(), dst.Name(), err)
	}
	return t.stats, nil
}

// A team is a parallel copy at work, as one proc sees it.
type team struct {
	plan    *ParallelPlan
	comm    par.Comm
	dst     ParallelTarget
	options ParallelOptions
	mark    mark
	left    *leftover
	runner  runner
	flight  *flight
	stage   []byte
	window  par.Window

	writers par.Comm   // the group in which those who write call each other
	written chan error // the end of the writer at work

	moved, writing, since int64 // bytes, by all procs: those at work, and those since a commit
	stats                 Stats
	start                 time.Time
}

// prepare checks that the plan is one for these arrays.
func (t *team) prepare(ctx context.Context, src ParallelSource) error {
	p := t.plan
	if t.comm.Procs() != p.Procs {
		return fmt.Errorf("%d procs: %w: the plan is for %d", t.comm.Procs(), par.ErrArgument, p.Procs)
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if Incomplete(src) {
		return fmt.Errorf("the source: %w", drx.ErrIncomplete)
	}
	convert, err := newConverter(src.DType(), t.dst.DType(), t.options.Clip, t.dst.FillValue())
	if err != nil {
		return err
	}
	if err := p.checkArrays(t.dst, src); err != nil || len(p.Pass.Template) == 0 {
		return err
	}
	t.runner = runner{pass: &p.Pass, src: src, dst: t.dst, order: p.Order, convert: convert, count: &counter{}}
	t.mark = p.mark()
	if err := t.resume(); err != nil {
		return err
	}
	t.left = p.Pass.leftover(t.mark.done)
	t.stats.Skipped = t.left.skipped
	return nil
}

// resume takes over how far the copy is that was interrupted in the target.
func (t *team) resume() error {
	found, err := readMark(t.dst)
	if err != nil || found == nil {
		return err
	}
	if !t.options.Resume {
		return fmt.Errorf("the target: %w", drx.ErrIncomplete)
	}
	if err := t.plan.checkMark(found); err != nil {
		return err
	}
	t.mark = *found
	return nil
}

// carryOut opens what the procs share, and copies.
func (t *team) carryOut(ctx context.Context) (err error) {
	if t.writers, err = t.comm.Split(0, t.comm.Proc()); err != nil {
		return err
	}
	defer func() { err = first(err, t.writers.Close()) }()
	if t.window, err = t.comm.Window(t.plan.Slots * int(t.plan.slotBytes())); err != nil {
		return err
	}
	defer func() { err = first(err, t.window.Close()) }()
	t.stage = make([]byte, t.plan.stageBytes())
	t.stats.Peak = int64(len(t.stage) + len(t.window.Local()))
	if err := t.comm.Agree("begin of a copy", t.mark.begin(t.dst)); err != nil {
		return err
	}
	err = t.run(ctx)
	if e := t.total(); err == nil { // an error of all procs leaves them something to count
		err = e
	}
	if err != nil {
		return err
	}
	return t.comm.Agree("commit of a copy", t.mark.end(t.dst))
}

// first returns the first error. Both are the same on all procs, and after one the other says
// no more.
func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// run carries out all steps that are left.
func (t *team) run(ctx context.Context) (err error) {
	t.written = make(chan error, 1)
	t.written <- nil
	t.flight = newFlight(t.plan)
	t.tell(t.stats.Skipped.Bytes())
	begun, failed := t.mark.done, error(nil)
	t.flight.each(begun.Templates, func(m *move, after done) bool {
		if failed == nil {
			failed = t.fill(ctx, m)
		}
		if after.Templates == begun.Templates && after.Steps <= begun.Steps {
			t.tell(t.left.reads(m) * t.plan.Pass.problem.src)
			return true
		}
		err = t.step(m, after, failed)
		return err == nil
	})
	if err != nil {
		return err
	}
	if err = t.comm.Agree("end of a copy", <-t.written); err == nil {
		t.tell(t.writing)
	}
	return err
}

// step ends a step, in which this proc has read its share or failed, and begins to write what it
// completed.
func (t *team) step(m *move, after done, failed error) error {
	p := &t.plan.Pass
	if err := t.comm.Agree("step of a copy", first(failed, <-t.written)); err != nil {
		return err
	}
	if err := t.window.Fence(); err != nil {
		return err
	}
	bytes := p.chunksIn(m.read())*p.problem.src + t.writing
	t.tell(bytes)
	t.since += bytes
	t.writing = int64(len(t.flight.done)) * p.problem.dst
	commit := (after.Steps == 0 || t.since >= t.options.Every) && after.Templates < volume(p.templates()) // whose end is one
	if commit {
		t.mark.done, t.since = after, 0
	}
	chunks := t.mine(t.flight.done)
	go func() { t.written <- t.write(chunks, commit) }()
	return nil
}

// tell says that so many more bytes are moved.
func (t *team) tell(bytes int64) {
	t.moved += bytes
	if t.options.Progress != nil && t.comm.Proc() == 0 {
		t.options.Progress(t.moved, t.plan.Pass.Cost.Bytes())
	}
}

// total adds up what all procs counted.
func (t *team) total() error {
	c := t.runner.count.cost()
	sums := []int64{c.Reads, c.Writes, c.BytesRead, c.BytesWritten}
	err := par.AllReduce(t.comm, sums, par.Sum)
	t.stats.Cost = Cost{sums[0], sums[1], sums[2], sums[3]}
	return err
}
