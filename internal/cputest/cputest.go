//go:build unix

// Package cputest limits the processor time of tests. Only tests import it.
package cputest

import (
	"syscall"
	"testing"
	"time"
)

// Most fails a test if f uses more than limit of processor time. It does not use the clock, which
// depends on the load of the machine. The test must not be parallel, because the time of the whole
// process counts.
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
