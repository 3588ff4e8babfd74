package writeq

import "sync"

// A writeCombiner makes calls one at a time. A goroutine that comes while a call is being made queues its own
// for the goroutine that makes it, and waits for the result. Nothing is written while the system wakes a
// goroutine, which takes as long as writing a hundred pages; this way the file is never idle for that.
//
// The zero value is ready to use.
type writeCombiner struct {
	mu      sync.Mutex
	busy    bool // some goroutine is making calls
	waiting []ticket
}

// A ticket is a call in the queue, and where its result goes.
type ticket struct {
	call func() error
	done chan error
}

// do returns the result of call, whichever goroutine has made it. Calls are made in the order in which they
// came. A call must not panic: it may run in a goroutine that knows nothing of it.
func (c *writeCombiner) do(call func() error) error {
	c.mu.Lock()
	if c.busy {
		mine := ticket{call, make(chan error, 1)}
		c.waiting = append(c.waiting, mine)
		c.mu.Unlock()
		return <-mine.done
	}
	c.busy = true
	c.mu.Unlock()
	err := call()
	c.drain()
	return err
}

// drainLimit is how many calls of others a goroutine makes before it hands the queue to a goroutine of its own:
// it has other work, and may hold chunks that others wait for.
const drainLimit = 8

// drain makes the calls in the queue until it is empty, at most drainLimit of them in the caller's goroutine.
func (c *writeCombiner) drain() {
	for range drainLimit {
		next, ok := c.next()
		if !ok {
			return
		}
		next.done <- next.call()
	}
	go c.drain()
}

// next takes the first ticket from the queue. If there is none the combiner is no longer busy.
func (c *writeCombiner) next() (next ticket, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 {
		c.busy = false
		return ticket{}, false
	}
	// A call refers to the bytes that it writes: the queue must not keep them alive afterwards.
	next, c.waiting[0] = c.waiting[0], ticket{}
	c.waiting = c.waiting[1:]
	return next, true
}
