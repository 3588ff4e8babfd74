package drx

import (
	"cmp"
	"errors"
	"slices"

	"drx/axial"
	"drx/internal/plan"
)

// lookups is how many entries of the table are read one after the other in the time of a single lookup.
const lookups = 8

// lookThrough reports whether to look through the chunk table is faster than to look up the
// chunks of the section: those written are few, or those of the section are many. Only where
// that matters are those written counted, and no further than needed. Tiles are looked up.
func (k *walk) lookThrough() (bool, error) {
	if k.Tile != nil {
		return false, nil
	}
	a, n := k.array, k.count()
	if n >= int64(k.state.Grid.Chunks())/lookups {
		return true, nil
	}
	if n <= int64(k.spans) {
		return false, nil
	}
	done, err := a.begin("walk", false)
	if err != nil {
		return false, err
	}
	defer done()
	most := n * lookups
	err = a.store.Each(k.state.Grid.Chunks(), func(axial.Number, error) error {
		if most--; most < 0 {
			return errEnough
		}
		return nil
	})
	if err == errEnough {
		return false, nil
	}
	return true, a.errorf("walk", err)
}

// onlyWritten returns f for parts with a chunk that was written, and nothing for others.
func (k *walk) onlyWritten(f func(Part) error) func(Part) error {
	return func(p Part) error {
		if written, err := k.written(p); err != nil || !written {
			return err
		}
		return f(p)
	}
}

// written reports whether a chunk of a part was written. Compact may have given other numbers
// to the chunks meanwhile.
func (k *walk) written(p Part) (written bool, err error) {
	a := k.array
	done, err := a.begin("walk", false)
	if err != nil {
		return false, err
	}
	defer done()
	s := a.state.Load()
	sec, err := p.Section.Resolve(s.Lo, s.Hi)
	if err != nil {
		return false, a.errorf("walk", err)
	}
	err = plan.Each(s, sec, func(piece *plan.Piece) error {
		absent, err := a.pool.Absent(piece.Number)
		if err == nil && !absent {
			return errEnough
		}
		return err
	})
	if err == errEnough {
		return true, nil
	}
	return false, a.errorf("walk", err)
}

// A span is chunks with consecutive numbers, from first to last-1.
type span struct{ first, last axial.Number }

// eachWritten calls f with the parts of written chunks in the order of their numbers. It does
// not look at others, so that it takes as long as there are chunks written. The table is
// looked through piece by piece: nothing may be locked while f runs, which may do anything
// with the array.
func (k *walk) eachWritten(f func(Part) error) error {
	index := make([]int, len(k.tile))
	for from := axial.Number(0); from < k.state.Grid.Chunks(); {
		spans, next, err := k.writtenFrom(from)
		if err != nil {
			return err
		}
		for _, s := range spans {
			for q := max(s.first, from); q < s.last; q++ {
				k.state.Grid.Index(q, index)
				if p, ok := k.chunk(q, slices.Clone(index)); ok {
					if err := f(p); err != nil {
						return err
					}
				}
			}
			from = max(from, s.last)
		}
		from = next
	}
	return nil
}

// writtenFrom returns the written chunks from a number on, as many as are kept at a time, and
// the number to go on from. Spans may overlap, and are in the order of their beginnings.
func (k *walk) writtenFrom(from axial.Number) (spans []span, next axial.Number, err error) {
	a := k.array
	done, err := a.begin("walk", false)
	if err != nil {
		return nil, 0, err
	}
	defer done()
	if a.store != k.store {
		return nil, 0, a.errorf("walk", errors.New("the array was compacted meanwhile"))
	}
	held := a.pool.Held() // before the table: what leaves the pool is in there
	next = k.state.Grid.Chunks()
	// A damaged entry is one of a chunk that was written: reading it will tell.
	err = a.store.Each(next, func(q axial.Number, _ error) error {
		switch n := len(spans); {
		case q < from:
		case n > 0 && spans[n-1].last == q:
			spans[n-1].last++
		case n == k.spans:
			next = q
			return errEnough
		default:
			spans = append(spans, span{q, q + 1})
		}
		return nil
	})
	if err != nil && err != errEnough {
		return nil, 0, a.errorf("walk", err)
	}
	for _, q := range held {
		if q >= from && q < next {
			spans = append(spans, span{q, q + 1})
		}
	}
	slices.SortFunc(spans, func(x, y span) int { return cmp.Compare(x.first, y.first) })
	return spans, next, nil
}
