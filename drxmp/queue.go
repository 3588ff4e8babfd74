package drxmp

import "sync"

// A queue makes collective calls of one proc one after the other, in the order in which they began,
// which is the same on all procs: some of them go on in the background.
type queue struct {
	mu   sync.Mutex
	last chan struct{} // closed when the last one is over; nil before the first
}

// A turn is a call's place in the queue.
type turn struct {
	before chan struct{} // nil for none
	over   chan struct{}
}

// take returns the next turn. It does not wait.
func (q *queue) take() turn {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := turn{q.last, make(chan struct{})}
	q.last = t.over
	return t
}

// do calls f when it is this turn.
func (t turn) do(f func() error) error {
	if t.before != nil {
		<-t.before
	}
	defer close(t.over)
	return f()
}

// A Request is a call that goes on in the background. The buffer belongs to it until Wait has
// returned or Test has said so.
type Request struct {
	done chan struct{}
	err  error // once done is closed
}

// start calls f in the background.
func startRequest(f func() error) *Request {
	r := &Request{done: make(chan struct{})}
	go func() {
		defer close(r.done)
		r.err = f()
	}()
	return r
}

// Test reports whether the call is over. It does not wait.
func (r *Request) Test() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// Wait waits for the end of the call and returns its error. It may be called more than once.
func (r *Request) Wait() error {
	<-r.done
	return r.err
}
