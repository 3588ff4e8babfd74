package pipe

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

// idleTime is the time that a helper waits for the next file before it ends. An import of a file
// with many variables opens it many times, and appending a thousand files opens each; starting a
// helper takes longer than reading a small variable.
const idleTime = time.Second

// maxIdle is the largest number of waiting helpers. With one only, a program that alternates
// between two formats, or two limits, would start a helper at every call.
const maxIdle = 2

// idle holds the waiting helpers, in the order of their last use.
var idle struct {
	mu      sync.Mutex
	waiting []*process
}

// keyOf returns a key that helpers must share to be interchangeable: program, format, limits, and
// the working folder, as names may be relative.
func keyOf(program, format string, memory int64) string {
	folder, _ := os.Getwd() // if the folder is gone, relative names mean nothing
	return fmt.Sprintf("%q %q %d %q %q", program, format, memory, os.Getenv(EnvTimeout), folder)
}

// share adds a user to a helper that has a variable open; the user releases it. It returns false if
// the helper has ended.
func (p *process) share() bool {
	if p.hasEnded() {
		return false
	}
	idle.mu.Lock()
	defer idle.mu.Unlock()
	p.others++
	return true
}

// release ends one use of a helper. After the last use the helper waits for the next file, unless
// it is spent; the longest waiting one ends if there are more than maxIdle.
func (p *process) release(spent bool) error {
	if p.hasEnded() {
		return nil // the error was reported when it happened
	}
	idle.mu.Lock()
	p.spent = p.spent || spent
	if p.others > 0 {
		p.others--
		idle.mu.Unlock()
		return nil
	}
	if p.spent {
		idle.mu.Unlock()
		return p.close()
	}
	p.late = time.AfterFunc(idleTime, func() {
		if idleProcess(func(q *process) bool { return q == p }) != nil {
			_ = p.close() // no file is open
		}
	})
	idle.waiting = append(idle.waiting, p)
	var old *process
	if len(idle.waiting) > maxIdle {
		old = removeIdle(0)
	}
	idle.mu.Unlock()
	if old != nil {
		return old.close()
	}
	return nil
}

// idleProcess returns an idle helper that fits, nil if there is none.
func idleProcess(fits func(p *process) bool) *process {
	idle.mu.Lock()
	defer idle.mu.Unlock()
	i := slices.IndexFunc(idle.waiting, fits)
	if i < 0 {
		return nil
	}
	return removeIdle(i)
}

// removeIdle removes helper number i from idle. The caller holds idle.mu.
func removeIdle(i int) *process {
	p := idle.waiting[i]
	p.late.Stop()
	idle.waiting = slices.Delete(idle.waiting, i, i+1)
	return p
}
