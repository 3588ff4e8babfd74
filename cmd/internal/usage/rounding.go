package usage

import (
	"errors"
	"strconv"

	"github.com/spf13/pflag"
)

// AddRoundingFlags adds the flags of verbs that round floating-point data, see meaning.RoundTo.
func AddRoundingFlags(f *pflag.FlagSet, digits, bits *int) {
	f.Var((*roundingFlag)(digits), "digits", "significant `digits` to which floating-point data are rounded (default: all)")
	f.Var((*roundingFlag)(bits), "bits", "`bits` of the fraction to which floating-point data are rounded (default: all)")
}

// A roundingFlag is the number of digits or bits to keep. It is 0 if the flag is not given.
type roundingFlag int

// Set implements pflag.Value. To round to 0 is an error, as nothing would be rounded.
func (r *roundingFlag) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil {
		return errors.New("want a whole number")
	}
	if n == 0 {
		return errors.New("want at least 1; without the flag all are kept")
	}
	*r = roundingFlag(n)
	return nil
}

// Type implements pflag.Value.
func (r *roundingFlag) Type() string { return "count" }

// String implements pflag.Value.
func (r *roundingFlag) String() string { return strconv.Itoa(int(*r)) }
