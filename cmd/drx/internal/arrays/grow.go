package arrays

import (
	"fmt"

	"drx"
	"drx/axial"
	"drx/cmd/drx/internal/cli"
	"drx/nd"
)

// Extend grows a dimension above its highest index or below its lowest.
func Extend(a *drx.Array, dim, by int, low bool) (nd.Section, error) {
	if low {
		return a.ExtendLow(dim, by)
	}
	return a.Extend(dim, by)
}

// SideOf returns the side at which a dimension grows.
func SideOf(low bool) axial.Side {
	if low {
		return axial.Low
	}
	return axial.High
}

// Extents returns a line with the name, the shape and the bounds of an array.
func Extents(a *drx.Array) string {
	return fmt.Sprintf("%s: %s, bounds %v", cli.Printable(a.Name()), cli.FormatShape(a.Shape()), a.Bounds())
}
