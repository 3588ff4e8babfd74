package call

import (
	"slices"
	"testing"
)

// TestEnds: the functions that were not canceled are called once, the last one first.
func TestEnds(t *testing.T) {
	var e Ends
	e.Run()
	var got []int
	var cancel []func()
	for i := range 5 {
		cancel = append(cancel, e.Add(func() { got = append(got, i) }))
	}
	cancel[1]()
	e.Run()
	e.Run()
	cancel[2]()
	if !slices.Equal(got, []int{4, 3, 2, 0}) {
		t.Error(got)
	}
}
