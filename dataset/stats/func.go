package stats

import (
	"slices"
	"strconv"
	"strings"

	"drx/optionerr"
)

// An Op is a kind of statistic.
type Op uint8

// The statistics. All but Missing ignore missing elements. First, Last, ArgMin and ArgMax reduce
// exactly one dimension.
const (
	Count    Op = iota // the number of elements that are not missing
	Missing            // the number of missing elements
	Sum                // exact for integers
	Mean               // the sum divided by the count, or by the sum of the weights
	Std                // the standard deviation, the square root of Var
	Var                // the mean squared distance from the mean, see Request.DDOF
	Min                // the smallest value
	Max                // the largest value
	Quantile           // the value below which Func.Percent percent of the values lie
	First              // the value at the lowest position
	Last               // the value at the highest position
	ArgMin             // the index of the smallest value; the first index if several are equal
	ArgMax             // the index of the largest value; the first index if several are equal
)

// names are the names of the statistics. A Quantile has the name median, or p followed by the
// percent.
var names = []string{"count", "missing", "sum", "mean", "std", "var", "min", "max", "median", "first", "last", "argmin", "argmax"}

// A Func is a statistic to compute.
type Func struct {
	Op      Op
	Percent float64 // of a Quantile: 50 is the median; 0 for the others
}

// Median is the 50 percent quantile.
var Median = Func{Op: Quantile, Percent: 50}

// String returns the name of the statistic, as ParseFunc reads it.
func (f Func) String() string {
	if f.Op == Quantile && f.Percent != 50 {
		return "p" + strconv.FormatFloat(f.Percent, 'f', -1, 64)
	}
	if int(f.Op) >= len(names) {
		return "op(" + strconv.Itoa(int(f.Op)) + ")"
	}
	return names[f.Op]
}

// ParseFunc returns the statistic with a name: count, missing, sum, mean, std, var, min, max,
// median, first, last, argmin, argmax, or a percentile as in p90 or p99.9. The error is about the
// option "function".
func ParseFunc(name string) (Func, error) {
	if op := slices.Index(names, name); op >= 0 {
		f := Func{Op: Op(op)}
		if f.Op == Quantile {
			f.Percent = 50
		}
		return f, nil
	}
	if digits, ok := strings.CutPrefix(name, "p"); ok {
		if percent, err := ParsePercent(digits); err == nil {
			return Func{Quantile, percent}, nil
		}
	}
	return Func{}, optionerr.Wrong("function", name, "want one of %s, or a percentile of 0 to 100, as in p90", strings.Join(names, ", "))
}

// ParsePercent reads a percentage from 0 to 100. The error is about the option "percentile".
func ParsePercent(text string) (float64, error) {
	percent, err := strconv.ParseFloat(text, 64)
	if err != nil || !(percent >= 0 && percent <= 100) {
		return 0, optionerr.Wrong("percentile", text, "want a number from 0 to 100")
	}
	return percent, nil
}

// IsCount reports whether the statistic counts elements, so that it is defined without any value.
func (f Func) IsCount() bool { return f.Op == Count || f.Op == Missing }

// alongOne reports whether the statistic reduces exactly one dimension.
func (f Func) alongOne() bool { return f.Op >= First }

// isIndex reports whether the result is an index.
func (f Func) isIndex() bool { return f.Op == ArgMin || f.Op == ArgMax }

// keepsType reports whether the result is a value or a sum of values, in the type of the reduction.
func (f Func) keepsType() bool {
	return slices.Contains([]Op{Sum, Min, Max, First, Last}, f.Op)
}
