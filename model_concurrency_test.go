package drx

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"drx/internal/growtest"

	"drx/axial"
	"drx/dtype"
	"drx/nd"
)

// stamp is the value that the tests store at an index. It identifies the index.
func stamp(i, j int) int64 { return int64(i)*1_000_003 + int64(j)*7 + 1 }

// One goroutine grows the array on all four sides and writes; others read, verify and query it,
// with a cache of a few chunks. Every value that they read is the stamp or the fill value.
func TestConcurrent(t *testing.T) { inBothForms(t, testConcurrent) }

func testConcurrent(t *testing.T) {
	o := inMemory()
	o.Cache = 5 * (4*4*8 + 256)
	a := mustCreate(t, Spec{DType: dtype.Int64, Shape: []int{2, 2}, ChunkShape: []int{4, 4}, Options: o})
	ctx, stop := context.WithCancel(context.Background())
	var readers sync.WaitGroup
	for id := range 3 {
		readers.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(id), 1))
			for ctx.Err() == nil {
				if err := readSome(a, rng); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	readers.Go(func() {
		for ctx.Err() == nil {
			if r, err := a.Verify(context.Background(), nil); err != nil || !r.Good() {
				t.Errorf("verify: %v, %v", r, err)
				return
			}
			if _, err := a.Usage(); err != nil {
				t.Error(err)
				return
			}
		}
	})
	rng := rand.New(rand.NewPCG(9, 9))
	for i := range 60 {
		added, err := growtest.Extend(a, i%2, 1+rng.IntN(3), axial.Side(rng.IntN(2)))
		if err == nil {
			err = writeStamps(a, added)
		}
		if err == nil && i%5 == 0 {
			err = a.Sync()
		}
		if err == nil {
			err = a.SetAttr("step", i)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	stop()
	readers.Wait()
	if peak := a.pool.Stats().Peak; peak > o.Cache {
		t.Errorf("pool held %d bytes, budget %d", peak, o.Cache)
	}
}

func writeStamps(a *Array, sec nd.Section) error {
	var data []int64
	each(sec, nil, func(index []int) { data = append(data, stamp(index[0], index[1])) })
	return Write(a, sec, data)
}

// readSome reads a random section of the present bounds and checks every element.
func readSome(a *Array, rng *rand.Rand) error {
	sec := a.Bounds()
	for d, r := range sec {
		lo := r.Lo + rng.IntN(r.Hi-r.Lo)
		sec[d] = nd.Span(lo, lo+1+rng.IntN(min(20, r.Hi-lo)))
	}
	data, err := Read[int64](a, sec)
	if err != nil {
		return err
	}
	n, fill := 0, int64(a.FillValue()[0])
	each(sec, nil, func(index []int) {
		if want := stamp(index[0], index[1]); data[n] != want && data[n] != fill && err == nil {
			err = fmt.Errorf("element %v is %d, want %d or the fill value", index, data[n], want)
		}
		n++
	})
	return err
}

// No Set is lost if several goroutines change elements of the same chunk.
func TestConcurrentSet(t *testing.T) { inBothForms(t, testConcurrentSet) }

func testConcurrentSet(t *testing.T) {
	o := inMemory()
	o.patchCost = 8 // some changes bypass the pool, some do not
	o.Cache = 1     // a single chunk
	a := mustCreate(t, Spec{DType: dtype.Int64, Shape: []int{16, 16}, ChunkShape: []int{8, 8}, Options: o})
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for i := w * 4; i < w*4+4; i++ {
				for j := range 16 {
					if err := Set(a, stamp(i, j), i, j); err != nil {
						t.Error(err)
					}
					if v, err := At[int64](a, i, j); err != nil || v != stamp(i, j) {
						t.Errorf("At(%d, %d) = %d, %v", i, j, v, err)
					}
				}
			}
		})
	}
	writers.Wait()
	data, err := Read[int64](a, nil)
	if err != nil {
		t.Fatal(err)
	}
	for n, v := range data {
		if want := stamp(n/16, n%16); v != want {
			t.Errorf("element %d,%d is %d, want %d", n/16, n%16, v, want)
		}
	}
}

// Close waits for the operations in progress, and later ones are refused.
func TestConcurrentClose(t *testing.T) { inBothForms(t, testConcurrentClose) }

func testConcurrentClose(t *testing.T) {
	for range 20 {
		o := inMemory()
		o.patchCost = 8
		a := mustCreate(t, Spec{DType: dtype.Int64, Shape: []int{64, 64}, ChunkShape: []int{8, 8}, Options: o})
		var users sync.WaitGroup
		for range 3 {
			users.Go(func() {
				var err error
				for err == nil {
					err = writeStamps(a, a.Bounds())
				}
				if !errors.Is(err, ErrClosed) {
					t.Error(err)
				}
			})
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		users.Wait()
		checkCommitted(t, o.fs, 0)
	}
}

// A write that began before the array grew into its chunk does not overwrite what was written there
// since, even if the chunk has left the cache.
func TestWriteBesideExtend(t *testing.T) { inBothForms(t, testWriteBesideExtend) }

func testWriteBesideExtend(t *testing.T) {
	o := inMemory()
	o.Cache = 1 // a single chunk
	a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{6}, ChunkShape: []int{8}, Options: o})
	early, err := a.request(opWrite, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Extend(0, 6); err != nil {
		t.Fatal(err)
	}
	if err := Write(a, nd.Sec(nd.From(6)), []uint8{1, 2, 3, 4, 5, 6}); err != nil {
		t.Fatal(err)
	}
	if err := early.write([]byte{9, 9, 9, 9, 9, 9}); err != nil {
		t.Fatal(err)
	}
	early.end()
	got, err := Read[uint8](a, nil)
	if want := []uint8{9, 9, 9, 9, 9, 9, 1, 2, 3, 4, 5, 6}; err != nil || !slices.Equal(got, want) {
		t.Errorf("read %v, %v, want %v", got, err, want)
	}
}

// Several goroutines change the same chunks of one shared Array, one after the other.
func TestConcurrentShared(t *testing.T) { inBothForms(t, testConcurrentShared) }

func testConcurrentShared(t *testing.T) {
	o := inMemory()
	a := mustCreate(t, Spec{DType: dtype.Int64, Shape: []int{0}, ChunkShape: []int{64}, Options: o})
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	o.Shared = true
	a, err := Open("a", o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Reserve(0, 32); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for i := range 32 {
		writers.Go(func() {
			if err := Set(a, int64(i+1), i); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	got, err := Read[int64](a, nil)
	for i := range got {
		if got[i] != int64(i+1) {
			t.Errorf("element %d is %d, %v", i, got[i], err)
		}
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}
