// Package writeq writes to one file from many goroutines, one write at a time. The kernel
// serialises writes to a file anyway, and each goroutine that waits for it in the kernel blocks a
// thread.
package writeq

import (
	"sync"
	"time"

	"drx/internal/vfs"
)

// Queue writes to a file, in pieces of the size that is currently the cheapest.
type Queue struct {
	file     vfs.File
	combiner writeCombiner
	sizer    writeSizer // used only inside a call of the combiner
}

// New returns a queue for a file.
func New(file vfs.File) *Queue { return &Queue{file: file} }

// Do calls f while no other call of the queue writes to the file. f may run in another goroutine;
// it must not panic, and must not use the queue.
func (q *Queue) Do(f func() error) error { return q.combiner.do(f) }

// WriteAt writes buf at an offset of the file.
func (q *Queue) WriteAt(buf []byte, off int64) error {
	return q.combiner.do(func() error { return q.write(buf, off) })
}

// Waiting returns the number of waiting calls, for tests.
func (q *Queue) Waiting() int {
	q.combiner.mu.Lock()
	defer q.combiner.mu.Unlock()
	return len(q.combiner.waiting)
}

// allocateBytes is the least size of a write for which it pays to allocate the space beforehand.
const allocateBytes = 256 << 10

// write is WriteAt without waiting. Pieces end at multiples of their size in the underlying file,
// because only there does the page cache use blocks as large as a piece.
func (q *Queue) write(buf []byte, off int64) error {
	if len(buf) >= allocateBytes {
		q.file.Allocate(off, int64(len(buf)))
	}
	for len(buf) > 0 {
		n := pieceBytes[q.sizer.next()]
		if len(buf) > n {
			_, at := vfs.Locate(q.file, off)
			n -= int(at % int64(n))
		}
		n = min(n, len(buf))
		begun := time.Now()
		if _, err := q.file.WriteAt(buf[:n], off); err != nil {
			return err
		}
		q.sizer.record(n, time.Since(begun))
		buf, off = buf[n:], off+int64(n)
	}
	return nil
}

// writeCombiner makes calls one at a time. A goroutine that calls do while another call runs queues
// its call for the goroutine that runs it, and waits for the result. The alternative, a mutex,
// would leave the file idle while the system wakes the next goroutine, which takes as long as
// writing a hundred pages.
//
// The zero value is ready to use.
type writeCombiner struct {
	mu      sync.Mutex
	busy    bool // some goroutine is making calls
	waiting []ticket
}

// ticket is a queued call and the channel for its result.
type ticket struct {
	call func() error
	done chan error
}

// do runs call, possibly in another goroutine, and returns its result. Calls run in the order of
// their arrival. A call must not panic, because it may run in a goroutine of another caller.
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

// drainLimit is the number of calls that a goroutine makes for others before it starts a goroutine
// that continues: the caller has other work, and may hold chunks that others wait for.
const drainLimit = 8

// drain makes the calls in the queue until it is empty: at most drainLimit of them in the caller's
// goroutine, the rest in a new one.
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

// next removes the first ticket from the queue. If there is none, the combiner is no longer busy.
func (c *writeCombiner) next() (next ticket, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 {
		c.busy = false
		return ticket{}, false
	}
	// A call refers to the bytes that it writes. The queue must not keep them alive after the call.
	next, c.waiting[0] = c.waiting[0], ticket{}
	c.waiting = c.waiting[1:]
	return next, true
}
