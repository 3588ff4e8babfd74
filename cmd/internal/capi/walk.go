package capi

import (
	"fmt"

	"drx"
	"drx/internal/errkind"
	"drx/nd"
)

// Walk calls f for the parts of a section: chunks or, if tile is not nil, tiles. It ends with
// ErrCancelled when f returns true. The slices are only valid during the call.
func Walk(h Handle, rank int, s Section, tile []int64, written bool, f func(lo, hi []int64, number int64) (stop bool)) error {
	a, err := arrays.get(h)
	if err != nil {
		return err
	}
	r, err := newRequest(a, rank, s)
	if err != nil {
		return err
	}
	defer r.free()
	w := drx.Walk{Section: r.sec, Written: written}
	if tile != nil {
		extents, err := Ints(tile)
		if err != nil {
			return err
		}
		for d, n := range extents {
			if n < 0 {
				return fmt.Errorf("%s: %w", a.Name(), nd.DimErrorf(d, "%w", errkind.Errorf(drx.ErrBounds, "extent %d of a tile: at least 0", n)))
			}
		}
		w.Tile = extents
	}
	lo, hi := make([]int64, rank), make([]int64, rank)
	for p, err := range a.Parts(w) {
		if err != nil {
			return err
		}
		if err := storeSection(p.Section, rank, lo, hi); err != nil {
			return err
		}
		if f(lo, hi, int64(p.Number)) {
			return ErrCancelled
		}
	}
	return nil
}
