package pool

import (
	"testing"
	"time"

	"drx/axial"
)

// A chunk is patched until the patches cost as much as loading and storing it. Then it is loaded
// and no longer patched; once it has left the pool, this starts again.
func TestPatchUntilLoadingPays(t *testing.T) {
	m := newMemory()
	p := New(m, chunkSize, budget(4))
	p.PatchCost = chunkSize / 4
	calls := 0
	patch := func(q axial.Number, n int) bool {
		done, err := p.Patch(q, n, func() (bool, error) {
			calls++
			if !p.Holds(q) {
				t.Error("the chunk is not claimed")
			}
			return true, nil
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	for i, want := range []bool{true, true, true, true, false, true} {
		if got := patch(3, 1); got != want {
			t.Errorf("piece %d: patched %v, want %v", i, got, want)
		}
	}
	if patch(5, 5) || !patch(5, 4) || patch(5, 1) {
		t.Error("the number of pieces does not count")
	}
	if calls != 6 {
		t.Errorf("patched %d times", calls)
	}
	if p.Holds(3) || p.Holds(5) {
		t.Error("a chunk is claimed for ever")
	}
}

// Chunks that are patched in turn, for any number of them and any numbering, are loaded as soon as
// their patches together would have paid for it.
func TestPatchesOfManyChunksPay(t *testing.T) {
	for _, step := range []axial.Number{1, 2, 256, 1 << 20} {
		for _, chunks := range []int{2, 100, 5000} {
			p := New(newMemory(), chunkSize, budget(4))
			p.PatchCost = chunkSize / 8
			patched, refused := 0, 0
			for i := range 20 * chunks {
				done, err := p.Patch(axial.Number(i%chunks)*step, 1, func() (bool, error) { return true, nil }, nil)
				if err != nil {
					t.Fatal(err)
				}
				if done {
					patched++
				} else {
					refused++
				}
			}
			if refused == 0 || refused > patched/8 {
				t.Errorf("%d chunks, %d apart: %d patches, %d refused", chunks, step, patched, refused)
			}
		}
	}
}

// A chunk with changes in the pool is not patched.
func TestNoPatchOfChanges(t *testing.T) {
	p := New(newMemory(), chunkSize, budget(4))
	p.PatchCost = 1
	if err := p.Update(1, true, func([]byte) {}); err != nil {
		t.Fatal(err)
	}
	if done, err := p.Patch(1, 1, func() (bool, error) { panic("patched") }, nil); done || err != nil {
		t.Error(done, err)
	}
}

// A chunk that is cached unchanged is patched in the file and in the cache, and stays clean. If the
// patch is refused, the cached chunk is unchanged.
func TestPatchOfACopy(t *testing.T) {
	m := newMemory()
	p := New(m, chunkSize, budget(4))
	p.PatchCost = 1
	if err := p.Update(1, true, func(data []byte) { copy(data, fill(1, 1)) }); err != nil {
		t.Fatal(err)
	}
	if err := p.Flush(); err != nil {
		t.Fatal(err)
	}
	change := func(v byte) func([]byte) { return func(data []byte) { copy(data, fill(1, v)) } }
	for i, result := range []struct {
		done bool
		err  error
	}{{true, nil}, {false, nil}, {false, errFault}} {
		done, err := p.Patch(1, 1, func() (bool, error) {
			if result.done {
				return true, m.storeRun(1, fill(1, 2))
			}
			return false, result.err
		}, change(2+byte(i)))
		if done != result.done || err != result.err {
			t.Errorf("patch %d: %v, %v", i, done, err)
		}
		wantValue(t, p, 1, 2)
		if p.Dirty(1) {
			t.Error("the chunk is to be stored")
		}
	}
	p.Drop(1) // now unused
	wantValue(t, p, 1, 2)
}

// A goroutine that patches a chunk which is being patched waits instead of loading it.
func TestPatchesWait(t *testing.T) {
	p := New(newMemory(), chunkSize, budget(4))
	p.PatchCost = 1
	begun, second := make(chan bool), make(chan bool)
	go func() {
		<-begun
		done, _ := p.Patch(7, 1, func() (bool, error) { return true, nil }, nil)
		second <- done
	}()
	done, err := p.Patch(7, 1, func() (bool, error) {
		begun <- true
		select {
		case <-second:
			t.Error("two patches at a time")
		case <-time.After(10 * time.Millisecond):
		}
		return true, nil
	}, nil)
	if !done || err != nil || !<-second {
		t.Error("not patched", err)
	}
}

// A goroutine that reads a chunk which is being patched waits and then finds the patch.
func TestPatchExcludes(t *testing.T) {
	m := newMemory()
	p := New(m, chunkSize, budget(4))
	p.PatchCost = 1
	if err := m.storeRun(7, fill(1, 1)); err != nil {
		t.Fatal(err)
	}
	begun, read := make(chan bool), make(chan byte)
	go func() {
		<-begun
		var got byte
		if err := p.View(7, func(data []byte) { got = data[0] }); err != nil {
			t.Error(err)
		}
		read <- got
	}()
	done, err := p.Patch(7, 1, func() (bool, error) {
		begun <- true
		select {
		case <-read:
			t.Error("read while it was being patched")
		default:
		}
		return true, m.storeRun(7, fill(1, 2))
	}, nil)
	if !done || err != nil {
		t.Fatal(done, err)
	}
	if got := <-read; got != 2 {
		t.Errorf("read %d", got)
	}
}

// A full pool evicts a chunk only for one that was patched much more often.
func TestPatchesWithFullPool(t *testing.T) {
	p := New(newMemory(), chunkSize, budget(1))
	p.PatchCost = chunkSize
	if err := p.Update(1, true, func([]byte) {}); err != nil {
		t.Fatal(err)
	}
	for i := range fullPoolFactor + 1 {
		done, err := p.Patch(2, 1, func() (bool, error) { return true, nil }, nil)
		if err != nil || done != (i < fullPoolFactor) {
			t.Errorf("piece %d: patched %v, %v", i, done, err)
		}
	}
}
