// Package enumtest is for tests that enumerate states: a crash at every operation, a change of
// every byte. Only tests import it.
//
// Such a test has thousands of states. The race detector makes each ten times slower and finds the
// same in most of them. So with the race detector or -short a test tries only every 29th state, and
// scripts/test.sh runs the tests that Names matches once more without the race detector: in all
// states, or, if these take minutes, in every fifth. make soak sets DRX_SOAK and runs all states.
// 29 and 5 are prime: if, for example, each operation is followed by 6 policies, every policy is
// tried.
package enumtest

import (
	"regexp"
	"strings"
	"testing"
)

// Names matches the names of tests that enumerate states, and of tests that call Large.
// scripts/test.sh reads it from this line.
const Names = "Crash|Changed|Flipped|Cut|Damage|Lost|Faults|Killed|BetweenOperations|Large"

// Race reports whether the race detector is on, which multiplies the time and the memory of
// programs.
const Race = race

// stride is the distance of the states that are tried if not all are.
const stride = 29

// Large skips a test under the race detector, for tests that move many bytes or compute for long in
// one goroutine, where no races can occur. The test's name must contain Large, so that
// scripts/test.sh runs it without the race detector.
func Large(t testing.TB) {
	t.Helper()
	if !strings.Contains(t.Name(), "Large") {
		t.Fatal("the name of a test that calls Large has Large in it")
	}
	if race {
		t.Skip("large: runs without the race detector")
	}
}

// Single skips a test under the race detector, for tests of many states in one goroutine. The run
// without the race detector covers the states.
func Single(t testing.TB) {
	t.Helper()
	if !regexp.MustCompile(Names).MatchString(t.Name()) {
		t.Fatalf("the name of a test that calls Single matches %s", Names)
	}
	if race {
		t.Skip("one goroutine: runs without the race detector")
	}
}

// sampled is the distance of the states that a test of Sampled tries, if it does not try all.
const sampled = 5

// A Counter counts the states of a test.
type Counter struct {
	t           testing.TB
	stride      int
	seen, tried int
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

// Sampled is Of for a test whose states together take long: unless all is set, it tries every
// fifth.
func Sampled(t testing.TB, all bool) *Counter {
	t.Helper()
	c := Of(t)
	if !all {
		c.stride = max(c.stride, sampled)
	}
	return c
}

// Every makes a test with slow states try at most every nth state. n is prime.
func (c *Counter) Every(n int) *Counter {
	c.stride = max(c.stride, n)
	return c
}

// Try counts a state, and reports whether the test tries it. It is true for the first.
func (c *Counter) Try() bool {
	c.seen++
	if (c.seen-1)%c.stride != 0 {
		return false
	}
	c.tried++
	return true
}

// Share scales n, a number that is expected for all states, to the states that are tried.
func (c *Counter) Share(n int) int { return n / c.stride }

// Want logs the number of states. The test fails if there were fewer than least.
func (c *Counter) Want(least int) {
	c.t.Helper()
	c.t.Logf("%d states, %d of them tried", c.seen, c.tried)
	if c.seen < least || c.tried < c.Share(least) {
		c.t.Errorf("only %d states, %d of them tried, want %d", c.seen, c.tried, least)
	}
}
