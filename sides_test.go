package drx

import (
	"drx/axial"
	"drx/nd"
)

// reserveSide calls a.Reserve or, for axial.Low, a.ReserveLow.
func reserveSide(a *Array, dim, by int, side axial.Side) (nd.Section, error) {
	if side == axial.Low {
		return a.ReserveLow(dim, by)
	}
	return a.Reserve(dim, by)
}
