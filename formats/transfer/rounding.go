package transfer

import (
	"encoding/json"
	"fmt"

	"drx"
	"drx/dataset/meaning"
	"drx/dtype"
	"drx/formats"
)

// isFloating reports whether elements of a type can be rounded.
func isFloating(t dtype.DType) bool { return t.IsFloat() || t.IsComplex() }

// roundingOf returns a function that rounds elements of a variable in place, and the value of the
// netCDF attribute that records the rounding. If the variable was rounded more coarsely before, the
// attribute keeps its value.
func roundingOf(r meaning.Rounding, v formats.Info) (round func(elements []byte) error, n int64, err error) {
	attrs, err := rawAttrs(v.Attrs)
	if err != nil {
		return nil, 0, err
	}
	m, err := meaning.Of(v.DType, v.Fill, attrs, nil)
	if err != nil { // the scale is not a number: only the fill value marks missing values
		m = &meaning.Meaning{Type: v.DType, Fill: v.Fill}
	}
	if round, err = r.Of(m); err != nil {
		return nil, 0, r.Wrong("%s%w", inVariable(v), err)
	}
	return round, r.Number(attrs), nil
}

// roundingLike returns a function that rounds elements in place before they are written to an
// array. It returns an error unless the array is rounded in the same way.
func roundingLike(r meaning.Rounding, a arrayHeader) (func(elements []byte) error, error) {
	if err := r.Check(a.dtype); err != nil {
		return nil, r.Wrong("%s: %w", a.name, err)
	}
	if !r.IsIn(a.attrs) {
		return nil, r.Wrong("%s is not rounded so, as its attribute %s would say: leave the option out", a.name, r.Attr())
	}
	m, err := a.meaning(nil)
	if err != nil {
		return nil, err
	}
	round, err := r.Of(m)
	if err != nil {
		return nil, r.Wrong("%s: %w", a.name, err)
	}
	return round, nil
}

// RoundingLike returns a function that rounds elements in place before they are written to an
// array. The array must be rounded in the same way, by its attribute; otherwise the error wraps
// optionerr.ErrOption. If r is no rounding, the function is nil, and there is a note if the array
// is rounded but the elements, whose attributes are from, are not.
func RoundingLike(r meaning.Rounding, a *drx.Array, from map[string]any) (round func(elements []byte) error, note string, err error) {
	if !r.IsNone() {
		round, err = roundingLike(r, headerOf(a))
		return round, "", err
	}
	attrs, err := rawAttrs(from)
	return nil, roundedOnly(a.Attrs(), attrs), err
}

// roundedOnly returns the note that the array is rounded, by its attributes, but the elements
// written to it are not; "" otherwise.
func roundedOnly(array, from map[string]json.RawMessage) string {
	is := meaning.RoundingOf(array)
	if is.IsNone() || is.IsIn(from) {
		return ""
	}
	return fmt.Sprintf("what is written is not rounded, as the array is, to %v, which its attribute %s says", is, is.Attr())
}
