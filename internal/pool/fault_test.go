package pool

import (
	"bytes"
	"errors"
	"sync"
	"testing"
	"time"

	"drx/axial"
)

func TestStoreThatFails(t *testing.T) {
	m := newMemory()
	p := New(m, chunkSize, budget(1))
	if err := set(p, 1, 11); err != nil {
		t.Fatal(err)
	}
	m.chunks[2] = bytes.Repeat([]byte{2}, chunkSize)
	m.failStore.Store(true)
	for range 3 {
		if err := p.Flush(); !errors.Is(err, errFault) {
			t.Errorf("flush: %v", err)
		}
		if err := set(p, 2, 22); !errors.Is(err, errFault) {
			t.Errorf("update that needs room: %v", err)
		}
		if _, err := get(p, 2); !errors.Is(err, errFault) {
			t.Errorf("view that needs room: %v", err)
		}
		wantByte(t, p, 1, 11)
	}
	m.failStore.Store(false)
	wantByte(t, p, 2, 2)
	wantByte(t, p, 1, 11)
	if m.chunks[1][0] != 11 {
		t.Errorf("chunk 1 holds %d", m.chunks[1][0])
	}
	if s := p.Stats(); s.Peak > budget(1) {
		t.Errorf("%d bytes at most, budget %d", s.Peak, budget(1))
	}
}

// If one chunk cannot be stored, the others still are.
func TestFlushContinuesAfterFailure(t *testing.T) {
	m := newMemory()
	p := New(m, chunkSize, budget(4))
	for q := range axial.Number(4) {
		if err := set(p, q, 9); err != nil {
			t.Fatal(err)
		}
	}
	m.failStore.Store(true)
	if err := p.Flush(); !errors.Is(err, errFault) {
		t.Fatal(err)
	}
	m.failStore.Store(false)
	if err := p.Flush(); err != nil || len(m.stores) != 4 {
		t.Errorf("stored %v, %v", m.stores, err)
	}
	// All chunks are unused again, so other chunks can be loaded.
	for q := axial.Number(4); q < 12; q++ {
		if err := set(p, q, 9); err != nil {
			t.Fatal(err)
		}
	}
}

// If a load fails, everyone who waits for it gets the error. The budget holds even while the failed
// chunk is no longer in the map, and the next call tries again.
func TestLoadThatFails(t *testing.T) {
	m := newMemory()
	for q := range axial.Number(8) {
		m.chunks[q] = bytes.Repeat([]byte{byte(q)}, chunkSize)
	}
	p := New(m, chunkSize, budget(1))
	m.failLoad.Store(true)
	within(t, time.Minute, func() {
		var wg sync.WaitGroup
		for g := range 16 {
			wg.Go(func() {
				for i := range 200 {
					q := axial.Number((g + i) % 8)
					if _, err := get(p, q); !errors.Is(err, errFault) {
						t.Errorf("view: %v", err)
					}
					if err := set(p, q, 99); !errors.Is(err, errFault) {
						t.Errorf("update: %v", err)
					}
				}
			})
		}
		wg.Wait()
	})
	if s := p.Stats(); s.Bytes != 0 || s.Peak > budget(1) {
		t.Errorf("%d bytes, %d at most, the budget is %d", s.Bytes, s.Peak, budget(1))
	}
	m.failLoad.Store(false)
	for q := range axial.Number(8) {
		wantByte(t, p, q, byte(q))
	}
}

// A chunk whose load failed counts until the last goroutine that waits for it has released it.
func TestFramesThatFailedCount(t *testing.T) {
	p := New(newMemory(), chunkSize, budget(1))
	failed := &Chunk{q: 1, users: 1, err: errFault}
	p.stats.Bytes = budget(1)
	entered := make(chan struct{})
	go func() {
		defer close(entered)
		if err := set(p, 2, 2); err != nil {
			t.Error(err)
		}
	}()
	select {
	case <-entered:
		t.Error("a second chunk although the budget is one")
	case <-time.After(20 * time.Millisecond):
	}
	p.release(failed)
	within(t, time.Minute, func() { <-entered })
	if s := p.Stats(); s.Peak > budget(1) || s.Bytes != budget(1) {
		t.Errorf("%d bytes, %d at most", s.Bytes, s.Peak)
	}
}

func TestViewOfAbsentChunkEvictsNothing(t *testing.T) {
	m := newMemory()
	p := New(m, chunkSize, budget(1))
	if err := set(p, 1, 1); err != nil {
		t.Fatal(err)
	}
	before := p.Stats()
	for q := axial.Number(2); q < 10; q++ {
		if _, err := get(p, q); !errors.Is(err, ErrAbsent) {
			t.Errorf("view of chunk %d: %v", q, err)
		}
		if absent, err := p.Absent(q); !absent || err != nil {
			t.Errorf("chunk %d: absent %v, %v", q, absent, err)
		}
	}
	if s := p.Stats(); s != before || len(m.stores) != 0 {
		t.Errorf("%+v, was %+v; stored %v", s, before, m.stores)
	}
	if absent, err := p.Absent(1); absent || err != nil {
		t.Errorf("chunk 1: absent %v, %v", absent, err)
	}
}

// A View may start to load an absent chunk, because the chunk was in the pool when View checked. An
// Update at the same time must not report the failure of that load as its own.
func TestUpdateDuringLoadOfAbsentChunk(t *testing.T) {
	m := newMemory()
	m.gate, m.loading = make(chan struct{}), make(chan struct{}, 9)
	p := New(m, chunkSize, budget(4))
	within(t, time.Minute, func() {
		var wg sync.WaitGroup
		wg.Go(func() {
			c, err := p.acquire(3, func(c *Chunk) error { return m.Load(3, c.data) }) // as View does after it has found the chunk
			if !errors.Is(err, ErrAbsent) || c != nil {
				t.Errorf("loading: %v", err)
			}
		})
		<-m.loading
		wg.Go(func() {
			if err := set(p, 3, 33); err != nil {
				t.Error(err)
			}
		})
		for p.Stats().Hits == 0 { // until the Update waits for that chunk
			time.Sleep(time.Millisecond)
		}
		close(m.gate)
		wg.Wait()
	})
	wantByte(t, p, 3, 33)
	if s := p.Stats(); s.Bytes != budget(1) {
		t.Errorf("%d bytes, want those of one chunk", s.Bytes)
	}
}

// Updates of absent chunks race with Views of them: a View sees nothing or a whole update.
func TestViewsDuringFirstUpdates(t *testing.T) {
	for round := range 50 {
		m := newMemory()
		p := New(m, chunkSize, budget(1+round%3))
		within(t, time.Minute, func() {
			var wg sync.WaitGroup
			for g := range 8 {
				wg.Go(func() {
					for q := range axial.Number(8) {
						if g%2 == 0 {
							err := p.Update(q, g%4 == 0, func(data []byte) { copy(data, bytes.Repeat([]byte{7}, chunkSize)) })
							if err != nil {
								t.Error(err)
							}
							continue
						}
						err := p.View(q, func(data []byte) {
							if !bytes.Equal(data, bytes.Repeat([]byte{7}, chunkSize)) {
								t.Errorf("chunk %d: %x", q, data)
							}
						})
						if err != nil && !errors.Is(err, ErrAbsent) {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
		})
		for q := range axial.Number(8) {
			wantByte(t, p, q, 7)
		}
	}
}
