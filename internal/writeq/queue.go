// Package writeq writes to one file from many goroutines, one write at a time. The system does not
// write two parts of a file at once anyway, and goroutines that wait for it in the kernel each
// block a thread.
package writeq

import (
	"sync"
	"time"

	"drx/internal/vfs"
)

// A Queue writes to a file, in pieces of the size that costs least at present.
type Queue struct {
	file     vfs.File
	combiner writeCombiner
	sizer    writeSizer // used by one call of the combiner at a time
}

// New returns a queue for a file.
func New(file vfs.File) *Queue { return &Queue{file: file} }

// Do calls f while nobody else writes to the file by way of the queue, in this goroutine or in
// another one. f must not panic, and must not use the queue.
func (q *Queue) Do(f func() error) error { return q.combiner.do(f) }

// WriteAt writes buf at an offset of the file.
func (q *Queue) WriteAt(buf []byte, off int64) error {
	return q.combiner.do(func() error { return q.write(buf, off) })
}

// Waiting returns how many calls wait, for tests.
func (q *Queue) Waiting() int {
	q.combiner.mu.Lock()
	defer q.combiner.mu.Unlock()
	return len(q.combiner.waiting)
}

// allocateBytes is the least size of a write for which it pays to ask the file system for the space
// first.
const allocateBytes = 256 << 10

// write is WriteAt without waiting. Pieces end at multiples of their size in the file that the
// system knows: only there does its page cache have blocks as large as a piece.
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

// A writeCombiner makes calls one at a time. A goroutine that comes while a call is being made
// queues its own for the goroutine that makes it, and waits for the result. Nothing is written
// while the system wakes a goroutine, which takes as long as writing a hundred pages; this way the
// file is never idle for that.
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

// do returns the result of call, whichever goroutine has made it. Calls are made in the order in
// which they came. A call must not panic: it may run in a goroutine that knows nothing of it.
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

// drainLimit is how many calls of others a goroutine makes before it hands the queue to a goroutine
// of its own: it has other work, and may hold chunks that others wait for.
const drainLimit = 8

// drain makes the calls in the queue until it is empty, at most drainLimit of them in the caller's
// goroutine.
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
