//go:build mpi && cgo

package mpi

// #include "bridge.h"
// #include <stdlib.h>
import "C"

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"drx/dtype"
	"drx/internal/errkind"
	"drx/parallel/par"
)

// window is a par.Window in memory of MPI.
type window struct {
	c     *comm
	sizes []C.int64_t

	// One-sided calls hold the lock shared, so that Close frees nothing that they use.
	sync.RWMutex
	handle C.MPI_Win
	local  []byte
	closed bool
}

// Window calls MPI_Win_allocate and sets the memory to zero, see par.Comm.
func (c *comm) Window(size int) (par.Window, error) {
	var err error
	if size < 0 {
		err = errkind.Errorf(par.ErrArgument, "window of %d bytes: want 0 or more", size)
	}
	w := &window{c: c, sizes: make([]C.int64_t, c.procs)}
	err = c.collective("window", err, func() error {
		var memory unsafe.Pointer
		err := c.gatherNumbers(size, w.sizes)
		if err == nil {
			err = c.w.call("MPI_Win_allocate", func() C.int { return C.bridge_win_new(c.handle, C.size_t(size), &memory, &w.handle) })
		}
		if err == nil && size > 0 {
			w.local = unsafe.Slice((*byte)(memory), size)
		}
		return c.barrier("window: opened", err) // no proc uses it before all are zero
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// Local returns this process's memory, nil after Close, see par.Window.
func (w *window) Local() []byte {
	w.RLock()
	defer w.RUnlock()
	if w.closed {
		return nil
	}
	return w.local
}

// Size returns the bytes of the memory of a process, 0 if there is no such process.
func (w *window) Size(proc int) int {
	if par.CheckProc(proc, w.c.procs) != nil {
		return 0
	}
	return int(w.sizes[proc])
}

// Get is MPI_Get with the layouts as derived types, see par.Window.
func (w *window) Get(proc int, from par.Layout, buf []byte, to par.Layout) error {
	return w.transfer("get", proc, from, buf, to, func(p C.int, there, here C.bridge_layout) C.int {
		return C.bridge_get(w.handle, p, there, start(buf), here)
	})
}

// Put calls MPI_Put with the layouts as derived types, see par.Window.
func (w *window) Put(proc int, to par.Layout, buf []byte, from par.Layout) error {
	return w.transfer("put", proc, to, buf, from, func(p C.int, there, here C.bridge_layout) C.int {
		return C.bridge_put(w.handle, p, there, start(buf), here)
	})
}

// Accumulate calls MPI_Accumulate with the layouts as derived types, see par.Window.
func (w *window) Accumulate(proc int, to par.Layout, buf []byte, from par.Layout, t dtype.DType, op par.Op) error {
	if err := par.CheckAccumulate(to, from, t, op); err != nil {
		return err
	}
	return w.transfer("accumulate", proc, to, buf, from, func(p C.int, there, here C.bridge_layout) C.int {
		return C.bridge_accumulate(w.handle, p, there, start(buf), here, C.size_t(t.Size()), C.int(t), C.int(op))
	})
}

// transfer checks a one-sided call and passes its layouts to MPI.
func (w *window) transfer(what string, proc int, there par.Layout, buf []byte, here par.Layout,
	move func(proc C.int, there, here C.bridge_layout) C.int,
) error {
	w.RLock()
	defer w.RUnlock()
	if err := w.usable(proc); err != nil {
		return err
	}
	if err := par.CheckTransfer(there, w.Size(proc), here, buf); err != nil {
		return fmt.Errorf("window of proc %d: %w", proc, err)
	}
	if there.Size() == 0 {
		return nil
	}
	var pins runtime.Pinner
	defer pins.Unpin()
	if w.c.w.timeout > 0 { // without a timeout nobody uses the text
		what = fmt.Sprintf("%s in the window of proc %d", what, proc)
	}
	return w.c.w.call(what, func() C.int {
		return move(C.int(proc), layout(there, &pins), layout(here, &pins))
	})
}

// layout returns a layout for C, with as few dimensions as possible.
func layout(l par.Layout, pins *runtime.Pinner) C.bridge_layout {
	l = l.Simple()
	r := C.bridge_layout{offset: C.size_t(l.Offset), bytes: C.size_t(l.Bytes), dims: C.int(len(l.Count))}
	if len(l.Count) == 0 {
		return r
	}
	numbers := make([]C.int64_t, 0, 2*len(l.Count))
	for _, n := range append(l.Count, l.Stride...) {
		numbers = append(numbers, C.int64_t(n))
	}
	pins.Pin(&numbers[0])
	r.count, r.stride = &numbers[0], &numbers[len(l.Count)]
	return r
}

// usable returns an error if the memory of a proc cannot be reached. The lock must be held.
func (w *window) usable(proc int) error {
	if err := par.CheckProc(proc, w.c.procs); err != nil {
		return err
	}
	if w.closed {
		return fmt.Errorf("window %w", par.ErrClosed)
	}
	return w.c.w.alarmed()
}

// Flush calls MPI_Win_flush: the calls of this process are complete in the memory of the other one.
func (w *window) Flush(proc int) error {
	w.RLock()
	defer w.RUnlock()
	if err := w.usable(proc); err != nil {
		return err
	}
	return w.c.w.call("MPI_Win_flush", func() C.int { return C.bridge_win_flush(w.handle, C.int(proc)) })
}

// Fence flushes, waits for all procs, and synchronises the copies of the memory, see par.Window.
func (w *window) Fence() error {
	w.RLock()
	defer w.RUnlock()
	if err := w.usable(w.c.proc); err != nil {
		return err
	}
	return w.c.collective("fence", w.completeAll(), func() error {
		return check("MPI_Win_sync", C.bridge_win_sync(w.handle))
	})
}

// completeAll completes all calls of this proc, and makes its own memory what others see.
func (w *window) completeAll() error {
	if err := w.c.w.call("MPI_Win_flush_all", func() C.int { return C.bridge_win_flush_all(w.handle) }); err != nil {
		return err
	}
	return check("MPI_Win_sync", C.bridge_win_sync(w.handle))
}

// Close completes all calls and calls MPI_Win_free, see par.Window.
func (w *window) Close() error {
	w.Lock()
	defer w.Unlock()
	if err := w.usable(w.c.proc); err != nil {
		return err
	}
	return w.c.collective("close of a window", w.completeAll(), func() error {
		w.closed = true
		return w.c.w.call("MPI_Win_free", func() C.int { return C.bridge_win_free(&w.handle) })
	})
}
