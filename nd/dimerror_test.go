package nd

import (
	"errors"
	"testing"
)

// Errors of an index and of a section name the dimension.
func TestDimError(t *testing.T) {
	lo, hi := []int{0, 0, -3}, []int{4, 5, 6}
	_, outside := Sec(All, All, Span(0, 7)).Resolve(lo, hi)
	_, syntax := ParseSection(":,:,x")
	for _, err := range []error{CheckIndex([]int{0, 0, -4}, lo, hi), outside, syntax} {
		var of *DimError
		if !errors.As(err, &of) || of.Dim != 2 {
			t.Errorf("%v: %v, want an error of dimension 2", err, of)
		}
	}
	if err := CheckIndex([]int{9, 0, 0}, lo, hi); !errors.Is(err, ErrBounds) || err.Error() != "dimension 0: index 9 outside [0, 4)" {
		t.Error(err)
	}
}
