package state

import (
	"slices"

	"drx/axial"
	"drx/internal/errkind"
	"drx/nd"
)

// CheckSide returns an error wrapping nd.ErrBounds if side is neither axial.High nor axial.Low.
func CheckSide(side axial.Side) error {
	if side != axial.High && side != axial.Low {
		return errkind.Errorf(nd.ErrBounds, "side %d is neither axial.High (%d) nor axial.Low (%d)", side, axial.High, axial.Low)
	}
	return nil
}

// Added returns the section that an extension has added between two states, in the new bounds of
// the other dimensions.
func Added(before, after *State, e Extend) nd.Section {
	added := nd.Box(after.Lo, after.Hi)
	if e.Low {
		added[e.Dim].Hi = before.Lo[e.Dim]
	} else {
		added[e.Dim].Lo = before.Hi[e.Dim]
	}
	return added
}

// maxPadding is the largest number of steps in a cubical extension. Each may add a record.
const maxPadding = 1 << 20

// Cubical returns an extension, followed by the extensions on the same side that make all extents
// equal: cyclically over the other dimensions, one chunk extent at a time (Nimako 2016, section
// 5.3). The error wraps nd.ErrOverflow if that takes more than 2^20 steps. An extension that Apply
// would reject is returned alone.
func (s *State) Cubical(e Extend) ([]Extend, error) {
	steps := []Extend{e}
	if e.Dim < 0 || e.Dim >= len(s.Lo) || e.By < 1 {
		return steps, nil
	}
	shape := nd.Shape(s.Lo, s.Hi)
	var ok bool
	if shape[e.Dim], ok = nd.Add(shape[e.Dim], e.By); !ok {
		return steps, nil
	}
	edge, spare := slices.Max(shape), maxPadding
	for d, n := range shape {
		if spare -= min((edge-n)/s.Chunk[d], maxPadding+1); spare < 0 {
			return nil, errkind.Errorf(nd.ErrOverflow, "cubical padding of %v to extents of %d takes more than %d steps", shape, edge, maxPadding)
		}
	}
	for padded := true; padded; {
		padded = false
		for i := range shape {
			d := (e.Dim + 1 + i) % len(shape)
			if step := min(s.Chunk[d], edge-shape[d]); step > 0 {
				steps = append(steps, Extend{Dim: d, By: step, Low: e.Low})
				shape[d] += step
				padded = true
			}
		}
	}
	return steps, nil
}
