package exec

import (
	"context"
	"sync"
	"sync/atomic"
)

// forEach calls f for every i in [0, n), shared among so many workers. It ends with the first
// error, or with the cause of the end of ctx.
func forEach(ctx context.Context, workers, n int, f func(worker, i int) error) error {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var all sync.WaitGroup
	for w := range min(workers, n) {
		all.Go(func() {
			for failed.Load() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				err := context.Cause(ctx)
				if err == nil {
					err = f(w, i)
				}
				if err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}
