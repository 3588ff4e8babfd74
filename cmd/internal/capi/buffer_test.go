package capi

import (
	"errors"
	"math"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// drawLayout draws extents and strides, many of which overlap.
func drawLayout(t *rapid.T) (shape []int, strides []int64, elem int) {
	rank := rapid.IntRange(1, 4).Draw(t, "rank")
	for range rank {
		shape = append(shape, rapid.IntRange(1, 4).Draw(t, "extent"))
		strides = append(strides, rapid.Int64Range(-40, 40).Draw(t, "stride"))
	}
	return shape, strides, rapid.SampledFrom([]int{1, 2, 4, 8, 16}).Draw(t, "elem")
}

// offsets returns the offsets of all elements of a buffer.
func offsets(shape []int, strides []int64) (all []int) {
	index := make([]int, len(shape))
	for {
		at := 0
		for d, i := range index {
			at += i * int(strides[d])
		}
		all = append(all, at)
		if !nd.Next(index, make([]int, len(shape)), shape) {
			return all
		}
	}
}

// TestLay compares the extent of a buffer with that of its elements, and checks that no buffer with
// overlapping elements is written.
func TestLay(t *testing.T) {
	var memory byte
	rapid.Check(t, func(t *rapid.T) {
		shape, strides, elem := drawLayout(t)
		low, high, bytes, overlap := 0, 0, map[int]bool{}, false
		for _, at := range offsets(shape, strides) {
			low, high = min(low, at), max(high, at+elem)
			for i := range elem {
				overlap = overlap || bytes[at+i]
				bytes[at+i] = true
			}
		}
		b := Buffer{Data: unsafe.Pointer(&memory), Size: int64(high - low), Strides: strides}
		out := make([]int, len(shape))
		first, end, err := b.lay(shape, elem, false, out)
		if err != nil || first != low || end != high {
			t.Fatalf("from %d to %d, want %d to %d: %v", first, end, low, high, err)
		}
		if _, _, err := b.lay(shape, elem, true, out); err == nil && overlap {
			t.Fatal("elements overlap")
		}
		b.Size--
		if _, _, err := b.lay(shape, elem, false, out); !errors.Is(err, drx.ErrSize) {
			t.Fatalf("a buffer that is too small: %v", err)
		}
	})
}

// TestLayViews checks that every view of a dense array can be written: permuted, mirrored, with
// steps, or a part.
func TestLayViews(t *testing.T) {
	var memory byte
	rapid.Check(t, func(t *rapid.T) {
		shape, _, elem := drawLayout(t)
		order := nd.Order(rapid.Permutation(nd.RowMajor.Dims(len(shape))).Draw(t, "order"))
		dense := make([]int, len(shape))
		var strides []int64
		for d, n := range shape {
			dense[d] = n * rapid.IntRange(1, 3).Draw(t, "larger")
		}
		for d, stride := range order.Strides(dense) {
			step := rapid.IntRange(1, dense[d]/shape[d]).Draw(t, "step")
			strides = append(strides, int64(stride*elem*step)*rapid.SampledFrom([]int64{-1, 1}).Draw(t, "sign"))
		}
		b := Buffer{Data: unsafe.Pointer(&memory), Size: Unchecked, Strides: strides}
		if _, _, err := b.lay(shape, elem, true, make([]int, len(shape))); err != nil {
			t.Fatalf("shape %v, strides %v: %v", shape, strides, err)
		}
	})
}

// TestLayTooLarge checks strides of buffers whose size overflows.
func TestLayTooLarge(t *testing.T) {
	var memory byte
	for _, stride := range []int64{math.MaxInt64, math.MinInt64, math.MinInt64 + 1, math.MaxInt64 / 2} {
		b := Buffer{Data: unsafe.Pointer(&memory), Size: Unchecked, Strides: []int64{stride, 1}}
		if _, _, err := b.lay([]int{4, 4}, 1, false, make([]int, 2)); !errors.Is(err, drx.ErrOverflow) {
			t.Errorf("stride %d: %v", stride, err)
		}
	}
}

// TestCopyBox compares copyBox with copies of single elements, for all sizes and signs.
func TestCopyBox(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape, strides, elem := drawLayout(t)
		all := offsets(shape, strides)
		low, high := 0, 0
		for _, at := range all {
			low, high = min(low, at), max(high, at+elem)
		}
		host, dense := make([]byte, high-low), make([]byte, len(all)*elem)
		for i := range host {
			host[i] = byte(i*37 + 1)
		}
		hostStrides, denseStrides := make([]int, len(shape)), nd.RowMajor.Strides(shape)
		for d := range shape {
			hostStrides[d] = int(strides[d])
			denseStrides[d] *= elem
		}
		copyBox(unsafe.Pointer(&dense[0]), denseStrides, unsafe.Pointer(&host[-low]), hostStrides, shape, elem)
		for i, at := range all {
			if string(dense[i*elem:(i+1)*elem]) != string(host[at-low:at-low+elem]) {
				t.Fatalf("element %d at %d differs", i, at)
			}
		}
	})
}

// TestStrides checks the strides of dense buffers.
func TestStrides(t *testing.T) {
	out := make([]int64, 3)
	if err := Strides(dtype.Int32, []int64{2, 3, 5}, []int32{2, 0, 1}, out); err != nil || out[0] != 12 || out[1] != 4 || out[2] != 24 {
		t.Errorf("strides %v: %v", out, err)
	}
	if err := Strides(dtype.Int32, []int64{2, 3, 5}, []int32{0, 0, 1}, out); !errors.Is(err, drx.ErrRank) {
		t.Error(err)
	}
	if err := Strides(dtype.Int32, []int64{0, math.MaxInt64 / 2, 5}, nil, out); !errors.Is(err, drx.ErrOverflow) {
		t.Error(err)
	}
}
