package usage

import "github.com/spf13/pflag"

// AddRoundingFlags adds the flags of verbs that round floating-point data, see meaning.RoundTo.
func AddRoundingFlags(f *pflag.FlagSet, digits, bits *int) {
	f.IntVar(digits, "digits", 0, "significant `digits` to which floating-point data are rounded (default: all)")
	f.IntVar(bits, "bits", 0, "`bits` of the fraction to which floating-point data are rounded (default: all)")
}
