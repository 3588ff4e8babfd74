package relayout

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"drx"
	"drx/nd"
	"drx/parallel/par"
	"drx/relayout/internal/arraytest"
)

// resumable is a problem of several templates, each of several steps, for any number of procs up to
// 4.
func resumable(t *testing.T, procs int) parallelRun {
	t.Helper()
	src := Grid{[]int{-3, 2}, []int{27, 26}, []int{4, 3}, 2}
	dst := Grid{[]int{0, -7}, []int{24, 23}, []int{3, 5}, 4}
	p, err := NewParallelPlan(src, dst, nd.Order{1, 0}, []int64{400, 400, 400, 300}[procs-1], procs)
	if err != nil || p.plan.Pass.TemplateCount() < 2 {
		t.Fatalf("%+v, %v", p, err)
	}
	from := randomArray(rand.New(rand.NewPCG(uint64(procs), 23)), src)
	return parallelRun{plan: p, src: from, dst: newArray(dst), log: newJournal(), options: ParallelOptions{CommitBytes: 1}}
}

// A copy that is interrupted after any step, on any proc, must leave a checkpoint. Any number of
// procs must resume from it, and no chunk may be written twice.
func TestCopyParallelResumed(t *testing.T) {
	within := 0
	for procs := 1; procs <= 4; procs++ {
		for stop := 1; ; stop++ {
			run := resumable(t, procs)
			ctx, cancel := context.WithCancel(t.Context())
			run.ctx = func(proc int) context.Context {
				if proc == stop%procs {
					return ctx
				}
				return t.Context()
			}
			calls := 0
			run.options.Progress = func(int64, int64) {
				if calls++; calls == stop {
					cancel()
				}
			}
			first, err := run.copy()
			cancel()
			run.log.check(t)
			if err == nil {
				if stop < 8 {
					t.Errorf("%d procs: only %d steps", procs, stop)
				}
				break
			}
			if !errors.Is(err, context.Canceled) || !run.log.incomplete() {
				t.Fatalf("%d procs, stop %d: %v, incomplete %v", procs, stop, err, run.log.incomplete())
			}
			if goOn(t, run, 1+(procs+stop)%4, first.Cost) {
				within++
			}
		}
	}
	if within < 10 {
		t.Errorf("only %d were interrupted within a template", within)
	}
}

// goOn resumes a copy after a crash, when the cost before was spent, and reports whether the crash
// was within a template.
func goOn(t *testing.T, run parallelRun, procs int, before Cost) bool {
	t.Helper()
	run.dst, run.log = run.log.crashed(run.dst)
	run.ctx, run.options = nil, ParallelOptions{}
	if _, err := run.copy(); !errors.Is(err, drx.ErrIncomplete) {
		t.Fatalf("without Resume: %v", err)
	}
	var err error
	run.plan, err = ResumeParallelPlan(member{run.dst, 0, run.log}, Grid(run.src.Grid), run.plan.Order, 4000, procs)
	if err != nil {
		t.Fatal(err)
	}
	m, err := readCheckpoint(member{run.dst, 0, run.log})
	if err != nil {
		t.Fatal(err)
	}
	within, begun := m.Steps > 0, int64(-1)
	run.options = ParallelOptions{Resume: true, CommitBytes: 1, Progress: func(done, _ int64) {
		if begun < 0 {
			begun = done
		}
	}}
	stats, err := run.copy()
	if err != nil {
		t.Fatal(err)
	}
	if got := sumOf(stats.Cost, stats.Skipped); got != run.plan.Pass.Cost || begun != stats.Skipped.Bytes() {
		t.Errorf("%v done and %v skipped, planned %v; it began at %d", stats.Cost, stats.Skipped, run.plan.Pass.Cost, begun)
	}
	if stats.Cost.Writes+before.Writes != run.plan.Pass.Cost.Writes || arraytest.Sum(run.dst.Stores) != stats.Cost.Writes {
		t.Errorf("%d chunks written before, %d then, of %d", before.Writes, stats.Cost.Writes, run.plan.Pass.Cost.Writes)
	}
	want := arraytest.Clipped(run.src.Transposed(run.plan.Order), run.src.ElemSize, run.dst.ElemSize)
	if !slices.Equal(run.dst.Data, want) || run.log.incomplete() || len(run.log.attrs) > 0 {
		t.Fatalf("not the source, or attributes are left: %v", run.log.attrs)
	}
	return within
}

// A copy that fails at one commit after the other must make progress each time, and be right in the
// end.
func TestCopyParallelResumedAfterFailures(t *testing.T) {
	broken := errors.New("broken")
	run := resumable(t, 3)
	var last []byte
	for at := 0; ; at++ {
		run.log.fail = func(commit int) error { return map[bool]error{true: broken}[commit == 3] }
		_, err := run.copy()
		if err == nil {
			break
		}
		if !errors.Is(err, broken) || at > 200 {
			t.Fatal(err)
		}
		if before := run.log.committed[progressAttr]; at > 0 && slices.Equal(before, last) {
			t.Fatalf("no progress from %s", last)
		}
		last = run.log.committed[progressAttr]
		run.dst, run.log = run.log.crashed(run.dst)
		run.options.Resume = true
	}
	want := arraytest.Clipped(run.src.Transposed(run.plan.Order), run.src.ElemSize, run.dst.ElemSize)
	if !slices.Equal(run.dst.Data, want) || run.log.incomplete() {
		t.Error("not the source")
	}
}

// Within templates, commits must be CommitBytes bytes apart, or at most a step more.
func TestCopyParallelCommitsByBytes(t *testing.T) {
	for procs := 1; procs <= 4; procs++ {
		for _, every := range []int64{1, 300, 1000, 3000} {
			run := resumable(t, procs)
			run.options.CommitBytes = every
			pass, steps, mostStep := &run.plan.plan.Pass, 0, int64(0)
			for step := range pass.Steps(0) {
				cost := pass.CostOfChunks(pass.SourceChunksIn(step.Read), pass.TargetChunksIn(step.Written))
				steps, mostStep = steps+1, max(mostStep, cost.Bytes())
			}
			if _, err := run.copy(); err != nil {
				t.Fatal(err)
			}
			ends, bytes := 1+pass.TemplateCount(), run.plan.Pass.Cost.Bytes()
			most := min(ends+int(bytes/every), 1+steps)
			least := 1 + int(bytes/(every+3*mostStep))
			if n := run.log.commits[0]; n < least || n > most {
				t.Errorf("%d procs, every %d of %d bytes, at the end of %d templates: %d commits, want %d to %d", procs, every, bytes, ends-1, n, least, most)
			}
		}
	}
}

// A copy other than the interrupted one must be refused.
func TestCopyParallelRefuses(t *testing.T) {
	good := resumable(t, 2)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	good.ctx = func(int) context.Context { return ctx }
	calls := 0
	good.options.Progress = func(int64, int64) {
		if calls++; calls == 4 {
			cancel()
		}
	}
	if _, err := good.copy(); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	good.ctx, good.options = nil, ParallelOptions{Resume: true, CommitBytes: 1}
	for name, c := range map[string]struct {
		spoil func(r *parallelRun)
		want  error
	}{
		"procs":       {func(r *parallelRun) { r.plan = resumable(t, 3).plan; r.plan.Procs, r.plan.plan.Procs = 2, 2 }, ErrMismatch},
		"order":       {func(r *parallelRun) { r.plan.plan.Order = nil }, ErrMismatch},
		"target":      {func(r *parallelRun) { r.dst.Grid.Hi = []int{24, 24} }, ErrMismatch},
		"source":      {func(r *parallelRun) { r.src.Grid.Lo = []int{-2, 2} }, ErrMismatch},
		"section":     {func(r *parallelRun) { r.plan.plan.Source.Hi = []int{26, 26} }, ErrMismatch},
		"progress":    {func(r *parallelRun) { r.log.attrs[progressAttr] = []byte(`{"pass":0,"templates":999}`) }, nd.ErrBounds},
		"steps":       {func(r *parallelRun) { r.log.attrs[progressAttr] = []byte(`{"pass":0,"templates":0,"steps":999}`) }, nd.ErrBounds},
		"pass":        {func(r *parallelRun) { r.log.attrs[progressAttr] = []byte(`{"pass":1}`) }, nd.ErrBounds},
		"nonsense":    {func(r *parallelRun) { r.log.attrs[progressAttr] = []byte(`"x"`) }, nil},
		"incomplete":  {func(r *parallelRun) { r.options.Resume = false }, drx.ErrIncomplete},
		"interrupted": {func(r *parallelRun) { r.ctx = func(int) context.Context { return ctx } }, context.Canceled},
	} {
		run := resumable(t, 2)
		run.options = good.options
		run.dst, run.log = good.log.crashed(good.dst)
		c.spoil(&run)
		if _, err := run.copy(); err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	err := par.Run(3, func(c par.Comm) error {
		_, err := CopyParallel(t.Context(), c, member{good.dst, c.Proc(), good.log}, member{good.src, c.Proc(), newJournal()}, good.plan, good.options)
		return err
	})
	if !errors.Is(err, par.ErrArgument) {
		t.Errorf("three procs, planned for two: %v", err)
	}
	err = par.Run(2, func(c par.Comm) error {
		o := ParallelOptions{Resume: true, CommitBytes: int64(1 + c.Proc())}
		_, err := CopyParallel(t.Context(), c, member{good.dst, c.Proc(), good.log}, member{good.src, c.Proc(), newJournal()}, good.plan, o)
		return err
	})
	if !errors.Is(err, par.ErrDisagree) {
		t.Errorf("each with options of its own: %v", err)
	}
	square := Grid{Lo: []int{0, 0}, Hi: []int{8, 8}, ChunkShape: []int{2, 2}, ElemSize: good.plan.Pass.Target.ElemSize}
	err = par.Run(2, func(c par.Comm) error {
		order := []nd.Order{nd.RowMajor, nd.ColMajor(2)}[c.Proc()] // plans of equal grids
		plan, err := NewParallelPlan(square, square, order, 1<<20, 2)
		if err != nil {
			return err
		}
		_, err = CopyParallel(t.Context(), c, member{good.dst, c.Proc(), good.log}, member{good.src, c.Proc(), newJournal()}, plan, good.options)
		return err
	})
	if !errors.Is(err, par.ErrDisagree) || !strings.Contains(err.Error(), "in the order [1 0]") {
		t.Errorf("each in an order of its own: %v", err)
	}
}
