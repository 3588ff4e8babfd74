package capi

import (
	"drx"
	"drx/axial"
	"drx/dataset"
	"drx/nd"
)

// ToSide returns a side of a dimension: the constants DRX_HIGH and DRX_LOW. The error wraps
// ErrInvalid.
func ToSide(side int) (axial.Side, error) {
	switch side {
	case 0:
		return axial.High, nil
	case 1:
		return axial.Low, nil
	}
	return axial.High, invalidf("side %d: DRX_HIGH and DRX_LOW are 0 and 1", side)
}

// grow calls one of two functions, for the high or the low side, and stores the new section in lo
// and hi, either of which may be nil.
func grow(h Handle, dim, by, side, rank int, lo, hi []int64, high, low func(*drx.Array, int, int) (nd.Section, error)) error {
	a, err := arrays.get(h)
	if err != nil {
		return err
	}
	if err := a.checkOwn("drx_dataset_extend"); err != nil {
		return err
	}
	s, err := ToSide(side)
	if err != nil {
		return err
	}
	if lo != nil || hi != nil { // check the rank before the array changes
		if err := nd.CheckRank("places for bounds", rank, a.Rank()); err != nil {
			return err
		}
	}
	if s == axial.Low {
		high = low
	}
	sec, err := high(a.Array, dim, by)
	if err != nil {
		return err
	}
	return storeSection(sec, rank, lo, hi)
}

// Extend grows a dimension. lo and hi, which may be nil, get the new section.
func Extend(h Handle, dim, by, side, rank int, lo, hi []int64) error {
	return grow(h, dim, by, side, rank, lo, hi, (*drx.Array).Extend, (*drx.Array).ExtendLow)
}

// Reserve grows a dimension of a shared array.
func Reserve(h Handle, dim, by, side, rank int, lo, hi []int64) error {
	return grow(h, dim, by, side, rank, lo, hi, (*drx.Array).Reserve, (*drx.Array).ReserveLow)
}

// ReserveKey is Reserve, but returns the same section for the same key, so that a call can be
// repeated.
func ReserveKey(h Handle, key string, dim, by, side, rank int, lo, hi []int64) error {
	keyed := func(side axial.Side) func(*drx.Array, int, int) (nd.Section, error) {
		return func(a *drx.Array, dim, by int) (nd.Section, error) { return a.ReserveKey(key, dim, by, side) }
	}
	return grow(h, dim, by, side, rank, lo, hi, keyed(axial.High), keyed(axial.Low))
}

// Shrink removes indices of a dimension.
func Shrink(h Handle, dim, by, side int) error {
	shrink := func(f func(*drx.Array, int, int) error) func(*drx.Array, int, int) (nd.Section, error) {
		return func(a *drx.Array, dim, by int) (nd.Section, error) { return nil, f(a, dim, by) }
	}
	return grow(h, dim, by, side, 0, nil, nil, shrink((*drx.Array).Shrink), shrink((*drx.Array).ShrinkLow))
}

// AddDim adds a dimension and returns its number.
func AddDim(h Handle, name string) (int, error) {
	a, err := arrays.get(h)
	if err != nil {
		return 0, err
	}
	if err := a.checkOwn("drx_dataset_create_variable for an array with more dimensions"); err != nil {
		return 0, err
	}
	return a.AddDim(name)
}

// RenameDim gives a dimension another name.
func RenameDim(h Handle, dim int, name string) error {
	a, err := arrays.get(h)
	if err != nil {
		return err
	}
	if err := a.checkOwn("drx_dataset_rename, which renames it in all variables"); err != nil {
		return err
	}
	return dataset.RenameDim(a.Array, dim, name)
}
