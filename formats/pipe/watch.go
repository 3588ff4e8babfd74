package pipe

import (
	"fmt"
	"sync"
	"time"
)

const (
	// Timeout is the time that a helper may do nothing, also while it starts, and the processor
	// time that it may use without a part of an answer, unless it decodes much (see patience). A
	// hung helper is reported within ten seconds; see late for one that waits for the machine.
	Timeout = 8 * time.Second

	leastMoved  = 1 << 10               // bytes between two beats that count; a beat moves about 130
	leastUsed   = 10 * time.Millisecond // processor time between two beats that counts as work
	decodeSpeed = 4 << 20               // bytes that a second of processor time decodes at least
	quickBytes  = 2 * boxBytes          // bytes that need no more than Timeout: a box and its source
	spareMoved  = 1 << 30               // bytes a request may move beyond its file and section
)

// countsReads reports whether this system counts the bytes that a process reads. The helper runs on
// the same system.
var countsReads = sync.OnceValue(func() bool { return bytesTransferred() > 0 })

// A watch judges from the beats of one request whether the helper works.
type watch struct {
	timeout time.Duration
	file    int64 // bytes of the file
	section int64 // bytes of the request's elements

	last  work          // the last beat
	alive time.Time     // when the helper last did something
	spun  time.Duration // processor time since then without a part of the answer
	until time.Time     // a later deadline, if it was extended since
	base  time.Duration // the helper's processor time when first late; -1: not late yet
}

// newWatch begins to watch a request.
func newWatch(timeout time.Duration, file, section int64) *watch {
	return &watch{timeout: timeout, file: file, section: section, alive: time.Now(), base: -1}
}

// deadline returns when the helper counts as late if nothing comes.
func (w *watch) deadline() time.Time {
	if d := w.alive.Add(w.timeout); d.After(w.until) {
		return d
	}
	return w.until
}

// answered records that a part of the answer has come, which renews all limits.
func (w *watch) answered(now time.Time) { w.alive, w.spun, w.base = now, 0, -1 }

// beat records a beat. It returns an error if the helper has moved or computed too much to be doing
// honest work.
func (w *watch) beat(now time.Time, b work) error {
	moved, used := b.moved-w.last.moved, b.used-w.last.used
	w.last = b
	if limit := uint64(spareMoved + 4*w.file + 8*w.section); b.moved > limit {
		return fmt.Errorf("moved %d bytes for one request, the limit for this file is %d", b.moved, limit)
	}
	if moved >= leastMoved || used >= leastUsed {
		w.alive = now
	}
	w.spun += used
	if w.spun > w.patience() {
		return fmt.Errorf("computed for %v without an answer", w.spun.Round(100*time.Millisecond))
	}
	return nil
}

// patience returns the processor time that the helper may use without a part of the answer: the
// timeout, and a second more per decodeSpeed bytes that it has read or was asked for, beyond
// quickBytes. A helper that decodes a large chunk has read it. A loop that reads nothing gets only
// the timeout, however large the file is.
func (w *watch) patience() time.Duration {
	read := w.file
	if countsReads() {
		read = int64(min(w.last.moved, uint64(w.file))) // bytes that are read again count once
	}
	return w.timeout + time.Duration(max(0, read+w.section-quickBytes)/decodeSpeed)*time.Second
}
