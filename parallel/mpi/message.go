//go:build mpi && cgo

package mpi

// #include "bridge.h"
import "C"

import (
	"fmt"

	"drx/parallel/par"
)

// Send calls MPI_Isend and tests it, so that alarms are heard, see par.Comm.
func (c *comm) Send(data []byte, to, tag int) error {
	if err := par.CheckMessage(to, tag, c.procs, false); err != nil {
		return err
	}
	c.messages.RLock()
	defer c.messages.RUnlock()
	if err := c.usable(); err != nil {
		return err
	}
	var r C.MPI_Request
	what := fmt.Sprintf("send to proc %d with tag %d", to, tag)
	pinned := pin(data)
	err := c.w.call(what, func() C.int {
		return C.bridge_isend(c.handle, start(data), C.size_t(len(data)), C.int(to), C.int(tag), &r)
	})
	if err == nil {
		err = c.wait(what, &r)
	}
	unpin(pinned, err)
	return err
}

// Recv calls MPI_Improbe repeatedly, so that alarms are heard, and then MPI_Mrecv, see par.Comm.
func (c *comm) Recv(buf []byte, from, tag int) (par.Message, error) {
	if err := par.CheckMessage(from, tag, c.procs, true); err != nil {
		return par.Message{}, err
	}
	c.messages.RLock()
	defer c.messages.RUnlock()
	if err := c.usable(); err != nil {
		return par.Message{}, err
	}
	what := fmt.Sprintf("receive from proc %d with tag %d", from, tag)
	var handle C.MPI_Message
	var found [3]C.int64_t
	err := c.until(what, func() (bool, error) {
		there := C.int(0)
		err := check(what, C.bridge_improbe(c.handle, C.int(from), C.int(tag), &there, &handle, &found[0]))
		return there != 0, err
	})
	if err != nil {
		return par.Message{}, err
	}
	m := par.Message{From: int(found[0]), Tag: int(found[1]), Len: int(found[2])}
	if m.Len > len(buf) {
		err = fmt.Errorf("message of %d bytes from proc %d: %w: the buffer has %d", m.Len, m.From, par.ErrSize, len(buf))
		buf = make([]byte, m.Len) // the message must be received all the same
	}
	if err := c.receive(what, buf[:m.Len], &handle); err != nil {
		return par.Message{}, err
	}
	return m, err
}

// receive receives a message that a probe has found.
func (c *comm) receive(what string, buf []byte, m *C.MPI_Message) error {
	var r C.MPI_Request
	pinned := pin(buf)
	err := c.w.call(what, func() C.int { return C.bridge_imrecv(start(buf), C.size_t(len(buf)), m, &r) })
	if err == nil {
		err = c.wait(what, &r)
	}
	unpin(pinned, err)
	return err
}

// wait is wait of the world, but returns when the group is closed.
func (c *comm) wait(what string, r *C.MPI_Request) error {
	return c.until(what, func() (bool, error) { return test(what, r) })
}

// until is until of the world, but returns when the group is closed.
func (c *comm) until(what string, test func() (bool, error)) error {
	return c.w.until(what, func() (bool, error) {
		done, err := test()
		if !done && err == nil && c.closed.Load() {
			err = fmt.Errorf("%s: group %w", what, par.ErrClosed)
		}
		return done, err
	})
}

// usable returns an error if the group is closed or the program has ended.
func (c *comm) usable() error {
	if c.closed.Load() {
		return fmt.Errorf("group %w", par.ErrClosed)
	}
	return c.w.alarmed()
}
