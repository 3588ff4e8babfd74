package vfs

import (
	"fmt"
	"sync"
)

// nodeLocks are the locks on a file in memory, which its openings share. All but the ranges is guarded
// by a mutex of the file.
type nodeLocks struct {
	locked bool // exclusively
	shared int  // openings that share the lock
	ranges rangeLocks
}

// fileLocks are the locks that one opening of a file in memory holds.
type fileLocks struct{ holds, shares bool }

// lock takes the exclusive lock of a file with a name.
func (l *fileLocks) lock(n *nodeLocks, name string) error {
	if n.locked && !l.holds || n.shared > 0 {
		return fmt.Errorf("%s: %w", name, ErrLocked)
	}
	n.locked, l.holds = true, true
	return nil
}

// lockShared takes the lock in shared mode.
func (l *fileLocks) lockShared(n *nodeLocks, name string) error {
	if n.locked {
		return fmt.Errorf("%s: %w", name, ErrLocked)
	}
	if !l.shares {
		l.shares = true
		n.shared++
	}
	return nil
}

// unlock releases what the opening holds.
func (l *fileLocks) unlock(n *nodeLocks) {
	if l.holds {
		n.locked, l.holds = false, false
	}
	if l.shares {
		l.shares = false
		n.shared--
	}
}

// lockedByOthers reports whether another opening holds the lock.
func (l *fileLocks) lockedByOthers(n *nodeLocks) bool {
	others := n.shared
	if l.shares {
		others--
	}
	return n.locked && !l.holds || others > 0
}

// rangeLocks holds the locks on ranges of one file in memory.
type rangeLocks struct {
	mu   sync.Mutex
	free sync.Cond
	held map[[2]int64]bool
}

// lock waits until none of the n bytes from off is locked, locks them, and returns the function that
// unlocks them.
func (r *rangeLocks) lock(off, n int64) func() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held == nil {
		r.held = map[[2]int64]bool{}
		r.free.L = &r.mu
	}
	for r.overlaps(off, n) {
		r.free.Wait()
	}
	r.held[[2]int64{off, n}] = true
	return func() error {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.held, [2]int64{off, n})
		r.free.Broadcast()
		return nil
	}
}

func (r *rangeLocks) overlaps(off, n int64) bool {
	for h := range r.held {
		if h[0] < off+n && off < h[0]+h[1] {
			return true
		}
	}
	return false
}
