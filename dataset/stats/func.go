package stats

import (
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
	Quantile           // the value below which Func.Percent percent of the values lie
	Max                // the largest value
	First              // the value at the lowest position
	Last               // the value at the highest position
	ArgMin             // the index of the smallest value; the first index if several are equal
	ArgMax             // the index of the largest value; the first index if several are equal
)

// A kind is what is known of a statistic besides how it is computed.
type kind struct {
	name, help string // help is what a flag of this name computes
	method     string // the word of the CF conventions in cell_methods; "" if they have none
	about      string // of a result that is no value: how its long_name begins
	keepsType  bool   // the result is a value or a sum of values, in the type of the reduction
	alongOne   bool   // exactly one dimension is reduced
}

// kinds has the statistics in their order. A Quantile that is not the median has the name p,
// followed by the percent, and the method percentile_ with it.
var kinds = [...]kind{
	Count:    {name: "count", help: "the number of elements that are not missing", about: "number of values of "},
	Missing:  {name: "missing", help: "the number of elements that are missing", about: "number of missing values of "},
	Sum:      {name: "sum", help: "the sum", method: "sum", keepsType: true},
	Mean:     {name: "mean", help: "the mean", method: "mean"},
	Std:      {name: "std", help: "the standard deviation", method: "standard_deviation"},
	Var:      {name: "var", help: "the variance", method: "variance"},
	Min:      {name: "min", help: "the smallest value", method: "minimum", keepsType: true},
	Quantile: {name: "median", help: "the median", method: "median"},
	Max:      {name: "max", help: "the largest value", method: "maximum", keepsType: true},
	First:    {name: "first", help: "the first value along one dimension", method: "point", keepsType: true, alongOne: true},
	Last:     {name: "last", help: "the last value along one dimension", method: "point", keepsType: true, alongOne: true},
	ArgMin:   {name: "argmin", help: "the index of the smallest value along one dimension", about: "index of the smallest value of ", alongOne: true},
	ArgMax:   {name: "argmax", help: "the index of the largest value along one dimension", about: "index of the largest value of ", alongOne: true},
}

// A Func is a statistic to compute.
type Func struct {
	Op      Op
	Percent float64 // of a Quantile: 50 is the median; 0 for the others
}

// Named returns the statistics with names of their own, the median among them: all but the other
// quantiles.
func Named() []Func {
	funcs := make([]Func, len(kinds))
	for op := range kinds {
		funcs[op] = Func{Op: Op(op)}
	}
	funcs[Quantile] = Median
	return funcs
}

// Median is the 50 percent quantile.
var Median = Func{Op: Quantile, Percent: 50}

// String returns the name of the statistic, as ParseFunc reads it.
func (f Func) String() string {
	if f.Op == Quantile && f.Percent != 50 {
		return "p" + strconv.FormatFloat(f.Percent, 'f', -1, 64)
	}
	if int(f.Op) >= len(kinds) {
		return "op(" + strconv.Itoa(int(f.Op)) + ")"
	}
	return f.kind().name
}

// Help says in a few words what the statistic is, as in "the mean".
func (f Func) Help() string { return f.kind().help }

func (f Func) kind() *kind { return &kinds[f.Op] }

// ParseFunc returns the statistic with a name: that of one of Named, or a percentile as in p90 or
// p99.9. The error is about the option "function".
func ParseFunc(name string) (Func, error) {
	var names []string
	for _, f := range Named() {
		if f.String() == name {
			return f, nil
		}
		names = append(names, f.String())
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
func (f Func) alongOne() bool { return f.kind().alongOne }

// isIndex reports whether the result is an index.
func (f Func) isIndex() bool { return f.Op == ArgMin || f.Op == ArgMax }

// keepsType reports whether the result is a value or a sum of values, in the type of the reduction.
func (f Func) keepsType() bool { return f.kind().keepsType }
