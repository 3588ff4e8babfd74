package relayout

import (
	"context"
	"fmt"
	"time"

	"drx"
	"drx/dataset/meaning"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
	"drx/parallel/par"
	"drx/relayout/internal/exec"
	"drx/relayout/internal/planner"
)

func init() { // so that errors.Is knows them in errors of other processes
	par.Register(ErrMismatch, ErrMemory, context.Canceled, context.DeadlineExceeded,
		drx.ErrIncomplete, drx.ErrDType, drx.ErrClosed, nd.ErrRank, nd.ErrBounds)
}

// A ParallelSource is one proc's view of the source of a parallel copy: a drx.Array or a
// drxmp.Array. Every proc reads any section.
type ParallelSource interface {
	ArrayInfo
	// ReadBytes fills buf with the elements of a section, dense in an order, little-endian.
	ReadBytes(sec nd.Section, buf []byte, order nd.Order) error
}

// A ParallelTarget is the target of a parallel copy, as one proc has it open: a drxmp.Array, or a
// drx.Array that goroutine procs share. Every proc writes only target chunks that belong to it,
// each as a whole and once. Along dimension d, the chunk with index i belongs to coordinate i mod
// ParallelPlan.Block[d] of a row-major grid of procs of shape ParallelPlan.Block.
//
// All procs set and commit attributes together, in the same order, in a group other than that of
// the copy; a commit covers the writes of all procs. If procs share a drx.Array, each of them
// commits it, which does no harm.
type ParallelTarget interface {
	ArrayInfo
	FillValue() []byte // the fill value, little-endian
	// WriteBytes writes the elements in buf, laid out as for ReadBytes, to a section.
	WriteBytes(sec nd.Section, buf []byte, order nd.Order) error
	SetAttr(name string, value any) error // sets an attribute to the JSON of a value
	DeleteAttr(name string) error         // removes an attribute
	Sync() error                          // commits
}

// ParallelOptions control a copy by several procs. They are the same on all procs.
type ParallelOptions struct {
	// Clip, Resume and CommitBytes are as in Options. CommitBytes counts the bytes that all procs
	// move.
	Clip, Resume bool
	CommitBytes  int64
	// Rounding is as in Options.
	Rounding meaning.Rounding
	// Progress, if not nil, is called on proc 0 before the first step and after each one, with
	// the bytes that all procs have moved and have to move, including what was moved before an
	// interruption.
	Progress func(done, total int64)
}

// CopyParallel copies by a plan and options that are the same on all procs. It is collective. Every
// proc reads its share of the source chunks, converts their elements to the type of the target, and
// copies them into the target chunks, which are in windows of the procs that own them. The owners
// write, and all procs commit, while the next step is read.
//
// The target has the attributes that Copy gives it. An interrupted copy can be resumed by any
// number of procs for which ResumeParallelPlan has a plan, or by Copy. When ctx is done on one
// proc, the copy ends on all.
//
// Stats count the reads and writes of all procs together, and the buffers of one. The error is the
// same on all procs: the cause of the end of ctx, the first error of the arrays, one of package
// par, or it wraps one of these: par.ErrArgument if the plan is for another number of procs;
// drx.ErrIncomplete if the source is incomplete, or if the target is and Resume is not set;
// ErrMismatch if the plan is for other arrays, or not for the copy to be resumed; drx.ErrDType.
func CopyParallel(ctx context.Context, c par.Comm, dst ParallelTarget, src ParallelSource, p *ParallelPlan, o ParallelOptions) (Stats, error) {
	start := time.Now()
	if p.plan == nil {
		return Stats{}, fmt.Errorf("%w: a plan that NewParallelPlan did not make", par.ErrArgument)
	}
	if o.CommitBytes == 0 {
		o.CommitBytes = DefaultCommitBytes
	}
	j := &parallelJob{plan: p.plan, comm: c, dst: dst, src: src, options: o}
	err := c.Agree(j.describe(), j.prepare(ctx))
	switch {
	case err != nil:
	case p.plan.IsEmpty():
		err = c.Agree("copy of nothing", j.checkpoint.endEmpty(dst))
	default:
		err = j.run(ctx)
	}
	j.stats.Plan, j.stats.Elapsed = describe(p.plan.Plan()), time.Since(start)
	if err != nil {
		return j.stats, errkind.Doing(src.Name(), "copy to "+dst.Name(), err)
	}
	return j.stats, nil
}

// A parallelJob is one proc's view of one call of CopyParallel.
type parallelJob struct {
	plan       *planner.ParallelPlan
	comm       par.Comm
	dst        ParallelTarget
	src        ParallelSource
	options    ParallelOptions
	checkpoint checkpoint
	runner     exec.ParallelRunner
	moved      int64 // bytes, by all procs, including what was moved before an interruption
	stats      Stats
}

// describe returns a text of everything that must be the same on all procs.
func (j *parallelJob) describe() string {
	p, o := j.plan, j.options
	from := p.Source
	return fmt.Sprintf("copy of %v of %v in the order %v to %v of %v by %v in templates of %v and %d buffers, resume %v, clip %v, rounding %v, commits every %d bytes",
		from, j.src.DType(), p.Order.Dims(len(from.Lo)), p.Pass.Target, j.dst.DType(), p.Block, p.Pass.Template, p.ChunkBuffers,
		o.Resume, o.Clip, o.Rounding, o.CommitBytes)
}

// prepare checks that the plan fits the arrays and creates the runner.
func (j *parallelJob) prepare(ctx context.Context) error {
	p := j.plan
	if j.comm.Procs() != p.Procs {
		return errkind.Errorf(par.ErrArgument, "%d procs: the plan is for %d", j.comm.Procs(), p.Procs)
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if Incomplete(j.src) {
		return fmt.Errorf("the source: %w", &drx.IncompleteError{Name: j.src.Name()})
	}
	convert, err := dtype.NewConverter(j.src.DType(), j.dst.DType(), j.options.Clip, j.dst.FillValue())
	if err != nil {
		return err
	}
	round, err := roundingOf(j.dst, j.options.Rounding)
	if err != nil {
		return err
	}
	if err := checkArrays(p, j.dst, j.src); err != nil || p.IsEmpty() {
		return err
	}
	if err := j.resume(); err != nil {
		return err
	}
	j.runner = exec.ParallelRunner{
		Arrays: exec.Arrays{Pass: &p.Pass, Source: j.src, Target: j.dst, Order: p.Order, Convert: convert, Round: round},
		Plan:   p, Comm: j.comm, Progress: p.Pass.ProgressAt(j.checkpoint.Position),
		CommitBytes: j.options.CommitBytes, Commit: j.commit, Moved: j.addMoved,
	}
	j.stats.Skipped = Cost(j.runner.Progress.Skipped)
	return nil
}

// resume sets the checkpoint: the one that an interrupted copy has left in the target, or a new
// one.
func (j *parallelJob) resume() error {
	j.checkpoint.SavedPlan, j.checkpoint.Rounding = j.plan.Saved(), nameOf(j.options.Rounding)
	found, err := checkpointToResume(j.dst, j.options.Resume)
	if err != nil || found == nil {
		return err
	}
	if err := found.checkRounding(j.options.Rounding); err != nil {
		return err
	}
	if err := checkResumed(j.plan, found); err != nil {
		return err
	}
	j.checkpoint = *found
	return nil
}

// run opens the shared buffers of the procs and copies.
func (j *parallelJob) run(ctx context.Context) (err error) {
	r := &j.runner
	if err := r.Open(); err != nil {
		return err
	}
	defer func() {
		if e := r.Close(); err == nil { // the same on all procs
			err = e
		}
	}()
	j.stats.PeakMemory = r.Peak
	err = setRounding(j.dst, j.options.Rounding)
	if err == nil {
		err = j.checkpoint.begin(j.dst)
	}
	if err := j.comm.Agree("begin of a copy", err); err != nil {
		return err
	}
	j.addMoved(j.stats.Skipped.Bytes())
	err = r.Run(ctx)
	cost, e := r.TotalCost() // also after an error, which all procs have
	j.stats.Cost = Cost(cost)
	if err != nil {
		return err
	}
	if e != nil {
		return e
	}
	return j.comm.Agree("commit of a copy", j.checkpoint.end(j.dst))
}

// commit commits that the steps up to a position are written.
func (j *parallelJob) commit(after planner.Position) error {
	j.checkpoint.Templates, j.checkpoint.Steps = after.Templates, after.Steps
	return j.checkpoint.commit(j.dst)
}

// addMoved reports that bytes more were moved.
func (j *parallelJob) addMoved(bytes int64) {
	j.moved += bytes
	if j.options.Progress != nil && j.comm.Proc() == 0 {
		j.options.Progress(j.moved, j.plan.Pass.Cost.Bytes())
	}
}
