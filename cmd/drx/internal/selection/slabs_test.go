package selection

import (
	"context"
	"errors"
	"testing"

	"drx"
	"drx/cmd/drx/internal/clitest"
	"drx/dtype"
	"drx/nd"
)

// TestEachSlabTilesInOrder checks that slabs follow each other as the elements of a dense
// buffer do, without gaps, within the limit, whatever the shape, order, steps and chunks.
func TestEachSlabTilesInOrder(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		shape, chunk []int
		step         int
		order        nd.Order
		slabs        int
	}{
		{[]int{4, 5, 6}, []int{2, 2, 2}, 1, nil, 1},
		{[]int{40, 1000, 1000}, []int{7, 100, 100}, 1, nil, 3},    // 14 layers are less than 16 MiB
		{[]int{40, 1000, 1000}, []int{30, 100, 100}, 1, nil, 2},   // a whole layer of chunks
		{[]int{3, 40 * mib}, []int{1, mib}, 1, nil, 9},            // rows larger than a slab
		{[]int{40 * mib, 3}, []int{mib, 1}, 1, nd.ColMajor(2), 9}, // columns
		{[]int{300, 300, 300}, []int{10, 10, 10}, 1, nd.Order{1, 0, 2}, 2},
		{[]int{300, 300, 1000}, []int{10, 10, 10}, 3, nd.Order{2, 0, 1}, 1},
		{[]int{2, 3, 32 * mib}, []int{2, 3, 5}, 2, nil, 2},
		{[]int{5, 0, 7}, []int{2, 2, 2}, 1, nil, 0},
	} {
		a := clitest.NewArray(t, drx.Spec{DType: dtype.Int8, Shape: c.shape, ChunkShape: c.chunk})
		sec := a.Bounds()
		for d := range sec {
			sec[d] = sec[d].By(c.step)
		}
		next, slabs := 0, 0
		strides := c.order.Strides(sec.Shape())
		err := EachSlab(context.Background(), a, sec, c.order, func(slab nd.Section, bytes int) error {
			first := 0
			for d, r := range slab {
				first += (r.Lo - sec[d].Lo) / c.step * strides[d]
			}
			n, err := slab.Len()
			if first != next || n != bytes || bytes > slabLimit {
				t.Errorf("%v: slab %v begins at %d, want %d; %d elements, said to be %d", c, slab, first, next, n, bytes)
			}
			next += n
			slabs++
			return err
		})
		if n, _ := sec.Len(); err != nil || next != n || slabs != c.slabs {
			t.Errorf("%v: %d elements in %d slabs, error %v", c, next, slabs, err)
		}
	}
}

func TestEachSlabStops(t *testing.T) {
	a := clitest.NewArray(t, drx.Spec{DType: dtype.Int8, Shape: []int{64 << 20}, ChunkShape: []int{1 << 20}})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	calls := 0
	err := EachSlab(ctx, a, a.Bounds(), nil, func(nd.Section, int) error {
		calls++
		cancel()
		return nil
	})
	if calls != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d calls after an interruption, error %v", calls, err)
	}
}
