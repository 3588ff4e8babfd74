package par

import (
	"fmt"
	"sync"
	"time"

	"drx/internal/errkind"
	"drx/internal/vfs"
	"drx/parallel/internal/call"
)

// Run calls f once for each of procs procs, in goroutines of this process, and returns when all
// calls have returned. The error is that of the first proc that failed, as a *ProcError. A panic is
// an error, and so is a group that is left open (ErrDisagree). Files that are still open are closed
// when background calls have ended. Run waits without limit for a proc that computes for ever and
// calls no method of its Comm.
func Run(procs int, f func(Comm) error, o ...Options) error {
	w := &world{fs: vfs.Devices}
	for _, o := range o {
		w.timeout = o.Timeout
	}
	return w.run(procs, f)
}

func (w *world) run(procs int, f func(Comm) error) error {
	if procs < 1 {
		return errkind.Errorf(ErrArgument, "%d procs: want at least 1", procs)
	}
	w.cond.L = &w.mu
	w.ended, w.groups = make([]bool, procs), make([]int, procs)
	members := make([]int, procs)
	for p := range members {
		members[p] = p
	}
	g := newGroup(w, members)
	var wg sync.WaitGroup
	for p := range procs {
		wg.Go(func() { w.end(p, call.Guard(func() error { return f(&comm{group: g, proc: p}) })) })
	}
	wg.Wait()
	w.ends.Run()
	err := w.closeFiles()
	if w.cause != nil {
		return w.cause
	}
	for p, n := range w.groups {
		if n > 0 {
			return Blame(p, LeftOpen(n))
		}
	}
	return err
}

// A world is one program of goroutine procs. All its groups share one lock and one condition: a
// waiting proc checks its own condition again whenever anything has happened.
type world struct {
	fs      vfs.FS
	timeout time.Duration
	ends    call.Ends

	mu     sync.Mutex
	cond   sync.Cond
	ended  []bool
	groups []int       // number of open groups that Split has returned, by proc
	cause  error       // the failure of the first proc, as a *ProcError
	files  []*openFile // the open ones
}

// end records that a proc has returned.
func (w *world) end(proc int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended[proc] = true
	w.fail(Blame(proc, err))
}

// fail ends the program with err, unless err is nil or the program has failed already. The lock
// must be held.
func (w *world) fail(err error) {
	if w.cause == nil {
		w.cause = err
	}
	w.cond.Broadcast()
}

// failure returns the error of all calls after a proc has failed, nil before. The lock must be
// held.
func (w *world) failure() error {
	if w.cause == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrFailed, w.cause)
}

// wait waits until ready returns true. It releases the lock, which must be held, while it waits.
// The error is the reason why ready will never be true: a failure, a timeout, or a proc that has
// ended, which gone returns.
func (w *world) wait(proc int, what string, ready func() bool, gone func() (int, bool)) error {
	late := false
	if w.timeout > 0 && !ready() {
		defer time.AfterFunc(w.timeout, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			late = true
			w.cond.Broadcast()
		}).Stop()
	}
	for !ready() {
		if err := w.failure(); err != nil {
			return err
		}
		if p, yes := gone(); yes {
			return &ProcError{p, fmt.Errorf("%w: proc %d has ended where proc %d calls %q", ErrDisagree, p, proc, what)}
		}
		if late {
			w.fail(&ProcError{proc, fmt.Errorf("%s: %w: %v", what, ErrTimeout, w.timeout)})
			return w.failure()
		}
		w.cond.Wait()
	}
	return nil
}
