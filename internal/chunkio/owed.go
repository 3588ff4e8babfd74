package chunkio

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"drx/axial"
)

// owed are chunks in their places that a patch has changed in part before it failed, and that could not
// be put back: what has to be written before they are used again, or committed.
type owed struct {
	mu   sync.Mutex
	of   map[axial.Number]repair
	some atomic.Bool // there are any
}

// A repair is the entry of a chunk and the pieces that it lacks to agree with it.
type repair struct {
	entry  entry
	pieces []Piece
}

func (o *owed) add(q axial.Number, r repair) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of == nil {
		o.of = map[axial.Number]repair{}
	}
	o.of[q] = r
	o.some.Store(true)
}

// take removes and returns what chunk q lacks.
func (o *owed) take(q axial.Number) (repair, bool) {
	if !o.some.Load() {
		return repair{}, false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	r, ok := o.of[q]
	delete(o.of, q)
	o.some.Store(len(o.of) > 0)
	return r, ok
}

func (o *owed) chunks() []axial.Number {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Sorted(maps.Keys(o.of))
}

// mend writes what chunk q lacks, if it lacks something. Nobody else may be writing the chunk.
func (s *Store) mend(q axial.Number) error {
	r, ok := s.owed.take(q)
	if !ok {
		return nil
	}
	err := first(s.putPlaced(q)(q, r.entry), s.placePieces(q, r.pieces))
	if err != nil {
		s.owed.add(q, r)
	}
	return err
}

// mendAll writes what any chunk lacks.
func (s *Store) mendAll() error {
	for _, q := range s.owed.chunks() {
		if err := s.mend(q); err != nil {
			return err
		}
	}
	return nil
}
