package pexta

import (
	"errors"
	"fmt"
	"slices"

	"drx/dtype"
	"drx/nd"
	"drx/parallel/par"
	"drx/parallel/pexta/internal/division"
)

// A request is a call in the background.
type request struct {
	*patch // only the array, if it moves no elements
	number Request
	op     string
	change int  // its number among the changes of the array, 0 for a read
	own    bool // each proc reads the elements in its memory, see readsOwn

	parts   *division.Parts // parts that are not begun; nil when all are
	local   *local          // memory in use by goroutines; nil for none
	running int             // jobs that are begun and not ended
	err     error           // the first error of this proc
}

// writes reports whether the request writes elements.
func (r *request) writes() bool { return r.g != nil && r.change > 0 }

// reads reports whether the request reads elements.
func (r *request) reads() bool { return r.g != nil && r.change == 0 }

// over reports whether this proc has moved all its parts. Others may still move theirs.
func (r *request) over() bool { return r.parts == nil && r.running == 0 }

// leave releases the memory of the global array.
func (r *request) leave() {
	if r.local != nil {
		r.local.release()
		r.local = nil
	}
}

// end records the end of a job of the request.
func (r *request) end(err error) {
	r.running--
	r.fail(err)
}

// fail records an error.
func (r *request) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// begin assigns a number to a new request.
func (s *Session) begin(r *request) Request {
	s.lastRequest++
	r.number = s.lastRequest
	s.pending = append(s.pending, r)
	return r.number
}

// Wait waits until a request is done, collective, and returns its error. For a request that is done
// already it returns nil. After an error the request is done, too, unless the error wraps
// ErrRequest or par.ErrDisagree, because another proc waits for another request. After an error of
// a commit, the next Wait for a request on the array, or Close, tries again. The error wraps
// ErrRequest for a number that no request has had.
func (s *Session) Wait(number Request) error {
	r, err := s.request("wait", number)
	if err != nil || r == nil {
		return err
	}
	return s.finish(r)
}

// Probe reports whether a request is done, collective: all procs get the same answer. It moves the
// elements that this proc can move now, but does not wait for files. If the request is done, Probe
// finishes it as Wait does, and returns its error.
func (s *Session) Probe(number Request) (done bool, err error) {
	r, err := s.request("probe", number)
	if err != nil || r == nil {
		return true, err
	}
	s.progress()
	over := []int32{1}
	for _, q := range s.of(r.array) {
		if (q == r || r.change > 0 && q.change > 0) && !q.over() {
			over[0] = 0
		}
	}
	if err := par.AllReduce(r.array.comm, over, par.Min); err != nil {
		return false, err
	}
	if over[0] == 0 {
		return false, nil
	}
	return true, s.finish(r)
}

// Flick moves the elements that can be moved now between files and global arrays, for all requests
// of this proc, local. It does not wait.
func (s *Session) Flick() error {
	if s.terminated {
		return ErrTerminated
	}
	s.progress()
	return nil
}

// Busy reports whether goroutines may still read or write files for requests, local.
func (s *Session) Busy() bool { return s.area != nil && s.area.Running() > 0 }

// request returns the request with a number, nil if it is done.
func (s *Session) request(op string, number Request) (*request, error) {
	if s.terminated {
		return nil, ErrTerminated
	}
	if number < 1 || number > s.lastRequest {
		return nil, fmt.Errorf("%s: request %d: %w: 1 to %d", op, number, ErrRequest, s.lastRequest)
	}
	if i, ok := s.find(number); ok {
		return s.pending[i], nil
	}
	return nil, nil
}

// find returns the index of a request among the unfinished ones, by its number.
func (s *Session) find(number Request) (i int, ok bool) {
	return slices.BinarySearchFunc(s.pending, number, func(r *request, n Request) int { return int(r.number - n) })
}

// remove records that a request is done.
func (s *Session) remove(r *request) {
	if i, ok := s.find(r.number); ok {
		s.pending = slices.Delete(s.pending, i, i+1)
	}
}

// of returns the unfinished requests on an array, in the order in which they were begun.
func (s *Session) of(a *array) []*request {
	var all []*request
	for _, r := range s.pending {
		if r.array == a {
			all = append(all, r)
		}
	}
	return all
}

// finish waits until a request is done.
func (s *Session) finish(r *request) error {
	s.drain(r)
	for _, q := range s.of(r.array) {
		if r.change > 0 && q.writes() { // a commit contains whole requests
			s.drain(q)
		}
	}
	err := r.array.agree("end of "+r.op, r.err)
	if r.err == nil && (errors.Is(err, ErrRequest) || errors.Is(err, par.ErrDisagree)) {
		return err // another proc waits for another request
	}
	s.remove(r)
	if errors.Is(err, par.ErrFailed) {
		return err // a proc may be gone, so nobody waits for it
	}
	if r.reads() {
		if e := r.g.Sync(); err == nil {
			err = r.array.errorf("end of "+r.op, e)
		}
		return err
	}
	if err != nil {
		return err
	}
	return r.array.commit(r.change)
}

// barrier waits for the procs that still move elements of a large request. Agree sleeps, which
// leaves the processors to them; the barrier of Global Arrays spins.
func (r *request) barrier() {
	if bytesOf(r.g.Type(), []nd.Section{r.section}) >= largeBytes {
		r.fail(r.array.agree("elements of "+r.op, nil))
	}
}

// largeBytes is the size of requests that take longer than a barrier of the procs.
const largeBytes = 4 << 20

// commit commits all changes so far, unless the one with the given number is committed already.
func (a *array) commit(change int) error {
	if change <= a.committed {
		return nil
	}
	changes := a.changes
	if err := a.disk.Sync(); err != nil {
		return err
	}
	a.committed = changes
	return nil
}

// drain moves the remaining parts of a request.
func (s *Session) drain(r *request) {
	for {
		s.readOn(r)
		if r.over() {
			r.leave()
			return
		}
		s.step(true)
	}
}

// progress ends parts that were read or written, and begins others.
func (s *Session) progress() {
	s.feed()
	for s.step(false) {
		continue
	}
}

// step ends a part that was read or written, and begins others. It reports whether there was one.
func (s *Session) step(wait bool) bool {
	if s.area == nil || !s.area.Finish(wait) {
		return false
	}
	s.feed()
	return true
}

// feed begins to read parts of requests as long as there are buffers, in the order of the requests.
func (s *Session) feed() {
	for _, r := range s.pending {
		s.readOn(r)
	}
}

// readOn begins to read parts of a request as long as there are buffers.
func (s *Session) readOn(r *request) {
	for r.reads() && r.parts != nil && s.beginRead(r) {
		continue
	}
}

// finishConflicts completes earlier requests whose elements a new one needs, or would change.
func (s *Session) finishConflicts(p *patch, write bool) {
	for _, r := range s.pending {
		if r.g == nil || r.over() {
			continue
		}
		onDisk := r.array == p.array && (write || r.writes()) && division.Intersect(r.section, p.section) != nil
		inMemory := r.g.Handle() == p.g.Handle() && r.reads()
		if onDisk || inMemory {
			s.drain(r)
		}
	}
}

// bytesOf returns the size of boxes in bytes; as a float, because it may overflow an int.
func bytesOf(t dtype.DType, boxes []nd.Section) float64 {
	sum := 0.0
	for _, box := range boxes {
		n := float64(t.Size())
		for _, r := range box {
			n *= float64(r.Len())
		}
		sum += n
	}
	return sum
}

// elementBytes returns the size of a part in bytes.
func elementBytes(t dtype.DType, part nd.Section) int {
	n, _ := part.Len() // it fits into a buffer
	return n * t.Size()
}
