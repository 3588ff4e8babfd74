package writeq

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Calls run one at a time and once each, and each caller gets the error of its own call.
func TestCombiner(t *testing.T) {
	var all writeCombiner
	var wg sync.WaitGroup
	made := 0 // guarded by the combiner alone
	for g := range 8 {
		wg.Go(func() {
			for i := range 500 {
				want := fmt.Errorf("%d of %d", i, g)
				if got := all.do(func() error { made++; return want }); !errors.Is(got, want) {
					t.Errorf("got %v, want %v", got, want)
				}
			}
		})
	}
	wg.Wait()
	if made != 8*500 {
		t.Errorf("%d calls were made", made)
	}
	if all.busy || len(all.waiting) > 0 {
		t.Error("it is still busy")
	}
}

// A goroutine that has made some calls for others returns, however many calls still wait.
func TestCombinerDrainsSome(t *testing.T) {
	var all writeCombiner
	var wg sync.WaitGroup
	var made atomic.Int64
	hold := make(chan struct{})
	err := all.do(func() error {
		for i := range int64(drainLimit + 5) {
			wg.Go(func() {
				_ = all.do(func() error {
					if n := made.Add(1); n != i+1 {
						t.Errorf("call %d was made as number %d", i+1, n)
					}
					if i >= drainLimit {
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
	if n := made.Load(); n != drainLimit+5 {
		t.Errorf("%d calls were made", n)
	}
}

// waitFor waits until n tickets are in the queue.
func waitFor(all *writeCombiner, n int) {
	for waiting := 0; waiting < n; runtime.Gosched() {
		all.mu.Lock()
		waiting = len(all.waiting)
		all.mu.Unlock()
	}
}

// The queue keeps no reference to a call after the call was made.
func TestCombinerForgets(t *testing.T) {
	var all writeCombiner
	var wg sync.WaitGroup
	freed := make(chan bool, 1)
	_ = all.do(func() error {
		big := make([]byte, 1<<20)
		runtime.AddCleanup(&big[0], func(int) { freed <- true }, 0)
		wg.Go(func() { _ = all.do(func() error { clear(big); return nil }) })
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
