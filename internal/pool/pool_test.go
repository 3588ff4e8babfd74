package pool

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"drx/axial"
)

const chunkSize = 64

var errFault = errors.New("injected")

// memory is a Backend that counts calls, can fail, and detects two simultaneous uses of a chunk.
type memory struct {
	mu     sync.Mutex
	chunks map[axial.Number][]byte
	loads  map[axial.Number]int
	stores []axial.Number
	inUse  map[axial.Number]bool
	faults []string

	failLoad, failStore atomic.Bool
	blank               func()        // when not nil, called by Blank
	gate                chan struct{} // when not nil, Load waits for it to be closed
	loading             chan struct{} // when not nil, gets a value when Load begins
}

func newMemory() *memory {
	return &memory{chunks: map[axial.Number][]byte{}, loads: map[axial.Number]int{}, inUse: map[axial.Number]bool{}}
}

// exclusively calls f and records a fault if another goroutine uses chunk q meanwhile.
func (m *memory) exclusively(q axial.Number, f func() error) error {
	m.mu.Lock()
	if m.inUse[q] {
		m.faults = append(m.faults, fmt.Sprintf("chunk %d used twice at once", q))
	}
	m.inUse[q] = true
	m.mu.Unlock()
	runtime.Gosched()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inUse[q] = false
	return f()
}

func (m *memory) Stored(q axial.Number) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.chunks[q] != nil, nil
}

func (m *memory) Load(q axial.Number, buf []byte) error {
	if m.loading != nil {
		m.loading <- struct{}{}
	}
	if m.gate != nil {
		<-m.gate
	}
	if m.failLoad.Load() {
		return fmt.Errorf("load %d: %w", q, errFault)
	}
	return m.exclusively(q, func() error {
		m.loads[q]++
		if m.chunks[q] == nil {
			return ErrAbsent
		}
		copy(buf, m.chunks[q])
		return nil
	})
}

func (m *memory) Blank(buf []byte) {
	copy(buf, bytes.Repeat([]byte{0xEE}, len(buf)))
	if m.blank != nil {
		m.blank()
	}
}

func (m *memory) Store(q axial.Number, buf []byte) error {
	if m.failStore.Load() {
		return fmt.Errorf("store %d: %w", q, errFault)
	}
	return m.exclusively(q, func() error {
		m.chunks[q] = bytes.Clone(buf)
		m.stores = append(m.stores, q)
		return nil
	})
}

// budget returns the bytes that n chunks need.
func budget(n int) int64 { return int64(n) * (chunkSize + overhead) }

func set(p *Pool, q axial.Number, b byte) error {
	return p.Update(q, false, func(data []byte) { data[0] = b })
}

func get(p *Pool, q axial.Number) (b byte, err error) {
	err = p.View(q, func(data []byte) { b = data[0] })
	return b, err
}

func wantByte(t *testing.T, p *Pool, q axial.Number, want byte) {
	t.Helper()
	if b, err := get(p, q); b != want || err != nil {
		t.Errorf("chunk %d: %d, %v, want %d", q, b, err, want)
	}
}

// within fails the test if f does not return in time, as in a deadlock.
func within(t *testing.T, limit time.Duration, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(limit):
		buf := make([]byte, 1<<16)
		t.Fatalf("no end after %v\n%s", limit, buf[:runtime.Stack(buf, true)])
	}
}

// Many goroutines increment counters in random chunks; no increment is lost, with any budget.
func TestNoUpdateIsLost(t *testing.T) {
	const goroutines, steps, chunks = 16, 1500, 12
	for _, cached := range []int{0, 1, 2, 5, chunks, 100} {
		t.Run(fmt.Sprintf("cached=%d", cached), func(t *testing.T) {
			m := newMemory()
			p := New(m, chunkSize, budget(cached))
			var model [chunks]atomic.Uint64
			within(t, time.Minute, func() {
				var wg sync.WaitGroup
				for g := range goroutines {
					wg.Go(func() { count(t, p, rand.New(rand.NewPCG(uint64(g), 7)), model[:], steps) })
				}
				wg.Wait()
			})
			if s := p.Stats(); s.Peak > max(budget(cached), budget(1)) || s.Bytes > s.Peak {
				t.Errorf("%d bytes, %d at most, the budget is %d", s.Bytes, s.Peak, budget(cached))
			}
			if err := p.Flush(); err != nil {
				t.Fatal(err)
			}
			for q := range model {
				want := model[q].Load()
				if got := counter(m.chunks[axial.Number(q)]); got != want {
					t.Errorf("chunk %d: %d stored, want %d", q, got, want)
				}
			}
			if len(m.faults) > 0 {
				t.Error(m.faults[0])
			}
		})
	}
}

// counter reads the counter of a chunk; a blank chunk counts 0.
func counter(data []byte) uint64 {
	if data == nil || data[chunkSize-1] == 0xEE {
		return 0
	}
	return binary.LittleEndian.Uint64(data)
}

func count(t *testing.T, p *Pool, rng *rand.Rand, model []atomic.Uint64, steps int) {
	for range steps {
		q := rng.IntN(len(model))
		var err error
		switch rng.IntN(20) {
		case 0:
			err = p.Flush()
		case 1, 2, 3, 4, 5, 6, 7, 8:
			before := model[q].Load()
			err = p.View(axial.Number(q), func(data []byte) {
				if got := counter(data); got < before {
					t.Errorf("chunk %d: count %d was %d before", q, got, before)
				}
			})
			if errors.Is(err, ErrAbsent) && before == 0 {
				err = nil
			}
		default:
			err = p.Update(axial.Number(q), false, func(data []byte) {
				n := counter(data) + 1
				clear(data)
				binary.LittleEndian.PutUint64(data, n)
			})
			model[q].Add(1)
		}
		if err != nil {
			t.Error(err)
			return
		}
	}
}

func TestOneLoaderPerChunk(t *testing.T) {
	m := newMemory()
	m.chunks[5] = bytes.Repeat([]byte{5}, chunkSize)
	m.gate, m.loading = make(chan struct{}), make(chan struct{}, 16)
	p := New(m, chunkSize, budget(4))
	within(t, time.Minute, func() {
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				if i%4 == 0 {
					if err := p.Update(5, false, func(data []byte) { data[1]++ }); err != nil {
						t.Error(err)
					}
				}
				wantByte(t, p, 5, 5)
			})
		}
		<-m.loading
		close(m.gate)
		wg.Wait()
	})
	if m.loads[5] != 1 {
		t.Errorf("%d loads", m.loads[5])
	}
	if s := p.Stats(); s.Misses != 1 || s.Hits != 19 {
		t.Errorf("%d misses and %d hits, want 1 and 19", s.Misses, s.Hits)
	}
}

// Chunks are dropped in the order of their last use, and changed ones are stored before.
func TestEvictionWritesBack(t *testing.T) {
	m := newMemory()
	p := New(m, chunkSize, budget(3))
	for q := range axial.Number(3) {
		if err := set(p, q, byte(q+1)); err != nil {
			t.Fatal(err)
		}
	}
	wantByte(t, p, 0, 1) // now chunk 1 is the least recently used one
	if len(m.stores) != 0 {
		t.Errorf("stored %v before there was need", m.stores)
	}
	for q := axial.Number(3); q < 5; q++ {
		if err := set(p, q, byte(q+1)); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(m.stores, []axial.Number{1, 2}) {
		t.Errorf("stored %v, want 1 and 2", m.stores)
	}
	for q := range axial.Number(5) {
		wantByte(t, p, q, byte(q+1))
	}
	// A chunk that was only read since it was stored is not stored again.
	if err := p.Flush(); err != nil {
		t.Fatal(err)
	}
	stored := len(m.stores)
	for q := range axial.Number(5) {
		wantByte(t, p, q, byte(q+1))
	}
	if err := p.Flush(); err != nil || len(m.stores) != stored || stored != 5 {
		t.Errorf("%d stores, then %d, %v", stored, len(m.stores), err)
	}
}

func TestFlushStoresInFileOrder(t *testing.T) {
	m := newMemory()
	p := New(m, chunkSize, budget(10))
	for _, q := range []axial.Number{7, 2, 9, 0, 4} {
		if err := set(p, q, 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Flush(); err != nil || !slices.Equal(m.stores, []axial.Number{0, 2, 4, 7, 9}) {
		t.Errorf("stored %v, %v", m.stores, err)
	}
}

func TestUpdateOfAWholeChunkLoadsNothing(t *testing.T) {
	m := newMemory()
	m.chunks[1] = bytes.Repeat([]byte{1}, chunkSize)
	p := New(m, chunkSize, budget(1))
	err := p.Update(1, true, func(data []byte) {
		if data[0] != 0xEE || data[chunkSize-1] != 0xEE {
			t.Errorf("starts as %x, want blank", data)
		}
	})
	if err != nil || m.loads[1] != 0 {
		t.Errorf("%d loads, %v", m.loads[1], err)
	}
}

// A View during the Update of a whole chunk sees the old or the new contents, never the blank chunk
// in between.
func TestBlankChunkIsNeverVisible(t *testing.T) {
	m := newMemory()
	m.chunks[1] = bytes.Repeat([]byte{1}, chunkSize)
	p := New(m, chunkSize, budget(1))
	var wg sync.WaitGroup
	m.blank = func() {
		wg.Go(func() { wantByte(t, p, 1, 2) })
		for p.Stats().Hits == 0 {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(5 * time.Millisecond) // so that the View waits for the chunk
	}
	within(t, time.Minute, func() {
		if err := p.Update(1, true, func(data []byte) { data[0] = 2 }); err != nil {
			t.Error(err)
		}
		wg.Wait()
	})
}
