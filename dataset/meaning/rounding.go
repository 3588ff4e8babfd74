package meaning

import (
	"encoding/json"
	"slices"

	"drx/dtype"
	"drx/internal/errkind"
	"drx/internal/quantize"
	"drx/optionerr"
)

// A Rounding rounds floating-point numbers to some digits or bits, so that they compress better, by
// one of the methods of netCDF's quantize. The remaining digits are lost. The zero Rounding rounds
// nothing.
type Rounding struct {
	method quantize.Method
	n      int
}

// RoundTo returns the Rounding for the options digits and bits: to significant digits by
// GranularBitRound, or to bits of the fraction by BitRound. Zero means no rounding. The error wraps
// optionerr.ErrOption.
func RoundTo(digits, bits int) (Rounding, error) {
	switch {
	case digits == 0 && bits == 0:
		return Rounding{}, nil
	case digits != 0 && bits != 0:
		of, or := optionerr.Option{Name: "digits", Value: digits}, optionerr.Option{Name: "bits", Value: bits}
		return Rounding{}, optionerr.As(optionerr.Errorf("%v and %v exclude each other", of, or))
	case digits != 0:
		return ParseRounding(quantize.GranularBitRound.String(), digits)
	}
	return ParseRounding(quantize.BitRound.String(), bits)
}

// ParseRounding returns the Rounding by netCDF's method mode, to n digits, or n bits for BitRound.
// The error wraps optionerr.ErrOption for an unknown mode and for an n that no type supports.
func ParseRounding(mode string, n int) (Rounding, error) {
	method, ok := quantize.ParseMethod(mode)
	if !ok {
		return Rounding{}, optionerr.Wrong("mode", mode, "want BitGroom, GranularBitRound or BitRound")
	}
	r := Rounding{method, n}
	if err := r.Check(dtype.Float64); err != nil { // the type with the most digits and bits
		return Rounding{}, r.Wrong("%w", err)
	}
	return r, nil
}

// IsNone reports whether r rounds nothing.
func (r Rounding) IsNone() bool { return r == Rounding{} }

// String describes the rounding: "3 digits by GranularBitRound", or "none".
func (r Rounding) String() string {
	if r.IsNone() {
		return "none"
	}
	return r.method.Describe(r.n) + " by " + r.method.String()
}

// Option returns the option that requests the rounding.
func (r Rounding) Option() optionerr.Option {
	if r.method == quantize.BitRound {
		return optionerr.Option{Name: "bits", Value: r.n}
	}
	return optionerr.Option{Name: "digits", Value: r.n}
}

// Wrong returns an error about the option that requests the rounding. It wraps optionerr.ErrOption.
func (r Rounding) Wrong(format string, args ...any) error {
	o := r.Option()
	return optionerr.Wrong(o.Name, o.Value, format, args...)
}

// Check returns an error unless elements of type t can be rounded in this way, as integers cannot.
// Use Wrong to name the option in the error.
func (r Rounding) Check(t dtype.DType) error { return quantize.Check(t, r.method, r.n) }

// Of returns a function that rounds elements with meaning m in place. It keeps missing values, NaN
// and infinities, and is safe for concurrent use. The error is that of Check, or wraps
// dtype.ErrDType if each index of a dimension has its own missing value. Use Wrong to name the
// option in the error.
func (r Rounding) Of(m *Meaning) (func(elements []byte) error, error) {
	if err := r.Check(m.Type); err != nil {
		return nil, err
	}
	if m.DifferInMissing() {
		return nil, errkind.Errorf(dtype.ErrDType, "each index has a missing value of its own, which may be rounded: leave the option out")
	}
	missing := append(slices.Clone(m.Missing), m.Fill)
	return func(elements []byte) error {
		return quantize.Quantize(m.Type, r.method, r.n, elements, missing...)
	}, nil
}

// Attr returns the name of the attribute in which netCDF records the rounding. Its value is the
// number of digits or bits.
func (r Rounding) Attr() string { return r.method.Attr() }

// Number returns the value of the attribute Attr after rounding: the number of digits or bits, or
// the value in attrs if that is smaller, because earlier rounding cannot be undone.
func (r Rounding) Number(attrs map[string]json.RawMessage) int64 {
	if n, ok := r.number(attrs); ok && n < int64(r.n) {
		return n
	}
	return int64(r.n)
}

// IsIn reports whether attrs record this rounding.
func (r Rounding) IsIn(attrs map[string]json.RawMessage) bool {
	n, ok := r.number(attrs)
	return ok && n == int64(r.n)
}

// number returns the value of the attribute Attr, which may be in a list of one. ok is false unless
// it is positive.
func (r Rounding) number(attrs map[string]json.RawMessage) (n int64, ok bool) {
	list := parts(attrs[r.Attr()])
	if len(list) != 1 {
		return 0, false
	}
	element, err := dtype.Int64.FromJSON(list[0])
	if err != nil {
		return 0, false
	}
	n = int64(dtype.Int64.Float64(element))
	return n, n > 0
}

// roundings are the available methods of rounding.
var roundings = []quantize.Method{quantize.GranularBitRound, quantize.BitRound, quantize.BitGroom}

// IsRoundingAttr reports whether an attribute of this name records a rounding.
func IsRoundingAttr(name string) bool {
	return slices.ContainsFunc(roundings, func(m quantize.Method) bool { return m.Attr() == name })
}

// RoundingOf returns the rounding that attrs record, or the zero Rounding.
func RoundingOf(attrs map[string]json.RawMessage) Rounding {
	for _, method := range roundings {
		r := Rounding{method: method}
		if n, ok := r.number(attrs); ok && quantize.Check(dtype.Float64, method, int(n)) == nil {
			return Rounding{method, int(n)}
		}
	}
	return Rounding{}
}
