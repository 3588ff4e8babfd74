package relayout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// A job is one copy at work.
type job struct {
	src, dst *drx.Array
	options  Options
	convert  *converter
	plan     *Plan
	mark     mark
	last     time.Time // of the last commit
	stats    Stats
}

func newJob(dst, src *drx.Array, o Options) (*job, error) {
	j := &job{src: src, dst: dst, options: o}
	if o.Memory == 0 {
		j.options.Memory = DefaultMemory
	}
	if o.Checkpoint == 0 {
		j.options.Checkpoint = time.Second / 10
	}
	if Incomplete(src) {
		return j, fmt.Errorf("the source: %w", drx.ErrIncomplete)
	}
	var err error
	if j.convert, err = newConverter(src.DType(), dst.DType(), o.Clip, dst.Fill()); err != nil {
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
		return nil
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
	if err := j.dst.DeleteAttr(drx.IncompleteAttr); err != nil {
		return err
	}
	return j.dst.Sync()
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
			j.mark.removeArray(j.mark.Pass - 2)
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
	if err := j.commit(); err != nil || j.mark.Pass == len(j.plan.Passes) {
		return err
	}
	return j.mark.makeTemp()
}

// commit commits the target with its mark.
func (j *job) commit() error {
	if err := j.dst.SetAttr(drx.IncompleteAttr, &j.mark); err != nil {
		return err
	}
	err := j.dst.Sync()
	j.last = time.Now()
	return err
}

// pass carries out one pass, from where it was interrupted.
func (j *job) pass(ctx context.Context, i int) (err error) {
	r := &runner{pass: &j.plan.Passes[i], order: j.plan.Order, count: &counter{}}
	from, to := j.src, j.dst
	if i > 0 {
		if from, err = j.mark.open(i-1, false); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, from.Close()) }()
		r.order = nil
	}
	r.from, r.finish = j.mark.Templates, j.finishLast
	if i < len(j.plan.Passes)-1 {
		if to, r.from, err = j.mark.temp(i, j.plan, j.tempType()); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, to.Close()) }()
		r.finish = func(n int) error { return j.finishTemp(to, n) }
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
	skipped := r.pass.costOf(r.from)
	j.stats.Skipped = j.stats.Skipped.plus(skipped)
	total := j.plan.Cost().Bytes()
	r.count.progress = func() {
		if j.options.Progress != nil {
			j.options.Progress(before.plus(skipped).plus(r.count.cost()).Bytes(), total)
		}
	}
	err := r.run(ctx)
	j.stats.Cost = j.stats.Cost.plus(r.count.cost())
	j.stats.Peak = max(j.stats.Peak, r.count.peak)
	return err
}

// due reports whether it is time for a commit.
func (j *job) due() bool { return time.Since(j.last) >= j.options.Checkpoint }

// finishLast notes that so many templates of the last pass are written.
func (j *job) finishLast(n int) error {
	j.mark.Templates = n
	last := &j.plan.Passes[len(j.plan.Passes)-1]
	if n == volume(last.templates()) || !j.due() {
		return nil // the end of the copy is a commit too
	}
	return j.commit()
}

// finishTemp is finishLast for a pass that writes a temporary array.
func (j *job) finishTemp(to *drx.Array, n int) error {
	if last := &j.plan.Passes[j.mark.Pass]; n < volume(last.templates()) && !j.due() {
		return nil
	}
	j.last = time.Now()
	if err := to.SetAttr(drx.IncompleteAttr, n); err != nil {
		return err
	}
	return to.Sync()
}

// costOf returns the cost of the first n templates.
func (p *Pass) costOf(n int) Cost {
	var sum Cost
	count := p.templates()
	index, zero := make([]int, len(count)), make([]int, len(count))
	for range n {
		b := box{make([]int, len(index)), make([]int, len(index))}
		for d, a := range p.problem.axes {
			b.lo[d] = a.targetCut(index[d] * p.choice.blocks[d])
			b.hi[d] = a.targetCut(min((index[d]+1)*p.choice.blocks[d], a.blocks()))
		}
		reads, writes := p.chunksIn(b), p.targetsIn(b)
		sum = sum.plus(Cost{reads, writes, mul(reads, p.problem.src), mul(writes, p.problem.dst)})
		nd.Next(index, zero, count)
	}
	return sum
}
