package drx

import (
	"cmp"
	"errors"
	"slices"

	"drx/axial"
	"drx/internal/plan"
)

// scannedPerLookup is how many entries of the chunk table can be scanned in the time of a single lookup.
const scannedPerLookup = 8

// scansTable reports whether a scan of the chunk table is faster than a lookup of each chunk of the section: if
// few chunks are written, or the section has many. It counts the written chunks only if the answer depends on
// them, and no further than necessary. Tiles are always looked up.
func (k *walk) scansTable() (bool, error) {
	if k.Tile != nil {
		return false, nil
	}
	n := k.countParts()
	if n >= int64(k.state.Grid.Chunks())/scannedPerLookup {
		return true, nil
	}
	if n <= int64(k.maxSpans) {
		return false, nil
	}
	most := n * scannedPerLookup
	enough, err := k.stopped(func() error {
		return k.array.store.Each(k.state.Grid.Chunks(), func(axial.Number, error) error {
			if most--; most < 0 {
				return errStop
			}
			return nil
		})
	})
	return !enough, err
}

// stopped calls f while the files stay open, and reports whether it has returned errStop.
func (k *walk) stopped(f func() error) (bool, error) {
	done, err := k.array.begin("walk", false)
	if err != nil {
		return false, err
	}
	defer done()
	if err = f(); err == errStop {
		return true, nil
	}
	return false, k.array.errorf("walk", err)
}

// onlyWritten returns a function that calls f for parts with at least one written chunk.
func (k *walk) onlyWritten(f func(Part) error) func(Part) error {
	return func(p Part) error {
		if written, err := k.written(p); err != nil || !written {
			return err
		}
		return f(p)
	}
}

// written reports whether a chunk of the part was ever written. It uses the array's present state, because
// Compact may have changed the numbers of the chunks.
func (k *walk) written(p Part) (bool, error) {
	return k.stopped(func() error {
		s := k.array.state.Load()
		sec, err := p.Section.Resolve(s.Lo, s.Hi)
		if err != nil {
			return err
		}
		return plan.Each(s, sec, func(piece *plan.Piece) error {
			absent, err := k.array.pool.Absent(piece.Number)
			if err == nil && !absent {
				return errStop
			}
			return err
		})
	})
}

// A span is the chunks with numbers in [first, last).
type span struct{ first, last axial.Number }

// eachWritten calls f with the parts in written chunks, in the order of the chunk numbers. It does not look at
// other chunks, so that its time depends on the number of written ones. It reads the chunk table piece by
// piece, because no lock may be held while f runs, which may do anything with the array.
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
				if p, ok := k.chunkPart(q, slices.Clone(index)); ok {
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

// writtenFrom returns the written chunks with numbers from and above, in at most about k.maxSpans spans, and
// the number at which to continue. The spans are in the order of their first chunks and may overlap.
func (k *walk) writtenFrom(from axial.Number) (spans []span, next axial.Number, err error) {
	next = k.state.Grid.Chunks()
	var held []axial.Number
	_, err = k.stopped(func() error {
		if k.array.store != k.store {
			return errors.New("the array was compacted meanwhile")
		}
		held = k.array.pool.Held() // before the table is read: a chunk that leaves the pool later is found in the table
		// A damaged entry belongs to a written chunk: reading the chunk reports the damage.
		return k.store.Each(next, func(q axial.Number, _ error) error {
			switch n := len(spans); {
			case q < from:
			case n > 0 && spans[n-1].last == q:
				spans[n-1].last++
			case n == k.maxSpans:
				next = q
				return errStop
			default:
				spans = append(spans, span{q, q + 1})
			}
			return nil
		})
	})
	if err != nil {
		return nil, 0, err
	}
	for _, q := range held {
		if q >= from && q < next {
			spans = append(spans, span{q, q + 1})
		}
	}
	slices.SortFunc(spans, func(x, y span) int { return cmp.Compare(x.first, y.first) })
	return spans, next, nil
}
