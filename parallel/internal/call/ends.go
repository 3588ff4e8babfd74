package call

import (
	"maps"
	"slices"
	"sync"
)

// Ends holds functions to call at the end of a program. The zero value is empty.
type Ends struct {
	mu   sync.Mutex
	last int
	of   map[int]func()
}

// Add adds a function. cancel removes it.
func (e *Ends) Add(f func()) (cancel func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.of == nil {
		e.of = map[int]func(){}
	}
	e.last++
	at := e.last
	e.of[at] = f
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.of, at)
	}
}

// Run calls the functions, the last one first, and removes them.
func (e *Ends) Run() {
	e.mu.Lock()
	of := e.of
	e.of = nil
	e.mu.Unlock()
	for _, at := range slices.Backward(slices.Sorted(maps.Keys(of))) {
		of[at]()
	}
}
