package capi

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// A panicError is a panic in a call: a fault of the library, or of memory that the host has passed.
type panicError struct {
	value any
	stack []byte
}

// Error returns the value and the place of the panic.
func (p *panicError) Error() string {
	return fmt.Sprintf("a fault of this library, please report it: %v\n%s", p.value, p.stack)
}

// Do calls f and returns its error. A panic of f becomes an error whose code is CodeInternal.
func Do(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{v, debug.Stack()}
		}
	}()
	return f()
}

// A Progress is told how much of a total is done; total is -1 if it is unknown. It returns true to cancel the call.
type Progress func(done, total int64) (cancel bool)

// tick is the time between two calls of a Progress.
const tick = 100 * time.Millisecond

// A meter has the latest progress of a call.
type meter struct {
	mu          sync.Mutex
	done, total int64
}

// set notes the progress. The call never waits for the host's callback, so a callback that calls into the library
// cannot block it.
func (m *meter) set(done, total int64) {
	m.mu.Lock()
	m.done, m.total = done, total
	m.mu.Unlock()
}

// get returns the latest progress.
func (m *meter) get() (done, total int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.done, m.total
}

// long runs f, which is told how to report progress. If there is a Progress, f runs in a goroutine of its own, and
// the Progress is called here, on the thread of the host: at the beginning, at every tick, whether or not there is
// progress, and at the end. The error is that of f, or ErrCancelled.
func long(progress Progress, f func(ctx context.Context, report func(done, total int64)) error) error {
	if progress == nil {
		return f(context.Background(), func(int64, int64) {})
	}
	m := &meter{total: -1}
	if progress(m.get()) {
		return ErrCancelled
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	finished := make(chan error, 1)
	go func() { finished <- Do(func() error { return f(ctx, m.set) }) }()
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	for {
		select {
		case err := <-finished:
			if err == nil && ctx.Err() == nil {
				progress(m.get()) // too late to cancel
			}
			return err
		case <-ticks.C:
			if ctx.Err() == nil && progress(m.get()) {
				cancel(ErrCancelled)
			}
		}
	}
}
