//go:build mpi && cgo

package mpi

// #include "bridge.h"
import "C"

import (
	"fmt"
	"runtime"
	"time"

	"drx/parallel/par"
)

// testsPerAlarm is the number of tests of an operation before the alarm is tested and the processor
// is released.
const testsPerAlarm = 50

// wait waits until an operation is done. After an error the operation may still be in progress: its
// memory must stay at its address, see unpin.
func (w *world) wait(what string, r *C.MPI_Request) error {
	return w.until(what, func() (bool, error) { return test(what, r) })
}

// test reports whether an operation is done.
func test(what string, r *C.MPI_Request) (bool, error) {
	done := C.int(0)
	err := check(what, C.bridge_test(r, testsPerAlarm, &done))
	return done != 0, err
}

// until calls test until it returns true, a proc fails, or the timeout expires.
func (w *world) until(what string, test func() (bool, error)) error {
	defer w.watch(what)() // for tests that do not return
	var begun time.Time
	for round := 0; ; round++ {
		if done, err := test(); done || err != nil {
			return err
		}
		if err := w.alarmed(); err != nil {
			return err
		}
		switch {
		case begun.IsZero():
			begun = time.Now()
		case w.timeout > 0 && time.Since(begun) > w.timeout:
			w.fail(fmt.Errorf("%s: %w: %v", what, par.ErrTimeout, w.timeout))
			return fmt.Errorf("%w: %w", par.ErrFailed, w.failure())
		}
		pause(round)
	}
}

// pause releases the processor. At first it does not sleep, which would delay a proc that is about
// to arrive. Later it sleeps, because others may compute on this core.
func pause(round int) {
	if round < 100 {
		runtime.Gosched()
		return
	}
	time.Sleep(time.Duration(min(round-100, 20)) * 10 * time.Microsecond)
}

// scratch is C memory for the numbers of a barrier: 3 of this proc and 3 results.
type scratch [6]C.int64_t

// address returns the address of pinned bytes.
func address(b []byte) C.uintptr_t { return C.uintptr_t(uintptr(start(b))) }
