package partest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stopVariable tells which process of a job stops itself (SIGSTOP), and when.
const stopVariable = "DRX_TEST_STOP"

// StopIfAsked stops this process after a time if TestStops has asked that of it: am tells whether it is
// the proc with a number. Programs call it when they begin.
func StopIfAsked(am func(proc int) bool) {
	var proc, after int
	if n, _ := fmt.Sscan(os.Getenv(stopVariable), &proc, &after); n == 2 && am(proc) {
		stop := func() { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) }
		if after == 0 {
			stop()
		}
		time.AfterFunc(time.Duration(after)*time.Millisecond, stop)
	}
}

// TestStops runs jobs of n processes with the given timeout, which go on for longer than most, one process
// of each being stopped: that of the first job before it starts MPI, and the others at random moments up to
// most. Every job has to end, with an error that says why, within the timeout and 10 seconds, of which mpirun
// takes some. program returns the command line of a job; the jobs run at the same time.
func TestStops(t *testing.T, jobs, n int, most, timeout time.Duration, command string, program func(job int) []string) {
	t.Helper()
	for i := range jobs {
		proc, after := rand.IntN(n), 1+rand.IntN(int(most.Milliseconds()))
		if i == 0 {
			after = 0
		}
		t.Run(fmt.Sprintf("proc %d after %d ms", proc, after), func(t *testing.T) {
			t.Parallel()
			begun := time.Now()
			// env, as the environment of this process is that of all jobs.
			args := append([]string{"env", fmt.Sprintf("%s=%d %d", stopVariable, proc, after)}, program(i)...)
			out, err := Mpirun(t, command, fmt.Sprint(n), args...)
			took := time.Since(begun)
			if err == nil || !strings.Contains(out, "waited too long") || took > time.Duration(after)*time.Millisecond+timeout+10*time.Second {
				t.Errorf("after %v: %v\n%s", took, err, out)
			}
		})
	}
}
