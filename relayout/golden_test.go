package relayout

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The worked example of section 4 of the paper: blocks <32, 9> to <5, 16>.
var example = Classic{Source: []int{32, 9}, Target: []int{5, 16}}

func within(c Classic, memory int) Classic {
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

// The paper prints template <120, 6> for 900 elements, which is no multiple of the target
// block; meant is <120, 16>.
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

// NewPlan never needs more memory than the paper, nor moves more: with 800 elements one
// pass that reads some chunks again beats two.
func TestExampleOnARealArray(t *testing.T) {
	src := Grid{[]int{0, 0}, []int{3200, 2880}, []int{32, 9}, 1}
	dst := Grid{[]int{0, 0}, []int{3200, 2880}, []int{5, 16}, 1}
	for _, c := range []struct {
		memory int64
		passes int
		atMost float64 // bytes moved, times the array
	}{{1600, 1, 2}, {900, 1, 2.5}, {800, 1, 4}, {100, 2, 20}} {
		p, err := NewPlan(src, dst, nil, c.memory)
		if err != nil {
			t.Fatal(err)
		}
		cost := float64(p.Cost().Bytes()) / (3200 * 2880)
		t.Logf("%d: %d passes, %v, template %v, cost %.3f, peak %d", c.memory, len(p.Passes), p.Cost(), p.Passes[0].Template, cost, p.Peak())
		if len(p.Passes) != c.passes || cost > c.atMost || p.Peak() > c.memory {
			t.Errorf("%d bytes: %d passes, cost %v, peak %d; want %d passes, at most %v",
				c.memory, len(p.Passes), cost, p.Peak(), c.passes, c.atMost)
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
			len(p.Passes), p.Passes[0].Template, float64(p.Cost().Bytes())/float64(least), p.Peak(), p.Passes[0].Works, p.Passes[0].Stages)
		if len(p.Passes) != 1 || p.Peak() > 256e6 {
			t.Errorf("%v to %v: %d passes, peak %d", c[0], c[1], len(p.Passes), p.Peak())
		}
	}
}

func TestClassicRefuses(t *testing.T) {
	if _, ok := within(example, 500).Template(); ok {
		t.Error("a template below the max-block")
	}
	if chunks, _ := within(example, 20).Passes(); chunks != nil {
		t.Errorf("passes through %v in 20 elements", chunks)
	}
	// Nothing to do is one pass of one chunk.
	same := Classic{[]int{7, 3}, []int{7, 3}, 21}
	chunks, templates := same.Passes()
	if len(chunks) != 2 || !slices.Equal(templates[0], []int{7, 3}) {
		t.Errorf("equal chunks: %v %v", chunks, templates)
	}
}

// Planning takes no time to speak of, also where there are many chunks and passes.
func TestPlansAreQuick(t *testing.T) {
	if raceDetector {
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
		start := time.Now()
		p, err := NewPlan(Grid{zero, c.shape, c.src, 8}, Grid{zero, c.shape, c.dst, 8}, nil, c.memory)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%v: %v, %d passes, %.3g bytes", c.shape, time.Since(start), len(p.Passes), float64(p.Cost().Bytes()))
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%v: %v", c.shape, took)
		}
	}
}
