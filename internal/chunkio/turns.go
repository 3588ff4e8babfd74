package chunkio

import "sync"

// turns let calls be made one at a time. Who comes while one is being made leaves his call to the goroutine
// that makes it, and waits: to wake a goroutine takes as long as to write a hundred pages, for which
// nobody would write.
type turns struct {
	mu      sync.Mutex
	taken   bool
	waiting []turn
}

type turn struct {
	call func() error
	done chan error
}

// take returns the error of call when it has been made, by whichever goroutine; first come, first served. A call
// must not panic, as that would not be in the goroutine whose call it is.
func (t *turns) take(call func() error) error {
	t.mu.Lock()
	if t.taken {
		mine := turn{call, make(chan error, 1)}
		t.waiting = append(t.waiting, mine)
		t.mu.Unlock()
		return <-mine.done
	}
	t.taken = true
	t.mu.Unlock()
	err := call()
	t.serve()
	return err
}

// served is how many calls of others a goroutine makes, which has something else to do, and keeps its own chunks
// from others meanwhile.
const served = 8

// serve makes the calls of those who wait until nobody does. Some it makes itself.
func (t *turns) serve() {
	for range served {
		next, ok := t.next()
		if !ok {
			return
		}
		next.done <- next.call()
	}
	go t.serve()
}

// next returns the next turn, or ends that of the caller if nobody waits.
func (t *turns) next() (next turn, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) == 0 {
		t.taken = false
		return turn{}, false
	}
	// A call has the bytes that it writes: nothing is to keep them when it has been made.
	next, t.waiting[0] = t.waiting[0], turn{}
	t.waiting = t.waiting[1:]
	return next, true
}
