//go:build mpi && cgo

package mpi

// #include "bridge.h"
// #include <stdlib.h>
import "C"

import (
	"fmt"
	"sync"

	"drx/internal/errkind"
	"drx/parallel/par"
)

// adoptions has the groups made by Adopt, by the numbers that mark their communicators.
var adoptions struct {
	sync.Mutex
	last   C.int64_t
	groups map[C.int64_t]*adoption
}

// An adoption is a group made by Adopt.
type adoption struct {
	*comm
	mark  *C.struct_bridge_mark // of the program's communicator
	users int                   // calls of Adopt without a Close
}

// Adopt returns the group of a communicator of a program that has started MPI itself, with any
// level of threads, collective over the communicator. The group has duplicates of the communicator,
// so its calls do not mix with those of the program. Procs are numbered as in the communicator,
// also in errors.
//
// Another Adopt of the same communicator returns the same group. Each Adopt needs a Close, which is
// collective; the last one frees the duplicates, and must come before MPI_Finalize. The program may
// free its communicator before that.
//
// With a level below MPI_THREAD_MULTIPLE the goroutine must be on the thread that has started MPI,
// or with MPI_THREAD_SERIALIZED on any one, and only this thread can use the group: see the package
// comment. If a call that can be abandoned exceeds par.Options.Timeout, all procs get
// par.ErrFailed, as after Fail; a call that hangs in MPI is not abandoned.
//
// The error wraps par.ErrThread, or par.ErrArgument if MPI has not begun or has ended, or if the
// handle is MPI_COMM_NULL or an inter-communicator. If only some procs get such an error the others
// wait.
func Adopt(h Handle, o ...par.Options) (par.Comm, error) {
	a, err := adopt(C.int(h), o)
	if err != nil {
		return nil, fmt.Errorf("adopt communicator %d: %w", h, err)
	}
	return a.comm, nil
}

func adopt(handle C.int, o []par.Options) (*adoption, error) {
	thread, err := callingThread()
	if err != nil {
		return nil, err
	}
	usable := C.int(0)
	if err := check("MPI_Comm_test_inter", C.bridge_usable(handle, &usable)); err != nil {
		return nil, err
	}
	if usable == 0 {
		return nil, errkind.Errorf(par.ErrArgument, "it is MPI_COMM_NULL or an inter-communicator")
	}
	if a, err := adoptAgain(handle, thread); a != nil || err != nil {
		return a, err
	}
	w := &world{late: make(chan error, 1), thread: thread}
	w.release = w.leave
	for _, o := range o {
		w.timeout = o.Timeout
	}
	// Without the lock: other threads may adopt other communicators, in a different order on other
	// procs.
	if err := w.open(func(c *comm) C.int { return C.bridge_dup_of(handle, &c.handle) }); err != nil {
		return nil, err
	}
	return w.mark(handle)
}

// adoptAgain returns the existing group of a communicator for one more user, or nil.
func adoptAgain(handle C.int, thread C.uintptr_t) (*adoption, error) {
	adoptions.Lock()
	defer adoptions.Unlock()
	number := C.int64_t(0)
	if err := check("MPI_Comm_get_attr", C.bridge_marked(handle, &number)); err != nil {
		return nil, err
	}
	a := adoptions.groups[number]
	if a == nil {
		return nil, nil
	}
	a.users++
	if a.w.thread != thread { // with MPI_THREAD_SERIALIZED
		a.w.thread = thread
	}
	return a, nil
}

// mark makes the group of a world the group of a communicator of the program.
func (w *world) mark(handle C.int) (*adoption, error) {
	adoptions.Lock()
	defer adoptions.Unlock()
	adoptions.last++
	var mark *C.struct_bridge_mark
	if err := check("MPI_Comm_set_attr", C.bridge_mark(handle, adoptions.last, &mark)); err != nil {
		return nil, err
	}
	if adoptions.groups == nil {
		adoptions.groups = map[C.int64_t]*adoption{}
	}
	a := &adoption{comm: w.all, mark: mark, users: 1}
	adoptions.groups[adoptions.last] = a
	return a, nil
}

// callingThread returns this thread if it is the only one that may call MPI, or 0 if all threads
// may.
func callingThread() (C.uintptr_t, error) {
	var running, level, main C.int
	if err := check("MPI_Query_thread", C.bridge_running(&running, &level, &main)); err != nil {
		return 0, err
	}
	switch {
	case running == 0:
		return 0, errkind.Errorf(par.ErrArgument, "call it between MPI_Init and MPI_Finalize")
	case level == C.BRIDGE_MULTIPLE:
		return 0, nil
	case level < C.BRIDGE_SERIALIZED && main == 0:
		return 0, fmt.Errorf("%w: the program has started MPI with one thread, which is another one", par.ErrThread)
	}
	return C.bridge_thread(), nil
}

// Fail ends the use of a group returned by Adopt, because this proc cannot go on, for example after
// a panic in the middle of a collective call. The pending and later calls of all its procs return
// par.ErrFailed; only Close may still be called. Fail may be called on the threads that may use the
// group.
func Fail(c par.Comm, err error) {
	if a, ok := c.(*comm); ok && a.w.release != nil && err != nil && a.w.checkThread() == nil {
		a.w.fail(err)
	}
}

// leave ends one use of an adopted group. The last one frees its communicators. If groups that
// Split has returned are open, or a proc has failed, the group fails, as after Run.
func (w *world) leave() error {
	if err := w.checkThread(); err != nil {
		return err
	}
	number, a := w.adoption()
	if a == nil {
		return fmt.Errorf("group of a communicator %w", par.ErrClosed)
	}
	if a.leave() {
		return nil
	}
	err := w.leftOpen()
	if err == nil {
		err = w.all.collective("end of the program", nil, w.all.release)
	}
	if err = w.end(err); err != nil {
		err = first(err, check("MPI_Cancel", C.bridge_cancel_active(&w.heard)))
	}
	w.ends.Run()
	adoptions.Lock()
	defer adoptions.Unlock()
	delete(adoptions.groups, number)
	return first(err, check("MPI_Comm_delete_attr", C.bridge_unmark(a.mark)))
}

// adoption returns the adoption of a world, with its number; nil after its last Close.
func (w *world) adoption() (C.int64_t, *adoption) {
	adoptions.Lock()
	defer adoptions.Unlock()
	for number, a := range adoptions.groups {
		if a.w == w {
			return number, a
		}
	}
	return 0, nil
}

// leave ends one use unless it is the last one. It reports whether it has.
func (a *adoption) leave() bool {
	adoptions.Lock()
	defer adoptions.Unlock()
	a.users--
	return a.users > 0
}
