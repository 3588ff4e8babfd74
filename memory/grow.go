package memory

import (
	"fmt"

	"drx/axial"
	"drx/internal/state"
	"drx/nd"
)

// Extend grows dimension dim by the given number of elements above its highest index. It returns
// the new section, which has the present bounds in all other dimensions. New elements have the fill
// value; no other element is accessed. The error wraps drx.ErrRank for a dimension that does not
// exist, drx.ErrBounds if by is less than one, and drx.ErrOverflow if the array would exceed 64
// bits or 64 TiB. The array is unchanged then.
func (a *Array[T]) Extend(dim, by int) (nd.Section, error) {
	return a.extend(dim, by, axial.High, false)
}

// ExtendLow is Extend below the lowest index. Every element keeps its index.
func (a *Array[T]) ExtendLow(dim, by int) (nd.Section, error) {
	return a.extend(dim, by, axial.Low, false)
}

// ExtendCubical is Extend or, with axial.Low, ExtendLow. It then extends the other dimensions on
// the same side, in turn and by at most one chunk extent at a time, until all extents are equal.
func (a *Array[T]) ExtendCubical(dim, by int, side axial.Side) (nd.Section, error) {
	if err := state.CheckSide(side); err != nil {
		return nil, fail("extend", err)
	}
	return a.extend(dim, by, side, true)
}

func (a *Array[T]) extend(dim, by int, side axial.Side, cubical bool) (nd.Section, error) {
	added, err := a.extended(state.Extend{Dim: dim, By: by, Low: side == axial.Low}, cubical)
	if err != nil {
		return nil, fail(fmt.Sprintf("extend dimension %d by %d", dim, by), err)
	}
	return added, nil
}

// extended applies an extension, and the extensions that make the array cubical, and returns the
// new section.
func (a *Array[T]) extended(e state.Extend, cubical bool) (nd.Section, error) {
	a.grow.Lock()
	defer a.grow.Unlock()
	before := a.view.Load()
	steps := []state.Extend{e}
	if cubical {
		var err error
		if steps, err = before.state.Cubical(steps[0]); err != nil {
			return nil, err
		}
	}
	after := before
	for _, step := range steps {
		var err error
		if after, err = after.extend(step); err != nil {
			return nil, err
		}
	}
	a.view.Store(after)
	return state.Added(before.state, after.state, e), nil
}

// extend returns the view after one extension.
func (v *view[T]) extend(e state.Extend) (*view[T], error) {
	s, err := v.state.Apply(state.Record{Extend: &e})
	if err != nil {
		return nil, err
	}
	n, err := v.next(s, e.Dim)
	if err == nil && s.WidestLo != nil {
		n.fillRegrown(v.state, e)
	}
	return n, err
}

// fillRegrown sets elements that an extension makes visible again to the fill value. They still
// have their values from before the Shrink.
func (v *view[T]) fillRegrown(before *state.State, e state.Extend) {
	sec := nd.Box(v.state.Lo, v.state.Hi)
	r := &sec[e.Dim]
	if e.Low {
		*r = nd.Span(max(r.Lo, before.WidestLo[e.Dim]), before.Lo[e.Dim])
	} else {
		*r = nd.Span(before.Hi[e.Dim], min(r.Hi, before.WidestHi[e.Dim]))
	}
	for d := range sec {
		sec[d].Step = 1
	}
	v.fillBoxes(sec, v.fill)
}

// AddDim adds a last dimension of extent one with the given name, which may be empty, and returns
// its number. No element moves; each has index 0 in the new dimension, which can then be extended
// like any other. The error wraps drx.ErrRank if there are nd.MaxRank dimensions already or the
// name is taken.
func (a *Array[T]) AddDim(name string) (int, error) {
	a.grow.Lock()
	defer a.grow.Unlock()
	v := a.view.Load()
	s, err := v.state.Apply(state.Record{AddDim: &state.AddDim{Name: name}})
	if err != nil {
		return 0, fail("add dimension "+name, err)
	}
	a.view.Store(v.addDim(s))
	return len(s.Lo) - 1, nil
}

// Shrink removes the given number of highest indices from dimension dim. If the array grows again,
// the new elements have the fill value. The array keeps the memory for that; to free it, copy the
// array to another one. The error wraps drx.ErrRank for a dimension that does not exist, and
// drx.ErrBounds unless 1 <= by <= extent. The array is unchanged then.
func (a *Array[T]) Shrink(dim, by int) error {
	return a.shrink(state.Shrink{Dim: dim, By: by})
}

// ShrinkLow is Shrink for the lowest indices.
func (a *Array[T]) ShrinkLow(dim, by int) error {
	return a.shrink(state.Shrink{Dim: dim, By: by, Low: true})
}

func (a *Array[T]) shrink(h state.Shrink) error {
	op := fmt.Sprintf("shrink dimension %d by %d", h.Dim, h.By)
	a.grow.Lock()
	defer a.grow.Unlock()
	v := a.view.Load()
	s, err := v.state.Apply(state.Record{Shrink: &h})
	if err != nil {
		return fail(op, err)
	}
	n := *v
	n.setState(s)
	a.view.Store(&n)
	return nil
}
