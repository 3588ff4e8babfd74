package relayout

import (
	"context"
	"errors"
	"fmt"

	"drx"
	"drx/dtype"
	"drx/relayout/internal/exec"
	"drx/relayout/internal/planner"
)

// A copyJob is one call of Copy.
type copyJob struct {
	src, dst   *drx.Array
	options    Options
	convert    *dtype.Converter
	round      func(elements []byte) error // nil for no rounding
	plan       *planner.Plan               // nil if the copy was refused
	checkpoint checkpoint
	schedule   commitSchedule

	runner        *exec.Runner // of the present pass
	cost, skipped planner.Cost // of the previous passes
	peak          int64
}

// newCopyJob checks the arguments and makes the plan, or restores the plan of the copy to resume.
func newCopyJob(dst, src *drx.Array, o Options) (*copyJob, error) {
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	if o.CommitBytes == 0 {
		o.CommitBytes = DefaultCommitBytes
	}
	j := &copyJob{src: src, dst: dst, options: o, schedule: commitSchedule{bytes: o.CommitBytes, interval: o.CommitInterval}}
	if Incomplete(src) {
		return j, fmt.Errorf("the source: %w", &drx.IncompleteError{Name: src.Name()})
	}
	var err error
	if j.convert, err = dtype.NewConverter(src.DType(), dst.DType(), o.Clip, dst.FillValue()); err != nil {
		return j, err
	}
	if j.round, err = roundingOf(dst, o.Rounding); err != nil {
		return j, err
	}
	from, err := GridOfSection(src, o.Section)
	if err != nil {
		return j, err
	}
	return j, j.prepare(planner.Grid(from), planner.Grid(GridOf(dst)))
}

// prepare sets the plan and the checkpoint.
func (j *copyJob) prepare(from, to planner.Grid) error {
	if err := planner.CheckGrids(from, to, j.options.Order); err != nil {
		return err
	}
	found, err := checkpointToResume(j.dst, j.options.Resume)
	if err != nil {
		return err
	}
	if found != nil {
		err = found.checkRounding(j.options.Rounding)
	}
	if err != nil {
		return err
	}
	if found == nil {
		if j.plan, err = planner.NewPlan(from, to, j.options.Order, j.options.Memory); err == nil {
			j.checkpoint.SavedPlan = j.plan.Saved(from)
			j.checkpoint.Rounding = nameOf(j.options.Rounding)
			j.checkpoint.Stored, err = j.storesAlike(from, to)
		}
		return err
	}
	j.checkpoint = *found
	j.plan, err = found.restore(from, to, j.options.Order, j.options.Memory)
	return err
}

// stats returns the statistics of the job so far.
func (j *copyJob) stats() Stats {
	s := Stats{Cost: Cost(j.cost), Skipped: Cost(j.skipped), PeakMemory: j.peak}
	if j.plan != nil {
		s.Plan = describe(j.plan)
	}
	return s
}

// run carries out the passes that remain.
func (j *copyJob) run(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if len(j.plan.Passes) == 0 {
		return j.checkpoint.endEmpty(j.dst)
	}
	if err := j.begin(); err != nil {
		return err
	}
	if err := j.copyAll(ctx); err != nil {
		if ctx.Err() == nil { // Resume needs the temporary arrays of an interrupted copy
			err = errors.Join(err, j.checkpoint.removeTemp())
		}
		return err
	}
	// The temporary arrays go first: without the checkpoint nothing would refer to them.
	if err := j.checkpoint.removeTemp(); err != nil {
		return err
	}
	return j.checkpoint.end(j.dst)
}

// begin commits the checkpoint before anything is written, then makes the folder that it names.
func (j *copyJob) begin() error {
	if err := j.checkpoint.nameTemp(j.options.TempDir, j.dst.Name(), len(j.plan.Passes)); err != nil {
		return err
	}
	if err := setRounding(j.dst, j.options.Rounding); err != nil {
		return err
	}
	if err := j.checkpoint.begin(j.dst); err != nil || j.checkpoint.Pass == len(j.plan.Passes) {
		return err
	}
	j.schedule.committed()
	return j.checkpoint.makeTemp()
}

// commit commits the target and the checkpoint.
func (j *copyJob) commit() error {
	err := j.checkpoint.commit(j.dst)
	j.schedule.committed()
	return err
}

// copyAll copies chunks in their stored form, or carries out the passes.
func (j *copyJob) copyAll(ctx context.Context) error {
	if j.checkpoint.Stored {
		return j.copyStored(ctx)
	}
	return j.passes(ctx)
}

// passes carries out the passes that remain. It removes a temporary array when the pass after the
// one that reads it begins.
func (j *copyJob) passes(ctx context.Context) error {
	at, n := &j.checkpoint.Position, len(j.plan.Passes)
	for _, p := range j.plan.Passes[:at.Pass] {
		j.skipped = j.skipped.Plus(p.Cost)
	}
	for ; at.Pass < n; at.Pass++ {
		if at.Pass > 0 {
			if err := j.commit(); err != nil {
				return err
			}
		}
		if at.Pass > 1 {
			if err := j.checkpoint.removeArray(at.Pass - 2); err != nil {
				return err
			}
		}
		if err := j.pass(ctx, at.Pass); err != nil {
			return err
		}
	}
	if n == 1 {
		return nil // the commit that ends the copy is enough
	}
	return j.commit()
}

// pass carries out pass i, from where it was interrupted.
func (j *copyJob) pass(ctx context.Context, i int) (err error) {
	r := &exec.Runner{Arrays: exec.Arrays{Pass: &j.plan.Passes[i], Order: j.plan.Order}}
	from, to := j.src, j.dst
	if i > 0 {
		if from, err = j.checkpoint.open(i-1, false); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, from.Close()) }()
		r.Order = nil // temporary arrays have the dimensions of the target
	}
	at, finish := j.checkpoint.Position, j.finishStep
	if i < len(j.plan.Passes)-1 {
		if to, at, err = j.checkpoint.temp(i, j.plan, j.tempType(), j.src.Name()); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, to.Close()) }()
		finish = func(after planner.Position) error { return j.finishTempStep(to, after) }
	}
	if r.Source, r.Target = from, to; from.DType() != to.DType() {
		r.Convert = j.convert
	}
	if i == len(j.plan.Passes)-1 {
		r.Round = j.round
	}
	r.Progress = r.Pass.ProgressAt(at)
	return j.runPass(ctx, r, finish)
}

// tempType returns the element type of temporary arrays: the smaller of the two types.
func (j *copyJob) tempType() dtype.DType {
	if j.src.DType().Size() <= j.dst.DType().Size() {
		return j.src.DType()
	}
	return j.dst.DType()
}

// runPass runs a pass and adds its counts to the totals. It calls finish after every written step.
func (j *copyJob) runPass(ctx context.Context, r *exec.Runner, finish func(after planner.Position) error) error {
	j.runner = r
	j.skipped = j.skipped.Plus(r.Progress.Skipped)
	j.report()
	r.Finish = func(after planner.Position) error {
		j.report()
		return finish(after)
	}
	err := r.Run(ctx)
	j.cost = j.moved()
	j.peak = max(j.peak, r.Peak)
	return err
}

// moved returns the chunks and bytes moved so far.
func (j *copyJob) moved() planner.Cost {
	if j.runner == nil {
		return j.cost
	}
	return j.cost.Plus(j.runner.Cost())
}

// report calls Options.Progress.
func (j *copyJob) report() {
	if j.options.Progress != nil {
		j.options.Progress(j.moved().Plus(j.skipped).Bytes(), j.plan.Cost().Bytes())
	}
}

// due reports whether to commit after a step of the present pass.
func (j *copyJob) due(after planner.Position) bool {
	return j.schedule.due(after, j.moved().Bytes())
}

// finishStep is called when a step of the last pass is written.
func (j *copyJob) finishStep(after planner.Position) error {
	j.checkpoint.Templates, j.checkpoint.Steps = after.Templates, after.Steps
	if after.Templates == j.runner.Pass.TemplateCount() || !j.due(after) {
		return nil // the end of the copy is a commit too
	}
	return j.commit()
}

// finishTempStep is called when a step of a pass to a temporary array is written.
func (j *copyJob) finishTempStep(to *drx.Array, after planner.Position) error {
	if after.Templates < j.runner.Pass.TemplateCount() && !j.due(after) {
		return nil
	}
	if err := to.SetAttr(IncompleteAttr, after); err != nil {
		return err
	}
	err := to.Sync()
	j.schedule.committed()
	return err
}
