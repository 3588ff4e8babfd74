package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"drx"
	"drx/parallel/mpi"
	"drx/parallel/partest"
)

// A copyTest is a copy of an array with a given number of rows, in many steps, each with a commit.
type copyTest struct {
	dir   string
	rows  int
	every string // how much is copied from one commit to the next
}

// cols is the number of columns of all arrays.
const cols = 110

func newCopyTest(t *testing.T, rows int) copyTest {
	t.Helper()
	c := copyTest{t.TempDir(), rows, "1"}
	if err := counting(c.name("a"), rows, cols); err != nil {
		t.Fatal(err)
	}
	t.Setenv(mainVariable, "1")
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	return c
}

func (c copyTest) name(array string) string { return filepath.Join(c.dir, array) }

// args returns the arguments of the program.
func (c copyTest) args(more ...string) []string {
	return append([]string{
		"copy", c.name("a"), c.name("b"), "--chunk", "7,9", "--memory", "6000",
		"--every", c.every, "--resume",
	}, more...)
}

// run starts the program and sends it a signal after some time. It returns the error output of the
// program, and how it ended.
func (c copyTest) run(t *testing.T, after time.Duration, s os.Signal, args ...string) (string, error) {
	t.Helper()
	var stderr strings.Builder
	cmd := exec.Command(os.Args[0], args...)
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Signal(s) })
	defer timer.Stop()
	err := cmd.Wait()
	return stderr.String(), err
}

// check checks that the copy is complete.
func (c copyTest) check(t *testing.T) {
	t.Helper()
	a, err := drx.Open(c.name("b"), drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	data, err := drx.Read[int32](a, nil)
	if err != nil || len(data) != c.rows*cols || len(a.Attrs()) != 2 {
		t.Fatalf("%d elements, %v, attributes %v", len(data), err, a.Attrs())
	}
	for i, v := range data {
		if int(v) != i {
			t.Fatalf("element %d: %d", i, v)
		}
	}
}

// incomplete checks that there is no array yet, or a valid one that is marked as incomplete. It
// reports whether there is a mark.
func (c copyTest) incomplete(t *testing.T) bool {
	t.Helper()
	_, err := drx.Open(c.name("b"), drx.Options{})
	marked := errors.Is(err, drx.ErrIncomplete)
	if err == nil || errors.Is(err, os.ErrNotExist) || marked {
		return marked
	}
	t.Fatal(err)
	return false
}

// TestCopyKilledAndResumed: a copy that is killed at random moments, and resumed each time by
// another number of procs, completes and is right.
func TestCopyKilledAndResumed(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 24))
	for range 2 {
		c := newCopyTest(t, 320)
		marked := 0
		for n := 1; ; n++ {
			after := time.Duration(rng.IntN(50+20*n)) * time.Millisecond
			stderr, err := c.run(t, after, os.Kill, c.args("--procs", fmt.Sprint(1+n%4))...)
			if err == nil {
				break
			}
			if stderr != "" || n > 200 {
				t.Fatalf("after %d kills: %v: %s", n-1, err, stderr)
			}
			if c.incomplete(t) {
				marked++
			}
		}
		c.check(t)
		t.Logf("killed %d times in the midst of it", marked)
		if marked == 0 {
			t.Error("never killed in the midst of it")
		}
	}
}

// TestCopyInterrupted: a copy that the user interrupts reports that, and how to continue.
func TestCopyInterrupted(t *testing.T) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		c := newCopyTest(t, 80)
		interrupted, said := 0, ""
		for n := 1; n < 200; n++ {
			stderr, err := c.run(t, time.Duration(20*n)*time.Millisecond, s, c.args("--procs", "3")...)
			if err == nil {
				break
			}
			if c.incomplete(t) && strings.Contains(stderr, "signal received; go on with --resume") {
				interrupted++
			}
			said = stderr
		}
		c.check(t)
		if interrupted == 0 {
			t.Errorf("%v: never interrupted: %s", s, said)
		}
	}
}

// TestCopyKilledUnderMpirun is the same for a job of mpirun: all its processes are killed, or
// interrupted. The arrays grow until the signal comes in the middle of the copy.
func TestCopyKilledUnderMpirun(t *testing.T) {
	if !mpi.Built {
		t.Skip("built without MPI")
	}
	if _, err := exec.LookPath("timeout"); err != nil {
		t.Skip(err)
	}
	for _, s := range []string{"KILL", "INT"} {
		rows := 80
		for ; rows < 2000 && !killedJob(t, newCopyTest(t, rows), s); rows *= 2 {
		}
		if rows >= 2000 {
			t.Errorf("%s: never in the midst of it", s)
		}
	}
}

// killedJob ends jobs after ever longer times, until one completes. It reports whether one was
// ended in the middle of the copy.
func killedJob(t *testing.T, c copyTest, signal string) (marked bool) {
	t.Helper()
	for n := 1; n < 30; n++ {
		program := append([]string{"timeout", "-s", signal, fmt.Sprintf("%.1f", 0.2+0.2*float64(n)), os.Args[0]}, c.args()...)
		if _, err := partest.Mpirun(t, mpi.Command, fmt.Sprint(1+n%3), program...); err == nil {
			break
		}
		marked = c.incomplete(t) || marked
	}
	c.check(t)
	return marked
}
