// Package fanout divides work among goroutines.
package fanout

import (
	"cmp"
	"sync"
	"sync/atomic"
)

// Each calls f with 0 to n-1, in at most the given number of goroutines, and returns one of the
// errors. After an error it starts no further calls.
func Each(n, goroutines int, f func(i int) error) error {
	workers := min(n, goroutines)
	if workers <= 1 {
		for i := range n {
			if err := f(i); err != nil {
				return err
			}
		}
		return nil
	}
	var next atomic.Int64
	run := func() error {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			if err := f(i); err != nil {
				next.Store(int64(n))
				return err
			}
		}
		return nil
	}
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() { errs[w] = run() })
	}
	errs[0] = run()
	wg.Wait()
	return cmp.Or(errs...)
}
