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

// steps are what a goroutine does with a part, one after the other; finish may be nil.
type steps struct{ load, work, finish func(Part) error }

// A crew is the goroutines that go over the parts of a walk. Each takes the next part, loads it
// and works on it; there are more of them than may work at a time, so that some load
// while others work.
type crew struct {
	walk    *walk
	slots   chan struct{} // holds one for each part that is at work
	ordered bool          // parts are finished one by one in the order of the walk

	panicked atomic.Pointer[panicked]

	mu          sync.Mutex
	next        func() (Part, error, bool)
	last        chan struct{} // closed when the part taken last is finished
	done, total int64
}

// run does the steps for every part, with elem bytes of memory for each of its elements. Each
// goroutine calls start for steps of its own, with the elements of the largest part.
func (k *walk) run(ctx context.Context, elem int, ordered bool, start func(most int) steps) error {
	most, goroutines, err := k.room(elem)
	if err != nil {
		return k.array.errorf("walk", err)
	}
	c := &crew{walk: k, slots: make(chan struct{}, k.array.chunks.Readers), ordered: ordered, last: make(chan struct{})}
	close(c.last)
	if k.Progress != nil {
		if c.total, err = k.countWritten(); err != nil {
			return err
		}
	}
	var stop func()
	c.next, stop = iter.Pull2(k.parts)
	defer stop()
	return c.all(ctx, goroutines, func() steps { return start(most) })
}

// defaultMemory is the most that parts may take when Walk.Memory says nothing.
const defaultMemory = 64 << 20

// room returns the number of elements of the largest part, and how many goroutines there is
// memory for, with elem bytes for each of their elements.
func (k *walk) room(elem int) (most, goroutines int, err error) {
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
		return 0, 0, fmt.Errorf("parts of shape %v, %d bytes for an element: %w: at most %d at once", shape, elem, ErrOverflow, int64(maxRead))
	}
	memory := k.Memory
	if memory <= 0 {
		memory = k.array.cache
		if memory <= 0 {
			memory = DefaultCache
		}
		memory = min(memory/4, defaultMemory)
	}
	n := min(int64(2*k.array.chunks.Readers), memory/int64(max(1, bytes)), k.count())
	return most, int(max(1, n)), nil
}

// all starts goroutines and waits until no part is left. It returns the first error, or
// panics as a function of the caller did.
func (c *crew) all(ctx context.Context, goroutines int, start func() steps) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() { c.member(ctx, cancel, start) })
	}
	wg.Wait()
	if p := c.panicked.Load(); p != nil {
		panic(p)
	}
	return context.Cause(ctx)
}

// errLeft is returned when a function of the caller ended its goroutine.
var errLeft = errors.New("the function called for a part did not return")

// member is one goroutine. However it ends, the others hear of it.
func (c *crew) member(ctx context.Context, cancel context.CancelCauseFunc, start func() steps) {
	err := c.walk.array.errorf("walk", errLeft)
	defer func() {
		if v := recover(); v != nil {
			c.panicked.Store(&panicked{v, debug.Stack()})
		}
		if err != nil {
			cancel(err)
		}
	}()
	err = c.serve(ctx, start())
}

// panicked is the panic of a function of the caller, on its way from the goroutine where it
// happened to the caller's.
type panicked struct {
	value any
	stack []byte
}

// Error gives the value and where it was thrown.
func (p *panicked) Error() string { return fmt.Sprintf("%v\n\n%s", p.value, p.stack) }

// Unwrap returns the value if it is an error.
func (p *panicked) Unwrap() error {
	err, _ := p.value.(error)
	return err
}

// serve does the steps for one part after the other.
func (c *crew) serve(ctx context.Context, s steps) error {
	for {
		p, turn, err := c.take(ctx)
		if err != nil || turn == nil {
			return err
		}
		if err := s.load(p); err != nil {
			return err
		}
		if err := c.work(ctx, s, p); err != nil {
			return err
		}
		if err := c.finish(ctx, s, p, turn); err != nil {
			return err
		}
	}
}

// A turn is a part's place in the order of the walk.
type turn struct {
	before <-chan struct{} // closed when the part before is finished
	done   chan struct{}   // to be closed when this one is
}

// take returns the next part, and no turn if there is none.
func (c *crew) take(ctx context.Context) (Part, *turn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() != nil {
		return Part{}, nil, context.Cause(ctx)
	}
	p, err, ok := c.next()
	if err != nil || !ok {
		return Part{}, nil, err
	}
	t := &turn{c.last, make(chan struct{})}
	c.last = t.done
	return p, t, nil
}

// work waits until one more part may be at work.
func (c *crew) work(ctx context.Context, s steps, p Part) error {
	c.slots <- struct{}{}
	defer func() { <-c.slots }()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return s.work(p)
}

// finish waits for the part's turn if there is an order.
func (c *crew) finish(ctx context.Context, s steps, p Part, t *turn) error {
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
