package drx

import (
	"fmt"

	"drx/internal/state"
	"drx/nd"
)

// A Growth modifies Extend.
type Growth uint8

// The ways to grow. High and Low exclude each other; High is the default.
const (
	// High adds indices above the highest.
	High Growth = state.GrowHigh
	// Low adds indices below the lowest: the new ones are, in the end, negative. Every
	// element keeps its index.
	Low Growth = state.GrowLow
	// Cubical goes on, after the extension, to extend the other dimensions on the same
	// side, in turn and by a chunk's extent at most, until all extents are equal (Nimako's
	// thesis, section 5.3).
	Cubical Growth = state.GrowCubical
)

// Extend grows dimension dim by so many elements and returns the section that is new: all
// of the other dimensions, in their present bounds. (With Cubical the other dimensions
// have grown too; the section is then the whole slab of the new indices of dim.) No data
// is written: the new elements read as the fill value. The extension becomes durable with
// Sync. The error wraps ErrRank for a dimension that does not exist, ErrBounds when by is
// less than one or for a Growth that does not exist, ErrOverflow when the array would no
// longer fit 64 bits, ErrReadOnly or ErrClosed; the array is unchanged then.
func (a *Array) Extend(dim, by int, how ...Growth) (nd.Section, error) {
	added, err := a.extend(dim, by, how)
	if err != nil {
		return nil, a.errorf(fmt.Sprintf("extend dimension %d by %d", dim, by), err)
	}
	return added, nil
}

// extend is Extend; who calls it says in the error what was to be done: that takes longer than
// the extension.
func (a *Array) extend(dim, by int, how []Growth) (nd.Section, error) {
	a.gate.RLock()
	defer a.gate.RUnlock()
	if err := a.keepOpen(true); err != nil {
		return nil, err
	}
	defer a.life.RUnlock()
	low, cubical, err := state.Growths(how, Cubical)
	if err != nil {
		return nil, err
	}
	if err := a.lockChunks(); err != nil {
		return nil, err
	}
	defer a.commit.RUnlock()
	a.grow.Lock()
	defer a.grow.Unlock()
	if err := a.alone(); err != nil {
		return nil, err
	}
	before := a.state.Load()
	records := []state.Record{{Extend: &state.Extend{Dim: dim, By: by, Low: low}}}
	if cubical {
		steps, err := before.Cubical(*records[0].Extend)
		if err != nil {
			return nil, err
		}
		for i := range steps[1:] {
			records = append(records, state.Record{Extend: &steps[1+i]})
		}
	}
	if err := a.apply(records); err != nil {
		return nil, err
	}
	after := a.state.Load()
	added := nd.Box(after.Lo, after.Hi)
	if low {
		added[dim].Hi = before.Lo[dim]
	} else {
		added[dim].Lo = before.Hi[dim]
	}
	return added, nil
}

// AddDim adds a dimension, the last, of extent one and with the given name, which may be
// empty. Every element keeps its place and gets index 0 in the new dimension, which can
// then be extended like any other. It returns the number of the dimension. The error wraps
// ErrRank when there are nd.MaxRank dimensions already or the name is taken.
func (a *Array) AddDim(name string) (int, error) {
	op := "add dimension " + name
	if err := a.change(op, state.Record{AddDim: &state.AddDim{Name: name}}); err != nil {
		return 0, err
	}
	return a.Rank() - 1, nil
}
