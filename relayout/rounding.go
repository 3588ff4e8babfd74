package relayout

import (
	"cmp"

	"drx/dataset/meaning"
	"drx/internal/errkind"
)

// roundingOf returns a function that rounds elements of an array, nil for no rounding. The error
// wraps optionerr.ErrOption if their type does not allow this rounding.
func roundingOf(a interface {
	ArrayInfo
	FillValue() []byte
}, r meaning.Rounding,
) (func(elements []byte) error, error) {
	if r.IsNone() {
		return nil, nil
	}
	m, err := meaning.Of(a.DType(), a.FillValue(), a.Attrs(), nil)
	if err != nil {
		return nil, err
	}
	round, err := r.Of(m)
	if err != nil {
		return nil, r.Wrong("%w", err)
	}
	return round, nil
}

// setRounding sets the attribute that records the rounding of a target. It is committed with the
// checkpoint, before any element.
func setRounding(a target, r meaning.Rounding) error {
	if r.IsNone() {
		return nil
	}
	return a.SetAttr(r.Attr(), r.Number(a.Attrs()))
}

// nameOf returns what a checkpoint says of a rounding.
func nameOf(r meaning.Rounding) string {
	if r.IsNone() {
		return ""
	}
	return r.String()
}

// checkRounding returns an error that wraps ErrMismatch unless the copy has begun with a rounding.
func (c *checkpoint) checkRounding(r meaning.Rounding) error {
	if c.Rounding == nameOf(r) {
		return nil
	}
	return errkind.Errorf(ErrMismatch, "the copy to resume has begun with the rounding %s, not %s", cmp.Or(c.Rounding, "none"), r)
}
