package transfer

import (
	"drx/dtype"
	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/quantize"
)

// isFloating reports whether elements of a type can be rounded.
func isFloating(t dtype.DType) bool { return t.IsFloat() || t.IsComplex() }

// of returns a function that rounds elements of a variable in place, and the attribute that tells
// of it as netCDF does. Missing values stay as they are, and so do NaN and infinities. A variable
// that was rounded to less before keeps what its attribute says.
func (r rounding) of(v formats.Info) (round func(elements []byte) error, attr string, n int64, err error) {
	if err := quantize.Check(v.DType, r.method, r.n); err != nil {
		return nil, "", 0, r.wrong("%s%w", inVariable(v), err)
	}
	missing := [][]byte{v.Fill}
	if m, err := meaningOfVar(v, nil); err == nil {
		if m.DifferInMissing() {
			return nil, "", 0, errkind.Of(dtype.ErrDType, errorf("%v: %shas a missing value for each of its indices, which may be rounded: leave the option out", r.option(), inVariable(v)))
		}
		missing = append(missing, m.Missing...)
	}
	attr, n = r.method.Attr(), int64(r.n)
	if before, ok := numberOf(v.Attrs[attr]); ok && before > 0 && before < n {
		n = before
	}
	return func(elements []byte) error {
		return quantize.Quantize(v.DType, r.method, r.n, elements, missing...)
	}, attr, n, nil
}

// numberOf returns the integer that an attribute is, also in a list of one.
func numberOf(value any) (int64, bool) {
	if list, ok := value.([]any); ok && len(list) == 1 {
		value = list[0]
	}
	raw, err := formats.EncodeAttr(value)
	if value == nil || err != nil {
		return 0, false
	}
	element, err := dtype.Int64.FromJSON(raw)
	if err != nil {
		return 0, false
	}
	return int64(dtype.Int64.Float64(element)), true
}
