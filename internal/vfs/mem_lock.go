package vfs

import (
	"fmt"
	"sync"
)

// nodeLocks are the locks on a file in memory, which its openings share. All but the ranges is
// guarded by a mutex of the file.
type nodeLocks struct {
	nodeLock
	others map[int]*nodeLock // by their numbers, see File.Locks
	ranges rangeLocks
}

// A nodeLock is one lock.
type nodeLock struct {
	locked bool // exclusively
	shared int  // openings that share the lock
}

// number returns a lock by its number, 0 for the file's own.
func (n *nodeLocks) number(i int) *nodeLock {
	if i == 0 {
		return &n.nodeLock
	}
	if n.others[i] == nil {
		if n.others == nil {
			n.others = map[int]*nodeLock{}
		}
		n.others[i] = &nodeLock{}
	}
	return n.others[i]
}

// heldLocks are the locks that one opening of a file in memory holds, by their numbers.
type heldLocks map[int]*fileLocks

// number returns what the opening holds of a lock.
func (h *heldLocks) number(i int) *fileLocks {
	if (*h)[i] == nil {
		if *h == nil {
			*h = heldLocks{}
		}
		(*h)[i] = &fileLocks{}
	}
	return (*h)[i]
}

// unlockAll releases what the opening holds.
func (h *heldLocks) unlockAll(n *nodeLocks) {
	for i, l := range *h {
		l.unlock(n.number(i))
	}
}

// fileLocks is the part of one lock that one opening of a file in memory holds.
type fileLocks struct{ holds, shares bool }

// lock acquires the exclusive lock of a file with a name.
func (l *fileLocks) lock(n *nodeLock, name string) error {
	if n.locked && !l.holds || n.shared > 0 {
		return memLocked(name)
	}
	n.locked, l.holds = true, true
	return nil
}

// lockShared acquires the lock in shared mode.
func (l *fileLocks) lockShared(n *nodeLock, name string) error {
	if n.locked {
		return memLocked(name)
	}
	if !l.shares {
		l.shares = true
		n.shared++
	}
	return nil
}

// unlock releases what the opening holds.
func (l *fileLocks) unlock(n *nodeLock) {
	if l.holds {
		n.locked, l.holds = false, false
	}
	if l.shares {
		l.shares = false
		n.shared--
	}
}

// lockedByOthers reports whether another opening holds the lock.
func (l *fileLocks) lockedByOthers(n *nodeLock) bool {
	others := n.shared
	if l.shares {
		others--
	}
	return n.locked && !l.holds || others > 0
}

// A memLock is a lock of one opening of a file in memory.
type memLock struct {
	mu    sync.Locker
	node  *nodeLocks
	held  *heldLocks
	n     int
	name  string
	check func(op string) error
}

// with calls f with the lock and what the opening holds of it, unless check has an error.
func (l memLock) with(op string, f func(*fileLocks, *nodeLock) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(op); err != nil {
		return err
	}
	return f(l.held.number(l.n), l.node.number(l.n))
}

func (l memLock) Lock() error {
	return l.with("lock", func(h *fileLocks, n *nodeLock) error { return h.lock(n, l.name) })
}

func (l memLock) LockShared() error {
	return l.with("lock", func(h *fileLocks, n *nodeLock) error { return h.lockShared(n, l.name) })
}

// Unlock releases the lock also when it returns an error.
func (l memLock) Unlock() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held.number(l.n).unlock(l.node.number(l.n))
	return l.check("unlock")
}

func (l memLock) Locked() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held.number(l.n).lockedByOthers(l.node.number(l.n))
}

// rangeLocks holds the locks on ranges of one file in memory.
type rangeLocks struct {
	mu   sync.Mutex
	free sync.Cond
	held map[*rangeLock]bool
}

// A rangeLock is a lock on n bytes from off.
type rangeLock struct {
	off, n int64
	shared bool
}

// lock waits, as long as it takes, until none of the n bytes from off is locked, locks them, and
// returns the function that unlocks them.
func (r *rangeLocks) lock(off, n int64) func() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := &rangeLock{off, n, false}
	for r.free.L = &r.mu; r.overlaps(l); {
		r.free.Wait()
	}
	return r.hold(l)
}

// tryLock is lock without waiting, also for a shared lock.
func (r *rangeLocks) tryLock(off, n int64, shared bool) (unlock func() error, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := &rangeLock{off, n, shared}
	if r.free.L = &r.mu; r.overlaps(l) {
		return nil, false
	}
	return r.hold(l), true
}

// hold notes a lock, and returns the function that ends it.
func (r *rangeLocks) hold(l *rangeLock) func() error {
	if r.held == nil {
		r.held = map[*rangeLock]bool{}
	}
	r.held[l] = true
	return func() error {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.held, l)
		r.free.Broadcast()
		return nil
	}
}

// overlaps reports whether a lock is held that keeps l out.
func (r *rangeLocks) overlaps(l *rangeLock) bool {
	for h := range r.held {
		if h.off < l.off+l.n && l.off < h.off+h.n && !(h.shared && l.shared) {
			return true
		}
	}
	return false
}

// memLocked returns the error for a lock that another opening has.
func memLocked(name string) error { return fmt.Errorf("%s: %w", name, ErrLocked) }
