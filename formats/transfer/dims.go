package transfer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"drx"
	"drx/internal/errkind"
	"drx/internal/wording"
)

// dimOf returns the dimension of an array with the given name or number.
func dimOf(a *drx.Array, text string) (int, error) {
	d, err := a.Dim(text)
	if err != nil {
		named := "without names"
		if names := a.Dims(); strings.Join(names, "") != "" {
			named = fmt.Sprintf("named %q", names)
		}
		return 0, wrongOption("%s: no dimension %q%s: there are 0 to %d, %s", a.Name(), text, wording.DidYouMean("", text, a.Dims()), a.Rank()-1, named)
	}
	return d, nil
}

// dimNames returns the names of the dimensions of an array for messages. One without a name gets
// its number.
func dimNames(a *drx.Array) []string {
	names := a.Dims()
	for d, name := range names {
		if names[d] = wording.Printable(name); name == "" {
			names[d] = strconv.Itoa(d)
		}
	}
	return names
}

// sameDims returns an error if dimensions of a file have other names than those of an array, or
// another order.
func sameDims(own []string, a *drx.Array) error {
	if !slices.Equal(own, a.Dims()) && sameNames(own, a.Dims()) {
		return errkind.Errorf(drx.ErrRank, "order is %s, that of %s is %s: transpose the file: dimension %d is %s", strings.Join(own, ", "), a.Name(),
			strings.Join(a.Dims(), ", "), firstDifference(own, a.Dims()), wording.Printable(own[firstDifference(own, a.Dims())]))
	}
	for k, dim := range a.Dims() {
		if dim != "" && own[k] != "" && own[k] != dim {
			return errkind.Errorf(drx.ErrRank, "dimension %d is %s, that of %s is %s", k, wording.Printable(own[k]), a.Name(), wording.Printable(dim))
		}
	}
	return nil
}

// sameNames reports whether two lists have the same names, in any order.
func sameNames(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// firstDifference returns the first index at which two lists differ.
func firstDifference(a, b []string) int {
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i
}
