// Package states is for tests that enumerate states: a crash at every operation, a change of every byte.
// Only tests import it.
//
// Such a test has thousands of states. To the race detector they are all much the same, but each takes ten
// times as long under it. So with the race detector or -short a test tries only every 11th state, and
// scripts/test.sh runs the tests that Names matches once more without the race detector, in all states.
// 11 is prime, so that if, for example, each operation is followed by 6 policies, every policy is tried.
package states

import (
	"regexp"
	"testing"
)

// Names matches the names of tests that enumerate states. scripts/test.sh reads it from this line.
const Names = "Crash|Changed|Flipped|Cut|Damage|Lost|Faults|Killed|BetweenOperations"

// stride is the distance of the states that are tried when not all are.
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

// Share scales n, a number of things expected in all states, to the states that are tried.
func (c *Counter) Share(n int) int { return n / c.stride }

// Want logs the number of states. The test fails if there were fewer than least.
func (c *Counter) Want(least int) {
	c.t.Helper()
	c.t.Logf("%d states, %d of them tried", c.met, c.tried)
	if c.met < least || c.tried < c.Share(least) {
		c.t.Errorf("only %d states, %d of them tried, want %d", c.met, c.tried, least)
	}
}
