package relayout

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"drx"
	"drx/dtype"
)

// childEnv names the folder in which a process is to copy, see child.
const childEnv = "DRX_RELAYOUT_CHILD"

// TestMain is also what the processes run that tests start.
func TestMain(m *testing.M) {
	for env, run := range map[string]func(dir string) error{childEnv: child, smallEnv: copySmall, mpiEnv: copyMPI} {
		if dir := os.Getenv(env); dir != "" {
			if err := run(dir); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// childOptions are those of the copy that is killed: two passes, of 16 templates and more.
func childOptions(dir string) Options {
	return Options{Memory: 40 << 10, Dir: filepath.Join(dir, "temp"), Resume: true, Checkpoint: -1}
}

// child resumes the copy in a folder, and appends how far it is to the file "progress".
func child(dir string) error {
	src, err := drx.Open(filepath.Join(dir, "src"), drx.Options{Cache: 1})
	if err != nil {
		return err
	}
	dst, err := drx.Open(filepath.Join(dir, "dst"), drx.Options{Write: true, Cache: 1, Durability: drx.DurabilityNone, Incomplete: true})
	if err != nil {
		return err
	}
	if done, err := dst.Written(0); err != nil || done && !Incomplete(dst) {
		return err // killed after the end
	}
	log, err := os.OpenFile(filepath.Join(dir, "progress"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	o := childOptions(dir)
	o.Progress = func(done, _ int64) { fmt.Fprintln(log, os.Getpid(), done) }
	if _, err := Copy(context.Background(), dst, src, o); err != nil {
		return err
	}
	return errors.Join(src.Close(), dst.Close(), log.Close())
}

// kills is how many copies are killed; the environment may ask for more.
func kills(t *testing.T) int {
	n, err := strconv.Atoi(os.Getenv("DRX_KILLS"))
	if err != nil {
		return 40
	}
	t.Logf("%d kills", n)
	return n
}

// Killed at random moments, a copy goes on from the last template, and in the end the target
// is right.
func TestKilledAndResumed(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	for left := kills(t); left > 0; {
		dir := t.TempDir()
		data := killable(t, dir)
		most := mostTemplate(childPlan(t, dir))
		for done := false; !done; {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childEnv+"="+dir)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if left > 0 {
				time.Sleep(time.Duration(rng.IntN(90_000)) * time.Microsecond)
				if cmd.Process.Kill() == nil {
					left--
				}
			}
			done = cmd.Wait() == nil
			if left <= 0 && !done && cmd.ProcessState.Exited() {
				t.Fatalf("a copy that was not killed: %v", cmd.ProcessState)
			}
		}
		checkProgress(t, dir, most)
		checkCopied(t, dir, data)
	}
}

// killable makes the arrays of a copy and returns the elements.
func killable(t *testing.T, dir string) []int64 {
	t.Helper()
	data := make([]int64, 256*256)
	for i := range data {
		data[i] = int64(i) * 7
	}
	for _, c := range []struct {
		name  string
		chunk []int
	}{{"src", []int{1, 256}}, {"dst", []int{256, 1}}} {
		a, err := drx.Create(filepath.Join(dir, c.name), drx.Spec{DType: dtype.Int64, Shape: []int{256, 256}, Chunk: c.chunk})
		if err == nil && c.name == "src" {
			err = drx.Write(a, nil, data)
		}
		if err := errors.Join(err, a.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "temp"), 0o700); err != nil {
		t.Fatal(err)
	}
	return data
}

func childPlan(t *testing.T, dir string) *Plan {
	t.Helper()
	src := Grid{[]int{0, 0}, []int{256, 256}, []int{1, 256}, 8}
	dst := Grid{[]int{0, 0}, []int{256, 256}, []int{256, 1}, 8}
	p, err := NewPlan(src, dst, nil, childOptions(dir).Memory)
	if err != nil || len(p.Passes) < 2 {
		t.Fatalf("%+v, %v", p, err)
	}
	return p
}

// checkProgress checks that no process repeated more than the template at work and the
// steps that were being read for the next.
func checkProgress(t *testing.T, dir string, most int64) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "progress"))
	if err != nil {
		t.Fatal(err)
	}
	pid, last := "", int64(0)
	for line := range strings.Lines(string(text)) {
		var who string
		var done int64
		if _, err := fmt.Sscan(line, &who, &done); err != nil {
			t.Fatal(err)
		}
		if who != pid && done < last-2*most {
			t.Errorf("%d bytes were moved; the next process begins at %d, a template has %d", last, done, most)
		}
		pid, last = who, done
	}
}

func checkCopied(t *testing.T, dir string, data []int64) {
	t.Helper()
	a, err := drx.Open(filepath.Join(dir, "dst"), drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := drx.Read[int64](a, nil)
	if err != nil || !slices.Equal(got, data) || Incomplete(a) {
		t.Errorf("not the source: %v, marked %v", err, Incomplete(a))
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if left := files(t, filepath.Join(dir, "temp")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
