//go:build mpi && cgo

package mpi

// #include "bridge.h"
import "C"

import (
	"fmt"
	"runtime"
	"sync"
	"time"

	"drx/par"
)

// looks is how often an operation is tested before the alarm is. Between two looks the
// processor is given up.
const looks = 50

// wait returns when an operation is done, or why it will never be: then what it uses must
// live on, see unpin.
func (w *world) wait(what string, r *C.MPI_Request) error {
	return w.until(what, func() (bool, error) { return test(what, r) })
}

// test looks whether an operation is done.
func test(what string, r *C.MPI_Request) (bool, error) {
	done := C.int(0)
	err := check(what, C.drx_test(r, looks, &done))
	return done != 0, err
}

// until calls a test until it says yes, a proc fails or there is no more time.
func (w *world) until(what string, test func() (bool, error)) error {
	defer w.watch(what)() // of tests that do not return
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

// pause lets others work: a short wait is for a proc that is about to come, and sleeping would
// delay it; a long one is for a proc that computes, maybe on this core.
func pause(round int) {
	if round < 100 {
		runtime.Gosched()
		return
	}
	time.Sleep(time.Duration(min(round-100, 20)) * 10 * time.Microsecond)
}

// pin keeps memory of Go where it is until unpin.
func pin(b []byte) *runtime.Pinner {
	p := new(runtime.Pinner)
	if len(b) > 0 {
		p.Pin(&b[0])
	}
	return p
}

// abandoned holds the pins of operations that were given up: they may still go on.
var abandoned struct {
	sync.Mutex
	pins []*runtime.Pinner
}

// unpin ends a pin after an operation on the memory, or makes it last for ever if there was
// an error.
func unpin(p *runtime.Pinner, err error) {
	if err == nil {
		p.Unpin()
		return
	}
	abandoned.Lock()
	defer abandoned.Unlock()
	abandoned.pins = append(abandoned.pins, p)
}

// scratch is memory of C for the numbers of one meeting: 3 of this proc and 3 of all.
type scratch [6]C.int64_t

// address returns the address of bytes that are pinned.
func address(b []byte) C.uintptr_t { return C.uintptr_t(uintptr(start(b))) }
