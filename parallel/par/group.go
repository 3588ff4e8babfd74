package par

import (
	"fmt"
	"sync/atomic"

	"drx/parallel/internal/call"
)

// A group holds the common state of the comms of its procs.
type group struct {
	w       *world
	members []int // the procs' numbers in the world

	// Guarded by the lock of the world:
	barrier *barrier
}

func newGroup(w *world, members []int) *group {
	return &group{w: w, members: members, barrier: newBarrier(members)}
}

// A barrier is one synchronisation of a group. It is over when every proc has arrived.
type barrier struct {
	calls  []call.Call
	shares []any // the value that each proc passes to the others
	here   []bool
	coming int
	err    error // valid once coming is 0
}

func newBarrier(members []int) *barrier {
	n := len(members)
	return &barrier{calls: make([]call.Call, n), shares: make([]any, n), here: make([]bool, n), coming: n}
}

// come records the arrival of a proc. The last one compares the calls, which decides the error of
// all.
func (m *barrier) come(proc int, c call.Call, share any) {
	if !m.here[proc] {
		m.here[proc] = true
		m.coming--
	}
	m.calls[proc], m.shares[proc] = c, share
	if m.coming == 0 {
		m.err = Blame(call.Compare(m.calls))
	}
}

// A comm is a group as one of its procs sees it.
type comm struct {
	*group
	proc   int         // in the group
	part   bool        // made by Split
	busy   atomic.Bool // a collective call is in progress
	closed atomic.Bool
}

// Proc returns the number of this proc in the group.
func (c *comm) Proc() int { return c.proc }

// Procs returns the number of procs of the group.
func (c *comm) Procs() int { return len(c.members) }

// Member returns the number in the whole program of a proc of the group.
func (c *comm) Member(proc int) int { return MemberOf(c.members, proc) }

// exchange waits for all procs of the group and returns the values that they have passed, by proc.
func (c *comm) exchange(what string, err error, share any) ([]any, error) {
	w := c.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.failure(); err != nil {
		return nil, err
	}
	m := c.barrier
	m.come(c.proc, call.Call{Proc: c.members[c.proc], What: what, Err: err}, share)
	if m.coming == 0 {
		c.barrier = newBarrier(c.members)
		w.cond.Broadcast()
	}
	err = w.wait(c.members[c.proc], what, func() bool { return m.coming == 0 }, func() (int, bool) {
		for p, here := range m.here {
			if !here && w.ended[c.members[p]] {
				return c.members[p], true
			}
		}
		return 0, false
	})
	if err != nil {
		return nil, err
	}
	return m.shares, m.err
}

// collective makes a collective call: a barrier, then the part of this proc, which may use the
// values of all procs, then a barrier after which no proc uses them any more.
func (c *comm) collective(what string, err error, share any, part func(shares []any) error) error {
	if c.closed.Load() {
		return fmt.Errorf("%s: group %w", what, ErrClosed)
	}
	if !c.busy.CompareAndSwap(false, true) {
		return fmt.Errorf("%s: %w", what, ErrBusy)
	}
	defer c.busy.Store(false)
	shares, err := c.exchange(what, err, share)
	if err != nil || part == nil {
		return err
	}
	_, err = c.exchange(what+": end", part(shares), nil)
	return err
}

// Barrier synchronises the procs and passes nothing.
func (c *comm) Barrier() error { return c.collective("barrier", nil, nil, nil) }

// Agree is a barrier that compares the calls and finds the first error.
func (c *comm) Agree(what string, err error) error { return c.collective(what, err, nil, nil) }

// checkProc checks the number of a proc.
func (c *comm) checkProc(proc int) error { return CheckProc(proc, len(c.members)) }
