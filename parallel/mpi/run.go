//go:build mpi && cgo

package mpi

// #include "bridge.h"
// #include <stdlib.h>
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"drx/parallel/internal/call"
	"drx/parallel/par"
)

const (
	// alarmSize is the largest size of an alarm, in bytes.
	alarmSize = 8192
	// grace is the time that a failing proc waits until the others have learned of it. After a
	// timeout it waits for slack: one of them may never come.
	grace = 5 * time.Second
)

// Run calls f as one proc of the program that mpirun has started. All processes call Run, and each
// is a proc. Run starts MPI if necessary. It may be called again after it has returned, but not
// while it runs (par.ErrBusy). The error is that of the first proc that failed, as a
// *par.ProcError, in all processes; if several fail at once, each may return its own error.
//
// If MPI does not return from a call within par.Options.Timeout and one second, Run returns without
// waiting for f, which may be blocked in MPI for ever. Then the functions of par.AtEnd are not
// called, every further Run returns par.ErrBusy, and the process must end: mpirun then ends the
// others, even those that are stopped.
func Run(f func(par.Comm) error, o ...par.Options) error {
	if !running.CompareAndSwap(false, true) {
		return fmt.Errorf("run of a program: %w", par.ErrBusy)
	}
	w := &world{late: make(chan error, 1)}
	for _, o := range o {
		w.timeout = o.Timeout
	}
	done := make(chan error, 1)
	go func() { done <- w.run(f) }()
	select {
	case err := <-done:
		running.Store(false)
		return err
	case err := <-w.late:
		return w.giveUp(err)
	}
}

// run is Run without a watch.
func (w *world) run(f func(par.Comm) error) error {
	if err := w.begin(); err != nil {
		return err
	}
	if err := w.open(func(c *comm) C.int { return C.bridge_world(&c.handle) }); err != nil {
		return err
	}
	defer w.ends.Run()
	err := call.Guard(func() error { return f(w.all) })
	if err == nil {
		err = w.leftOpen()
	}
	if err == nil {
		err = w.all.collective("end of the program", nil, w.all.release)
	}
	return w.end(err)
}

// running is true during Run, and after an abandoned program.
var running atomic.Bool

// A world is one proc's view of a program, from the beginning of Run to its end.
type world struct {
	all     *comm
	alarm   C.MPI_Comm // carries the reason of a proc's failure
	exit    C.MPI_Comm // procs of a failed program wait for each other here
	timeout time.Duration
	ends    call.Ends
	groups  atomic.Int64 // open groups returned by Split
	release func() error // closes a group made by Adopt; nil in Run
	thread  C.uintptr_t  // the only one that may call MPI; 0 for any
	late    chan error   // the reason to abandon the program, see watch
	opened  atomic.Bool  // alarms can be sent

	mu     sync.Mutex
	heard  C.MPI_Request // the receive on alarm; always active while cause is nil
	reason []byte        // its buffer, memory of C
	cause  error         // why the first proc failed, as a *par.ProcError
	over   bool          // the program has ended well
}

// open makes the group of the program, together with all processes. dup makes its communicator.
func (w *world) open(dup func(*comm) C.int) error {
	c := &comm{w: w, whole: true}
	for _, dup := range []func() C.int{
		func() C.int { return dup(c) },
		func() C.int { return C.bridge_dup(c.handle, &w.alarm) },
		func() C.int { return C.bridge_dup(c.handle, &w.exit) },
	} {
		if err := w.call("begin of the program: MPI_Comm_dup", dup); err != nil {
			return err
		}
	}
	if err := c.open(nil); err != nil {
		return err
	}
	w.all = c
	w.reason = unsafe.Slice((*byte)(C.calloc(1, alarmSize)), alarmSize)
	if err := check("MPI_Irecv", C.bridge_irecv_any(w.alarm, start(w.reason), alarmSize, &w.heard)); err != nil {
		return err
	}
	w.opened.Store(true)
	return nil
}

// end ends the program on this proc and returns its error. After a failure it frees nothing in MPI,
// because operations may still be in progress.
func (w *world) end(err error) error {
	if err != nil {
		if w.release == nil {
			environment.failed.Store(true)
			defer w.within(grace+slack, func() error { return err })()
		}
		w.fail(err)
		w.waitForOthers()
		return w.failure()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	if err := w.call("end of the program: MPI_Cancel", func() C.int { return C.bridge_cancel(&w.heard) }); err != nil {
		return err
	}
	C.free(start(w.reason))
	for _, c := range []C.MPI_Comm{w.alarm, w.exit, w.all.handle} {
		if err := w.free(c); err != nil {
			return err
		}
	}
	return nil
}

// leftOpen returns an error if groups that Split has returned are open.
func (w *world) leftOpen() error {
	if n := w.groups.Load(); n > 0 {
		return par.LeftOpen(int(n))
	}
	return nil
}

// fail sends the reason of this proc's failure to all other procs, unless a proc has failed before.
func (w *world) fail(err error) {
	defer w.watch("alarm")()
	w.alarmed()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cause != nil || w.over {
		return
	}
	w.cause = par.Blame(w.all.proc, err)
	text := encode(call.Call{Proc: w.all.proc, Err: err})
	buf := C.CBytes(text) // never freed, because no proc waits for the sends: the others may be dead
	for p := range w.all.procs {
		if p != w.all.proc {
			var r C.MPI_Request
			C.bridge_isend(w.alarm, buf, C.int(len(text)), C.int(p), &r)
		}
	}
}

// failUnagreed makes the program fail after an error of a collective call that the other procs do
// not know: they would go on without this proc. It returns errors that all procs have agreed on
// unchanged.
func (w *world) failUnagreed(err error) error {
	var whose *par.ProcError
	if err == nil || errors.As(err, &whose) || errors.Is(err, par.ErrFailed) {
		return err
	}
	w.fail(err)
	return fmt.Errorf("%w: %w", par.ErrFailed, w.failure())
}

// failure returns the reason why the first proc failed, or nil.
func (w *world) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cause
}

// alarmed returns an error if a proc has failed, or if this thread must not call MPI. Every call
// begins with it. It returns nil at once while another goroutine executes it.
func (w *world) alarmed() error {
	if err := w.checkThread(); err != nil {
		return err
	}
	if !w.mu.TryLock() {
		return nil
	}
	defer w.mu.Unlock()
	if w.over {
		return fmt.Errorf("program %w", par.ErrClosed)
	}
	if w.cause == nil {
		there := C.int(0)
		if err := check("MPI_Test", C.bridge_test(&w.heard, 1, &there)); err != nil || there == 0 {
			return err
		}
		w.cause = w.readAlarm()
	}
	return fmt.Errorf("%w: %w", par.ErrFailed, w.cause)
}

// checkThread returns an error wrapping par.ErrThread if this thread must not call MPI.
func (w *world) checkThread() error {
	if w.thread == 0 || C.bridge_thread() == w.thread {
		return nil
	}
	return fmt.Errorf("%w: the program has started MPI for one thread: make this call on it, or start MPI by MPI_Init_thread with MPI_THREAD_MULTIPLE", par.ErrThread)
}

// readAlarm returns the error that the alarm has brought.
func (w *world) readAlarm() error {
	n := 0
	for n < len(w.reason) && w.reason[n] != 0 {
		n++
	}
	c, err := decode(w.reason[:n])
	if err != nil {
		return err
	}
	return par.Blame(c.Proc, c.Err)
}

// waitForOthers waits, for a limited time, until all procs have arrived here: then all have learned
// of the failure.
func (w *world) waitForOthers() {
	limit := grace
	if errors.Is(w.failure(), par.ErrTimeout) {
		limit = slack
	}
	var r C.MPI_Request
	if C.bridge_ibarrier(w.exit, &r) != 0 {
		return
	}
	begun := time.Now()
	for round := 0; time.Since(begun) < limit; round++ {
		done := C.int(0)
		if C.bridge_test(&r, testsPerAlarm, &done) != 0 || done != 0 {
			return
		}
		pause(round)
	}
}
