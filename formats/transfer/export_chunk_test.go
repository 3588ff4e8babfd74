package transfer

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"drx/nd"
)

// Chunks of a file must not exceed the limit, unless an element does. They must be parts of the
// array's chunks, equal ones if these are not much smaller.
func TestSmallerChunk(t *testing.T) {
	for _, c := range []struct {
		chunk       []int
		size, limit int
		want        []int
	}{
		{[]int{8192, 4096}, 8, 8 << 20, []int{256, 4096}},
		{[]int{8191, 4096}, 8, 8 << 20, []int{256, 4096}},
		{[]int{3, 1 << 20}, 1, 1 << 19, []int{1, 1 << 19}},
		{[]int{900}, 1, 800, []int{450}},
		{[]int{7}, 16, 4, []int{1}},
		{nil, 16, 4, []int{}},
	} {
		if got := smallerChunk(c.chunk, c.size, c.limit); !slices.Equal(got, c.want) {
			t.Errorf("%v of %d bytes, limit %d: %v", c.chunk, c.size, c.limit, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		chunk := rapid.SliceOfN(rapid.IntRange(1, 1000), 1, 5).Draw(t, "chunk")
		size, limit := rapid.IntRange(1, 16).Draw(t, "size"), rapid.IntRange(16, 1<<20).Draw(t, "limit")
		got := smallerChunk(chunk, size, limit)
		n, err := nd.Product(append([]int{size}, got...)...)
		if err != nil || n > limit {
			t.Errorf("%v: %d bytes, %v", got, n, err)
		}
		for d := range got {
			if got[d] < 1 || got[d] > chunk[d] {
				t.Errorf("%v", got)
			}
		}
	})
}
