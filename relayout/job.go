package relayout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"drx"
	"drx/dtype"
)

// A job is one copy at work.
type job struct {
	src, dst *drx.Array
	options  Options
	convert  *converter
	plan     *Plan
	mark     mark
	count    *counter  // of the pass at work
	last     time.Time // of the last commit
	moved    int64     // bytes, until then
	stats    Stats
}

func newJob(dst, src *drx.Array, o Options) (*job, error) {
	j := &job{src: src, dst: dst, options: o}
	if o.Memory == 0 {
		j.options.Memory = DefaultMemory
	}
	if o.Every == 0 {
		j.options.Every = DefaultEvery
	}
	if Incomplete(src) {
		return j, fmt.Errorf("the source: %w", drx.ErrIncomplete)
	}
	var err error
	if j.convert, err = newConverter(src.DType(), dst.DType(), o.Clip, dst.FillValue()); err != nil {
		return j, err
	}
	grid, err := Section(src, o.Section)
	if err != nil {
		return j, err
	}
	if err := checkGrids(grid, GridOf(dst), o.Order); err != nil {
		return j, err
	}
	err = j.prepare(grid)
	j.stats.Plan = j.plan
	return j, err
}

// prepare makes the plan, or takes over that of the copy to be resumed.
func (j *job) prepare(grid Grid) (err error) {
	found, err := readMark(j.dst)
	if err != nil {
		return err
	}
	if found == nil {
		j.plan, err = NewPlan(grid, GridOf(j.dst), j.options.Order, j.options.Memory)
		if err == nil {
			j.mark = newMark(grid, j.plan)
		}
		return err
	}
	if !j.options.Resume {
		return fmt.Errorf("the target: %w", drx.ErrIncomplete)
	}
	j.mark = *found
	j.plan, err = found.plan(grid, GridOf(j.dst), j.options)
	return err
}

// run carries out all passes that are left.
func (j *job) run(ctx context.Context) (err error) {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if len(j.plan.Passes) == 0 {
		return j.mark.endNothing(j.dst)
	}
	if err := j.begin(); err != nil {
		return err
	}
	if err := j.passes(ctx); err != nil {
		if ctx.Err() == nil { // an interrupted copy is to find them again
			err = errors.Join(err, j.mark.removeTemp())
		}
		return err
	}
	// While the mark is there somebody knows of the temporary arrays.
	if err := j.mark.removeTemp(); err != nil {
		return err
	}
	return j.mark.end(j.dst)
}

// passes carries out what is left of the passes.
func (j *job) passes(ctx context.Context) error {
	for _, p := range j.plan.Passes[:j.mark.Pass] {
		j.stats.Skipped = j.stats.Skipped.plus(p.Cost)
	}
	n := len(j.plan.Passes)
	for ; j.mark.Pass < n; j.mark.Pass++ {
		if j.mark.Pass > 0 {
			if err := j.commit(); err != nil {
				return err
			}
		}
		if j.mark.Pass > 1 {
			if err := j.mark.removeArray(j.mark.Pass - 2); err != nil {
				return err
			}
		}
		if err := j.pass(ctx, j.mark.Pass); err != nil {
			return err
		}
	}
	if n == 1 {
		return nil // the commit that removes the mark makes it complete
	}
	return j.commit()
}

// begin commits the mark before anything is written.
func (j *job) begin() error {
	if err := j.mark.nameTemp(j.options.Dir, j.dst.Name(), len(j.plan.Passes)); err != nil {
		return err
	}
	if err := j.mark.begin(j.dst); err != nil || j.mark.Pass == len(j.plan.Passes) {
		return err
	}
	j.last = time.Now()
	return j.mark.makeTemp()
}

// commit commits the target and how far the copy is.
func (j *job) commit() error {
	err := j.mark.commit(j.dst)
	j.last = time.Now()
	return err
}

// pass carries out one pass, from where it was interrupted.
func (j *job) pass(ctx context.Context, i int) (err error) {
	j.count = &counter{}
	r := &runner{pass: &j.plan.Passes[i], order: j.plan.Order, count: j.count}
	from, to := j.src, j.dst
	if i > 0 {
		if from, err = j.mark.open(i-1, false); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, from.Close()) }()
		r.order = nil
	}
	r.from, r.finish = j.mark.done, j.finishLast
	if i < len(j.plan.Passes)-1 {
		if to, r.from, err = j.mark.temp(i, j.plan, j.tempType(), j.src.Name()); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, to.Close()) }()
		r.finish = func(after done) error { return j.finishTemp(to, after) }
	}
	if r.src, r.dst = from, to; from.DType() != to.DType() {
		r.convert = j.convert
	}
	return j.carryOut(ctx, r)
}

// tempType returns the element type of temporary arrays, the smaller one.
func (j *job) tempType() dtype.DType {
	if j.src.DType().Size() <= j.dst.DType().Size() {
		return j.src.DType()
	}
	return j.dst.DType()
}

// carryOut runs a pass and adds up what it counts.
func (j *job) carryOut(ctx context.Context, r *runner) error {
	before := j.stats.Cost.plus(j.stats.Skipped)
	r.left = r.pass.leftover(r.from)
	skipped := r.left.skipped
	j.stats.Skipped = j.stats.Skipped.plus(skipped)
	total := j.plan.Cost().Bytes()
	r.count.progress = func() {
		if j.options.Progress != nil {
			j.options.Progress(before.plus(skipped).plus(r.count.cost()).Bytes(), total)
		}
	}
	r.count.progress()
	err := r.run(ctx)
	j.stats.Cost, j.count = j.stats.Cost.plus(r.count.cost()), &counter{}
	j.stats.Peak = max(j.stats.Peak, r.count.peak)
	return err
}

// due reports whether it is time for a commit, after a step.
func (j *job) due(after done) bool {
	moved := j.stats.Cost.Bytes() + j.count.cost().Bytes()
	if after.Steps > 0 && moved-j.moved < j.options.Every || time.Since(j.last) < j.options.Checkpoint {
		return false
	}
	j.moved = moved
	return true
}

// finishLast notes how far the last pass is.
func (j *job) finishLast(after done) error {
	j.mark.Templates, j.mark.Steps = after.Templates, after.Steps
	last := &j.plan.Passes[len(j.plan.Passes)-1]
	if after.Templates == volume(last.templates()) || !j.due(after) {
		return nil // the end of the copy is a commit too
	}
	return j.commit()
}

// finishTemp is finishLast for a pass that writes a temporary array.
func (j *job) finishTemp(to *drx.Array, after done) error {
	if p := &j.plan.Passes[j.mark.Pass]; after.Templates < volume(p.templates()) && !j.due(after) {
		return nil
	}
	if err := to.SetAttr(drx.IncompleteAttr, after); err != nil {
		return err
	}
	err := to.Sync()
	j.last = time.Now()
	return err
}
