// Package writeq writes to one file from many goroutines, one write at a time. The system does not write two
// parts of a file at once anyway, and goroutines that wait for it in the kernel each block a thread.
package writeq

import (
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

// Do calls f while nobody else writes to the file by way of the queue, in this goroutine or in another one.
// f must not panic, and must not use the queue.
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

// allocateBytes is the least size of a write for which it pays to ask the file system for the space first.
const allocateBytes = 256 << 10

// write is WriteAt without waiting.
func (q *Queue) write(buf []byte, off int64) error {
	if len(buf) >= allocateBytes {
		q.file.Allocate(off, int64(len(buf)))
	}
	for len(buf) > 0 {
		n := min(pieceBytes[q.sizer.next()], len(buf))
		begun := time.Now()
		if _, err := q.file.WriteAt(buf[:n], off); err != nil {
			return err
		}
		q.sizer.took(n, time.Since(begun))
		buf, off = buf[n:], off+int64(n)
	}
	return nil
}
