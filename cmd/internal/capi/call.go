package capi

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// A panicError is a panic during a call: a bug in the library, or an invalid address from the host.
type panicError struct {
	value any
	stack []byte
}

// Error returns the value of the panic and where it happened.
func (p *panicError) Error() string {
	what := "a fault of this library, please report it"
	if m, ok := p.value.(interface{ Addr() uintptr }); ok {
		what = fmt.Sprintf("no memory at address %#x: a wrong argument, or else a fault of this library, please report it then", m.Addr())
	} else if e, ok := p.value.(runtime.Error); ok && strings.Contains(e.Error(), "invalid memory address") {
		what = "a wrong address as an argument, or else a fault of this library, please report it then"
	}
	return fmt.Sprintf("%s: %v\n%s", what, p.value, p.stack)
}

// Do calls f and returns its error. A panic of f becomes an error with code CodeInternal. So does
// an access to an unmapped address, which otherwise would end the program. Do does not guard other
// goroutines that f starts.
func Do(f func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if v := recover(); v != nil {
			err = &panicError{v, debug.Stack()}
		}
	}()
	return f()
}

// A Progress receives the amount done and the total, which is -1 if unknown. It returns true to
// cancel the call.
type Progress func(done, total int64) (cancel bool)

// tick is the time between two calls of a Progress.
const tick = 100 * time.Millisecond

// A meter holds the latest progress of a call.
type meter struct {
	mu          sync.Mutex
	done, total int64
}

// set records the progress. The call never waits for the host's callback, so a callback that calls
// into the library cannot block it.
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

// long runs f, whose argument reports progress. If there is a Progress, f runs in its own
// goroutine, and long calls the Progress on the thread of the host: at the beginning, at every
// tick, even without progress, and at the end. It returns the error of f, or ErrCancelled.
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
