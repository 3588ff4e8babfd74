package partest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stopVariable is the environment variable that selects the process of a job that stops itself
// (SIGSTOP), the time, and the file that all processes lock as long as they live.
const stopVariable = "DRX_TEST_STOP"

// StopIfAsked stops this process after some time if TestStops has requested it; am reports whether
// this is the proc with a number. Programs call it when they begin.
func StopIfAsked(am func(proc int) bool) {
	var proc, after int
	var lock string
	if n, _ := fmt.Sscan(os.Getenv(stopVariable), &proc, &after, &lock); n != 3 {
		return
	}
	alive, err := syscall.Open(lock, syscall.O_RDONLY, 0) // locked until the process ends
	if err == nil {
		err = syscall.Flock(alive, syscall.LOCK_SH)
	}
	if err != nil {
		panic(err)
	}
	if !am(proc) {
		return
	}
	stop := func() { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) }
	if after == 0 {
		stop()
	}
	time.AfterFunc(time.Duration(after)*time.Millisecond, stop)
}

// TestStops runs jobs of n processes with the given timeout, all at the same time, and stops one
// process of each: in the first job before it starts MPI, in the others at random times up to most.
// Undisturbed, jobs run longer than most. All processes of a job must end, with an error that gives
// the reason, within the timeout and 10 seconds, some of which mpirun takes. program returns the
// command line of a job.
func TestStops(t *testing.T, jobs, n int, most, timeout time.Duration, command string, program func(job int) []string) {
	t.Helper()
	for i := range jobs {
		proc, after := rand.IntN(n), 1+rand.IntN(int(most.Milliseconds()))
		if i == 0 {
			after = 0
		}
		t.Run(fmt.Sprintf("proc %d after %d ms", proc, after), func(t *testing.T) {
			t.Parallel()
			lock := filepath.Join(t.TempDir(), "alive")
			if err := os.WriteFile(lock, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			limit := time.Duration(after)*time.Millisecond + timeout + 10*time.Second
			ctx, cancel := context.WithTimeout(context.Background(), limit)
			defer cancel()
			// by env, as all jobs share the environment of this process
			args := append([]string{"env", fmt.Sprintf("%s=%d %d %s", stopVariable, proc, after, lock)}, program(i)...)
			out, err := mpirun(ctx, t, command, fmt.Sprint(n), args...)
			if err == nil || !strings.Contains(out, "waited too long") {
				t.Errorf("%v\n%s", err, out)
			}
			if ctx.Err() != nil {
				checkEnded(t, lock, out)
			}
		})
	}
}

// checkEnded checks that all processes of a job had ended when its mpirun was killed: that of Open
// MPI 4.1 sometimes does not end after it has ended a job.
func checkEnded(t *testing.T, lock, out string) {
	t.Helper()
	f, err := os.Open(lock)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil || !strings.Contains(out, "the job to be terminated") {
		t.Errorf("the job goes on: %v\n%s", err, out)
	}
	t.Log("mpirun has ended all processes, and not itself")
}
