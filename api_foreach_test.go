package drx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"drx/internal/growtest"

	"drx/axial"
	"drx/dtype"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// ForEach calls its function once for every part, with the elements of the part.
func TestForEach(t *testing.T) { inBothForms(t, testForEach) }

func testForEach(t *testing.T) {
	for seed := range uint64(60) {
		h := walkHistory(t, seed)
		for range 4 {
			w := h.walk()
			w.Memory = int64(h.rng.IntN(2000))
			var mu sync.Mutex
			got := map[string]bool{}
			h.must(ForEach(context.Background(), h.a, w, func(p Part, data []int64) error {
				mu.Lock()
				defer mu.Unlock()
				if want := h.m.read(p.Section, w.Order); !bytes.Equal(dtype.Bytes(data), want) {
					t.Errorf("%+v: part %v is %x, want %x\n%v", w, p, dtype.Bytes(data), want, h.log)
				}
				if key := p.Section.String(); got[key] {
					t.Errorf("%+v: part %v comes twice", w, p)
				} else {
					got[key] = true
				}
				clear(data)
				return nil
			}))
			if want := h.wantParts(w); len(got) != len(want) {
				t.Errorf("%+v: %d parts, want %d\n%v", w, len(got), len(want), h.log)
			}
		}
		h.compare(nil, nil)
		h.must(h.a.Close())
	}
}

// Reduce merges in the order of the walk, one result at a time, with any number of goroutines.
func TestReduce(t *testing.T) { inBothForms(t, testReduce) }

func testReduce(t *testing.T) {
	for seed := range uint64(60) {
		h := walkHistory(t, seed)
		h.reopen()
		w := h.walk()
		want := "begin"
		for p, err := range h.a.Parts(w) {
			h.must(err)
			want += fmt.Sprint(" ", p.Section, h.m.read(p.Section, w.Order))
		}
		for _, goroutines := range []int{1, 2, 5} {
			h.a.chunks.Readers = goroutines
			var merging atomic.Int32
			got, err := Reduce(context.Background(), h.a, w, "begin", func(p Part, data []int64) string {
				if rand.IntN(2) == 0 {
					runtime.Gosched()
				}
				return fmt.Sprint(" ", p.Section, dtype.Bytes(data))
			}, func(acc, r string) string {
				if merging.Add(1) != 1 {
					t.Error("two merges at a time")
				}
				defer merging.Add(-1)
				return acc + r
			})
			h.must(err)
			if got != want {
				t.Fatalf("%+v, %d goroutines:\ngot  %s\nwant %s\n%v", w, goroutines, got, want, h.log)
			}
		}
		h.must(h.a.Close())
	}
}

// A sum of floats of very different magnitude is the same to the last bit with any number of
// goroutines, and in a plain loop.
func TestReduceIsReproducible(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	a := mustCreate(t, Spec{DType: dtype.Float64, Shape: []int{64, 64}, ChunkShape: []int{8, 8}})
	data := make([]float64, 64*64)
	for i := range data {
		data[i] = rng.NormFloat64() * float64(uint64(1)<<rng.IntN(60))
	}
	if err := Write(a, nil, data); err != nil {
		t.Fatal(err)
	}
	total := func(_ Part, data []float64) (s float64) {
		for _, x := range data {
			s += x
		}
		return s
	}
	want := 0.0
	for p, err := range a.Parts(Walk{}) {
		if err != nil {
			t.Fatal(err)
		}
		part, err := Read[float64](a, p.Section)
		if err != nil {
			t.Fatal(err)
		}
		want += total(p, part)
	}
	for i := range 40 {
		a.chunks.Readers = 1 + i%8
		if got, err := Reduce(context.Background(), a, Walk{}, 0.0, total, add); err != nil || got != want {
			t.Errorf("%d goroutines: sum %v, %v, want %v", a.chunks.Readers, got, err, want)
		}
	}
}

// Map from an array to one of another type with other chunks, and to the same array.
func TestMap(t *testing.T) { inBothForms(t, testMap) }

func testMap(t *testing.T) {
	for seed := range uint64(60) {
		h := walkHistory(t, seed)
		spec := Spec{DType: dtype.Uint8, Lo: h.m.lo, Shape: nd.Shape(h.m.lo, h.m.hi), FillValue: 99}
		for range h.m.lo {
			spec.ChunkShape = append(spec.ChunkShape, 1+h.rng.IntN(4))
		}
		dst := mustCreate(t, spec)
		m := newModel(h.m.lo, spec.Shape, dst.FillValue())
		w := h.walk()
		w.Memory = int64(h.rng.IntN(2000))
		low := func(x int64) uint8 { return uint8(x) ^ 0x55 }
		h.must(Map(context.Background(), dst, h.a, w, func(_ Part, in []int64, out []uint8) error {
			for i, x := range in {
				if out[i] != 0 {
					t.Errorf("out holds %d at first", out[i])
				}
				out[i] = low(x)
			}
			return nil
		}))
		parts := w
		if w.Tile == nil && !slices.Equal(spec.ChunkShape, h.a.ChunkShape()) {
			parts.Tile = spec.ChunkShape
		}
		for _, p := range h.wantParts(parts) {
			for _, index := range p.Indices {
				one := nd.Box(index, plusOne(index))
				m.write(one, nil, []byte{h.m.read(one, nil)[0] ^ 0x55})
			}
		}
		other := &history{t: t, rng: h.rng, a: dst, m: m, log: append(h.log, fmt.Sprintf("map %+v", w))}
		other.compare(nil, nil)
		if err := dst.Close(); err != nil {
			t.Error(err)
		}

		w.Written = false
		h.note("map in place %+v", w)
		h.must(Map(context.Background(), h.a, h.a, w, func(_ Part, in, out []int64) error {
			for i, x := range in {
				out[i] = ^x
			}
			return nil
		}))
		sec, err := w.Section.Resolve(h.m.lo, h.m.hi)
		h.must(err)
		data := h.m.read(sec, nil)
		for i := range data {
			data[i] = ^data[i]
		}
		h.m.write(sec, nil, data)
		h.compare(nil, nil)
		h.must(h.a.Close())
	}
}

// TestWalkErrors checks that every error ends a walk, once, and is returned.
func TestWalkErrors(t *testing.T) {
	ctx := context.Background()
	a := mustCreate(t, Spec{DType: dtype.Int64, Shape: []int{64, 64}, ChunkShape: []int{4, 4}})
	b := mustCreate(t, Spec{DType: dtype.Int64, Shape: []int{64, 63}, ChunkShape: []int{4, 4}})
	huge := mustCreate(t, Spec{DType: dtype.Int64, Shape: []int{1 << 28, 1 << 28}, ChunkShape: []int{4, 4}})
	nothing := func(Part, []int64) error { return nil }
	own := errors.New("own")
	cause := errors.New("cause")
	ended, end := context.WithCancelCause(ctx)
	end(cause)
	calls := atomic.Int32{}
	for name, c := range map[string]struct{ got, want error }{
		"section":  {ForEach(ctx, a, Walk{Section: nd.Sec(nd.All)}, nothing), ErrRank},
		"type":     {ForEach(ctx, a, Walk{}, func(Part, []int32) error { return nil }), ErrDType},
		"too much": {ForEach(ctx, huge, Walk{Tile: []int{0, 0}}, nothing), ErrOverflow},
		"context":  {ForEach(ended, a, Walk{}, nothing), cause},
		"own": {ForEach(ctx, a, Walk{}, func(Part, []int64) error {
			calls.Add(1)
			return own
		}), own},
		"bounds":    {Map(ctx, b, a, Walk{}, func(_ Part, _, _ []int64) error { return own }), ErrBounds},
		"out type":  {Map(ctx, a, a, Walk{}, func(_ Part, _ []int64, _ []int32) error { return own }), ErrDType},
		"goroutine": {ForEach(ctx, a, Walk{}, func(Part, []int64) error { runtime.Goexit(); return nil }), errExited},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: error %v, want %v", name, c.got, c.want)
		}
	}
	if n := int(calls.Load()); n > 2*a.chunks.Readers {
		t.Errorf("%d calls after the first error", n)
	}
	if acc, err := Reduce(ended, a, Walk{}, 5.0, sum, add); acc != 0 || !errors.Is(err, cause) {
		t.Errorf("reduce: %v, %v", acc, err)
	}
	if acc, err := Reduce(ctx, a, Walk{Written: true}, 5.0, sum, add); acc != 5 || err != nil {
		t.Errorf("reduce over nothing: %v, %v", acc, err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := ForEach(ctx, a, Walk{}, nothing); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: error %v", err)
	}
}

// A panic of any function of the caller is passed on, with its value and its stack, to the
// goroutine that began the walk, when no call runs any more. The array remains usable.
func TestWalkPanics(t *testing.T) {
	ctx, own := context.Background(), errors.New("own")
	a := mustCreate(t, Spec{DType: dtype.Int64, Shape: []int{64, 64}, ChunkShape: []int{4, 4}})
	b := mustCreate(t, Spec{DType: dtype.Int64, Shape: []int{64, 64}, ChunkShape: []int{4, 4}})
	var running atomic.Int32
	wrong := func() {
		running.Add(1)
		defer running.Add(-1)
		time.Sleep(time.Millisecond)
		panic(own)
	}
	nothing := func(Part, []int64) error { return nil }
	for name, walk := range map[string]func() error{
		"for each": func() error { return ForEach(ctx, a, Walk{}, func(Part, []int64) error { wrong(); return nil }) },
		"progress": func() error { return ForEach(ctx, a, Walk{Progress: func(_, _ int64) { wrong() }}, nothing) },
		"map":      func() error { return Map(ctx, b, a, Walk{}, func(_ Part, _, _ []int64) error { wrong(); return nil }) },
		"reduce": func() error {
			_, err := Reduce(ctx, a, Walk{}, 0.0, func(Part, []int64) float64 { wrong(); return 0 }, add)
			return err
		},
		"merge": func() error {
			_, err := Reduce(ctx, a, Walk{}, 0.0, sum, func(_, _ float64) float64 { wrong(); return 0 })
			return err
		},
	} {
		a.chunks.Readers = 3
		err, got := panicOf(walk)
		if n := running.Load(); err != nil || !errors.Is(got, own) || !strings.Contains(got.Error(), "TestWalkPanics") || n != 0 {
			t.Errorf("%s: error %v, panic %v, %d calls left", name, err, got, n)
		}
		if err := Fill(a, nil, int64(1)); err != nil {
			t.Errorf("%s: then fill: %v", name, err)
		}
	}
	if _, got := panicOf(func() error {
		return ForEach(ctx, a, Walk{}, func(Part, []int64) error { panic("text") })
	}); got == nil || !strings.HasPrefix(got.Error(), "text\n") {
		t.Errorf("panic %v, want text", got)
	}
	for _, x := range []*Array{a, b} {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

// panicOf returns the error of f, and the error with which it panics.
func panicOf(f func() error) (err, panicked error) {
	defer func() { panicked, _ = recover().(error) }()
	return f(), nil
}

// After the context ends, or a read fails, no more parts are begun.
func TestWalkStops(t *testing.T) {
	var failing atomic.Bool
	broken := errors.New("broken")
	mem := vfs.NewMem()
	o := Options{Goroutines: 3, fs: vfstest.Faulty{FS: mem, Fail: func(op vfstest.Op, name string) error {
		if op == vfstest.OpRead && failing.Load() && strings.HasSuffix(name, dataExt) {
			return broken
		}
		return nil
	}}}
	a := mustCreate(t, Spec{DType: dtype.Int64, Shape: []int{1000}, ChunkShape: []int{1}, Options: o})
	if err := Fill(a, nil, int64(1)); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := Open("a", o)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []error{broken, context.Canceled} {
		var calls atomic.Int32
		a.pool.Reset()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		err := ForEach(ctx, a, Walk{}, func(Part, []int64) error {
			if calls.Add(1) == 10 && want == broken {
				failing.Store(true)
			} else if calls.Load() == 10 {
				cancel()
			}
			return nil
		})
		if n := calls.Load(); !errors.Is(err, want) || n < 10 || n > 10+6 {
			t.Errorf("%d calls, error %v, want %v", n, err, want)
		}
		failing.Store(false)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// At most Options.Goroutines parts are processed at a time, and memory holds at most as many as
// Walk.Memory allows.
func TestWalkLimits(t *testing.T) {
	o := inMemory()
	o.Goroutines = 3
	a := mustCreate(t, Spec{DType: dtype.Int64, Shape: []int{64, 64}, ChunkShape: []int{4, 4}, Options: o})
	for _, c := range []struct{ memory, workers, buffers int }{
		{1, 1, 1}, {2*8*16 + 5, 2, 2}, {4 * 8 * 16, 3, 4}, {0, 3, 6}, {1 << 30, 3, 6},
	} {
		var mu sync.Mutex
		now, most := 0, 0
		buffers := map[*int64]bool{}
		err := ForEach(context.Background(), a, Walk{Memory: int64(c.memory)}, func(_ Part, data []int64) error {
			mu.Lock()
			now++
			most = max(most, now)
			buffers[&data[0]] = true
			mu.Unlock()
			time.Sleep(50 * time.Microsecond)
			mu.Lock()
			now--
			mu.Unlock()
			return nil
		})
		if err != nil || most > c.workers || len(buffers) > c.buffers {
			t.Errorf("memory %d: %d parts at work, %d buffers, %v, want at most %d and %d", c.memory, most, len(buffers), err, c.workers, c.buffers)
		}
		k, err := a.startWalk(Walk{Memory: int64(c.memory)})
		if err != nil {
			t.Fatal(err)
		}
		if n, goroutines, err := k.limits(8); n != 16 || goroutines != c.buffers || err != nil {
			t.Errorf("memory %d: %d elements, %d goroutines, %v, want 16 and %d", c.memory, n, goroutines, err, c.buffers)
		}
	}
}

// A walk over an array of 64 times its cache stays within the cache, and reuses the memory of its
// parts.
func TestWalkMemory(t *testing.T) {
	const cache, chunk, chunks = 1 << 20, 1 << 15, 2048
	o := inMemory()
	o.Cache = cache
	a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{chunk * chunks}, ChunkShape: []int{chunk}, Options: o})
	if err := Fill(a, nil, uint8(1)); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n, err := Reduce(context.Background(), a, Walk{}, 0, func(_ Part, data []uint8) int { return len(data) * int(data[0]) },
		func(x, y int) int { return x + y })
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; n != chunk*chunks || err != nil || took > chunk*chunks/2 {
		t.Errorf("%d elements, %v, %d bytes allocated", n, err, took)
	}
	if peak := a.pool.Stats().Peak; peak > cache {
		t.Errorf("%d bytes in the cache, which has %d", peak, cache)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// While one part is processed, the next one is read.
func TestWalkReadsAhead(t *testing.T) { inBothForms(t, testWalkReadsAhead) }

func testWalkReadsAhead(t *testing.T) {
	o := inMemory()
	a := mustCreate(t, Spec{DType: dtype.Int64, Shape: []int{8}, ChunkShape: []int{4}, Options: o})
	if err := Fill(a, nil, int64(1)); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	o.Goroutines = 1
	a, err := Open("a", o)
	if err != nil {
		t.Fatal(err)
	}
	err = ForEach(context.Background(), a, Walk{}, func(Part, []int64) error {
		for range 1000 {
			if a.pool.Stats().Misses == 2 {
				return nil
			}
			time.Sleep(time.Millisecond)
		}
		return errors.New("the second chunk was not read")
	})
	if err != nil {
		t.Error(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// Progress counts to the number of parts, one by one.
func TestWalkProgress(t *testing.T) {
	for seed := range uint64(20) {
		h := walkHistory(t, seed)
		w := h.walk()
		want, done := int64(len(h.wantParts(w))), int64(0)
		w.Progress = func(n, total int64) {
			if done++; n != done || total != want {
				t.Errorf("progress %d of %d, want %d of %d\n%v", n, total, done, want, h.log)
			}
		}
		h.must(ForEach(context.Background(), h.a, w, func(Part, []int64) error { return nil }))
		if done != want {
			t.Errorf("%d calls of progress for %d parts\n%v", done, want, h.log)
		}
		h.must(h.a.Close())
	}
}

// Walks continue while the array grows and is written, and see the elements of their section.
func TestWalkConcurrent(t *testing.T) { inBothForms(t, testWalkConcurrent) }

func testWalkConcurrent(t *testing.T) {
	a := mustCreate(t, Spec{DType: dtype.Int64, Shape: []int{16, 16}, ChunkShape: []int{4, 4}})
	if err := writeStamps(a, a.Bounds()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := 0; ctx.Err() == nil && i < 150; i++ {
			added, err := growtest.Extend(a, i%2, 1, axial.Side(i/2%2))
			if err == nil {
				err = writeStamps(a, added)
			}
			if err == nil && i%50 == 0 {
				err = a.Sync()
			}
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	for i := range 24 {
		var elements atomic.Int64
		w := Walk{Written: i%2 == 0}
		if i%3 == 0 {
			w.Tile = []int{7, 3}
		}
		err := ForEach(ctx, a, w, func(p Part, data []int64) error {
			elements.Add(int64(len(data)))
			at := 0
			each(p.Section, nil, func(index []int) {
				if v := data[at]; v != stamp(index[0], index[1]) && v != 0 {
					t.Errorf("element %v is %d", index, v)
				}
				at++
			})
			return nil
		})
		if err != nil || elements.Load() < 16*16 {
			t.Fatalf("%+v: %d elements, %v", w, elements.Load(), err)
		}
	}
	stop()
	writer.Wait()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}
