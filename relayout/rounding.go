package relayout

import (
	"drx"
	"drx/dataset/meaning"
)

// roundingOf returns a function that rounds elements of an array. The error wraps
// optionerr.ErrOption if they cannot be rounded so.
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

// setRounding sets the attribute that says how the target is rounded. It is committed with the
// checkpoint, before any element is.
func (j *copyJob) setRounding() error {
	if r := j.options.Rounding; j.round != nil {
		return j.dst.SetAttr(r.Attr(), r.Number(j.dst.Attrs()))
	}
	return nil
}
