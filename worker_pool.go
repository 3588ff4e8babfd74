package drx

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"drx/nd"
)

// stages are the functions that a worker calls for each part, in this order. finish may be nil.
type stages struct{ load, work, finish func(Part) error }

// A workerPool is the goroutines, or workers, that process the parts of a walk. Each worker takes the next
// part, loads it and works on it. There are more workers than may work at the same time, so that some load
// while others work.
type workerPool struct {
	walk    *walk
	working chan struct{} // holds one element for each worker in its work stage; its capacity is the limit
	ordered bool          // the finish stages are called one after the other, in the order of the walk

	panicked atomic.Pointer[panicked]

	mu          sync.Mutex
	next        func() (Part, error, bool)
	last        chan struct{} // closed when the part that was taken last is finished
	done, total int64
}

// run calls the stages for every part of the walk. Each worker calls newStages once, with the number of
// elements of the largest part, for stages of its own. elem is the memory that the stages use per element of a
// part, in bytes.
func (k *walk) run(ctx context.Context, elem int, ordered bool, newStages func(most int) stages) error {
	most, goroutines, err := k.limits(elem)
	if err != nil {
		return k.array.errorf("walk", err)
	}
	c := &workerPool{walk: k, working: make(chan struct{}, k.array.chunks.Readers), ordered: ordered, last: make(chan struct{})}
	close(c.last)
	if k.Progress != nil {
		if c.total, err = k.countWritten(); err != nil {
			return err
		}
	}
	var stop func()
	c.next, stop = iter.Pull2(k.parts)
	defer stop()
	return c.runWorkers(ctx, goroutines, func() stages { return newStages(most) })
}

// defaultMemory limits the memory for parts, in bytes, if Walk.Memory is 0.
const defaultMemory = 64 << 20

// limits returns the number of elements of the largest part, and the number of workers for which there is
// memory, if a part takes elem bytes per element. The error wraps ErrOverflow if a part has more than maxRead
// bytes.
func (k *walk) limits(elem int) (most, goroutines int, err error) {
	shape := k.Section.Shape()
	for d, r := range k.Section {
		if extent := k.tile[d]; extent > 0 {
			shape[d] = min(shape[d], (extent-1)/r.Step+1)
		}
	}
	if most, err = nd.Product(shape...); err != nil {
		return 0, 0, err
	}
	bytes, ok := nd.Mul(most, elem)
	if !ok || int64(bytes) > maxRead {
		return 0, 0, fmt.Errorf("parts of shape %v with %d bytes per element: %w: a part has at most %d bytes, use smaller tiles", shape, elem, ErrOverflow, int64(maxRead))
	}
	memory := k.Memory
	if memory <= 0 {
		memory = k.array.opts.Cache
		if memory <= 0 {
			memory = DefaultCache
		}
		memory = min(memory/4, defaultMemory)
	}
	n := min(int64(2*k.array.chunks.Readers), memory/int64(max(1, bytes)), k.countParts())
	return most, int(max(1, n)), nil
}

// runWorkers starts the workers and waits until no part is left. It returns the first error, or panics if a
// function of the caller did.
func (c *workerPool) runWorkers(ctx context.Context, goroutines int, newStages func() stages) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() { c.worker(ctx, cancel, newStages) })
	}
	wg.Wait()
	if p := c.panicked.Load(); p != nil {
		panic(p)
	}
	return context.Cause(ctx)
}

// errExited is returned if a function of the caller ended its goroutine, as runtime.Goexit does.
var errExited = errors.New("the function called for a part did not return")

// worker is one goroutine. However it ends, it cancels the others unless it has no error.
func (c *workerPool) worker(ctx context.Context, cancel context.CancelCauseFunc, newStages func() stages) {
	err := c.walk.array.errorf("walk", errExited)
	defer func() {
		if v := recover(); v != nil {
			c.panicked.Store(&panicked{v, debug.Stack()})
		}
		if err != nil {
			cancel(err)
		}
	}()
	err = c.processParts(ctx, newStages())
}

// panicked carries the panic of a function of the caller from the worker to the goroutine that began the walk.
type panicked struct {
	value any
	stack []byte
}

// Error returns the value and the stack of the panic.
func (p *panicked) Error() string { return fmt.Sprintf("%v\n\n%s", p.value, p.stack) }

// Unwrap returns the value if it is an error, else nil.
func (p *panicked) Unwrap() error {
	err, _ := p.value.(error)
	return err
}

// processParts calls the stages for one part after the other.
func (c *workerPool) processParts(ctx context.Context, s stages) error {
	for {
		p, ticket, err := c.take(ctx)
		if err != nil || ticket == nil {
			return err
		}
		if err := s.load(p); err != nil {
			return err
		}
		if err := c.work(ctx, s, p); err != nil {
			return err
		}
		if err := c.finish(ctx, s, p, ticket); err != nil {
			return err
		}
	}
}

// A ticket is the position of a part in the order of the walk.
type ticket struct {
	before <-chan struct{} // closed when the previous part is finished
	done   chan struct{}   // to be closed when this part is finished
}

// take returns the next part. The ticket is nil if there is none.
func (c *workerPool) take(ctx context.Context) (Part, *ticket, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() != nil {
		return Part{}, nil, context.Cause(ctx)
	}
	p, err, ok := c.next()
	if err != nil || !ok {
		return Part{}, nil, err
	}
	t := &ticket{c.last, make(chan struct{})}
	c.last = t.done
	return p, t, nil
}

// work waits until fewer workers than the limit are in their work stage, and calls it.
func (c *workerPool) work(ctx context.Context, s stages, p Part) error {
	c.working <- struct{}{}
	defer func() { <-c.working }()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return s.work(p)
}

// finish calls the finish stage, in an ordered walk after that of the previous part, and reports the progress.
func (c *workerPool) finish(ctx context.Context, s stages, p Part, t *ticket) error {
	if c.ordered {
		select {
		case <-t.before:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if s.finish != nil {
		if err := s.finish(p); err != nil {
			return err
		}
	}
	close(t.done)
	if report := c.walk.Progress; report != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.done++
		report(c.done, max(c.done, c.total))
	}
	return nil
}
