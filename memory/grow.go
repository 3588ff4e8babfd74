package memory

import (
	"fmt"

	"drx"
	"drx/internal/state"
	"drx/nd"
)

// Extend grows dimension dim by so many elements, on the high side or with drx.Low on the low
// one, and returns the section that is new: all of the other dimensions, in their present
// bounds. drx.Cubical goes on to extend the other dimensions on the same side, in turn and by a
// chunk's extent at most, until all extents are equal. The new elements are the fill value;
// no other is touched. The error wraps drx.ErrRank for a dimension that does not exist,
// drx.ErrBounds when by is less than one and for a Growth that there is not, and
// drx.ErrOverflow when the array would no longer fit 64 bits or 64 TiB; the array is unchanged
// then.
func (a *Array[T]) Extend(dim, by int, how ...Growth) (nd.Section, error) {
	added, err := a.extend(dim, by, how)
	if err != nil {
		return nil, fail(fmt.Sprintf("extend dimension %d by %d", dim, by), err)
	}
	return added, nil
}

func (a *Array[T]) extend(dim, by int, how []Growth) (nd.Section, error) {
	low, cubical, err := state.Growths(how, drx.Cubical)
	if err != nil {
		return nil, err
	}
	a.grow.Lock()
	defer a.grow.Unlock()
	before := a.view.Load()
	steps := []state.Extend{{Dim: dim, By: by, Low: low}}
	if cubical {
		if steps, err = before.state.Cubical(steps[0]); err != nil {
			return nil, err
		}
	}
	after := before
	for _, e := range steps {
		if after, err = after.extend(e); err != nil {
			return nil, err
		}
	}
	a.view.Store(after)
	added := nd.Box(after.state.Lo, after.state.Hi)
	if low {
		added[dim].Hi = before.state.Lo[dim]
	} else {
		added[dim].Lo = before.state.Hi[dim]
	}
	return added, nil
}

// extend returns the view after one extension.
func (v *view[T]) extend(e state.Extend) (*view[T], error) {
	s, err := v.state.Apply(state.Record{Extend: &e})
	if err != nil {
		return nil, err
	}
	n, err := v.next(s, e.Dim)
	if err == nil && s.WidestLo != nil {
		n.blankRegrown(v.state, e)
	}
	return n, err
}

// blankRegrown sets to the fill value what an extension makes visible again: it may hold what
// a Shrink took away.
func (v *view[T]) blankRegrown(before *state.State, e state.Extend) {
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

// AddDim adds a dimension, the last, of extent one and with the given name, which may be
// empty. Every element keeps its place and gets index 0 in the new dimension, which can
// then be extended like any other. It returns the number of the dimension. The error wraps
// drx.ErrRank when there are nd.MaxRank dimensions already or the name is taken.
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

// Shrink takes so many elements from dimension dim, from the high side or, with drx.Low, from
// the low side. Growing again gives the fill value. The memory is kept for that; it takes Load
// or Read into another array to give it back. The error wraps drx.ErrRank for a dimension
// that does not exist, and drx.ErrBounds unless 1 <= by <= extent and for a Growth other than
// drx.High or drx.Low; the array is unchanged then.
func (a *Array[T]) Shrink(dim, by int, how ...Growth) error {
	op := fmt.Sprintf("shrink dimension %d by %d", dim, by)
	low, _, err := state.Growths(how, drx.Low)
	if err != nil {
		return fail(op, err)
	}
	a.grow.Lock()
	defer a.grow.Unlock()
	v := a.view.Load()
	s, err := v.state.Apply(state.Record{Shrink: &state.Shrink{Dim: dim, By: by, Low: low}})
	if err != nil {
		return fail(op, err)
	}
	n := *v
	n.setState(s)
	a.view.Store(&n)
	return nil
}
