//go:build unix

// Package cputest is for tests of how long something takes. Only tests import it.
package cputest

import (
	"syscall"
	"testing"
	"time"
)

// Most fails a test if this process computes for longer than a limit in f: of processor time, since
// the clock depends on what else the machine does. The test is not parallel, or others count, too.
func Most(t testing.TB, limit time.Duration, f func()) {
	t.Helper()
	before := used(t)
	f()
	if spent := used(t) - before; spent > limit {
		t.Errorf("it took %v of a processor, want at most %v", spent, limit)
	}
}

// used returns the processor time of this process.
func used(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
