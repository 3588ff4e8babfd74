//go:build mpi && cgo

package mpi

// #include "bridge.h"
// #include <stdlib.h>
import "C"

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"drx/internal/errkind"
	"drx/parallel/internal/call"
	"drx/parallel/par"
)

// A comm is a communicator of MPI.
type comm struct {
	w           *world
	handle      C.MPI_Comm
	proc, procs int
	members     []int    // the procs' numbers in the world
	numbers     *scratch // used in barriers
	whole       bool     // it is the group of the program
	busy        atomic.Bool
	closed      atomic.Bool
}

// open sets the fields that follow from the handle. members are the procs of the group by their
// numbers in the program; nil means all.
func (c *comm) open(members []int) error {
	var proc, procs C.int
	if err := check("MPI_Comm_rank", C.bridge_size(c.handle, &proc, &procs)); err != nil {
		return err
	}
	c.proc, c.procs, c.members = int(proc), int(procs), members
	for p := 0; members == nil && p < c.procs; p++ {
		c.members = append(c.members, p)
	}
	c.numbers = (*scratch)(C.calloc(1, C.size_t(unsafe.Sizeof(scratch{}))))
	return nil
}

// release frees the memory of open; no call can begin any more. It is part of a collective call, so
// no other one is in progress.
func (c *comm) release() error {
	c.closed.Store(true)
	C.free(unsafe.Pointer(c.numbers))
	c.numbers = nil
	return nil
}

// Proc returns the rank of this process in the group.
func (c *comm) Proc() int { return c.proc }

// Procs returns the size of the group.
func (c *comm) Procs() int { return c.procs }

// Member returns the rank in the whole program of a process of the group.
func (c *comm) Member(proc int) int { return par.MemberOf(c.members, proc) }

// collective makes a collective call: a barrier, then the part of this proc. The part may wait
// inside of MPI, because all other procs have arrived.
func (c *comm) collective(what string, err error, part func() error) error {
	if !c.busy.CompareAndSwap(false, true) {
		return fmt.Errorf("%s: %w", what, par.ErrBusy)
	}
	defer c.busy.Store(false)
	if c.closed.Load() {
		return fmt.Errorf("%s: group %w", what, par.ErrClosed)
	}
	if err := c.barrier(what, err); err != nil || part == nil {
		return err
	}
	return c.w.failUnagreed(part())
}

// Barrier waits for all procs. Unlike in MPI_Barrier, no proc waits inside of MPI for one that has
// died.
func (c *comm) Barrier() error { return c.collective("barrier", nil, nil) }

// Agree is a barrier that compares the calls and finds the first error.
func (c *comm) Agree(what string, err error) error { return c.collective(what, err, nil) }

// barrier waits for all procs and compares the calls that they are about to make. It reduces the
// hash h of the call and -h to their minima: these are h and -h if and only if all procs have the
// same h.
func (c *comm) barrier(what string, err error) error {
	if err := c.w.alarmed(); err != nil {
		return err
	}
	mine := call.Call{Proc: c.members[c.proc], What: what, Err: err}
	in, out := &c.numbers[0], &c.numbers[3]
	h := C.int64_t(mine.Hash())
	c.numbers[0], c.numbers[1], c.numbers[2] = h, -h, 0
	if err != nil {
		c.numbers[2] = -1
	}
	var r C.MPI_Request
	if err := c.w.call(what, func() C.int { return C.bridge_imin(c.handle, in, out, 3, &r) }); err != nil {
		return err
	}
	if err := c.w.wait(what, &r); err != nil {
		return err
	}
	if c.numbers[3] == -c.numbers[4] && c.numbers[5] == 0 {
		return nil
	}
	return c.reasons(mine)
}

// reasons returns the error for all procs when their calls differ or one has an error.
func (c *comm) reasons(mine call.Call) error {
	text := encode(mine)
	all, err := c.exchange(mine.What, text)
	if err != nil {
		return err
	}
	calls := make([]call.Call, c.procs)
	for p := range calls {
		if calls[p], err = decode(all[p]); err != nil {
			return err
		}
	}
	proc, err := call.Compare(calls)
	if proc == c.members[c.proc] && mine.Err != nil && err == calls[c.proc].Err {
		err = mine.Err // the error itself: other procs have only its text
	}
	return par.Blame(proc, err)
}

// exchange gathers short texts of all procs by operations that can be abandoned.
func (c *comm) exchange(what string, text []byte) ([][]byte, error) {
	const size = 8192
	in := C.calloc(1, size)
	out := C.calloc(C.size_t(c.procs), size)
	copy(unsafe.Slice((*byte)(in), size), text)
	var r C.MPI_Request
	err := c.w.call(what, func() C.int { return C.bridge_iallgather(c.handle, in, size, out, &r) })
	if err == nil {
		err = c.w.wait(what, &r)
	}
	if err != nil {
		return nil, err // MPI may still write to the buffers
	}
	all := make([][]byte, c.procs)
	for p := range all {
		all[p] = []byte(C.GoString((*C.char)(unsafe.Add(out, p*size))))
	}
	C.free(in)
	C.free(out)
	return all, nil
}

// Split calls MPI_Comm_split, see par.Comm. Colors and keys must fit into 31 bits; otherwise the
// error wraps par.ErrArgument.
func (c *comm) Split(color, key int) (par.Comm, error) {
	const most = 1<<31 - 1
	var err error
	if color > most || key > most || key < -most {
		err = errkind.Errorf(par.ErrArgument, "split by color %d and key %d: they have 31 bits", color, key)
	}
	part := &comm{w: c.w}
	some := C.int(0)
	err = c.collective("split", err, func() error {
		err := c.w.call("MPI_Comm_split", func() C.int {
			return C.bridge_split(c.handle, C.int(max(color, -1)), C.int(key), &part.handle, &some)
		})
		if err != nil || some == 0 {
			return err
		}
		return part.open([]int{})
	})
	if err != nil || some == 0 {
		return nil, err
	}
	c.w.groups.Add(1)
	return part, part.introduce(c.members[c.proc])
}

// AtEnd implements par.AtEnd.
func (c *comm) AtEnd(f func()) (cancel func()) { return c.w.ends.Add(f) }

// introduce exchanges the numbers of a new group's procs in the program.
func (c *comm) introduce(mine int) error {
	all := make([]C.int64_t, c.procs)
	err := c.gatherNumbers(mine, all)
	for _, m := range all {
		c.members = append(c.members, int(m))
	}
	return err
}

// free frees a communicator, together with the other processes of its group.
func (w *world) free(handle C.MPI_Comm) error {
	return w.call("MPI_Comm_free", func() C.int { return C.bridge_free(&handle) })
}

// Close frees the communicator of a group that Split or Adopt returned, see par.Comm.
func (c *comm) Close() error {
	switch {
	case c.whole && c.w.release != nil:
		return c.w.release()
	case c.whole:
		return errkind.Errorf(par.ErrArgument, "group of the program: it is closed by who opened it")
	}
	return c.collective("close of a group", nil, func() error {
		c.w.groups.Add(-1)
		return first(c.release(), c.w.free(c.handle))
	})
}
