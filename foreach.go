package drx

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"drx/dtype"
	"drx/nd"
)

// ForEach calls f with the elements of every part of the walk w. The elements are dense, in the
// order w.Order. Up to Options.Goroutines goroutines call f concurrently, for the parts in any
// order. The same number of further goroutines read ahead, if w.Memory has room for them. f may
// change data, which belongs to f until it returns; that does not change the array. No lock is held
// while f runs, so f may use the array.
//
// After an error ForEach begins no more parts, waits until all calls of f have returned, and
// returns the error: that of f, unchanged; the cause of ctx's cancellation; or one that wraps
// ErrDType, ErrRank, ErrBounds, ErrOverflow if a part is too large, ErrClosed or ErrCorrupt. The
// array may grow meanwhile: the walk uses the bounds at its beginning. If the array shrinks or gets
// another dimension, the remaining parts may be unreadable (ErrBounds, ErrRank). If f panics,
// ForEach panics when all calls have returned, with an error that wraps f's value, if that is an
// error, and contains the stack of the panic.
func ForEach[T dtype.Element](ctx context.Context, a *Array, w Walk, f func(p Part, data []T) error) error {
	k, err := startTypedWalk[T](a, w)
	if err != nil {
		return err
	}
	return runTyped(ctx, k, 0, false, func(int) typedStages[T] { return typedStages[T]{work: f} })
}

// Reduce calls f with every part, as ForEach does, and merges the results into acc one by one, in
// the order of a.Parts(w). Thus it returns exactly what a plain loop over the parts would return,
// even for sums of floats, with any number of goroutines. It returns acc if there are no parts.
// Calls of merge do not overlap. A result, and its goroutine, wait until the results of all
// previous parts are merged. The errors are those of ForEach.
func Reduce[T dtype.Element, R any](
	ctx context.Context, a *Array, w Walk, acc R, f func(p Part, data []T) R, merge func(acc, r R) R,
) (R, error) {
	var none R
	k, err := startTypedWalk[T](a, w)
	if err != nil {
		return none, err
	}
	err = runTyped(ctx, k, 0, true, func(int) typedStages[T] {
		var r R
		return typedStages[T]{
			work: func(p Part, data []T) error {
				r = f(p, data)
				return nil
			},
			finish: func(Part) error {
				acc, r = merge(acc, r), none
				return nil
			},
		}
	})
	if err != nil {
		return none, err
	}
	return acc, nil
}

// Map calls f with every part of src, as ForEach does, and writes out, which f has filled, to the
// same indices of dst. src and dst may be the same array. out has the length and the order of in,
// and is zero at first. If w.Tile is nil, the parts are the chunks of src or, if the chunks of dst
// have another shape, tiles of that shape, so that each chunk of dst is written once and as a
// whole. The section must be within the bounds of dst, which Map does not extend. Map does not call
// Sync. Errors are those of ForEach, for either array, and of Write; some parts may have been
// written then.
func Map[T, U dtype.Element](ctx context.Context, dst, src *Array, w Walk, f func(p Part, in []T, out []U) error) error {
	if chunk := dst.ChunkShape(); w.Tile == nil && !slices.Equal(chunk, src.ChunkShape()) {
		w.Tile = chunk
	}
	from, err := startTypedWalk[T](src, w)
	if err != nil {
		return err
	}
	to, err := startTypedWalk[U](dst, Walk{Section: from.Section})
	if err != nil {
		return err
	}
	return runTyped(ctx, from, to.state.DType.Size(), false, func(most int) typedStages[T] {
		buf := make([]U, most)
		var out []U
		return typedStages[T]{
			work: func(p Part, in []T) error {
				out = buf[:len(in)]
				clear(out)
				return f(p, in, out)
			},
			finish: func(p Part) error { return Write(dst, p.Section, out, from.Order) },
		}
	})
}

// startTypedWalk begins a walk over an array of elements of type T.
func startTypedWalk[T dtype.Element](a *Array, w Walk) (*walk, error) {
	k, err := a.startWalk(w)
	if err == nil {
		err = a.errorf("walk", checkType[T](k.state))
	}
	return k, err
}

// typedStages are the functions that a worker calls for each part, after it has read the elements
// of the part. finish may be nil.
type typedStages[T dtype.Element] struct {
	work   func(p Part, data []T) error
	finish func(Part) error
}

// runTyped is walk.run for stages that use the elements. They need elem further bytes per element.
func runTyped[T dtype.Element](ctx context.Context, k *walk, elem int, ordered bool, newStages func(most int) typedStages[T]) error {
	return k.run(ctx, k.state.DType.Size()+elem, ordered, func(most int) stages {
		buf, s := make([]T, most), newStages(most) // each worker uses its buffer for every part
		var data []T
		return stages{
			load: func(p Part) error {
				n, err := p.Section.Len()
				if err != nil {
					return err
				}
				data = buf[:n]
				return ReadInto(k.array, p.Section, data, k.Order)
			},
			work:   func(p Part) error { return s.work(p, data) },
			finish: s.finish,
		}
	})
}

// stages are the functions that a worker calls for each part, in this order. finish may be nil.
type stages struct{ load, work, finish func(Part) error }

// A workerPool is the set of goroutines, or workers, that process the parts of a walk. Each worker
// takes the next part, loads it and works on it. There are more workers than may work at the same
// time, so that some load while others work.
type workerPool struct {
	walk    *walk
	working chan struct{} // one element per worker in its work stage; the capacity is the limit
	ordered bool          // finish stages run one at a time, in the order of the walk

	panicked atomic.Pointer[workerPanic]

	mu          sync.Mutex
	next        func() (Part, error, bool)
	last        chan struct{} // closed when the most recently taken part is finished
	done, total int64
}

// run calls the stages for every part of the walk. Each worker calls newStages once, with the
// number of elements of the largest part, for stages of its own. elem is the memory that the stages
// use per element of a part, in bytes.
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

// limits returns the number of elements of the largest part, and the number of workers that fit in
// the memory if a part takes elem bytes per element. The error wraps ErrOverflow if a part has more
// than maxRead bytes.
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

// runWorkers starts the workers and waits until no part is left. It returns the first error, or
// panics if a function of the caller did.
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

// worker is one goroutine. It cancels the others unless it ends without error.
func (c *workerPool) worker(ctx context.Context, cancel context.CancelCauseFunc, newStages func() stages) {
	err := c.walk.array.errorf("walk", errExited)
	defer func() {
		if v := recover(); v != nil {
			c.panicked.Store(&workerPanic{v, debug.Stack()})
		}
		if err != nil {
			cancel(err)
		}
	}()
	err = c.processParts(ctx, newStages())
}

// A workerPanic carries the panic of a caller's function from the worker to the goroutine that
// began the walk.
type workerPanic struct {
	value any
	stack []byte
}

// Error returns the value and the stack of the panic.
func (p *workerPanic) Error() string { return fmt.Sprintf("%v\n\n%s", p.value, p.stack) }

// Unwrap returns the value if it is an error, else nil.
func (p *workerPanic) Unwrap() error {
	err, _ := p.value.(error)
	return err
}

// processParts calls the stages for part after part.
func (c *workerPool) processParts(ctx context.Context, s stages) error {
	for {
		p, ticket, err := c.nextPart(ctx)
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

// nextPart returns the next part. The ticket is nil if there is none.
func (c *workerPool) nextPart(ctx context.Context) (Part, *ticket, error) {
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

// work calls the work stage, when fewer workers than the limit are in it.
func (c *workerPool) work(ctx context.Context, s stages, p Part) error {
	c.working <- struct{}{}
	defer func() { <-c.working }()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return s.work(p)
}

// finish calls the finish stage, in an ordered walk after that of the previous part, and reports
// the progress.
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
