package pexta_test

import (
	"bytes"
	"fmt"
	"runtime"
	"sync/atomic"

	"drx/dtype"
	"drx/parallel/par"
)

// goroutine returns the name of the present goroutine.
func goroutine() string {
	var stack [64]byte
	text := stack[:runtime.Stack(stack[:], false)]
	name, _, _ := bytes.Cut(text, []byte(" ["))
	return string(name)
}

// A strictGroup is a group in which only one goroutine of a proc may make calls, as in a program
// whose MPI has one thread. The same holds for global arrays of the group. It takes a microsecond
// per call.
type strictGroup struct {
	par.Comm
	caller string // the name of the goroutine
	wrong  *atomic.Int64
}

// newStrict returns a group for the present goroutine.
func newStrict(c par.Comm) *strictGroup { return &strictGroup{c, goroutine(), new(atomic.Int64)} }

// Wrong returns the number of calls that other goroutines have made, also in groups that were split
// off.
func (s *strictGroup) Wrong() int { return int(s.wrong.Load()) }

func (s *strictGroup) check(call string) error {
	now := goroutine()
	if now == s.caller {
		return nil
	}
	s.wrong.Add(1)
	return fmt.Errorf("%s on %s: %w: only %s may make calls", call, now, par.ErrArgument, s.caller)
}

// Barrier is the method of the group; it must be called on its goroutine.
func (s *strictGroup) Barrier() error {
	if err := s.check("barrier"); err != nil {
		return err
	}
	return s.Comm.Barrier()
}

// Agree is like Barrier.
func (s *strictGroup) Agree(what string, err error) error {
	if err := s.check("agree"); err != nil {
		return err
	}
	return s.Comm.Agree(what, err)
}

// Broadcast is like Barrier.
func (s *strictGroup) Broadcast(buf []byte, root int) error {
	if err := s.check("broadcast"); err != nil {
		return err
	}
	return s.Comm.Broadcast(buf, root)
}

// AllGather is like Barrier.
func (s *strictGroup) AllGather(data []byte) ([][]byte, error) {
	if err := s.check("all-gather"); err != nil {
		return nil, err
	}
	return s.Comm.AllGather(data)
}

// AllToAll is like Barrier.
func (s *strictGroup) AllToAll(data [][]byte) ([][]byte, error) {
	if err := s.check("all-to-all"); err != nil {
		return nil, err
	}
	return s.Comm.AllToAll(data)
}

// AllReduce is like Barrier.
func (s *strictGroup) AllReduce(buf []byte, t dtype.DType, op par.Op) error {
	if err := s.check("all-reduce"); err != nil {
		return err
	}
	return s.Comm.AllReduce(buf, t, op)
}

// Split is like Barrier; the new group is strict, too.
func (s *strictGroup) Split(color, key int) (par.Comm, error) {
	if err := s.check("split"); err != nil {
		return nil, err
	}
	part, err := s.Comm.Split(color, key)
	if part == nil || err != nil {
		return nil, err
	}
	return &strictGroup{part, s.caller, s.wrong}, nil
}

// Window is like Barrier.
func (s *strictGroup) Window(size int) (par.Window, error) {
	if err := s.check("window"); err != nil {
		return nil, err
	}
	return s.Comm.Window(size)
}

// Gather is like Barrier.
func (s *strictGroup) Gather(data []byte, root int) ([][]byte, error) {
	if err := s.check("gather"); err != nil {
		return nil, err
	}
	return s.Comm.Gather(data, root)
}

// Close is like Barrier.
func (s *strictGroup) Close() error {
	if err := s.check("close"); err != nil {
		return err
	}
	return s.Comm.Close()
}

// AtEnd is the function par.AtEnd for the group.
func (s *strictGroup) AtEnd(f func()) (cancel func()) { return par.AtEnd(s.Comm, f) }
