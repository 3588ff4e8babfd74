package stats

import (
	"strconv"

	"drx"
	"drx/cube"
)

// A Request selects elements and the statistics to compute of them.
type Request struct {
	Select cube.Selection // nil means the whole array
	Over   []int          // the dimensions to reduce; nil means all, or none if there are groups
	Funcs  []Func         // at least one
	// DDOF is subtracted from the number of values, by which Var and Std divide: 0 for the variance
	// of the values themselves, 1 to estimate that of a population from a sample.
	DDOF int
	// Groups divide dimensions, each another one, into groups. There is a result for each combination.
	Groups []*Grouping
	// Weights are the weights of the elements for Sum, Mean, Std and Var; nil for equal weights.
	Weights *Weights
	// Where selects the elements that count; nil for all. The others do not count as missing.
	Where *Mask
	// Memory limits the buffers, in bytes; 0 means 256 MiB. The result and Options.Cache are extra.
	Memory int
	// Goroutines is the number of computing goroutines; 0 means runtime.GOMAXPROCS(0).
	Goroutines int
	// Progress, if not nil, is called after each part with the part's number of elements. Calls do
	// not overlap.
	Progress func(elements int)
}

// dimName returns the quoted name of a dimension, or its number if it has none.
func dimName(a *drx.Array, d int) string {
	if name := a.Dims()[d]; name != "" {
		return strconv.Quote(name)
	}
	return strconv.Itoa(d)
}
