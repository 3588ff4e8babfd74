package transfer

import (
	"drx/dtype"
	"drx/internal/quantize"
	"drx/optionerr"
)

// A rounding is the option Digits or Bits, by which floating-point numbers lose what they do not
// need. The zero rounding does nothing.
type rounding struct {
	method quantize.Method
	n      int
}

// parseRounding returns what the options Digits and Bits of a verb say.
func parseRounding(verb string, digits, bits int) (rounding, error) {
	switch {
	case digits == 0 && bits == 0:
		return rounding{}, nil
	case digits != 0 && bits != 0:
		return rounding{}, wrongOption("%s: %v and %v exclude each other", verb, option("digits", digits), option("bits", bits))
	}
	r := rounding{quantize.GranularBitRound, digits}
	if bits != 0 {
		r = rounding{quantize.BitRound, bits}
	}
	if err := quantize.Check(dtype.Float64, r.method, r.n); err != nil { // which has the most of both
		return rounding{}, r.wrong("%w", err)
	}
	return r, nil
}

func (r rounding) isNone() bool { return r == rounding{} }

// option returns the option that the rounding is.
func (r rounding) option() optionerr.Option {
	if r.method == quantize.BitRound {
		return option("bits", r.n)
	}
	return option("digits", r.n)
}

// wrong returns the error of an option that asks for the rounding.
func (r rounding) wrong(format string, args ...any) error {
	o := r.option()
	return optionerr.Wrong(o.Name, o.Value, format, args...)
}
