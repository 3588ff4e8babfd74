package zarr

import (
	"errors"
	"runtime"
	"slices"
	"sync"

	"drx/nd"
)

// workersFor returns the number of units that may be decoded at the same time, at least 1,
// according to processors and memory.
func (r *reader) workersFor() int {
	if r.plain || r.unitBytes == 0 {
		return 1
	}
	return int(max(1, min(int64(runtime.GOMAXPROCS(0)), (r.store.memory/2-chunkSlack)/(decodeTimes*int64(r.unitBytes)))))
}

// errStop ends a walk over units after an error of another goroutine.
var errStop = errors.New("stop")

// eachParallel is eachUnit with a function that several goroutines may call. It returns the error
// that eachUnit would return.
func (r *reader) eachParallel(sec nd.Section, f func(u unit) error) error {
	if r.workers == 1 {
		return r.eachUnit(sec, f)
	}
	var first firstError
	var all sync.WaitGroup
	slots, n := make(chan struct{}, r.workers), 0
	err := r.eachUnit(sec, func(u unit) error {
		slots <- struct{}{}
		number := n
		n++
		u = unit{slices.Clone(u.index), slices.Clone(u.origin), slices.Clone(u.lo), slices.Clone(u.hi)}
		all.Go(func() {
			defer func() { <-slots }()
			first.add(number, r.named(u, f(u)))
		})
		if first.happened() {
			return errStop
		}
		return nil
	})
	all.Wait()
	if first.happened() {
		return first.err
	}
	return err
}

// A firstError keeps the error with the lowest number.
type firstError struct {
	mu     sync.Mutex
	number int
	err    error
}

func (e *firstError) add(number int, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil && (e.err == nil || number < e.number) {
		e.number, e.err = number, err
	}
}

func (e *firstError) happened() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err != nil
}
