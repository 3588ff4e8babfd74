package planner

import (
	"slices"
	"testing"

	"drx/nd"
)

// The test has the paper's example: a 10 x 10 array in 3 x 3 tiles has 4 x 4 chunks, offsets (4,
// 1).
func TestMaxBlocks(t *testing.T) {
	for _, c := range []struct {
		procs int
		grid  []int
		want  [][]int
	}{
		{1, []int{4, 4}, [][]int{{1, 1}}},
		{2, []int{4, 4}, [][]int{{1, 2}}}, // offsets (0, 1): a column belongs to one process
		{4, []int{4, 4}, [][]int{{1, 4}}},
		{3, []int{4, 4}, [][]int{{3, 1}, {1, 3}}},
		{4, []int{4, 6}, [][]int{{2, 2}, {1, 4}}},
		{8, []int{2, 4, 4}, [][]int{{1, 2, 4}, {1, 1, 8}}},
		{6, []int{3, 3, 2}, [][]int{{1, 3, 2}, {1, 1, 6}}},
	} {
		if got := maxBlocks(c.procs, c.grid); !slices.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("%d processes, %v chunks: %v, want %v", c.procs, c.grid, got, c.want)
		}
	}
}

// The chunks of every max-block must belong to all procs, wherever the box lies.
func TestMaxBlocksAreBalanced(t *testing.T) {
	boxes := 0
	for procs := 1; procs <= 16; procs++ {
		for a := 1; a <= 7; a++ {
			for b := 1; b <= 7; b++ {
				for c := 1; c <= 7; c++ {
					for _, m := range maxBlocks(procs, []int{a, b, c}) {
						boxes++
						checkBalanced(t, procs, []int{a, b, c}, m)
					}
				}
			}
		}
	}
	if boxes < 5000 {
		t.Errorf("only %d max-blocks", boxes)
	}
}

func checkBalanced(t *testing.T, procs int, grid, block []int) {
	t.Helper()
	for _, origin := range [][]int{{0, 0, 0}, {1, 2, 3}} {
		seen := map[int]bool{}
		at, zero := make([]int, 3), make([]int, 3)
		for more := true; more; more = nd.Next(at, zero, block) {
			number := 0
			for d := range at {
				number = number*grid[d] + origin[d] + at[d]
			}
			seen[number%procs] = true
		}
		if len(seen) != procs || volume(block) != procs {
			t.Fatalf("%d processes, %v chunks: block %v meets %d of them", procs, grid, block, len(seen))
		}
	}
}
