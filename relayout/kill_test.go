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
	"drx/internal/codectest"
	"drx/relayout/internal/planner"
)

// childEnv names the folder in which a process is to copy, see child.
const childEnv = "DRX_RELAYOUT_CHILD"

// TestMain also runs the processes that tests start.
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

// childOptions are the options of the copy that is killed: two passes of 16 templates, each of one
// step.
func childOptions(dir string) Options {
	return Options{Memory: 40 << 10, TempDir: filepath.Join(dir, "temp"), Resume: true}
}

// child resumes the copy in a folder, with the usual durability, and appends its progress to the
// file "progress".
func child(dir string) error {
	src, err := drx.Open(filepath.Join(dir, "src"), drx.Options{Cache: 1})
	if err != nil {
		return err
	}
	dst, err := drx.Open(filepath.Join(dir, "dst"), drx.Options{Write: true, Cache: 1, Incomplete: true})
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
	o.Progress = func(done, _ int64) {
		fmt.Fprintln(log, os.Getpid(), done)
		time.Sleep(time.Millisecond) // otherwise most kills come before or after the copy
	}
	if _, err := Copy(context.Background(), dst, src, o); err != nil {
		return err
	}
	return errors.Join(src.Close(), dst.Close(), log.Close())
}

// kills returns the number of copies to kill; the environment may ask for more.
func kills(t *testing.T) int {
	n, err := strconv.Atoi(os.Getenv("DRX_KILLS"))
	if err != nil {
		return 40
	}
	t.Logf("%d kills", n)
	return n
}

// A copy that is killed at random moments must resume no earlier than with the last template that
// was written, and the target must be right in the end.
func TestKilledAndResumed(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	left := kills(t)
	for forms := 1; left > 0; forms++ {
		dir := t.TempDir()
		data := killable(t, dir, forms)
		plan := childPlan(t, dir)
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
		checkProgress(t, dir, plan)
		checkCopied(t, dir, data)
	}
}

// killable makes the arrays of a copy, whose forms follow from two bits of a number, and returns
// the elements.
func killable(t *testing.T, dir string, forms int) []int64 {
	t.Helper()
	data := make([]int64, 256*256)
	for i := range data {
		data[i] = int64(i) * 7
	}
	for bit, c := range []struct {
		name  string
		chunk []int
	}{{"src", []int{1, 256}}, {"dst", []int{256, 1}}} {
		a, err := drx.Create(filepath.Join(dir, c.name)+formOf(forms, bit), drx.Spec{DType: dtype.Int64, Shape: []int{256, 256}, ChunkShape: c.chunk, Codec: codectest.Turn(uint64(forms + bit))})
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

// checkProgress checks that no process began before the last template that the previous process
// wrote. It may repeat that template, because the kill may have come before the commit.
func checkProgress(t *testing.T, dir string, p *Plan) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "progress"))
	if err != nil {
		t.Fatal(err)
	}
	moved, ends := templateBytes(t, p)
	pid, written := "", 0
	for line := range strings.Lines(string(text)) {
		var who string
		var done int64
		if _, err := fmt.Sscan(line, &who, &done); err != nil {
			t.Fatal(err)
		}
		at, exact := slices.BinarySearch(moved, done)
		switch {
		case !exact:
			t.Fatalf("%d bytes are no number of templates", done)
		case who != pid && at < written-1:
			t.Errorf("%d templates were written; the next process begins after %d", written, at)
		case who == pid && at != written+1 && (at != written || !slices.Contains(ends, at)):
			t.Fatalf("%d templates after %d, within one process", at, written)
		}
		pid, written = who, at
	}
	if written != len(moved)-1 {
		t.Errorf("the progress ends with %d of %d templates", written, len(moved)-1)
	}
}

// templateBytes returns the bytes that the first n templates of all passes move, for all n, and the
// values of n at the ends of passes.
func templateBytes(t *testing.T, p *Plan) (moved []int64, ends []int) {
	t.Helper()
	var before planner.Cost
	for _, pass := range internals(t, p).Passes {
		for n := range pass.TemplateCount() {
			moved = append(moved, before.Plus(pass.CostOfTemplates(n)).Bytes())
		}
		before = before.Plus(pass.Cost)
		ends = append(ends, len(moved))
	}
	return append(moved, before.Bytes()), ends
}

func checkCopied(t *testing.T, dir string, data []int64) {
	t.Helper()
	a, err := drx.Open(filepath.Join(dir, "dst"), drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := drx.Read[int64](a, nil)
	if err != nil || !slices.Equal(got, data) || Incomplete(a) {
		t.Errorf("not the source: %v, incomplete %v", err, Incomplete(a))
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if left := files(t, filepath.Join(dir, "temp")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
