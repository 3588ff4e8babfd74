package exec

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"drx/nd"
)

// forEach calls f for every i in [0, n), shared among the given number of workers. It ends with the
// first error, or with the cause of the end of ctx.
func forEach(ctx context.Context, workers, n int, f func(worker, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var all sync.WaitGroup
	for w := range min(workers, n) {
		all.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := f(w, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// ForEachIndex calls f for every index between first and end, in row-major order, shared among the
// given number of workers. It ends with the first error, or with the cause of the end of ctx.
func ForEachIndex(ctx context.Context, workers int, first, end []int, f func(index []int) error) error {
	var mu sync.Mutex
	next, more := slices.Clone(first), true
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	pop := func() []int {
		mu.Lock()
		defer mu.Unlock()
		if !more || ctx.Err() != nil {
			return nil
		}
		index := slices.Clone(next)
		more = nd.Next(next, first, end)
		return index
	}
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for index := pop(); index != nil; index = pop() {
				if err := f(index); err != nil {
					cancel(err)
				}
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}
