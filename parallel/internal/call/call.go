// Package call is the common part of the implementations of par.Comm, so that they behave equally
// and report equal errors: it compares the calls that the procs of a program are about to make,
// sends errors between processes, turns panics into errors, and creates files.
package call

import (
	"errors"
	"fmt"
	"hash/fnv"
)

// ErrDisagree is returned when procs that should make the same call do not.
var ErrDisagree = errors.New("procs disagree")

// A Call describes the collective call that one proc is about to make, for the other procs.
type Call struct {
	Proc int    // its number in the whole program
	What string // the call, and the arguments that must be equal on all procs
	Err  error  // why the proc cannot make the call, nil if it can
	// Blamed is 1 more than the number of the proc that Err names, 0 if it names none.
	Blamed int

	hash int64 // for a call from another process, whose What may be truncated
}

// Hash returns a hash of What, which is not negative.
func (c Call) Hash() int64 {
	if c.hash != 0 {
		return c.hash
	}
	h := fnv.New64a()
	h.Write([]byte(c.What))
	return int64(h.Sum64() >> 1)
}

// Compare returns the error of a collective call and the proc to blame, or nil if all procs make
// the same call and none has an error. Different calls take precedence over errors: an error of one
// call means nothing to another.
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

// differ returns the error for a call that differs from the common one.
func differ(c, common Call) error {
	mine, theirs := cut(c.What), cut(common.What)
	behind := ""
	if mine == theirs {
		behind = fmt.Sprintf(": they differ behind the first %d bytes", MaxText)
	}
	return fmt.Errorf("%w: proc %d calls %q where proc %d calls %q%s", ErrDisagree, c.Proc, mine, common.Proc, theirs, behind)
}

// mostFrequent returns the call that most procs make, the first one of several. Thus the proc that
// strays is blamed, not the others.
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
