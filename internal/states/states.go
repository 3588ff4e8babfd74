// Package states is for tests that enumerate: a crash at every operation, a change of every byte. Other
// code does not import it.
//
// The states of such a test are thousands, all of them much the same to the race detector, under which each
// takes ten times as long. So a test under the race detector, or with -short, goes over every 11th state only,
// and scripts/test.sh runs the tests that Names matches once more, as a whole, without the race detector.
// 11 is prime, so that where 6 policies follow each operation, say, each of the policies is tried.
package states

import (
	"regexp"
	"testing"
)

// Names is what the name of a test has in it that enumerates. scripts/test.sh reads it from here.
const Names = "Crash|Changed|Flipped|Cut|Damage|Lost|Faults|Killed|BetweenOperations"

// stride is from one state that is tried to the next, where not all are.
const stride = 11

// A Counter counts the states of a test.
type Counter struct {
	t          testing.TB
	stride     int
	met, tried int
}

// Of returns the counter of a test.
func Of(t testing.TB) *Counter {
	t.Helper()
	if !regexp.MustCompile(Names).MatchString(t.Name()) {
		t.Fatalf("the name of a test that enumerates states matches %s", Names)
	}
	c := &Counter{t: t, stride: 1}
	if race || testing.Short() {
		c.stride = stride
	}
	return c
}

// Try counts a state, and reports whether the test tries it. It is true for the first.
func (c *Counter) Try() bool {
	c.met++
	if (c.met-1)%c.stride != 0 {
		return false
	}
	c.tried++
	return true
}

// Share returns what of n, a number of things to be found in all states, is to be found in those that are tried.
func (c *Counter) Share(n int) int { return n / c.stride }

// Want says how many states there were. The test fails with fewer than least.
func (c *Counter) Want(least int) {
	c.t.Helper()
	c.t.Logf("%d states, %d of them tried", c.met, c.tried)
	if c.met < least || c.tried < c.Share(least) {
		c.t.Errorf("only %d states, %d of them tried, want %d", c.met, c.tried, least)
	}
}
