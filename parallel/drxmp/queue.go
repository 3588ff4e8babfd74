package drxmp

import "sync"

// A queue runs calls of one proc one at a time, in the order of their tickets. Calls may run in the
// background, and collective calls must begin in the same order on all procs.
type queue struct {
	mu   sync.Mutex
	last chan struct{} // closed when the last call is over; nil before the first
}

// A ticket is the position of a call in a queue.
type ticket struct {
	before chan struct{} // closed when the previous call is over; nil for none
	over   chan struct{}
}

// next returns the next ticket. It does not wait.
func (q *queue) next() ticket {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := ticket{q.last, make(chan struct{})}
	q.last = t.over
	return t
}

// begin waits for the previous calls.
func (t ticket) begin() {
	if t.before != nil {
		<-t.before
	}
}

// end lets the next call begin.
func (t ticket) end() { close(t.over) }
