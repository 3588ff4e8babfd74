package capi

import (
	"drx"
	"drx/dataset/meaning"
)

// roundingOptions are the options of drx_create and drx_dataset_create_variable by which elements
// are rounded before they are stored.
type roundingOptions struct {
	Digits int `json:"digits"`
	Bits   int `json:"bits"`
}

// describe adds netCDF's attribute of the rounding to the spec of a new array, and reports whether
// there is any rounding. The error wraps optionerr.ErrOption if elements of its type cannot be
// rounded so.
func (o roundingOptions) describe(s *drx.Spec) (rounds bool, err error) {
	r, err := meaning.RoundTo(o.Digits, o.Bits)
	if err != nil || r.IsNone() {
		return false, err
	}
	if err := r.Check(s.DType); err != nil {
		return false, r.Wrong("%w", err)
	}
	if s.Attrs == nil {
		s.Attrs = map[string]any{}
	}
	s.Attrs[r.Attr()] = o.Digits + o.Bits // one of them is 0
	return true, nil
}
