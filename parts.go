package drx

import (
	"iter"
	"slices"

	"drx/internal/plan"
)

// Parts returns an iterator over the parts of the walk w, for the bounds of the array at the moment when the
// loop begins. It reads no elements. The caller may keep a Part.
//
// An error comes with an empty Part and ends the loop. It wraps ErrRank, ErrBounds or ErrClosed, or ErrCorrupt
// if Walk.Written is set and it is unknown which chunks were written. If Walk.Written is set, the loop also
// ends with an error if Compact replaces the files meanwhile, because chunks get other numbers.
func (a *Array) Parts(w Walk) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		k, err := a.startWalk(w)
		if err != nil {
			yield(Part{}, err)
			return
		}
		k.parts(yield)
	}
}

// parts is Parts for a walk that has begun.
func (k *walk) parts(yield func(Part, error) bool) {
	err := k.each(func(p Part) error {
		if !yield(p, nil) {
			return errStop
		}
		return nil
	})
	if err != nil && err != errStop {
		yield(Part{}, err)
	}
}

// each calls f with the parts. It stops at the first error and returns it.
func (k *walk) each(f func(Part) error) error {
	if slices.Contains(k.Section.Shape(), 0) {
		return nil
	}
	if k.Written {
		scan, err := k.scansTable()
		if err != nil {
			return err
		}
		if scan {
			return k.eachWritten(f)
		}
		f = k.onlyWritten(f)
	}
	if k.Tile != nil {
		return k.eachTile(f)
	}
	return plan.Each(k.state, k.Section, func(p *plan.Piece) error {
		part, _ := k.chunkPart(p.Number, slices.Clone(p.Chunk))
		return f(part)
	})
}

// countWritten returns the number of parts with which each calls its function.
func (k *walk) countWritten() (n int64, err error) {
	if !k.Written {
		return k.countParts(), nil
	}
	err = k.each(func(Part) error {
		n++
		return nil
	})
	return n, err
}
