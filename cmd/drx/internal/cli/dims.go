package cli

import (
	"fmt"
	"strconv"
	"strings"

	"drx"
	"drx/cmd/internal/usage"
	"drx/nd"
)

// ParseDim returns the dimension with the given name or number.
func ParseDim(a *drx.Array, text string) (int, error) {
	d, err := a.Dim(text)
	if err != nil {
		return 0, noDim(a, text)
	}
	return d, nil
}

// noDim returns the error for a dimension that an array does not have.
func noDim(a *drx.Array, text string) error {
	named := "without names"
	if names := a.Dims(); strings.Join(names, "") != "" {
		named = fmt.Sprintf("named %q", names)
	}
	return Usagef("%s: no dimension %q%s: there are 0 to %d, %s", a.Name(), text, usage.DidYouMean(text, a.Dims()), a.Rank()-1, named)
}

// DimNames returns the names of the dimensions for printing.
func DimNames(a *drx.Array) []string { return PrintableDims(a.Dims()) }

// PrintableDims returns the names of dimensions for printing. A dimension without a name gets its
// number.
func PrintableDims(dims []string) []string {
	names := make([]string, len(dims))
	for d, name := range dims {
		names[d] = Printable(name)
		if name == "" {
			names[d] = strconv.Itoa(d)
		}
	}
	return names
}

// NameDim replaces the number of a dimension of an array in an error by its name, if it has one.
func NameDim(a *drx.Array, err error) error { return usage.NameDim(DimNames(a), err) }

// LowHigh returns the low and the high bounds of a section of ranges without steps.
func LowHigh(sec nd.Section) (lo, hi []int) {
	lo, hi = make([]int, len(sec)), make([]int, len(sec))
	for d, r := range sec {
		lo[d], hi[d] = r.Lo, r.Hi
	}
	return lo, hi
}
