package exec

import (
	"context"
	"sync"
	"sync/atomic"
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
