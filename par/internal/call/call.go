// Package call is what the implementations of par.Comm share, so that all of them do and say the
// same: it compares what the procs of a program say they are about to do, carries their errors
// from one process to another, turns panics into errors, and creates files.
package call

import (
	"errors"
	"fmt"
	"hash/fnv"
)

// ErrDisagree is returned when procs that should make the same call do not.
var ErrDisagree = errors.New("procs disagree")

// A Call is what one proc brings to a collective call.
type Call struct {
	Proc int    // its number in the whole program
	What string // the call and the arguments that have to be the same everywhere
	Err  error  // why it cannot take part properly, nil if it can
	// Blamed is 1 more than the proc that Err names as its own, 0 if it names none.
	Blamed int
}

// Hash returns a number from 0 that is the same for equal What.
func (c Call) Hash() int64 {
	h := fnv.New64a()
	h.Write([]byte(c.What))
	return int64(h.Sum64() >> 1)
}

// Compare returns the number of the proc to blame and the error, nil if all make the same call
// without an error. Different calls come first: an error of one call means nothing to another.
func Compare(calls []Call) (int, error) {
	common := mostFrequent(calls)
	for _, c := range calls {
		if c.What != common.What {
			return c.Proc, fmt.Errorf("%w: proc %d calls %q where proc %d calls %q",
				ErrDisagree, c.Proc, c.What, common.Proc, common.What)
		}
	}
	for _, c := range calls {
		if c.Err != nil {
			return c.Proc, c.Err
		}
	}
	return 0, nil
}

// mostFrequent returns the first of the calls that most procs make; of equally frequent ones
// the first. So one stray proc is blamed, and not those it strays from.
func mostFrequent(calls []Call) Call {
	var best Call
	most, count := 0, map[string]int{}
	for _, c := range calls {
		count[c.What]++
	}
	for _, c := range calls {
		if count[c.What] > most {
			best, most = c, count[c.What]
		}
	}
	return best
}
