package chunkstore

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"drx/axial"
	"drx/internal/chunktable"
)

// pendingRepairs are chunks that a failed patch has changed in part, and could not change back.
// They are repaired before they are used again, or committed.
type pendingRepairs struct {
	mu   sync.Mutex
	of   map[axial.Number]repair
	some atomic.Bool // there are any
}

// A repair is the entry of a chunk, and the pieces to write so that the chunk agrees with it.
type repair struct {
	entry  chunktable.Entry
	pieces []Piece
}

func (r *pendingRepairs) add(q axial.Number, one repair) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = map[axial.Number]repair{}
	}
	r.of[q] = one
	r.some.Store(true)
}

// remove removes and returns the repair of chunk q.
func (r *pendingRepairs) remove(q axial.Number) (repair, bool) {
	if !r.some.Load() {
		return repair{}, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	one, ok := r.of[q]
	delete(r.of, q)
	r.some.Store(len(r.of) > 0)
	return one, ok
}

func (r *pendingRepairs) chunks() []axial.Number {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.of))
}

// repair repairs chunk q if it needs it. Nobody else may be writing the chunk.
func (w *Writer) repair(q axial.Number) error {
	r, ok := w.repairs.remove(q)
	if !ok {
		return nil
	}
	err := first(w.setEntry(q, r.entry), w.writePieces(q, r.pieces))
	if err != nil {
		w.repairs.add(q, r)
	}
	return err
}

// repairAll repairs all chunks that need it.
func (w *Writer) repairAll() error {
	for _, q := range w.repairs.chunks() {
		if err := w.repair(q); err != nil {
			return err
		}
	}
	return nil
}
