//go:build mpi && cgo

package mpi

import "C"

import (
	"fmt"
	"time"

	"drx/parallel/par"
)

// slack is added to the timeout before this process abandons a program whose MPI call does not
// return. Waits that check the timeout themselves end earlier.
const slack = time.Second

// watch abandons the program, as Run describes, if over is not called in time. It calls no MPI,
// because the watched call may be blocked there. A program that calls Adopt is not Run's to
// abandon.
func (w *world) watch(what string) (over func()) {
	if w.timeout == 0 || w.release != nil {
		return func() {}
	}
	return w.within(w.timeout+slack, func() error { return late(what, w.timeout) })
}

// late returns the error of a call of MPI that takes too long.
func late(what string, timeout time.Duration) error {
	return fmt.Errorf("%s: %w: %v: MPI has not returned", what, par.ErrTimeout, timeout)
}

// within is watch for any limit and any error.
func (w *world) within(limit time.Duration, why func() error) (over func()) {
	timer := time.AfterFunc(limit, func() {
		select {
		case w.late <- why():
		default: // another call was late before
		}
	})
	return func() { timer.Stop() }
}

// call calls a function of MPI that may wait for other processes, under a watch.
func (w *world) call(what string, f func() C.int) error {
	defer w.watch(what)()
	return check(what, f())
}

// giveUp ends a program with a call that MPI does not return from. The goroutine of that call, and
// the locks that it holds, are abandoned. giveUp informs the other procs, if MPI still can, and
// returns why the first proc has failed. The first processes end at different times: mpirun ends
// the others when one has ended, and that of Open MPI 4.1 sometimes does not end itself if several
// end at once.
func (w *world) giveUp(err error) error {
	environment.held.Store(true)
	proc, _ := number()
	time.Sleep(time.Duration(min(proc, 4)) * slack / 2)
	err = par.Blame(proc, err)
	if !w.opened.Load() {
		return err
	}
	first := make(chan error, 1)
	go func() {
		w.fail(err)
		first <- w.failure()
	}()
	select {
	case err = <-first:
	case <-time.After(slack):
	}
	return err
}
