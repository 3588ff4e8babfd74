package relayout

import (
	"drx"
	"drx/dataset/meaning"
)

// roundingOf returns a function that rounds elements of an array. The error wraps
// optionerr.ErrOption if their type does not allow this rounding.
func roundingOf(a *drx.Array, r meaning.Rounding) (func(elements []byte) error, error) {
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

// setRounding sets the attribute that records the rounding of the target. It is committed with the
// checkpoint, before any element.
func (j *copyJob) setRounding() error {
	if r := j.options.Rounding; j.round != nil {
		return j.dst.SetAttr(r.Attr(), r.Number(j.dst.Attrs()))
	}
	return nil
}
