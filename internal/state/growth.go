package state

import (
	"fmt"
	"slices"

	"drx/nd"
)

// The ways to grow or to shrink, which the arrays on disk and in memory have in common.
const (
	GrowHigh    = iota // above the highest index
	GrowLow            // below the lowest
	GrowCubical        // until all extents are equal, see State.Cubical
)

// Growths reads ways to grow, or to shrink, of which most is the last that is allowed. The error
// wraps nd.ErrBounds for another one, and for both sides at once.
func Growths[G ~uint8](how []G, most G) (low, cubical bool, err error) {
	var given [GrowCubical + 1]bool
	for _, h := range how {
		if h > most {
			return false, false, fmt.Errorf("growth %d is not one of 0 to %d: %w", h, most, nd.ErrBounds)
		}
		given[h] = true
	}
	if given[GrowHigh] && given[GrowLow] {
		return false, false, fmt.Errorf("growth is both on the high side and on the low one: %w", nd.ErrBounds)
	}
	return given[GrowLow], given[GrowCubical], nil
}

// maxPadding limits the steps of one cubical extension: each may be a record of its own.
const maxPadding = 1 << 20

// Cubical returns an extension and those, on the same side, that then make all extents equal:
// cyclically over the other dimensions, a chunk's extent at a time (Nimako 2016, section 5.3). The
// error wraps nd.ErrOverflow when that takes more than 2^20 steps. An extension that Apply
// refuses is returned alone.
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
	edge, room := slices.Max(shape), maxPadding
	for d, n := range shape {
		if room -= min((edge-n)/s.Chunk[d], maxPadding+1); room < 0 {
			return nil, fmt.Errorf("cubical padding of %v to extents of %d takes more than %d steps: %w", shape, edge, maxPadding, nd.ErrOverflow)
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
