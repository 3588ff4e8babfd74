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

// abiFile is the file with the functions, types and constants of a header, drx or drxmp, on which
// programs rely. A release may add lines, with a new DRX_ABI, but never change or remove one.
func abiFile(name string) string { return filepath.Join(root, "include", name+".abi") }

var (
	comments   = regexp.MustCompile(`(?s)/\*.*?\*/`)
	functions  = regexp.MustCompile(`(?m)^[a-z][^;{}#]*?\b((?:drx_|xta|drxmp_|DRXMP_)\w+)\([^;]*\);`)
	types      = regexp.MustCompile(`(?m)^typedef ([^;{]*|struct \{[^}]*\} \w+);`)
	enumerator = regexp.MustCompile(`(?m)\b(DRX(?:MP)?_\w+) = (-?\d+)`)
	spaces     = regexp.MustCompile(`\s+`)
)

// header returns a header without comments.
func header(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "include", name+".h"))
	if err != nil {
		t.Fatal(err)
	}
	return comments.ReplaceAllString(string(text), "")
}

// functionsOf returns the names of the functions of a header, sorted.
func functionsOf(t *testing.T, name string) []string {
	var names []string
	for _, m := range functions.FindAllStringSubmatch(header(t, name), -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return names
}

// constantsOf returns the constants of a header.
func constantsOf(t *testing.T, name string) map[string]int {
	constants := map[string]int{}
	for _, m := range enumerator.FindAllStringSubmatch(header(t, name), -1) {
		constants[m[1]], _ = strconv.Atoi(m[2])
	}
	return constants
}

// TestABI compares the headers with the committed interface.
func TestABI(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"drx", "drxmp"} {
		h := header(t, name)
		var lines []string
		for _, found := range append(functions.FindAllString(h, -1), types.FindAllString(h, -1)...) {
			lines = append(lines, spaces.ReplaceAllString(found, " "))
		}
		for constant, value := range constantsOf(t, name) {
			lines = append(lines, fmt.Sprintf("%s = %d", constant, value))
		}
		slices.Sort(lines)
		text := strings.Join(lines, "\n") + "\n"
		if *update {
			keepsAll(t, name, lines)
			if err := os.WriteFile(abiFile(name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(abiFile(name))
		if err != nil {
			t.Fatal(err)
		}
		if text != string(want) {
			t.Errorf("%s differs from the header; if only lines are added, run: go test ./cmd/libdrx -run TestABI -update\n%s", abiFile(name), text)
		}
	}
}

// keepsAll stops the test unless the header has all lines of the committed interface.
func keepsAll(t *testing.T, name string, lines []string) {
	t.Helper()
	old, err := os.ReadFile(abiFile(name))
	if err != nil {
		t.Fatal(err)
	}
	if lost := removed(string(old), lines); len(lost) > 0 {
		t.Fatalf("%s is not written: programs rely on what the header lacks or changes:\n%s", abiFile(name), strings.Join(lost, "\n"))
	}
}

// removed returns the lines of the committed interface that are missing among those of a header.
func removed(committed string, lines []string) (lost []string) {
	for line := range strings.Lines(committed) {
		line = strings.TrimSuffix(line, "\n")
		if !slices.Contains(lines, line) {
			lost = append(lost, line)
		}
	}
	return lost
}

// TestRemoved: a function, a constant or a parameter that is removed or changed is noticed; an
// addition is not.
func TestRemoved(t *testing.T) {
	t.Parallel()
	const committed = "DRX_OK = 0\nint drx_sync(drx_array a);\n"
	for _, c := range []struct {
		lines []string
		lost  int
	}{
		{[]string{"DRX_OK = 0", "int drx_sync(drx_array a);"}, 0},
		{[]string{"DRX_OK = 0", "int drx_sync(drx_array a);", "int drx_new(void);"}, 0},
		{[]string{"DRX_OK = 1", "int drx_sync(drx_array a);"}, 1},
		{[]string{"DRX_OK = 0", "int drx_sync(drx_array a, int how);"}, 1},
		{nil, 2},
	} {
		if lost := removed(committed, c.lines); len(lost) != c.lost {
			t.Errorf("%q: %q are removed, want %d", c.lines, lost, c.lost)
		}
	}
}

// TestExported compares the names that libdrx exports with those of drx.h.
func TestExported(t *testing.T) {
	t.Parallel()
	want := functionsOf(t, "drx")
	if len(want) < 70 {
		t.Fatalf("%d functions in drx.h: the test does not read it well", len(want))
	}
	checkExported(t, filepath.Join(prefix(t), "lib", "libdrx"), want)
}

// checkExported compares the names that a library exports, as .so and as .a, with the wanted ones.
func checkExported(t *testing.T, library string, want []string) {
	t.Helper()
	for _, c := range []struct {
		args   []string
		suffix string
	}{
		{[]string{"-D", "--defined-only", library + ".so"}, "@@DRX_1"},
		{[]string{"--defined-only", "--extern-only", library + ".a"}, ""},
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
			t.Errorf("%v: exported are\n%v\nwant those of the headers\n%v", c.args, names, want)
		}
	}
}

// TestManual checks that the manual pages name every function.
func TestManual(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"drx", "drxmp"} {
		page, err := os.ReadFile(name + ".3")
		if err != nil {
			t.Fatal(err)
		}
		for _, function := range functionsOf(t, name) {
			if !regexp.MustCompile(`\b` + function + `\b`).Match(page) {
				t.Errorf("%s.3 lacks %s", name, function)
			}
		}
		if _, err := exec.LookPath("groff"); err != nil {
			t.Logf("no groff: %s.3 is not formatted", name)
			continue
		}
		if out, err := exec.Command("groff", "-ww", "-z", "-man", "-Tutf8", name+".3").CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("groff: %v\n%s", err, out)
		}
	}
}

// TestMakefile checks that make install installs the library by the script that the other tests
// use.
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
