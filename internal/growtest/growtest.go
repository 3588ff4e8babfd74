// Package growtest extends and shrinks arrays on a side given as a value, for tests that choose it
// at random.
package growtest

import (
	"drx/axial"
	"drx/nd"
)

// An Extender is any kind of array that grows: in files, in memory, or distributed.
type Extender interface {
	Extend(dim, by int) (nd.Section, error)
	ExtendLow(dim, by int) (nd.Section, error)
}

// Extend calls a.Extend or, for axial.Low, a.ExtendLow.
func Extend(a Extender, dim, by int, side axial.Side) (nd.Section, error) {
	if side == axial.Low {
		return a.ExtendLow(dim, by)
	}
	return a.Extend(dim, by)
}

// A Shrinker is any kind of array that shrinks.
type Shrinker interface {
	Shrink(dim, by int) error
	ShrinkLow(dim, by int) error
}

// Shrink calls a.Shrink or, for axial.Low, a.ShrinkLow.
func Shrink(a Shrinker, dim, by int, side axial.Side) error {
	if side == axial.Low {
		return a.ShrinkLow(dim, by)
	}
	return a.Shrink(dim, by)
}
