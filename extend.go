package drx

import (
	"fmt"

	"drx/axial"
	"drx/internal/state"
	"drx/nd"
)

// Extend grows dimension dim by so many elements above its highest index and returns the section that
// is new: all of the other dimensions, in their present bounds. No data is written: the new elements
// read as the fill value. The extension becomes durable with Sync. The error wraps ErrRank for a dimension
// that does not exist, ErrBounds when by is less than one, ErrOverflow when the array would no longer
// fit 64 bits, ErrReadOnly or ErrClosed; the array is unchanged then.
func (a *Array) Extend(dim, by int) (nd.Section, error) {
	return a.extend(dim, by, axial.High, false)
}

// ExtendLow is Extend below the lowest index: the new indices are, in the end, negative. Every element
// keeps its index.
func (a *Array) ExtendLow(dim, by int) (nd.Section, error) {
	return a.extend(dim, by, axial.Low, false)
}

// ExtendCubical is Extend or, with axial.Low, ExtendLow, and goes on to extend the other dimensions on
// the same side, in turn and by a chunk's extent at most, until all extents are equal (Nimako's thesis,
// section 5.3). It returns the whole slab of the new indices of dim. The error also wraps ErrOverflow
// when that takes more than 2^20 steps, and ErrBounds for a side that is neither.
func (a *Array) ExtendCubical(dim, by int, side axial.Side) (nd.Section, error) {
	if err := state.CheckSide(side); err != nil {
		return nil, a.errorf("extend", err)
	}
	return a.extend(dim, by, side, true)
}

// extend puts the operation before an error only when there is one: composing its text takes longer
// than the extension.
func (a *Array) extend(dim, by int, side axial.Side, cubical bool) (nd.Section, error) {
	added, err := a.extended(state.Extend{Dim: dim, By: by, Low: side == axial.Low}, cubical)
	if err != nil {
		return nil, a.errorf(fmt.Sprintf("extend dimension %d by %d", dim, by), err)
	}
	return added, nil
}

// extended applies an extension, and those that make the array cubical, and returns what is new.
func (a *Array) extended(e state.Extend, cubical bool) (nd.Section, error) {
	a.gate.RLock()
	defer a.gate.RUnlock()
	if err := a.keepOpen(true); err != nil {
		return nil, err
	}
	defer a.life.RUnlock()
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
	steps := []state.Extend{e}
	if cubical {
		var err error
		if steps, err = before.Cubical(e); err != nil {
			return nil, err
		}
	}
	var one [1]state.Record // the usual case, which allocates nothing
	records := one[:0]
	for i := range steps {
		records = append(records, state.Record{Extend: &steps[i]})
	}
	if err := a.apply(records); err != nil {
		return nil, err
	}
	after := a.state.Load()
	return state.Added(before, after, e), nil
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
