//go:build mpi && cgo

package mpi

// #include "bridge.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"drx/parallel/par"
)

// Built reports whether MPI is compiled in.
const Built = true

// check returns the error for a return code of MPI.
func check(what string, code C.int) error {
	if code == 0 {
		return nil
	}
	var text [4096]C.char // longer than MPI_MAX_ERROR_STRING
	n := C.int(0)
	if C.bridge_error(code, &text[0], &n) != 0 {
		n = 0
	}
	return fmt.Errorf("%s: MPI error %d: %s", what, int(code), C.GoStringN(&text[0], n))
}

// environment is the state of MPI in this process. It starts and ends once, on the same thread.
var environment struct {
	sync.Mutex
	started, ended bool
	failed         atomic.Bool // a program has failed
	held           atomic.Bool // a call was abandoned that may never return
	timeout        time.Duration
	err            error
	end            chan struct{}
	over           chan error
}

var errOver = errors.New("MPI has been finalized: it cannot begin again")

// begin starts MPI unless it is started.
func (w *world) begin() error {
	defer w.watch("MPI_Init_thread")()
	e := &environment
	e.Lock()
	defer e.Unlock()
	e.timeout = w.timeout
	if e.ended {
		return errOver
	}
	if e.started {
		return e.err
	}
	e.started, e.end, e.over = true, make(chan struct{}), make(chan error, 1)
	begun := make(chan error)
	go func() {
		runtime.LockOSThread()
		begun <- initialize()
		<-e.end
		e.over <- check("MPI_Finalize", C.bridge_finalize())
	}()
	e.err = <-begun
	return e.err
}

func initialize() error {
	threads := C.int(0)
	if err := check("MPI_Init_thread", C.bridge_init(&threads)); err != nil {
		return err
	}
	if threads == 0 {
		return errors.New("this MPI does not let several threads call it: MPI_THREAD_MULTIPLE is needed")
	}
	return nil
}

// Finalize ends MPI, if it was started, and waits until all processes do so. Every process calls it
// at the end, unless the program has failed: then it may take long, or do nothing. It uses the
// timeout of the last program; the error then wraps par.ErrTimeout, immediately if MPI already
// blocks the process, see Run.
func Finalize() error {
	e := &environment
	if e.held.Load() { // perhaps the call in begin
		return fmt.Errorf("MPI_Finalize: %w: an earlier call", par.ErrTimeout)
	}
	e.Lock()
	defer e.Unlock()
	if !e.started || e.ended || e.err != nil {
		return nil
	}
	e.ended = true
	if e.failed.Load() && !finalizesLeftovers {
		return nil
	}
	close(e.end)
	var never <-chan time.Time
	if e.timeout > 0 {
		never = time.After(e.timeout + slack)
	}
	select {
	case err := <-e.over:
		return err
	case <-never:
		e.held.Store(true)
		return late("MPI_Finalize", e.timeout)
	}
}

// start returns the address of the first byte for C, nil if there is none.
func start(b []byte) unsafe.Pointer {
	if len(b) == 0 {
		return nil
	}
	return unsafe.Pointer(&b[0])
}
