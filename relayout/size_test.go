package relayout

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"drx/nd"
	"drx/relayout/internal/planner"
)

// TestGridSize counts the chunks of a grid one by one.
func TestGridSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := Grid{ElemSize: rapid.SampledFrom([]int{1, 2, 8}).Draw(t, "size")}
		elements, chunks, slot := int64(g.ElemSize), int64(1), int64(g.ElemSize)
		for range rapid.IntRange(1, 3).Draw(t, "rank") {
			lo, n, c := rapid.IntRange(-9, 9).Draw(t, "lo"), rapid.IntRange(0, 20).Draw(t, "n"), rapid.IntRange(1, 8).Draw(t, "chunk")
			g.Lo, g.Hi, g.ChunkShape = append(g.Lo, lo), append(g.Hi, lo+n), append(g.ChunkShape, c)
			found := map[int]bool{}
			for i := lo; i < lo+n; i++ {
				found[nd.FloorDiv(i, c)] = true
			}
			elements, chunks, slot = elements*int64(n), chunks*int64(len(found)), slot*int64(c)
		}
		if got, want := g.Size(0), (Size{elements, chunks * slot}); got != want {
			t.Fatalf("%+v: %+v, want %+v", g, got, want)
		}
		if got, want := g.Size(16).Chunks, chunks*((slot+15)/16*16); got != want {
			t.Fatalf("%+v aligned to 16: %d, want %d", g, got, want)
		}
		fit := g
		fit.ChunkShape = g.FittingChunk()
		if planner.Grid(fit).ChunkBytes() > planner.Grid(g).ChunkBytes() {
			t.Fatalf("%+v: chunks of %v are larger", g, fit.ChunkShape)
		}
		for d, c := range fit.ChunkShape {
			if c < 1 || c > max(1, g.Hi[d]-g.Lo[d]) {
				t.Fatalf("%+v: chunks of %v do not fit", g, fit.ChunkShape)
			}
		}
	})
}

func TestFittingChunk(t *testing.T) {
	for _, test := range []struct {
		shape, chunk, want []int
	}{
		{[]int{36, 765, 700}, []int{512, 16, 16}, []int{36, 64, 32}},
		{[]int{36, 765, 700}, []int{1, 765, 700}, []int{1, 765, 700}},
		{[]int{5, 0}, []int{8, 4}, []int{5, 1}},
		{[]int{100}, []int{64}, []int{50}},
		{[]int{3, 4}, []int{100, 100}, []int{3, 4}},
	} {
		g := Grid{Lo: make([]int, len(test.shape)), Hi: test.shape, ChunkShape: test.chunk, ElemSize: 2}
		if got := g.FittingChunk(); !slices.Equal(got, test.want) {
			t.Errorf("%v in chunks of %v: %v, want %v", test.shape, test.chunk, got, test.want)
		}
	}
	huge := Grid{Lo: []int{0, 0}, Hi: []int{math.MaxInt, math.MaxInt}, ChunkShape: []int{math.MaxInt, 2}, ElemSize: 8}
	if s := huge.Size(4096); s.Elements != math.MaxInt64 || s.Chunks != math.MaxInt64 {
		t.Errorf("a huge array: %+v", s)
	}
}
