package pipe

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

// idleTime is how long a helper waits for the next request. Importing a file with many variables
// opens it many times, and appending a thousand files opens each: starting a helper takes longer
// than reading a small variable.
const idleTime = time.Second

// maxIdle is how many helpers wait at most. In a program where calls for two formats, or with two
// limits, take turns one alone would start anew at each.
const maxIdle = 2

// idle are the helpers that wait; the one that was used last is the last.
var idle struct {
	mu      sync.Mutex
	waiting []*process
}

// keyOf tells helpers apart: one serves files of one format, one after the other, with one limit
// and from one folder, as names may be relative.
func keyOf(program, format string, memory int64) string {
	folder, _ := os.Getwd() // if it is gone, relative names mean nothing
	return fmt.Sprintf("%q %q %d %q %q", program, format, memory, os.Getenv(EnvTimeout), folder)
}

// share gives a helper that has a variable open one more user, who releases it. It is not ok for
// one that has ended.
func (p *process) share() bool {
	if p.hasEnded() {
		return false
	}
	idle.mu.Lock()
	defer idle.mu.Unlock()
	p.others++
	return true
}

// release ends the use of a helper. After the last user it is kept for the next file, and the
// oldest one ends if too many wait. A helper that is spent ends.
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
			_ = p.close() // nothing is open any more
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

// removeIdle removes a helper from the waiting ones. The caller holds idle.mu.
func removeIdle(i int) *process {
	p := idle.waiting[i]
	p.late.Stop()
	idle.waiting = slices.Delete(idle.waiting, i, i+1)
	return p
}
