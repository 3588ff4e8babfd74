package planner

import (
	"math/rand/v2"
	"testing"
	"time"

	"drx/internal/cputest"
	"drx/relayout/internal/arraytest"
)

// For the paper's example, NewPlan must need no more memory than the paper and move no more bytes.
// With 800 elements, one pass that reads some chunks again is better than the paper's two.
func TestExampleOnARealArray(t *testing.T) {
	src := Grid{[]int{0, 0}, []int{3200, 2880}, []int{32, 9}, 1}
	dst := Grid{[]int{0, 0}, []int{3200, 2880}, []int{5, 16}, 1}
	for _, c := range []struct {
		memory int64
		passes int
		atMost float64 // limit of the moved bytes, in multiples of the array
	}{{1600, 1, 2}, {900, 1, 2.5}, {800, 1, 4}, {100, 2, 20}} {
		p, err := NewPlan(src, dst, nil, c.memory)
		if err != nil {
			t.Fatal(err)
		}
		cost := float64(p.Cost().Bytes()) / (3200 * 2880)
		t.Logf("%d: %d passes, %v, template %v, cost %.3f, peak %d", c.memory, len(p.Passes), p.Cost(), p.Passes[0].Template, cost, p.PeakMemory())
		if len(p.Passes) != c.passes || cost > c.atMost || p.PeakMemory() > c.memory {
			t.Errorf("%d bytes: %d passes, cost %v, peak %d; want %d passes, at most %v",
				c.memory, len(p.Passes), cost, p.PeakMemory(), c.passes, c.atMost)
		}
	}
}

func TestLargeOnesInOnePass(t *testing.T) {
	shape := []int{224, 8192, 8192}
	zero := []int{0, 0, 0}
	for _, c := range [][2][]int{
		{{1, 512, 512}, {224, 64, 64}},
		{{1, 500, 500}, {224, 64, 48}},
	} {
		p, err := NewPlan(Grid{zero, shape, c[0], 2}, Grid{zero, shape, c[1], 2}, nil, 256e6)
		if err != nil {
			t.Fatal(err)
		}
		least := int64(224 * 8192 * 8192 * 2 * 2)
		t.Logf("%v -> %v: %d passes, template %v, %.3f times the least bytes, peak %d, works %d stages %d", c[0], c[1],
			len(p.Passes), p.Passes[0].Template, float64(p.Cost().Bytes())/float64(least), p.PeakMemory(), p.Passes[0].WorkBuffers, p.Passes[0].StagingBuffers)
		if len(p.Passes) != 1 || p.PeakMemory() > 256e6 {
			t.Errorf("%v to %v: %d passes, peak %d", c[0], c[1], len(p.Passes), p.PeakMemory())
		}
	}
}

// Planning must be quick even for many chunks and several passes.
func TestPlansAreQuick(t *testing.T) {
	if arraytest.Race {
		t.Skip("the race detector takes its time")
	}
	for _, c := range []struct {
		shape, src, dst []int
		memory          int64
	}{
		{[]int{100_000, 100_000}, []int{1, 100_000}, []int{100_000, 1}, 16 << 20},
		{[]int{1 << 30}, []int{999}, []int{1001}, 1 << 20},
		{[]int{500, 500, 500, 500}, []int{7, 31, 13, 50}, []int{29, 11, 50, 9}, 4 << 20},
	} {
		zero := make([]int, len(c.shape))
		cputest.Most(t, 5*time.Second, func() {
			p, err := NewPlan(Grid{zero, c.shape, c.src, 8}, Grid{zero, c.shape, c.dst, 8}, nil, c.memory)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%v: %d passes, %.3g bytes", c.shape, len(p.Passes), float64(p.Cost().Bytes()))
		})
	}
}

func TestCostOfTemplatesAddsUp(t *testing.T) {
	for seed := range arraytest.Trials(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		src, dst, order := randomGrids(r, 4000)
		src.ElemSize, dst.ElemSize = 4, 1+r.IntN(8)
		p, err := NewPlan(src, dst, order, 1<<15)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Passes {
			if got := p.Passes[i].CostOfTemplates(p.Passes[i].TemplateCount()); got != p.Passes[i].Cost {
				t.Errorf("seed %d: %v, want %v", seed, got, p.Passes[i].Cost)
			}
		}
	}
}
