//go:build ga && mpi && cgo

package main_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"drx"
)

// TestConformance runs unchanged programs for DRA with the library, and with DRA itself, whose
// results are expected. Without DRX_SOAK there are half as many random sections, and only one and
// three processes for two of the runs: DRA, which does not change, and the Fortran program, whose
// names call those of C.
func TestConformance(t *testing.T) {
	rounds := 2
	if soak {
		rounds = 4
	}
	t.Setenv("CONFORM_ROUNDS", fmt.Sprint(rounds))
	for _, c := range []struct {
		source string
		cases  int
		read   string // name of the read that is printed
	}{{"conform.c", 51 + 2*7*rounds, "NDRA_Read"}, {"conform.F90", 31, "dra_read"}} {
		for name, library := range map[string]func() (string, error){"PEXTA": archive, "DRA": dra} {
			t.Run(fmt.Sprintf("%s with %s", c.source, name), func(t *testing.T) {
				var flags []string
				if c.source == "conform.c" && name == "PEXTA" {
					flags = counting
				}
				program := compile(t, "testdata/conformance/"+c.source, library, flags...)
				checkOrigin(t, program, name)
				for n, durability := range map[int]string{1: "full", 2: "nojournal", 3: "none", 4: "none"} {
					if n%2 == 0 && !soak && (name == "DRA" || c.source != "conform.c") {
						continue
					}
					t.Setenv("PEXTA_DURABILITY", durability)
					dir := t.TempDir()
					t.Setenv("CONFORM_DIR", dir)
					out := mpirun(t, n, program, "all", dir)
					cases(t, out, c.cases)
					if name == "PEXTA" {
						file := filepath.Join(dir, "prints")
						printed(t, out, n, c.read+": "+file, file+": array")
					}
				}
			})
		}
	}
}

// printed checks that exactly one read was printed, the one made while printing was on, and that
// each of n processes has described an array.
func printed(t *testing.T, out string, n int, read, description string) {
	t.Helper()
	for line, want := range map[string]int{read + "\n": 1, description: n} {
		if got := strings.Count("\n"+out, "\n"+line); got != want {
			t.Errorf("%d processes: %q is there %d times, want %d:\n%s", n, line, got, want, out)
		}
	}
}

// TestNames runs programs for the names of PEXTA: all of the Fortran names, and the C names that no
// other program here calls.
func TestNames(t *testing.T) {
	fortran, c := compile(t, "testdata/conformance/pexta.F90", archive), compile(t, "testdata/conformance/pexta.c", archive)
	for _, n := range []int{1, 3} {
		dir := t.TempDir()
		t.Setenv("CONFORM_DIR", dir)
		out, file := mpirun(t, n, fortran), filepath.Join(dir, "names")
		cases(t, out, 17)
		printed(t, out, n, "pexta_read: "+file, file+`: array "a plate" of float64, extents [40 52]`)
		if errors := strings.Count(out, "\npexta_"); errors != 6 { // four errors, and two calls that are printed
			t.Error(errors, out)
		}

		file = filepath.Join(dir, "plate")
		out = mpirun(t, n, c, file)
		good(t, out)
		printed(t, out, n, "PEXTA_Read: "+file, file+`: array "plate" of float64, extents [20 30]`)
		if strings.Count(out, "\nPEXTA_Flick: library\n") != 1 || strings.Count(out, "  request 3: read") != n {
			t.Error(out)
		}
		files, err := filepath.Glob(file + ".*")
		if err != nil || len(files) != 4 {
			t.Errorf("after PEXTA_Set_default_config(3, 2) the array has the files %v", files)
		}
	}
}

// TestJobs: any number of processes reads what any number has written, in C and in Fortran. DRA
// needs at least as many readers as writers; without DRX_SOAK one and three of its processes read.
func TestJobs(t *testing.T) {
	for name, library := range map[string]func() (string, error){"PEXTA": archive, "DRA": dra} {
		t.Run(name, func(t *testing.T) {
			program, fortran := compile(t, "testdata/conformance/conform.c", library), compile(t, "testdata/conformance/conform.F90", library)
			dir := t.TempDir()
			t.Setenv("CONFORM_DIR", dir)
			most, step := 4, 1
			if name == "DRA" && !soak {
				most, step = 3, 2
			}
			for writers := 1; writers <= most; writers++ {
				cases(t, mpirun(t, writers, program, "write", dir), 2)
			}
			for readers := 1; readers <= most; readers += step {
				writers := map[string]int{"PEXTA": 4, "DRA": readers}[name]
				cases(t, mpirun(t, readers, program, "read", dir, fmt.Sprint(writers)), 2*writers)
				if readers > 1 { // one has the same result as C
					cases(t, mpirun(t, readers, fortran, "read", fmt.Sprint(writers)), writers)
				}
			}
		})
	}
}

// TestGrowth extends arrays while requests are pending, by another program too, and lets global
// arrays grow with them; and it moves sections, plain and transposed, and more bytes than a write
// copies. All calls of MPI are on the thread of the program, which has started MPI for a single
// thread.
func TestGrowth(t *testing.T) {
	program := compile(t, "testdata/growth.c", archive, counting...)
	for n := 1; n <= 4; n++ {
		file := filepath.Join(t.TempDir(), "plate")
		good(t, mpirun(t, n, program, file, "create"))
		a, err := drx.Open(file, drx.Options{Write: true})
		if err != nil {
			t.Fatal(err)
		}
		_, err = a.Extend(1, 13)
		if err := errors.Join(err, a.Close()); err != nil {
			t.Fatal(err)
		}
		good(t, mpirun(t, 5-n, program, file, "read", "28", "53"))
	}
}

var update = flag.Bool("update", false, "write the lines of errors that are expected")

// TestErrors: every wrong argument is an error code in all processes of the group, and one line
// printed by one of them, as in the file beside the program: it has the name of the function, the
// array, the value and the limit.
func TestErrors(t *testing.T) {
	for _, source := range []string{"errors.c", "errors_dra.c", "errors_dra.F90"} {
		t.Run(source, func(t *testing.T) {
			program := compile(t, "testdata/"+source, archive)
			for _, n := range []int{1, 3} {
				dir := folder(t, 100)
				out := mpirun(t, n, program, dir)
				good(t, out)
				sameErrors(t, fmt.Sprintf("testdata/%s.%d.txt", source, n), errorLines(t, strings.ReplaceAll(out, dir, "DIR")))
			}
		})
	}
}

// folder returns a new folder with a name of the given number of bytes, because an error reports
// the length of the name of a file.
func folder(t *testing.T, bytes int) string {
	t.Helper()
	dir := t.TempDir() + "/"
	dir += strings.Repeat("d", max(1, bytes-len(dir)))
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

// errorLines returns the lines of errors that a program prints. It checks that each call that must
// fail has a line of its function.
func errorLines(t *testing.T, out string) []string {
	t.Helper()
	anError := regexp.MustCompile(`^(\w+): .`)
	// The first process to notice the error prints it, in one of two forms. A name that is not
	// UTF-8 is changed on its way between processes.
	gone := regexp.MustCompile(`:? (its memory was given up before the request was done|was destroyed)`)
	large := regexp.MustCompile(`DIR/l.rge`)
	var lines, got, want []string
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		if name, ok := strings.CutPrefix(line, "an error of "); ok {
			want = append(want, strings.TrimSpace(name))
		} else if m := anError.FindStringSubmatch(line); m != nil {
			got = append(got, m[1])
			if !large.MatchString(line) { // the read may finish before the array is destroyed
				lines = append(lines, gone.ReplaceAllString(line, " is gone"))
			}
		} else if line != "good" {
			t.Errorf("the program prints %q", line)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("lines of %v, want one of each of %v:\n%s", got, want, out)
	}
	return lines
}

// sameErrors compares lines with those of a file.
func sameErrors(t *testing.T, file string, lines []string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := strings.Split(strings.TrimSpace(source(t, file)), "\n")
	if len(lines) != len(want) {
		t.Errorf("%d errors, in %s are %d", len(lines), file, len(want))
	}
	for i := range min(len(lines), len(want)) {
		if lines[i] != want[i] {
			t.Errorf("error %d is\n  %s\nin %s it is\n  %s", i+1, lines[i], file, want[i])
		}
	}
}

// TestFaults: a panic, a nil pointer and a truncated file are errors of the call; between two calls
// they are errors of the request's Wait. The program keeps its handlers of signals.
func TestFaults(t *testing.T) {
	for _, source := range []string{"faults.c", "faults.F90"} {
		t.Run(source, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a")
			out := mpirun(t, 3, compile(t, "testdata/faults/"+source, archive), file)
			good(t, out)
			if got := len(regexp.MustCompile(regexp.QuoteMeta(file+".xta")+": .*the file ends before it").FindAllString(out, -1)); got != 2 {
				t.Errorf("%d lines name %s.xta, which was cut short twice:\n%s", got, file, out)
			}
		})
	}
}

// checkOrigin checks the output of pexta-check for a program, and for the same program stripped.
func checkOrigin(t *testing.T, program, name string) {
	t.Helper()
	stripped := filepath.Join(t.TempDir(), "stripped")
	if err := output("strip", "-o", stripped, program); err != nil {
		t.Fatal(err)
	}
	check, err := checker()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(check, program, stripped).CombinedOutput()
	if want := map[string]string{"PEXTA": ": libpexta\n", "DRA": "own DRA"}[name]; strings.Count(string(out), want) != 2 || (err == nil) != (name == "PEXTA") {
		t.Errorf("pexta-check: %v\n%s", err, out)
	}
}
