package stats

import (
	"strconv"

	"drx"
	"drx/cube"
)

// A Request says which statistics to compute, of which elements.
type Request struct {
	Select cube.Selection // nil is the whole array
	Over   []int          // the dimensions to reduce; nil is all of them, or none if there are groups
	Funcs  []Func         // at least one
	// DDOF is what Var and Std subtract from the number of values by which they divide: 0 is for the
	// values as they are, 1 for a sample of more of them.
	DDOF int
	// Group divides a dimension into groups, each of which has results; nil for none.
	Group *Grouping
	// Weights are those of the elements, for Sum, Mean, Std and Var; nil if all weigh the same.
	Weights *Weights
	// Where says which elements count; nil is all of them. The others are not missing.
	Where *Mask
	// Memory limits the bytes of buffers, 0 is 256 MiB. The result and Options.Cache come on top.
	Memory int
	// Goroutines is how many goroutines compute; 0 means runtime.GOMAXPROCS(0).
	Goroutines int
	// Progress, if not nil, is called after each part with its number of elements, by one goroutine
	// at a time.
	Progress func(elements int)
}

// dimName returns the quoted name of a dimension, or its number if it has none.
func dimName(a *drx.Array, d int) string {
	if name := a.Dims()[d]; name != "" {
		return strconv.Quote(name)
	}
	return strconv.Itoa(d)
}
