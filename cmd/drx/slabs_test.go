package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"drx"
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
		a := newArray(t, drx.Spec{DType: dtype.Int8, Shape: c.shape, ChunkShape: c.chunk})
		sec := a.Bounds()
		for d := range sec {
			sec[d] = sec[d].By(c.step)
		}
		next, slabs := 0, 0
		strides := c.order.Strides(sec.Shape())
		err := eachSlab(context.Background(), a, sec, c.order, func(slab nd.Section, bytes int) error {
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
	a := newArray(t, drx.Spec{DType: dtype.Int8, Shape: []int{64 << 20}, ChunkShape: []int{1 << 20}})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	calls := 0
	err := eachSlab(ctx, a, a.Bounds(), nil, func(nd.Section, int) error {
		calls++
		cancel()
		return nil
	})
	if calls != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d calls after an interruption, error %v", calls, err)
	}
}

func TestByteSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1<<20 - 1: "1.0 MiB", 3 << 29: "1.5 GiB", 1<<63 - 1: "8.0 EiB",
	} {
		if got := byteSize(n); got != want {
			t.Errorf("%d bytes: %s, want %s", n, got, want)
		}
	}
}

// TestInterruption checks that verbs that are interrupted change nothing and leave no file.
func TestInterruption(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"create", "A", "--dtype", "int8", "--shape", "2,2"},
		{"fill", "A", "--value", "1"},
		{"read", "A", "-o", "in.npy"},
		{"create", "B", "--dtype", "int8", "--shape", "2,2"},
	} {
		if code := run(context.Background(), args, nil, io.Discard, io.Discard); code != 0 {
			t.Fatalf("%v: exit code %d", args, code)
		}
	}
	before := names(t, ".")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{
		{"write", "B", "in.npy"},
		{"read", "A", "-o", "out.npy"},
		{"read", "A"},
		{"read", "A", "--csv"},
		{"verify", "A"},
		{"ls"},
	} {
		var complaint strings.Builder
		code := run(ctx, args, nil, io.Discard, &complaint)
		want := "drx: interrupted\n"
		if args[0] == "write" {
			want = "drx: interrupted; B is as it was before\n"
		}
		if code != exitSignal || complaint.String() != want {
			t.Errorf("%v: exit code %d, %q", args, code, complaint.String())
		}
	}
	if after := names(t, "."); after != before {
		t.Errorf("files %s, before %s", after, before)
	}
	var list strings.Builder
	if code := run(context.Background(), []string{"verify", "B"}, nil, &list, io.Discard); code != 0 || list.String() != "B: 0 of 1 chunks written, all good\n" {
		t.Errorf("exit code %d, %q", code, list.String())
	}
}
