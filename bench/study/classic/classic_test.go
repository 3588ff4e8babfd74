package classic

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// example is the worked example of section 4 of the paper: blocks <32, 9> to <5, 16>.
var example = Problem{Source: []int{32, 9}, Target: []int{5, 16}}

func within(c Problem, memory int) Problem {
	c.Memory = memory
	return c
}

func TestExampleQuantities(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"lcm-block", example.LCM(), []int{160, 144}},
		{"elements of the lcm-block", volume(example.LCM()), 23040},
		{"max-block", example.MaxBlock(), []int{32, 16}},
		{"unused", example.Unused(), []int{4, 8}},
		{"traversal", example.Traversal(), []int{1, 0}}, // "the second dimension is traversed first"
		{"memory for one pass", example.Need([]int{160, 144}), 8*32 + 144*4 + 32*16},
		{"the same, as printed", example.Need([]int{160, 144}), 1344},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestExamplePasses(t *testing.T) {
	for _, c := range []struct {
		memory            int
		chunks, templates [][]int
	}{
		{23040, [][]int{{32, 9}, {5, 16}}, [][]int{{160, 144}}},
		{1344, [][]int{{32, 9}, {5, 16}}, [][]int{{160, 144}}},
		{800, [][]int{{32, 9}, {12, 12}, {5, 16}}, [][]int{{96, 12}, {60, 48}}},
	} {
		chunks, templates := within(example, c.memory).Passes()
		if diff := cmp.Diff([][][]int{c.chunks, c.templates}, [][][]int{chunks, templates}); diff != "" {
			t.Errorf("%d elements: %s", c.memory, diff)
		}
	}
}

// The paper prints template <120, 6> for 900 elements, which is not a multiple of the target block;
// it must mean <120, 16>.
func TestExampleAt900(t *testing.T) {
	c := within(example, 900)
	chunks, templates := c.Passes()
	if len(chunks) != 2 || c.Need(templates[0]) > 900 || c.Cost(templates[0]) > c.Cost([]int{120, 16}) {
		t.Errorf("through %v with %v, cost %v; want one pass for at most %v",
			chunks, templates, c.Cost(templates[0]), c.Cost([]int{120, 16}))
	}
	if got := c.Need([]int{120, 16}); got > 900 {
		t.Errorf("template <120, 16> needs %d", got)
	}
}

func TestClassicRefuses(t *testing.T) {
	if _, ok := within(example, 500).Template(); ok {
		t.Error("a template below the max-block")
	}
	if chunks, _ := within(example, 20).Passes(); chunks != nil {
		t.Errorf("passes through %v in 20 elements", chunks)
	}
	// A copy to the same chunks takes one pass of one chunk.
	same := Problem{[]int{7, 3}, []int{7, 3}, 21}
	chunks, templates := same.Passes()
	if len(chunks) != 2 || !slices.Equal(templates[0], []int{7, 3}) {
		t.Errorf("equal chunks: %v %v", chunks, templates)
	}
}

// The search of figure 2 must never beat a trial of every template, and must often be as good.
func TestFigure2AgainstEveryTemplate(t *testing.T) {
	equal, worse := 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 10))
		c := Problem{Source: []int{1 + r.IntN(12), 1 + r.IntN(12)}, Target: []int{1 + r.IntN(12), 1 + r.IntN(12)}}
		c.Memory = 1 + r.IntN(c.Need(c.LCM())+50)
		best := math.Inf(1)
		l := c.LCM()
		for i := c.Target[0]; i <= l[0]; i += c.Target[0] {
			for j := c.Target[1]; j <= l[1]; j += c.Target[1] {
				if c.Need([]int{i, j}) <= c.Memory {
					best = min(best, c.Cost([]int{i, j}))
				}
			}
		}
		got, ok := c.Template()
		switch {
		case ok != !math.IsInf(best, 1):
			t.Errorf("seed %d: found %v, but there is one: %v", seed, ok, !ok)
		case !ok:
		case c.Need(got) > c.Memory || c.Cost(got) < best-1e-9:
			t.Errorf("seed %d: template %v needs %d of %d, costs %v, best %v", seed, got, c.Need(got), c.Memory, c.Cost(got), best)
		case c.Cost(got) < best+1e-9:
			equal++
		default:
			worse++
		}
	}
	t.Logf("figure 2: as good as the best template %d times, worse %d times", equal, worse)
	if equal < 150 {
		t.Errorf("as good only %d times, worse %d times", equal, worse)
	}
}
