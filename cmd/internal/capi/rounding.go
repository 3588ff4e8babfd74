package capi

import (
	"encoding/json"

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
	for name, value := range s.Attrs {
		if raw, _ := value.(json.RawMessage); meaning.IsRoundingAttr(name) && !r.IsIn(map[string]json.RawMessage{name: raw}) {
			return false, r.Wrong("the attribute %s=%s given with it is another rounding: leave one of them out", name, raw)
		}
	}
	if s.Attrs == nil {
		s.Attrs = map[string]any{}
	}
	s.Attrs[r.Attr()] = o.Digits + o.Bits // one of them is 0
	return true, nil
}

// checkRounding returns an ErrInvalid if options ask to round to 0 digits or bits, which would
// round nothing. A 0 in an options struct is an option that was not given.
func checkRounding(text string) error {
	var o struct {
		Digits *json.Number `json:"digits"`
		Bits   *json.Number `json:"bits"`
	}
	if json.Unmarshal([]byte(text), &o) != nil {
		return nil // no options of rounding
	}
	for name, n := range map[string]*json.Number{"digits": o.Digits, "bits": o.Bits} {
		if n != nil && *n == "0" {
			return invalidf("option %s=0: want at least 1; without the option all are kept", name)
		}
	}
	return nil
}
