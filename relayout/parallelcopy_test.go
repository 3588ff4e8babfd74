package relayout

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/nd"
	"drx/relayout/internal/arraytest"
)

// For all shapes, element sizes and numbers of procs, the copy must be right, every chunk must be
// written once, as a whole, and the counts must be the predicted ones.
func TestCopyParallel(t *testing.T) {
	again, refused, converted := 0, 0, 0
	for seed := range arraytest.Trials(150) {
		r := rand.New(rand.NewPCG(seed, 21))
		src, dst, order := randomGrids(r, 3000)
		src.ElemSize = []int{1, 2, 4, 8}[r.IntN(4)]
		if dst.ElemSize = src.ElemSize; r.IntN(2) == 0 {
			dst.ElemSize = []int{1, 2, 4, 8}[r.IntN(4)]
			converted++
		}
		procs := 1 + int(seed%4)
		memory := int64(max(src.ElemSize, dst.ElemSize)) * int64(volume(src.ChunkShape)+volume(dst.ChunkShape)*(1+r.IntN(6)))
		p, err := NewParallelPlan(src, dst, order, memory, procs)
		if errors.Is(err, ErrMemory) {
			refused++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		run := parallelRun{plan: p, src: randomArray(r, src), dst: newArray(dst), log: newJournal(), options: ParallelOptions{Clip: true}}
		checkParallel(t, run, memory)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		if p.Pass.Cost.Reads > int64(len(run.src.Loads)) {
			again++
		}
	}
	t.Logf("chunks were read again in %d cases, %d were refused, %d converted", again, refused, converted)
	if again == 0 || converted == 0 || refused > int(arraytest.Trials(150))/2 {
		t.Errorf("chunks were read again in %d cases, %d were refused, %d converted", again, refused, converted)
	}
}

// checkParallel carries out a copy and checks everything that was predicted of it.
func checkParallel(t *testing.T, run parallelRun, memory int64) {
	t.Helper()
	pass := &run.plan.Pass
	last, total := int64(-1), int64(0)
	run.options.Progress = func(done, of int64) {
		if done < last {
			t.Errorf("progress %d after %d", done, last)
		}
		last, total = done, of
	}
	run.src.NoCache = true
	stats, err := run.copy()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(run.dst.Data, arraytest.Clipped(run.src.Transposed(run.plan.Order), run.src.ElemSize, run.dst.ElemSize)) {
		t.Error("not the transposed source")
	}
	from, to := run.src, run.dst
	seen := Cost(run.plan.plan.Pass.CostOfChunks(arraytest.Sum(from.Loads), arraytest.Sum(to.Stores)))
	if stats.Cost != pass.Cost || seen != pass.Cost || stats.Plan.Cost() != pass.Cost || len(to.Partial) > 0 {
		t.Errorf("planned %v, counted %v, files saw %v, in part: %v", pass.Cost, stats.Cost, seen, to.Partial)
	}
	if stats.PeakMemory > run.plan.PeakMemory || run.plan.PeakMemory > memory || len(to.Stores) != int(pass.Cost.Writes) {
		t.Errorf("peak %d, planned %d of %d; %d chunks written %d times", stats.PeakMemory, run.plan.PeakMemory, memory, len(to.Stores), pass.Cost.Writes)
	}
	if last != total || total != pass.Cost.Bytes() {
		t.Errorf("progress ended at %d of %d, moved %d", last, total, pass.Cost.Bytes())
	}
	run.log.check(t)
	if want := 1 + run.plan.plan.Pass.TemplateCount(); run.log.incomplete() || len(run.log.attrs) > 0 || run.log.commits[0] != want {
		t.Errorf("%d commits, want %d; left: %v", run.log.commits[0], want, run.log.attrs)
	}
}

// An error on one proc must end the copy on all, and leave the checkpoint if there was one.
func TestCopyParallelFails(t *testing.T) {
	src := Grid{[]int{0, 0}, []int{30, 30}, []int{4, 3}, 1}
	dst := Grid{[]int{0, 0}, []int{30, 30}, []int{3, 5}, 1}
	p, err := NewParallelPlan(src, dst, nil, 500, 3)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	for kind := range 3 {
		for at := range 12 {
			run := parallelRun{plan: p, src: newArray(src), dst: newArray(dst), log: newJournal()}
			n := 0
			fail := func(bool) error {
				if n++; n >= at*3 {
					return fmt.Errorf("call %d: %w", n, broken)
				}
				return nil
			}
			switch kind {
			case 0:
				run.src.Fail = fail
			case 1:
				run.dst.Fail = fail
			case 2:
				at %= 1 + p.plan.Pass.TemplateCount()
				run.log.fail = func(commit int) error { return map[bool]error{true: broken}[commit == at+1] }
			}
			_, err := run.copy()
			if begun := kind < 2 || at > 0; !errors.Is(err, broken) || run.log.incomplete() != begun {
				t.Errorf("kind %d at %d: %v, incomplete %v", kind, at, err, run.log.incomplete())
			}
		}
	}
}

func TestNewParallelPlanRefuses(t *testing.T) {
	good := Grid{[]int{0}, []int{8}, []int{2}, 2}
	for _, c := range []struct {
		dst    Grid
		memory int64
		procs  int
		want   error
	}{{good, 100, 0, nd.ErrBounds}, {good, 3, 2, ErrMemory}, {Grid{ElemSize: 2}, 100, 2, nd.ErrRank}} {
		if _, err := NewParallelPlan(good, c.dst, nil, c.memory, c.procs); !errors.Is(err, c.want) {
			t.Errorf("%v, %d bytes, %d procs: %v", c.dst, c.memory, c.procs, err)
		}
	}
	none := Grid{[]int{3}, []int{3}, []int{2}, 1}
	p, err := NewParallelPlan(none, none, nil, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	run := parallelRun{plan: p, src: newArray(none), dst: newArray(none), log: newJournal()}
	if stats, err := run.copy(); err != nil || stats.Cost != (Cost{}) || run.log.commits[0] > 0 {
		t.Errorf("nothing costs %v, %v", stats, err)
	}
	run.dst = newArray(good)
	if _, err := run.copy(); !errors.Is(err, ErrMismatch) {
		t.Errorf("a plan for nothing, for a target of 8 elements: %v", err)
	}
}
