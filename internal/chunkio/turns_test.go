package chunkio

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
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
		for range served + 5 {
			wg.Go(func() {
				_ = all.take(func() error {
					if made.Add(1) > served {
						<-hold
					}
					return nil
				})
			})
		}
		for waiting := 0; waiting < served+5; {
			all.mu.Lock()
			waiting = len(all.waiting)
			all.mu.Unlock()
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
