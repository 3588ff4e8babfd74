package pipe

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// The state of a late helper decides: a loop ends by its processor time; a helper that sleeps or is
// stopped ends by the clock, and no sooner.
func TestLate(t *testing.T) {
	for name, c := range map[string]struct {
		program []string
		stop    bool
		is      error
	}{
		"loop":    {[]string{"sh", "-c", "while :; do :; done"}, false, errLoop},
		"sleeps":  {[]string{"sleep", "60"}, false, os.ErrDeadlineExceeded},
		"stopped": {[]string{"sh", "-c", "while :; do :; done"}, true, os.ErrDeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(c.program[0], c.program[1:]...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _, _ = cmd.Process.Kill(), cmd.Wait() }()
			if c.stop {
				if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
					t.Fatal(err)
				}
			}
			w := newWatch(2*time.Second, 0, 0)
			w.base = 0 // as for a process that has just begun
			var err error
			for err == nil {
				time.Sleep(time.Until(w.deadline()))
				err = w.late(cmd.Process.Pid)
			}
			used, _ := processorTime(cmd.Process.Pid)
			if !errors.Is(err, c.is) || time.Since(w.alive) < w.timeout || c.is == errLoop && used < w.timeout {
				t.Errorf("%v after %v and %v of a processor", err, time.Since(w.alive), used)
			}
		})
	}
}

// A helper must end at last, however busy it seems.
func TestLateInTheEnd(t *testing.T) {
	w := newWatch(time.Second, 0, 0)
	w.alive = time.Now().Add(-mostWaited*w.timeout - time.Minute)
	w.until = time.Now()
	if err := w.late(os.Getpid()); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("waits on: %v", err)
	}
	if got := w.waited(); got < mostWaited*time.Second || got%time.Second != 0 {
		t.Errorf("waited %v", got)
	}
}
