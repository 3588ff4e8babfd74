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

// DefaultMemory is the bound on memory when Options say nothing.
const DefaultMemory = 256 << 20

// ErrMismatch is returned by a copy that is to be resumed and is not the one that was
// interrupted.
var ErrMismatch = errors.New("another copy was interrupted")

// Options say how to copy. The zero value copies all of the source, its dimensions as they
// are.
type Options struct {
	// Order says that dimension d of the target is dimension Order[d] of the source.
	Order nd.Order
	// Section is what to copy of the source; nil is everything.
	Section nd.Section
	// Memory bounds the bytes of all buffers; 0 is DefaultMemory. What the two arrays keep
	// in memory is not counted: open them with a small cache.
	Memory int64
	// Clip gives elements that do not fit the type of the target its nearest value, and
	// those that are no number, where it has none, the fill value; else they are an error.
	Clip bool
	// Dir is the folder for temporary arrays; empty is that of the target.
	Dir string
	// Resume goes on with the copy that was interrupted in the target, if one was.
	Resume bool
	// Checkpoint is the least time between two commits, each after a whole template: a
	// copy that is killed repeats at most the template it was in and what took that long.
	// 0 is a tenth of a second; a negative one commits every template.
	Checkpoint time.Duration
	// Progress, if not nil, is called now and then with the bytes moved and to move, in
	// all passes. It may be called by any goroutine, by one at a time.
	Progress func(done, total int64)
}

// Stats says what a copy did.
type Stats struct {
	Plan    *Plan
	Cost    Cost  // counted
	Skipped Cost  // of this, what had been done before it was resumed
	Peak    int64 // bytes of buffers, at most at one time
	Elapsed time.Duration
}

// Copy copies src, or a section of it, to dst, whose extents must be those of the source in
// the order asked for. It plans with NewPlan and never holds more than Options.Memory in
// its buffers. Elements become those of the target's type: numbers the nearest one, halves
// the even integer; complex ones become no others.
//
// Until it is complete the target carries the attribute drx.IncompleteAttr, committed before any
// data: it is the journal from which Options.Resume goes on after an interruption of any
// kind, in this process or another, which opens the target with drx.Options.Incomplete.
// The source must not have changed in between. When Copy returns nil everything is committed. Intermediate data lies in
// temporary arrays, which are removed in the end and after an error; if ctx was done they
// stay for Resume.
//
// The error is ctx's, or wraps drx.ErrIncomplete when the target has a mark and Resume is not
// set, or the source has one; ErrMismatch, ErrMemory, drx.ErrDType, nd.ErrRank, nd.ErrBounds,
// or is what the arrays returned.
func Copy(ctx context.Context, dst, src *drx.Array, o Options) (Stats, error) {
	start := time.Now()
	j, err := newJob(dst, src, o)
	if err == nil {
		err = j.run(ctx)
	}
	j.stats.Elapsed = time.Since(start)
	if err != nil {
		return j.stats, fmt.Errorf("copy of %s to %s: %w", src.Name(), dst.Name(), err)
	}
	return j.stats, nil
}

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

// Section returns the grid of a section of an array, whose steps must be one; nil is the
// whole array. The error wraps nd.ErrRank or nd.ErrBounds.
func Section(a *drx.Array, sec nd.Section) (Grid, error) {
	g := GridOf(a)
	sec, err := sec.Resolve(g.Lo, g.Hi)
	if err != nil {
		return Grid{}, err
	}
	for d, r := range sec {
		if r.Step > 1 {
			return Grid{}, fmt.Errorf("dimension %d: step %d of section %v: %w: only 1 can be copied", d, r.Step, sec, nd.ErrBounds)
		}
	}
	g.Lo, g.Hi = limits(sec)
	return g, nil
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
