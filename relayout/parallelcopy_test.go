package relayout

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/nd"
)

// Whatever the shapes, the size of elements and the number of procs: the copy is right, every
// chunk is written once, as a whole, and what is predicted is counted.
func TestCopyParallel(t *testing.T) {
	again, refused, converted := 0, 0, 0
	for seed := range trials(150) {
		r := rand.New(rand.NewPCG(seed, 21))
		src, dst, order := randomGrids(r, 3000)
		src.Elem = []int{1, 2, 4, 8}[r.IntN(4)]
		if dst.Elem = src.Elem; r.IntN(2) == 0 {
			dst.Elem = []int{1, 2, 4, 8}[r.IntN(4)]
			converted++
		}
		procs := 1 + int(seed%4)
		memory := int64(max(src.Elem, dst.Elem)) * int64(volume(src.Chunk)+volume(dst.Chunk)*(1+r.IntN(6)))
		p, err := PlanParallel(src, dst, order, memory, procs)
		if errors.Is(err, ErrMemory) {
			refused++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		run := parallelRun{plan: p, src: randomFake(r, src), dst: newFake(dst), log: newJournal(), options: ParallelOptions{Clip: true}}
		checkParallel(t, run, memory)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		if p.Pass.Cost.Reads > int64(len(run.src.loads)) {
			again++
		}
	}
	t.Logf("chunks were read again in %d cases, %d were refused, %d converted", again, refused, converted)
	if again == 0 || converted == 0 || refused > int(trials(150))/2 {
		t.Errorf("chunks were read again in %d cases, %d were refused, %d converted", again, refused, converted)
	}
}

// checkParallel carries out a copy and checks everything that is known of it.
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
	run.src.forgets = true
	stats, err := run.copy()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(run.dst.data, clipped(transposed(run.src, run.plan.Order, run.dst.Grid), run.src.Elem, run.dst.Elem)) {
		t.Error("not the transposed source")
	}
	from, to := run.src, run.dst
	seen := Cost{sum(from.loads), sum(to.stores), sum(from.loads) * pass.problem.src, sum(to.stores) * pass.problem.dst}
	if stats.Cost != pass.Cost || seen != pass.Cost || stats.Plan.Cost() != pass.Cost || len(to.partial) > 0 {
		t.Errorf("planned %v, counted %v, files saw %v, in part: %v", pass.Cost, stats.Cost, seen, to.partial)
	}
	if stats.Peak > run.plan.Peak || run.plan.Peak > memory || len(to.stores) != int(pass.Cost.Writes) {
		t.Errorf("peak %d, planned %d of %d; %d chunks written %d times", stats.Peak, run.plan.Peak, memory, len(to.stores), pass.Cost.Writes)
	}
	if last != total || total != pass.Cost.Bytes() {
		t.Errorf("progress ended at %d of %d, moved %d", last, total, pass.Cost.Bytes())
	}
	run.log.check(t)
	if want := 1 + volume(pass.templates()); run.log.incomplete() || len(run.log.attrs) > 0 || run.log.commits[0] != want {
		t.Errorf("%d commits, want %d; left: %v", run.log.commits[0], want, run.log.attrs)
	}
}

// In every step, but those at the end of the array, each proc completes at least one chunk.
func TestStepsAreBalanced(t *testing.T) {
	src := Grid{[]int{0, 0}, []int{96, 96}, []int{7, 5}, 8}
	dst := Grid{[]int{0, 0}, []int{96, 96}, []int{4, 6}, 8}
	for procs := 2; procs <= 6; procs++ {
		p, err := PlanParallel(src, dst, nil, 20000, procs)
		if err != nil {
			t.Fatal(err)
		}
		steps, full := 0, 0
		newFlight(p).each(0, func(m *move, _ done) bool {
			owners := map[int]int{}
			for chunk := range p.Pass.targetsOf(m.written()) {
				_, owner := p.chunkAt(chunk.lo)
				owners[owner]++
			}
			steps++
			edge := false
			for d, hi := range m.written().hi {
				edge = edge || p.Block[d] > 1 && hi == 96
			}
			switch {
			case len(owners) == procs:
				full++
			case !edge:
				t.Errorf("%d procs: step %v has chunks of %v only", procs, m.written(), owners)
			}
			return true
		})
		t.Logf("%d procs: box %v, template %v, %d of %d steps use all", procs, p.Block, p.Pass.Template, full, steps)
		if volume(p.Block) != procs || full < steps/2 {
			t.Errorf("%d procs: box %v: only %d of %d steps use all", procs, p.Block, full, steps)
		}
	}
}

// The memory of all procs makes larger templates than that of one.
func TestMemoryIsPooled(t *testing.T) {
	src := Grid{[]int{0, 0}, []int{512, 512}, []int{1, 512}, 8}
	dst := Grid{[]int{0, 0}, []int{512, 512}, []int{128, 4}, 8}
	one, err := PlanParallel(src, dst, nil, 100<<10, 1)
	if err != nil {
		t.Fatal(err)
	}
	four, err := PlanParallel(src, dst, nil, 100<<10, 4)
	if err != nil || four.Pass.Cost.Reads >= one.Pass.Cost.Reads {
		t.Errorf("%d reads by 4 procs, %d by one, %v", four.Pass.Cost.Reads, one.Pass.Cost.Reads, err)
	}
}

// Whatever fails at one proc ends the copy at all, and leaves the mark if there was one.
func TestCopyParallelFails(t *testing.T) {
	src := Grid{[]int{0, 0}, []int{30, 30}, []int{4, 3}, 1}
	dst := Grid{[]int{0, 0}, []int{30, 30}, []int{3, 5}, 1}
	p, err := PlanParallel(src, dst, nil, 500, 3)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	for kind := range 3 {
		for at := range 12 {
			run := parallelRun{plan: p, src: newFake(src), dst: newFake(dst), log: newJournal()}
			n := 0
			fail := func(bool) error {
				if n++; n >= at*3 {
					return fmt.Errorf("call %d: %w", n, broken)
				}
				return nil
			}
			switch kind {
			case 0:
				run.src.fail = fail
			case 1:
				run.dst.fail = fail
			case 2:
				at %= 1 + volume(p.Pass.templates())
				run.log.fail = func(commit int) error { return map[bool]error{true: broken}[commit == at+1] }
			}
			_, err := run.copy()
			if begun := kind < 2 || at > 0; !errors.Is(err, broken) || run.log.incomplete() != begun {
				t.Errorf("kind %d at %d: %v, marked %v", kind, at, err, run.log.incomplete())
			}
		}
	}
}

func TestPlanParallelRefuses(t *testing.T) {
	good := Grid{[]int{0}, []int{8}, []int{2}, 2}
	for _, c := range []struct {
		dst    Grid
		memory int64
		procs  int
		want   error
	}{{good, 100, 0, nd.ErrBounds}, {good, 3, 2, ErrMemory}, {Grid{Elem: 2}, 100, 2, nd.ErrRank}} {
		if _, err := PlanParallel(good, c.dst, nil, c.memory, c.procs); !errors.Is(err, c.want) {
			t.Errorf("%v, %d bytes, %d procs: %v", c.dst, c.memory, c.procs, err)
		}
	}
	none := Grid{[]int{3}, []int{3}, []int{2}, 1}
	p, err := PlanParallel(none, none, nil, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	run := parallelRun{plan: p, src: newFake(none), dst: newFake(none), log: newJournal()}
	if stats, err := run.copy(); err != nil || stats.Cost != (Cost{}) || run.log.commits[0] > 0 {
		t.Errorf("nothing costs %v, %v", stats, err)
	}
	run.dst = newFake(good)
	if _, err := run.copy(); !errors.Is(err, ErrMismatch) {
		t.Errorf("a plan for nothing, for a target of 8 elements: %v", err)
	}
}
