package drxmp

// A Request is a call in the background. Its buffer must not be used until Wait has returned, or
// Test has returned true.
type Request struct {
	done chan struct{}
	err  error // valid once done is closed
}

// startRequest calls f in the background.
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
