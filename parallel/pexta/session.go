package pexta

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"drx/parallel/par"
	"drx/parallel/pexta/internal/staging"
)

// A Session is one proc's use of disk arrays, from Start to Terminate: its open arrays, its
// requests and its buffers.
type Session struct {
	options Options
	area    *staging.Area // since the first array was opened
	arrays  map[Handle]*array
	pending []*request // unfinished ones, ascending by number

	lastHandle  Handle
	lastRequest Request
	terminated  bool
}

// Start begins a session, local. Procs may have different options.
func Start(o Options) *Session {
	return &Session{options: o.complete(), arrays: map[Handle]*array{}}
}

// Terminate ends all requests, closes all arrays as Close does, and frees the buffers, collective.
// It returns the first error, but closes all arrays. After it all calls return ErrTerminated.
func (s *Session) Terminate() error {
	if s.terminated {
		return ErrTerminated
	}
	var first error
	for _, h := range slices.Sorted(maps.Keys(s.arrays)) {
		if err := s.close(h, s.arrays[h]); first == nil {
			first = err
		}
	}
	if s.area != nil {
		s.area.Release()
	}
	s.terminated = true
	return first
}

// array returns the array with a handle.
func (s *Session) array(op string, h Handle) (*array, error) {
	if s.terminated {
		return nil, ErrTerminated
	}
	a, ok := s.arrays[h]
	if !ok {
		return nil, fmt.Errorf("%s: handle %d: %w: %d arrays are open", op, h, ErrHandle, len(s.arrays))
	}
	return a, nil
}

// admit returns an error if no further array may be opened.
func (s *Session) admit() error {
	if s.terminated {
		return ErrTerminated
	}
	if n := s.options.MaxArrays; n > 0 && len(s.arrays) >= n {
		return fmt.Errorf("%w: %d, no more are allowed: close one, or start with more", ErrTooMany, n)
	}
	return nil
}

// add assigns a handle to an opened array.
func (s *Session) add(a *array) Handle {
	if s.area == nil {
		s.area = staging.New(s.options.MaxMemory/2, s.options.goroutines(a.comm.Procs()), s.options.Allocate)
	}
	s.lastHandle++
	s.arrays[s.lastHandle] = a
	return s.lastHandle
}

// Print writes a description of an array, for people, local.
func (s *Session) Print(w io.Writer, h Handle) error {
	a, err := s.array("print", h)
	if err != nil {
		return err
	}
	d := a.disk
	_, err = fmt.Fprintf(w, "%s: array %q of %v, extents %v in chunks of %v, opened to %v by %d procs, divided as %v\n"+
		"  buffers of the session: %d bytes, %d jobs use files\n", a.file, a.name, d.DType(), d.Shape(), d.ChunkShape(), a.mode, a.comm.Procs(),
		d.Decomposition().Distribution(), s.area.Allocated(), s.area.Running())
	for _, r := range s.of(a) {
		if err == nil {
			_, err = fmt.Fprintf(w, "  request %d: %s %v, %d jobs\n", r.number, r.op, r.section, r.running)
		}
	}
	return err
}

// agree returns the same error on all procs that have the array open, collective.
func (a *array) agree(what string, err error) error {
	return a.comm.Agree("pexta: "+what+" "+a.file, a.errorf(what, err))
}

// errorf prefixes an error with the name of the array and the call.
func (a *array) errorf(op string, err error) error { return errorf(a.file, op, err) }

func errorf(file, op string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %s: %w", file, op, err)
}

// agreeOn is array.agree for calls before there is an array.
func agreeOn(c par.Comm, file, what string, err error) error {
	return c.Agree("pexta: "+what, errorf(file, what, err))
}
