package main_test

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write include/drx.abi")

// abiFile has what programs rely on: the functions, the types and the constants of drx.h. A release may add lines, with
// a new DRX_ABI, but never change or remove one.
var abiFile = filepath.Join(root, "include/drx.abi")

var (
	comments   = regexp.MustCompile(`(?s)/\*.*?\*/`)
	functions  = regexp.MustCompile(`(?m)^[a-z][^;{}#]*?\b(drx_\w+)\([^;]*\);`)
	types      = regexp.MustCompile(`(?m)^typedef [^;]*;`)
	enumerator = regexp.MustCompile(`(?m)^\t(DRX_\w+) = (\d+)`)
	spaces     = regexp.MustCompile(`\s+`)
)

// header returns drx.h without comments.
func header(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "include/drx.h"))
	if err != nil {
		t.Fatal(err)
	}
	return comments.ReplaceAllString(string(text), "")
}

// functionsOf returns the names of the functions of drx.h, sorted.
func functionsOf(t *testing.T) []string {
	var names []string
	for _, m := range functions.FindAllStringSubmatch(header(t), -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return names
}

// constantsOf returns the constants of drx.h.
func constantsOf(t *testing.T) map[string]int {
	constants := map[string]int{}
	for _, m := range enumerator.FindAllStringSubmatch(header(t), -1) {
		constants[m[1]], _ = strconv.Atoi(m[2])
	}
	return constants
}

// TestABI compares drx.h with the committed interface.
func TestABI(t *testing.T) {
	t.Parallel()
	h := header(t)
	var lines []string
	for _, found := range append(functions.FindAllString(h, -1), types.FindAllString(h, -1)...) {
		lines = append(lines, spaces.ReplaceAllString(found, " "))
	}
	for name, value := range constantsOf(t) {
		lines = append(lines, fmt.Sprintf("%s = %d", name, value))
	}
	slices.Sort(lines)
	text := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(abiFile, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(abiFile)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("include/drx.abi differs from drx.h; if only lines are added, run: go test ./cmd/libdrx -run TestABI -update\n%s", text)
	}
}

// TestExported compares the names that the libraries export with those of drx.h.
func TestExported(t *testing.T) {
	t.Parallel()
	lib := filepath.Join(prefix(t), "lib")
	want := functionsOf(t)
	if len(want) < 70 {
		t.Fatalf("%d functions in drx.h: the test does not read it well", len(want))
	}
	for _, c := range []struct {
		args   []string
		suffix string
	}{
		{[]string{"-D", "--defined-only", filepath.Join(lib, "libdrx.so")}, "@@DRX_1"},
		{[]string{"--defined-only", "--extern-only", filepath.Join(lib, "libdrx.a")}, ""},
	} {
		out, err := exec.Command("nm", c.args...).Output()
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for line := range strings.Lines(string(out)) {
			f := strings.Fields(line)
			if len(f) != 3 || f[2] == "DRX_1" {
				continue
			}
			name, ok := strings.CutSuffix(f[2], c.suffix)
			if !ok {
				t.Errorf("%s has no version", f[2])
			}
			names = append(names, name)
		}
		slices.Sort(names)
		if !slices.Equal(names, want) {
			t.Errorf("%v: exported are\n%v\nwant those of drx.h\n%v", c.args, names, want)
		}
	}
}

// TestManual checks that the manual page names every function.
func TestManual(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("drx.3")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range functionsOf(t) {
		if !regexp.MustCompile(`\b` + name + `\b`).Match(page) {
			t.Errorf("drx.3 lacks %s", name)
		}
	}
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("no groff: the page is not formatted")
	}
	if out, err := exec.Command("groff", "-ww", "-z", "-man", "-Tutf8", "drx.3").CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("groff: %v\n%s", err, out)
	}
}

// TestMakefile checks that make install installs the library by the script that the other tests use.
func TestMakefile(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("make", "-n", "install", "PREFIX=/opt/drx", "DESTDIR=/stage")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"scripts/lib.sh build lib", "scripts/lib.sh install lib '/opt/drx' '/stage'", "bash-completion"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("make install lacks %s:\n%s", want, out)
		}
	}
}

// writef writes to a builder.
func writef(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }
