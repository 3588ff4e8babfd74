package chunkio

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"drx/internal/vfs"
)

// Calls are made one at a time, each once, and everybody gets the error of his own.
func TestTurns(t *testing.T) {
	var all turns
	var wg sync.WaitGroup
	made := 0 // guarded by the turns alone
	for g := range 8 {
		wg.Go(func() {
			for i := range 500 {
				want := fmt.Errorf("%d of %d", i, g)
				if got := all.take(func() error { made++; return want }); !errors.Is(got, want) {
					t.Errorf("got %v, want %v", got, want)
				}
			}
		})
	}
	wg.Wait()
	if made != 8*500 {
		t.Errorf("%d calls were made", made)
	}
	if all.taken || len(all.waiting) > 0 {
		t.Error("the last turn has not ended")
	}
}

// Who has made some calls of others goes his way, however many still wait.
func TestTurnsEnd(t *testing.T) {
	var all turns
	var wg sync.WaitGroup
	var made atomic.Int64
	hold := make(chan struct{})
	err := all.take(func() error {
		for i := range int64(served + 5) {
			wg.Go(func() {
				_ = all.take(func() error {
					if n := made.Add(1); n != i+1 {
						t.Errorf("who came as %d has turn %d", i+1, n)
					}
					if i >= served {
						<-hold
					}
					return nil
				})
			})
			waitFor(&all, int(i)+1)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	close(hold)
	wg.Wait()
	if n := made.Load(); n != served+5 {
		t.Errorf("%d calls were made", n)
	}
}

// waitFor waits until so many wait for their turn.
func waitFor(all *turns, n int) {
	for waiting := 0; waiting < n; runtime.Gosched() {
		all.mu.Lock()
		waiting = len(all.waiting)
		all.mu.Unlock()
	}
}

// What a call has is not kept when it has been made.
func TestTurnsForget(t *testing.T) {
	var all turns
	var wg sync.WaitGroup
	freed := make(chan bool, 1)
	_ = all.take(func() error {
		big := make([]byte, 1<<20)
		runtime.AddCleanup(&big[0], func(int) { freed <- true }, 0)
		wg.Go(func() { _ = all.take(func() error { clear(big); return nil }) })
		waitFor(&all, 1)
		return nil
	})
	wg.Wait()
	for range 10 {
		runtime.GC()
		select {
		case <-freed:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Error("the bytes of a call are still there")
	runtime.KeepAlive(&all)
}

// sized is a file that calls looked after its length was looked at.
type sized struct {
	vfs.File
	looked func()
}

func (f sized) Size() (int64, error) {
	n, err := f.File.Size()
	f.looked()
	return n, err
}

// A chunk that is put in the file while its length is looked at, for one that is begun with pieces, is
// not changed by that.
func TestReachBesideWrite(t *testing.T) {
	data, table := files(t, vfs.NewMem(), "")
	looked := func() {}
	s := Open(Files{Data: sized{data, func() { looked() }}, Table: table}, size, slot)
	const q = 3
	var wg sync.WaitGroup
	looked = func() {
		looked = func() {}
		wg.Go(func() { mustWrite(t, s, q, 7) })
		for { // until it has written, or waits
			s.writing.mu.Lock()
			waits := len(s.writing.waiting) > 0
			s.writing.mu.Unlock()
			if n, _ := data.Size(); waits || n > 0 {
				return
			}
			runtime.Gosched()
		}
	}
	if err := s.reach(q); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	wantChunk(t, s, q, 7)
}
