// Command testreport reads the output of go test -json and prints a readable report: one line per
// package, and the output of failed tests and packages. It appends a line "passed failed" with the
// numbers of tests to the given file, and exits with status 1 if anything failed.
//
//	go test -json ./... | testreport counts
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// An event is a line of the output of go test -json; see go doc test2json.
type event struct {
	Action     string
	Package    string
	ImportPath string // in place of Package, for output of a build
	Test       string
	Elapsed    float64 // seconds
	Output     string
}

// A tally counts the tests of a package, subtests included.
type tally struct{ passed, failed, skipped int }

// A report holds the state while events are read.
type report struct {
	out      io.Writer
	packages map[string]*tally
	said     map[string]*strings.Builder // by package and test
	total    tally
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go test -json ... | testreport counts")
		os.Exit(2)
	}
	total, err := read(os.Stdin, os.Stdout)
	if err == nil {
		err = appendLine(os.Args[1], fmt.Sprintf("%d %d\n", total.passed, total.failed))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(2)
	}
	if total.failed > 0 {
		os.Exit(1)
	}
}

func appendLine(path, line string) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := file.WriteString(line); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// read prints a report of the events in in to out, and returns the counts. A package that fails
// without a failed test, for example because it does not build, counts as one failed test. Lines
// that are not events are copied to out.
func read(in io.Reader, out io.Writer) (tally, error) {
	r := &report{out: out, packages: map[string]*tally{}, said: map[string]*strings.Builder{}}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			var e event
			if json.Unmarshal([]byte(line), &e) != nil {
				fmt.Fprint(out, line)
			} else {
				r.event(e)
			}
		}
		if err == io.EOF {
			return r.total, nil
		}
		if err != nil {
			return r.total, err
		}
	}
}

func (r *report) event(e event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "output":
		if r.said[key] == nil {
			r.said[key] = &strings.Builder{}
		}
		r.said[key].WriteString(e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			r.endPackage(e, r.said[key])
		} else {
			r.endTest(e, r.said[key])
		}
		delete(r.said, key)
	}
}

func (r *report) endTest(e event, said *strings.Builder) {
	t := r.packages[e.Package]
	if t == nil {
		t = &tally{}
		r.packages[e.Package] = t
	}
	switch e.Action {
	case "pass":
		t.passed++
	case "skip":
		t.skipped++
	case "fail":
		t.failed++
		if said != nil {
			fmt.Fprintf(r.out, "%s %s\n%s", e.Package, e.Test, said)
		}
	}
}

func (r *report) endPackage(e event, said *strings.Builder) {
	t := r.packages[e.Package]
	if t == nil {
		t = &tally{}
	}
	delete(r.packages, e.Package)
	if e.Action == "fail" {
		if t.failed == 0 {
			t.failed = 1
		}
		if said != nil {
			fmt.Fprint(r.out, said)
		}
	}
	r.total.passed += t.passed
	r.total.failed += t.failed
	r.total.skipped += t.skipped
	if t.passed+t.failed+t.skipped == 0 {
		return // a package without tests
	}
	word := "ok  "
	if t.failed > 0 {
		word = "FAIL"
	}
	fmt.Fprintf(r.out, "%s %-32s %7.2fs  %d passed", word, e.Package, e.Elapsed, t.passed)
	if t.failed > 0 {
		fmt.Fprintf(r.out, ", %d failed", t.failed)
	}
	if t.skipped > 0 {
		fmt.Fprintf(r.out, ", %d skipped", t.skipped)
	}
	fmt.Fprintln(r.out)
}
