package par

import (
	"fmt"
	"sync"
	"sync/atomic"

	"drx/dtype"
	"drx/internal/errkind"
)

// memory is the memory that one proc has opened for all procs.
type memory struct {
	sync.Mutex // held by Get, Put and Accumulate, not by users of Local
	bytes      []byte
}

// window is the Window of goroutine procs, which all reach all memories.
type window struct {
	c      *comm
	closed atomic.Bool
	mem    []*memory
}

// Window passes the memory of each proc to all, see Comm.
func (c *comm) Window(size int) (Window, error) {
	var err error
	mine := &memory{}
	if size < 0 {
		err = errkind.Errorf(ErrArgument, "window of %d bytes: want 0 or more", size)
	} else {
		mine.bytes = make([]byte, (size+7)/8*8)[:size] // Go aligns multiples of 8
	}
	w := &window{c: c, mem: make([]*memory, len(c.members))}
	err = c.collective("window", err, mine, func(all []any) error {
		for p := range all {
			w.mem[p] = all[p].(*memory)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// Local returns this proc's memory, nil after Close, see Window.
func (w *window) Local() []byte {
	if w.closed.Load() {
		return nil
	}
	return w.mem[w.c.proc].bytes
}

// Size returns the bytes of the memory of a proc, 0 if there is no such proc.
func (w *window) Size(proc int) int {
	if w.c.checkProc(proc) != nil {
		return 0
	}
	return len(w.mem[proc].bytes)
}

// Get copies from the memory of a proc, see Window.
func (w *window) Get(proc int, from Layout, buf []byte, to Layout) error {
	return w.transfer(proc, from, buf, to, func(there, here []byte) { copy(here, there) })
}

// Put copies to the memory of a proc, see Window.
func (w *window) Put(proc int, to Layout, buf []byte, from Layout) error {
	return w.transfer(proc, to, buf, from, func(there, here []byte) { copy(there, here) })
}

// Accumulate combines elements in the memory of a proc with others, under the lock of that memory,
// see Window.
func (w *window) Accumulate(proc int, to Layout, buf []byte, from Layout, t dtype.DType, op Op) error {
	if err := CheckAccumulate(to, from, t, op); err != nil {
		return err
	}
	return w.transfer(proc, to, buf, from, func(there, here []byte) { combine(there, here, t, op) })
}

// transfer calls move for each run of bytes.
func (w *window) transfer(proc int, there Layout, buf []byte, here Layout, move func(there, here []byte)) error {
	if err := w.usable(proc); err != nil {
		return err
	}
	m := w.mem[proc]
	if err := CheckTransfer(there, len(m.bytes), here, buf); err != nil {
		return fmt.Errorf("window of proc %d: %w", proc, err)
	}
	m.Lock()
	defer m.Unlock()
	eachRun(there, here, func(i, j, n int) { move(m.bytes[i:i+n], buf[j:j+n]) })
	return nil
}

// usable returns an error if the memory of a proc cannot be reached.
func (w *window) usable(proc int) error {
	if err := w.c.checkProc(proc); err != nil {
		return err
	}
	if w.closed.Load() {
		return fmt.Errorf("window %w", ErrClosed)
	}
	w.c.w.mu.Lock()
	defer w.c.w.mu.Unlock()
	return w.c.w.failure()
}

// Flush only checks that the window can be used: Put and Accumulate are complete when they return.
func (w *window) Flush(proc int) error { return w.usable(proc) }

// Fence is a barrier.
func (w *window) Fence() error {
	if w.closed.Load() {
		return fmt.Errorf("window %w", ErrClosed)
	}
	return w.c.collective("fence", nil, nil, nil)
}

// Close ends the use of the window by all procs, see Window. A second one returns ErrClosed.
func (w *window) Close() error {
	if w.closed.Swap(true) {
		return fmt.Errorf("window %w", ErrClosed)
	}
	err := w.c.collective("close of a window", nil, nil, nil)
	if err != nil {
		w.closed.Store(false)
	}
	return err
}
