package pipe

import (
	"fmt"
	"os"
	"sync"
	"time"
)

// idleTime is how long a helper waits for the next request. Importing a file with many variables opens it many times, and
// appending a thousand files opens each: starting a helper takes longer than reading a small variable.
const idleTime = time.Second

// idle is the helper that waits, if there is one.
var idle struct {
	mu   sync.Mutex
	p    *process
	late *time.Timer
}

// keyOf tells helpers apart: one serves files of one format, one after the other, with one limit and from one folder, as names may be
// relative.
func keyOf(program, format string, memory int64) string {
	folder, _ := os.Getwd() // if it is gone, relative names mean nothing
	return fmt.Sprintf("%q %q %d %q %q", program, format, memory, os.Getenv(EnvTimeout), folder)
}

// release keeps a helper whose variables are closed for the next file, in place of any other. One that is spent ends.
func (p *process) release(spent bool) error {
	if p.hasEnded() {
		return nil // the error was reported when it happened
	}
	if spent {
		return p.close()
	}
	idle.mu.Lock()
	old := idle.p
	if idle.late != nil {
		idle.late.Stop()
	}
	idle.p = p
	idle.late = time.AfterFunc(idleTime, func() {
		if takeIdle(func(q *process) bool { return q == p }) != nil {
			_ = p.close() // nothing is open any more
		}
	})
	idle.mu.Unlock()
	if old != nil {
		return old.close()
	}
	return nil
}

// takeIdle returns the helper that waits, if it fits.
func takeIdle(fits func(p *process) bool) *process {
	idle.mu.Lock()
	defer idle.mu.Unlock()
	p := idle.p
	if p == nil || !fits(p) {
		return nil
	}
	idle.p = nil
	idle.late.Stop()
	return p
}
