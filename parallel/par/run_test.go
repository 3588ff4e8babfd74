package par_test

import (
	"fmt"
	"testing"

	"drx/parallel/par"
	"drx/parallel/partest"
)

// TestConformance runs the suite of all implementations with goroutine procs.
func TestConformance(t *testing.T) {
	for _, procs := range []int{1, 2, 3, 4, 7} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			partest.Test(t, func(f func(par.Comm) error, o ...par.Options) error { return par.Run(procs, f, o...) })
		})
	}
}
