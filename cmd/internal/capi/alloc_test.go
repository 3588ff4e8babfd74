package capi

import (
	"testing"
	"unsafe"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// TestAllocations checks that a call allocates nothing besides the allocations of package drx,
// which would take half of the time of a small call.
func TestAllocations(t *testing.T) {
	h, _ := create(t, []int{64, 64}, `{"chunk": [16, 16]}`)
	a, err := arrays.get(h)
	if err != nil {
		t.Fatal(err)
	}
	var v int16
	box := make([]byte, 2*8*8)
	index, s := []int64{3, 4}, Section{Lo: []int64{8, 8}, Hi: []int64{16, 16}}
	if err := Set(h, index, Buffer{DType: dtype.Int16, Data: unsafe.Pointer(&v)}); err != nil {
		t.Fatal(err)
	}
	run := func(f func() error) float64 {
		return testing.AllocsPerRun(200, func() {
			if err := Do(f); err != nil {
				t.Fatal(err)
			}
		})
	}
	compare := func(what string, got, want float64) {
		if got > want+1 { // with the race detector a sync.Pool drops some of its items
			t.Errorf("%s allocates %v times, package drx %v times", what, got, want)
		}
	}
	compare("Get", run(func() error { return Get(h, index, Buffer{DType: dtype.Int16, Data: unsafe.Pointer(&v)}) }),
		run(func() error { _, err := drx.At[int16](a.Array, 3, 4); return err }))
	sec := nd.Section{nd.Span(8, 16), nd.Span(8, 16)}
	compare("Read", run(func() error {
		return Read(h, 2, s, Buffer{DType: dtype.Int16, Data: unsafe.Pointer(&box[0]), Size: int64(len(box))})
	}), run(func() error { return a.ReadBytes(sec, box, nil) }))
}
