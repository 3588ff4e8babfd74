package planner

import "testing"

// In every step, except those at the end of the array, each proc must complete at least one chunk.
func TestStepsAreBalanced(t *testing.T) {
	src := Grid{[]int{0, 0}, []int{96, 96}, []int{7, 5}, 8}
	dst := Grid{[]int{0, 0}, []int{96, 96}, []int{4, 6}, 8}
	for procs := 2; procs <= 6; procs++ {
		p, err := NewParallelPlan(src, dst, nil, 20000, procs)
		if err != nil {
			t.Fatal(err)
		}
		steps, full := 0, 0
		for step := range p.Pass.Steps(0) {
			owners := map[int]int{}
			for chunk := range p.Pass.TargetPieces(step.Written) {
				owners[p.Owner(chunk.Lo)]++
			}
			steps++
			edge := false
			for d, hi := range step.Written.Hi {
				edge = edge || p.Block[d] > 1 && hi == 96
			}
			switch {
			case len(owners) == procs:
				full++
			case !edge:
				t.Errorf("%d procs: step %v has chunks of %v only", procs, step.Written, owners)
			}
		}
		t.Logf("%d procs: box %v, template %v, %d of %d steps use all", procs, p.Block, p.Pass.Template, full, steps)
		if volume(p.Block) != procs || full < steps/2 {
			t.Errorf("%d procs: box %v: only %d of %d steps use all", procs, p.Block, full, steps)
		}
	}
}

// The memory of all procs must allow larger templates than that of one.
func TestMemoryIsPooled(t *testing.T) {
	src := Grid{[]int{0, 0}, []int{512, 512}, []int{1, 512}, 8}
	dst := Grid{[]int{0, 0}, []int{512, 512}, []int{128, 4}, 8}
	one, err := NewParallelPlan(src, dst, nil, 100<<10, 1)
	if err != nil {
		t.Fatal(err)
	}
	four, err := NewParallelPlan(src, dst, nil, 100<<10, 4)
	if err != nil || four.Pass.Cost.Reads >= one.Pass.Cost.Reads {
		t.Errorf("%d reads by 4 procs, %d by one, %v", four.Pass.Cost.Reads, one.Pass.Cost.Reads, err)
	}
}
