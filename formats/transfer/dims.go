package transfer

import (
	"slices"
	"strings"

	"drx"
	"drx/internal/errkind"
	"drx/internal/wording"
)

// sameDims returns an error if dimensions of a file have other names than those of an array, or
// another order.
func sameDims(own []string, a arrayHeader) error {
	if !slices.Equal(own, a.dims) && sameNames(own, a.dims) {
		return errkind.Errorf(drx.ErrRank, "order is %s, that of %s is %s: transpose the file: dimension %d is %s", strings.Join(own, ", "), a.name,
			strings.Join(a.dims, ", "), firstDifference(own, a.dims), wording.Printable(own[firstDifference(own, a.dims)]))
	}
	for k, dim := range a.dims {
		if dim != "" && own[k] != "" && own[k] != dim {
			return errkind.Errorf(drx.ErrRank, "dimension %d is %s, that of %s is %s", k, wording.Printable(own[k]), a.name, wording.Printable(dim))
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
