package drx

import (
	"iter"
	"slices"

	"drx/internal/plan"
)

// Parts yields the parts of the array that a walk meets, for the bounds of the moment when it
// begins; nothing is read of them. A part is the caller's to keep. After an error, which
// comes with no part, there are no more. It wraps ErrRank, ErrBounds or ErrClosed, or
// ErrCorrupt where Walk.Written cannot be told; Walk.Written also ends with an error if the
// array is compacted meanwhile, as other chunks have the numbers then.
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
			return errEnough
		}
		return nil
	})
	if err != nil && err != errEnough {
		yield(Part{}, err)
	}
}

// each calls f with the parts, and stops at the first error and returns it.
func (k *walk) each(f func(Part) error) error {
	if slices.Contains(k.Section.Shape(), 0) {
		return nil
	}
	if k.Written {
		through, err := k.lookThrough()
		if err != nil {
			return err
		}
		if through {
			return k.eachWritten(f)
		}
		f = k.onlyWritten(f)
	}
	if k.Tile != nil {
		return k.eachTile(f)
	}
	return plan.Each(k.state, k.Section, func(p *plan.Piece) error {
		part, _ := k.chunk(p.Number, slices.Clone(p.Chunk))
		return f(part)
	})
}

// countWritten returns the number of parts as each would call f with them.
func (k *walk) countWritten() (n int64, err error) {
	if !k.Written {
		return k.count(), nil
	}
	err = k.each(func(Part) error {
		n++
		return nil
	})
	return n, err
}
