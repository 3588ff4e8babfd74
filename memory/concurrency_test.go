package memory_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"drx/internal/growtest"

	"drx/axial"
	"drx/memory"
	"drx/nd"
)

// TestGrowDuringReads: one goroutine extends the array on both sides and in rank, and writes the
// new elements before it publishes the new bounds. Others read up to these bounds in all ways, and
// must see only what was written.
func TestGrowDuringReads(t *testing.T) {
	for _, chunk := range [][]int{nil, {4, 3}} {
		a, err := memory.New(memory.Spec[int64]{Shape: []int{8, 8}, ChunkShape: chunk, FillValue: -1})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Fill(nil, 1); err != nil {
			t.Fatal(err)
		}
		var told atomic.Pointer[nd.Section]
		all := a.Bounds()
		told.Store(&all)
		var readers sync.WaitGroup
		stop := make(chan struct{})
		for range 3 {
			readers.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						if err := readOnes(a, *told.Load()); err != nil {
							t.Error(err)
							return
						}
					}
				}
			})
		}
		for i := range 200 {
			sec, err := growtest.Extend(a, i/3%2, 1, axial.Side(i/5%2))
			if err != nil {
				t.Error(err)
				break
			}
			if err := a.Fill(sec, 1); err != nil {
				t.Error(err)
				break
			}
			all := a.Bounds()
			told.Store(&all)
		}
		close(stop)
		readers.Wait()
	}
}

// readOnes reads a section whose elements must all be 1.
func readOnes(a *memory.Array[int64], sec nd.Section) error {
	data, err := a.Read(sec)
	if err != nil {
		return err
	}
	var indices []int
	for d := range 2 { // two corners
		for _, r := range sec {
			indices = append(indices, []int{r.Lo, r.Hi - 1}[d])
		}
	}
	corners := make([]int64, 2)
	if err := a.Gather(indices, corners); err != nil {
		return err
	}
	v, err := a.At(indices[2:]...)
	if err != nil {
		return err
	}
	for i, v := range append(append(data, corners...), v) {
		if v != 1 {
			return fmt.Errorf("element %d of %v is %d", i, sec, v)
		}
	}
	return nil
}

// TestWritersOfTheirOwn: goroutines extend the array at the same time, and each writes its own
// section; they must not disturb each other.
func TestWritersOfTheirOwn(t *testing.T) {
	a, err := memory.New(memory.Spec[int64]{Shape: []int{0, 16}, ChunkShape: []int{1, 5}})
	if err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for i := range 300 {
				sec, err := growtest.Extend(a, 0, 1, axial.Side(i%2))
				if err == nil {
					err = a.Fill(sec, int64(w+1))
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	writers.Wait()
	rows := map[int64]int{}
	b := a.Bounds()
	if b[0] != nd.Span(-600, 600) {
		t.Fatalf("bounds %v", b)
	}
	for i := -600; i < 600; i++ {
		row, err := a.Read(nd.Sec(nd.At(i), nd.All))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range row {
			if v != row[0] {
				t.Fatalf("row %d is %v", i, row)
			}
		}
		rows[row[0]]++
	}
	for w := range int64(4) {
		if rows[w+1] != 300 {
			t.Errorf("writer %d has %d rows, want 300", w, rows[w+1])
		}
	}
}

// TestAccessAllocatesNothing: neither reads nor writes of single elements may allocate memory.
func TestAccessAllocatesNothing(t *testing.T) {
	for _, chunk := range [][]int{nil, {4, 4, 4}, {3, 5, 2}} {
		a, err := memory.New(memory.Spec[float64]{Shape: []int{9, 9, 9}, ChunkShape: chunk})
		if err != nil {
			t.Fatal(err)
		}
		dst, indices := make([]float64, 2), []int{1, 2, 3, 4, 5, 6}
		if n := testing.AllocsPerRun(100, func() {
			v, _ := a.At(1, 2, 3)
			_ = a.Set(v+1, 1, 2, 3)
			_ = a.Gather(indices, dst)
			_ = a.Scatter(indices, dst)
		}); n != 0 {
			t.Errorf("chunk %v: %v allocations", chunk, n)
		}
	}
}
