package relayout

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"drx"
	"drx/nd"
	"drx/par"
)

// copyOn runs a parallel copy on goroutine procs.
func copyOn(p *ParallelPlan, dst Target, src Source) (cost Cost, err error) {
	err = par.Run(p.Procs, func(c par.Comm) error {
		got, err := CopyParallel(c, dst, src, p)
		if c.Proc() == 0 {
			cost = got
		}
		return err
	}, par.Options{Timeout: time.Minute})
	return cost, err
}

// Whatever the shapes and the number of procs: the copy is right, every chunk is written
// once, as a whole, and what is predicted is counted.
func TestCopyParallel(t *testing.T) {
	again, refused := 0, 0
	for seed := range trials(150) {
		r := rand.New(rand.NewPCG(seed, 21))
		src, dst, order := randomGrids(r, 3000)
		src.Elem = []int{1, 2, 4, 8}[r.IntN(4)]
		dst.Elem = src.Elem
		procs := 1 + int(seed%4)
		memory := int64(src.Elem) * int64(volume(src.Chunk)+volume(dst.Chunk)*(1+r.IntN(6)))
		p, err := PlanParallel(src, dst, order, memory, procs)
		if errors.Is(err, ErrMemory) {
			refused++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		from, to := randomFake(r, src), newFake(dst)
		from.forgets = true
		cost, err := copyOn(p, to, from)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !slices.Equal(to.data, transposed(from, order, dst)) {
			t.Fatalf("seed %d: not the transposed source", seed)
		}
		seen := Cost{sum(from.loads), sum(to.stores), sum(from.loads) * p.Pass.problem.src, sum(to.stores) * p.Pass.problem.dst}
		if cost != p.Pass.Cost || seen != cost || p.Peak > memory || len(to.partial) > 0 {
			t.Errorf("seed %d: planned %v, counted %v, files saw %v, peak %d of %d, in part: %v", seed, p.Pass.Cost, cost, seen, p.Peak, memory, to.partial)
		}
		if len(to.stores) != int(cost.Writes) {
			t.Errorf("seed %d: %d chunks written %d times", seed, len(to.stores), cost.Writes)
		}
		if cost.Reads > int64(len(from.loads)) {
			again++
		}
	}
	t.Logf("chunks were read again in %d cases, %d were refused", again, refused)
	if again == 0 || refused > int(trials(150))/2 {
		t.Errorf("chunks were read again in %d cases, %d were refused", again, refused)
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
		newFlight(p).each(func(m *move) bool {
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

func TestCopyParallelOfArrays(t *testing.T) {
	for procs := 1; procs <= 4; procs++ {
		r := rand.New(rand.NewPCG(uint64(procs), 22))
		src, dst, order := arrays(t, r)
		p, err := PlanParallel(GridOf(src), GridOf(dst), order, 1<<20, procs)
		if err != nil {
			t.Fatal(err)
		}
		if cost, err := copyOn(p, dst, src); err != nil || cost != p.Pass.Cost {
			t.Errorf("%v, planned %v, %v", cost, p.Pass.Cost, err)
		}
		if !slices.Equal(all(t, src, nil, order), all(t, dst, nil, nil)) {
			t.Errorf("%d procs: not the transposed source", procs)
		}
	}
}

// Whatever fails at one proc ends the copy at all.
func TestCopyParallelFails(t *testing.T) {
	src := Grid{[]int{0, 0}, []int{30, 30}, []int{4, 3}, 1}
	dst := Grid{[]int{0, 0}, []int{30, 30}, []int{3, 5}, 1}
	p, err := PlanParallel(src, dst, nil, 500, 3)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	for _, writes := range []bool{false, true} {
		for at := range 12 {
			from, to := newFake(src), newFake(dst)
			n := 0
			fail := func(write bool) error {
				if n++; write == writes && n >= at*3 {
					return fmt.Errorf("call %d: %w", n, broken)
				}
				return nil
			}
			from.fail, to.fail = fail, fail
			if writes {
				from.fail = nil
			} else {
				to.fail = nil
			}
			if _, err := copyOn(p, to, from); !errors.Is(err, broken) {
				t.Errorf("at %d, writing %v: %v", at, writes, err)
			}
		}
	}
	err = par.Run(2, func(c par.Comm) error {
		_, err := CopyParallel(c, newFake(dst), newFake(src), p)
		return err
	})
	if !errors.Is(err, par.ErrArgument) {
		t.Errorf("two procs, planned for three: %v", err)
	}
}

func TestPlanParallelRefuses(t *testing.T) {
	good := Grid{[]int{0}, []int{8}, []int{2}, 2}
	wide := Grid{[]int{0}, []int{8}, []int{2}, 4}
	for _, c := range []struct {
		dst    Grid
		memory int64
		procs  int
		want   error
	}{{wide, 100, 2, nd.ErrBounds}, {good, 100, 0, nd.ErrBounds}, {good, 3, 2, ErrMemory}, {Grid{Elem: 2}, 100, 2, nd.ErrRank}} {
		if _, err := PlanParallel(good, c.dst, nil, c.memory, c.procs); !errors.Is(err, c.want) {
			t.Errorf("%v, %d bytes, %d procs: %v", c.dst, c.memory, c.procs, err)
		}
	}
	none := Grid{[]int{3}, []int{3}, []int{2}, 1}
	p, err := PlanParallel(none, none, nil, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	if cost, err := copyOn(p, newFake(none), newFake(none)); err != nil || cost != (Cost{}) {
		t.Errorf("nothing costs %v, %v", cost, err)
	}
}

func BenchmarkCopyParallel(b *testing.B) {
	shape := []int{2048, 2048}
	dir := b.TempDir()
	src := benchSource(b, dir+"/src", shape, []int{1, 2048})
	for procs := 1; procs <= 2; procs++ {
		b.Run(fmt.Sprint(procs), func(b *testing.B) {
			b.SetBytes(16 * 2048 * 2048)
			for i := 0; b.Loop(); i++ {
				dst := benchArray(b, fmt.Sprintf("%s/dst%d-%d", dir, procs, i), shape, []int{256, 256})
				p, err := PlanParallel(GridOf(src), GridOf(dst), nil, 64<<20, procs)
				if err == nil {
					_, err = copyOn(p, dst, src)
				}
				if err != nil {
					b.Fatal(err)
				}
				removeArray(b, dst)
			}
		})
	}
	if err := src.Close(); err != nil {
		b.Fatal(err)
	}
}

var _ Source = (*drx.Array)(nil)
