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

	hash int64 // of a call from another process: What may have been cut
}

// Hash returns a number from 0 that is the same for equal What.
func (c Call) Hash() int64 {
	if c.hash != 0 {
		return c.hash
	}
	h := fnv.New64a()
	h.Write([]byte(c.What))
	return int64(h.Sum64() >> 1)
}

// Compare returns the number of the proc to blame and the error, nil if all make the same call
// without an error. Different calls come first: an error of one call means nothing to another.
func Compare(calls []Call) (int, error) {
	common := mostFrequent(calls)
	for _, c := range calls {
		if c.Hash() != common.Hash() {
			return c.Proc, differ(c, common)
		}
	}
	for _, c := range calls {
		if c.Err != nil {
			return c.Proc, c.Err
		}
	}
	return 0, nil
}

// differ returns the error of a call that should be like another one.
func differ(c, common Call) error {
	mine, theirs := cut(c.What), cut(common.What)
	behind := ""
	if mine == theirs {
		behind = fmt.Sprintf(": they differ behind the first %d bytes", MaxText)
	}
	return fmt.Errorf("%w: proc %d calls %q where proc %d calls %q%s", ErrDisagree, c.Proc, mine, common.Proc, theirs, behind)
}

// mostFrequent returns the first of the calls that most procs make; of equally frequent ones
// the first. So one stray proc is blamed, and not those it strays from.
func mostFrequent(calls []Call) Call {
	var best Call
	most, count := 0, map[int64]int{}
	for _, c := range calls {
		count[c.Hash()]++
	}
	for _, c := range calls {
		if n := count[c.Hash()]; n > most {
			best, most = c, n
		}
	}
	return best
}
