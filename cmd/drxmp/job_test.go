package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drx"
	"drx/dtype"
	"drx/parallel/mpi"
	"drx/parallel/par"
	"drx/parallel/partest"
)

// job starts a job of two processes, each with a command line of its own. It returns the output of
// the job, and how it ended.
func job(t *testing.T, first, second []string) (string, error) {
	t.Helper()
	line := append(slices.Clone(first), ":", "-n", "1")
	return partest.Mpirun(t, mpi.Command, "1", append(line, second...)...)
}

// underMpirun returns the name of the program for jobs, which is this test. It skips the test
// without MPI.
func underMpirun(t *testing.T) string {
	t.Helper()
	if !mpi.Built {
		t.Skip("built without MPI")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(mainVariable, "1")
	return program
}

// TestDifferentLines: processes with different command lines do nothing, and one of them prints
// what differs.
func TestDifferentLines(t *testing.T) {
	program, dir := underMpirun(t), t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := counting(filepath.Join(dir, name), 9, 10); err != nil {
			t.Fatal(err)
		}
	}
	lines := []struct{ first, second, want string }{
		{"verify A/a", "verify A/b", `argument 1: "A/a" on process 0, "A/b" on process 1`},
		{"verify A/a", "stat A/a", `verb: "verify" on process 0, "stat" on process 1`},
		{"stat A/a", "stat A/a --engine mpiio --timeout 9s", `--engine: "auto" on process 0, "mpiio" on process 1`},
		{"fill A/a --value 3", "fill A/a --value 4", `--value: "3" on process 0, "4" on process 1`},
		{"copy A/a A/c", "copy A/a A/c --clip", `--clip: "false" on process 0, "true" on process 1`},
		{"bench --extent 8 --dir A", "bench --extent 9 --dir A", `--extent: "8" on process 0, "9" on process 1`},
		{"verify A/a", "verify --help", `argument 1: "A/a" on process 0, nothing on process 1`},
		{"verify A/a --procs 2", "verify A/a", `--procs: "2" on process 0, "0" on process 1`},
		{"fill A/a", "fill A/a", `fill needs --value`},
	}
	t.Run("jobs", func(t *testing.T) { // returns when all have ended
		for _, c := range lines {
			t.Run(c.first+" and "+c.second, func(t *testing.T) {
				t.Parallel()
				words := func(line string) []string {
					return append([]string{program}, strings.Fields(strings.ReplaceAll(line, "A", dir))...)
				}
				out, err := job(t, words(c.first), words(c.second))
				differ := strings.Contains(out, "procs disagree on their command lines: ")
				if err == nil || strings.Count(out, strings.ReplaceAll(c.want, "A", dir)) != 1 || differ != (c.first != c.second) {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
	})
	same, err := drx.Open(filepath.Join(dir, "a"), drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer same.Close()
	data, err := drx.Read[int32](same, nil)
	if _, c := os.Stat(filepath.Join(dir, "c.xmd")); err != nil || !errors.Is(c, os.ErrNotExist) || data[89] != 89 {
		t.Error(data, err, c)
	}
}

// TestByProcess: an error lists values and their processes; it shortens long lists.
func TestByProcess(t *testing.T) {
	var lines []line
	for i := range 20 {
		lines = append(lines, line{{"verb", "fill"}, {"--value", fmt.Sprint(i % 6)}})
	}
	err := compareLines(lines)
	want := `proc 1: procs disagree on their command lines: --value: "0" on process 0 6 12 18, "1" on process 1 7 13 19, ` +
		`"2" on process 2 8 14, "3" on process 3 9 15, ...`
	if !errors.Is(err, par.ErrDisagree) || err.Error() != want {
		t.Error(err)
	}
	if err := compareLines(lines[:1]); err != nil {
		t.Error(err)
	}
	for range 20 {
		lines[0] = slices.Clone(lines[0])
		lines = append(lines, lines[0])
	}
	if text := byProcess(lines[20:], "--value"); text != `"0" on process 0 1 2 3 and 16 more` {
		t.Error(text)
	}
}

// TestFillBeyondLimit: one process cannot write all that it should. The fill is not reported as
// done, all processes fail, with one message, and the array is as it was.
func TestFillBeyondLimit(t *testing.T) {
	program := underMpirun(t)
	for _, limit := range [][2]bool{{true, false}, {false, true}} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			t.Parallel()
			fillBeyondLimit(t, program, limit)
		})
	}
}

// fillBeyondLimit fills an array with limits for some processes, without limits, and with limits
// again: at first chunks go to the data file, later to the journal.
func fillBeyondLimit(t *testing.T, program string, limited [2]bool) {
	name := filepath.Join(t.TempDir(), "a")
	spec := drx.Spec{DType: dtype.Int32, Shape: []int{256, 256, 96}, ChunkShape: []int{16, 16, 32}, FillValue: 1} // 24 MiB
	a, err := drx.Create(name, spec)
	if err := errors.Join(err, a.Close()); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int32{1, 3, 3} {
		good := i == 1
		var lines [2][]string
		for p := range lines {
			lines[p] = []string{program, "fill", name, "--value", fmt.Sprint(i + 2)}
			if limited[p] && !good { // in blocks of 512 bytes or 1 KiB: enough for MPI, too little for half of the array
				lines[p] = append([]string{"sh", "-c", `ulimit -f 12000; exec "$0" "$@"`}, lines[p]...)
			}
		}
		out, err := job(t, lines[0], lines[1])
		if (err == nil) != good || (strings.Count(out, "filled") > 0) != good || !good && strings.Count(out, "too large") != 1 {
			t.Errorf("job %d: %v\n%s", i, err, out)
		}
		checkAll(t, name, want)
	}
}

// checkAll checks that an array is undamaged and holds one value only.
func checkAll(t *testing.T, name string, want int32) {
	t.Helper()
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	report, err := a.Verify(context.Background(), nil)
	if err != nil || len(report.Damaged) > 0 {
		t.Errorf("%+v, %v", report, err)
	}
	data, err := drx.Read[int32](a, nil)
	if err != nil || slices.ContainsFunc(data, func(x int32) bool { return x != want }) {
		t.Errorf("%d ..., want %d: %v", data[0], want, err)
	}
}

// TestReportLost: if the report cannot be printed, because the reader of the output is gone, the
// program fails.
func TestReportLost(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	name := filepath.Join(t.TempDir(), "a")
	if err := counting(name, 9, 10); err != nil {
		t.Fatal(err)
	}
	root := (&command{}).root()
	root.SetOut(full)
	root.SetArgs([]string{"verify", name, "--procs", "2"})
	if err := root.Execute(); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Error(err)
	}
}

// TestCopyStopped: if a process of a copy is stopped the job ends by the timeout, and the copy can
// be resumed.
func TestCopyStopped(t *testing.T) {
	underMpirun(t)
	copies := []copyTest{newCopyTest(t, 1200), newCopyTest(t, 1200)}
	t.Run("jobs", func(t *testing.T) { // returns when all have ended
		partest.TestStops(t, len(copies), 3, 900*time.Millisecond, time.Second, mpi.Command, func(job int) []string {
			return append([]string{os.Args[0]}, copies[job].args("--timeout", "1s")...)
		})
	})
	for _, c := range copies {
		c.every = "1MiB" // the rest need not commit often
		if out, err := c.run(t, time.Minute, os.Kill, c.args("--procs", "2")...); err != nil {
			t.Fatal(err, out)
		}
		c.check(t)
	}
}
