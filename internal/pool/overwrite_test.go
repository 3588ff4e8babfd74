package pool

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"drx/axial"
)

// fill returns the bytes of n chunks, all of value v.
func fill(n int, v byte) []byte { return bytes.Repeat([]byte{v}, n*chunkSize) }

// storeRun stores chunks past the pool, as a caller of Overwrite does.
func (m *memory) storeRun(q axial.Number, data []byte) error {
	for i := range len(data) / chunkSize {
		if err := m.Store(q+axial.Number(i), data[i*chunkSize:(i+1)*chunkSize]); err != nil {
			return err
		}
	}
	return nil
}

func wantValue(t *testing.T, p *Pool, q axial.Number, v byte) {
	t.Helper()
	if err := p.View(q, func(data []byte) {
		if !bytes.Equal(data, fill(1, v)) {
			t.Errorf("chunk %d is %x, want %d", q, data, v)
		}
	}); err != nil {
		t.Errorf("chunk %d: %v", q, err)
	}
}

// Cached copies of overwritten chunks, changed or not, are dropped.
func TestOverwriteForgets(t *testing.T) {
	m := newMemory()
	p := New(m, chunkSize, 1<<20)
	for q := range axial.Number(4) {
		if err := p.Update(q, true, func(data []byte) { copy(data, fill(1, 1)) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Overwrite(1, 2, func() error {
		if !p.Holds(1) || !p.Holds(2) {
			t.Error("chunks that are being stored are not held")
		}
		return m.storeRun(1, fill(2, 9))
	}); err != nil {
		t.Fatal(err)
	}
	if p.Holds(1) || p.Holds(2) || !p.Holds(0) || !p.Holds(3) {
		t.Error("the pool forgot what it should keep, or kept what it should forget")
	}
	if err := p.Flush(); err != nil {
		t.Fatal(err)
	}
	for q, v := range []byte{1, 9, 9, 1} {
		wantValue(t, p, axial.Number(q), v)
	}
}

// After an error the cached copies are unchanged.
func TestOverwriteThatFails(t *testing.T) {
	m := newMemory()
	p := New(m, chunkSize, 1<<20)
	if err := p.Update(5, true, func(data []byte) { copy(data, fill(1, 1)) }); err != nil {
		t.Fatal(err)
	}
	if err := p.Overwrite(4, 3, func() error { return errFault }); !errors.Is(err, errFault) {
		t.Fatal(err)
	}
	if !p.Dirty(5) || p.Dirty(4) {
		t.Error("the change is lost")
	}
	wantValue(t, p, 5, 1)
	if err := p.Flush(); err != nil || !bytes.Equal(m.chunks[5], fill(1, 1)) {
		t.Errorf("%v, %x", err, m.chunks[5])
	}
}

// Goroutines overwrite, update, view and flush at once, in a pool that always evicts: each chunk
// has bytes of one version, and the backend never has two calls for one chunk at a time.
func TestOverwriteConcurrent(t *testing.T) {
	m := newMemory()
	p := New(m, chunkSize, 3*(chunkSize+overhead))
	const chunks, goroutines = 12, 4
	var wg sync.WaitGroup
	for g := range goroutines {
		rng := rand.New(rand.NewPCG(1, uint64(g)))
		wg.Go(func() {
			for v := range 300 {
				q, n := axial.Number(rng.IntN(chunks)), 1
				var err error
				switch rng.IntN(3) {
				case 0:
					n = 1 + rng.IntN(chunks-int(q))
					err = p.Overwrite(q, n, func() error { return m.storeRun(q, fill(n, byte(v))) })
				case 1:
					err = p.Update(q, true, func(data []byte) { copy(data, fill(1, byte(v))) })
				default:
					err = p.View(q, func(data []byte) {
						if !bytes.Equal(data, fill(1, data[0])) {
							t.Errorf("chunk %d is torn: %x", q, data)
						}
					})
				}
				if err != nil && !errors.Is(err, ErrAbsent) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if len(m.faults) > 0 {
		t.Error(m.faults)
	}
	if err := p.Overwrite(0, chunks, func() error { return m.storeRun(0, fill(chunks, 77)) }); err != nil {
		t.Fatal(err)
	}
	for q := range axial.Number(chunks) {
		wantValue(t, p, q, 77)
	}
}

// Forgotten chunks are not stored, even if they were changed and other chunks need memory.
func TestForget(t *testing.T) {
	m := newMemory()
	const chunks, cached = 8, 4
	p := New(m, chunkSize, cached*(chunkSize+overhead))
	for q := range axial.Number(chunks) {
		if err := m.Store(q, fill(1, 1)); err != nil {
			t.Fatal(err)
		}
	}
	for v := range 50 {
		for q := range axial.Number(2) {
			if err := p.Update(q, true, func(data []byte) { copy(data, fill(1, byte(v))) }); err != nil {
				t.Fatal(err)
			}
		}
		var readers sync.WaitGroup
		for g := range 3 {
			readers.Go(func() {
				for i := range chunks - 2 {
					wantValue(t, p, axial.Number(2+(i+g)%(chunks-2)), 1)
				}
			})
		}
		err := p.Forget([]axial.Number{0, 1, 2000}, func() error {
			m.mu.Lock()
			defer m.mu.Unlock()
			delete(m.chunks, 0)
			delete(m.chunks, 1)
			return nil
		})
		readers.Wait()
		for q := range axial.Number(2) {
			if stored, _ := m.Stored(q); err != nil || stored || p.Holds(q) {
				t.Fatalf("round %d: chunk %d is stored: %v, held: %v, %v", v, q, stored, p.Holds(q), err)
			}
		}
	}
	if len(m.faults) > 0 {
		t.Error(m.faults)
	}
}

func TestForgetThatFails(t *testing.T) {
	m := newMemory()
	p := New(m, chunkSize, 1<<20)
	if err := p.Update(5, true, func(data []byte) { copy(data, fill(1, 1)) }); err != nil {
		t.Fatal(err)
	}
	if err := p.Forget([]axial.Number{4, 5}, func() error { return errFault }); !errors.Is(err, errFault) {
		t.Fatal(err)
	}
	if !p.Dirty(5) || p.Holds(4) {
		t.Error("the change is lost")
	}
	wantValue(t, p, 5, 1)
}
