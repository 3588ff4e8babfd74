package fortran_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPrograms runs the programs below testdata, with the runtime checks of the compiler. They
// print the check that failed, or "good".
func TestPrograms(t *testing.T) {
	t.Parallel()
	for _, c := range [][]string{{"errors"}, {"strides"}, {"features"}, {"datasets"}, {"histories", "1", "300"}} {
		t.Run(c[0], func(t *testing.T) {
			t.Parallel()
			checks := "-fcheck=all" // warns of copies of variables, of which strides has none
			if c[0] == "features" {
				checks = "-fcheck=all,no-array-temps"
			}
			runGood(t, c, checks)
		})
	}
}

// TestSanitized runs the programs with the sanitizers for addresses, leaks and undefined behaviour.
func TestSanitized(t *testing.T) {
	t.Parallel()
	for _, c := range [][]string{{"errors"}, {"strides"}, {"features"}, {"datasets"}, {"histories", "1000", "20"}} {
		t.Run(c[0], func(t *testing.T) {
			t.Parallel()
			runGood(t, c, "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
		})
	}
}

// TestThreads runs a program with more OpenMP threads than most test machines have cores.
func TestThreads(t *testing.T) {
	t.Parallel()
	runGood(t, []string{"threads"}, "-fopenmp")
}

// TestReentrant checks that the compiled module has no static variables except constants, because
// threads would share them. The source does not show them: for the length of each function result
// of the form character(:), allocatable, gfortran makes a static variable at every call, in spite
// of -frecursive and without a warning.
func TestReentrant(t *testing.T) {
	t.Parallel()
	source, err := filepath.Abs(filepath.Join(installed(t), "include/drx-fortran/drx.f90"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("gfortran", "-std=f2018", "-frecursive", "-fsyntax-only", "-fdump-tree-original", source)
	cmd.Dir = t.TempDir()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dumps, err := filepath.Glob(cmd.Dir + "/*.original")
	if err != nil || len(dumps) != 1 {
		t.Fatalf("gfortran makes the dumps %v, want one: %v", dumps, err)
	}
	static := regexp.MustCompile(`(?m)^\s*static .*$`).FindAllString(read(t, dumps[0]), -1)
	constant := regexp.MustCompile(` C\.\d+ = `) // constants that the compiler makes of expressions
	variables := slices.DeleteFunc(slices.Clone(static), constant.MatchString)
	if len(variables) > 0 {
		t.Errorf("%d static variables: %q", len(variables), variables[:min(5, len(variables))])
	}
	if len(static) == 0 {
		t.Error("the dump has no constants: the test does not read it well")
	}
}

// runGood compiles a program of testdata and runs it with the given arguments.
func runGood(t *testing.T, words []string, flags ...string) {
	t.Helper()
	sources := []string{"testdata/check.f90", "testdata/" + words[0] + ".f90"}
	if out, err := compile(t, sources, flags...).run(words[1:]...); err != nil || out != "good\n" {
		t.Errorf("%v: %v\n%s", words, err, out)
	}
}

// TestStops checks that a failing call without stat prints the message and ends the program.
func TestStops(t *testing.T) {
	t.Parallel()
	out, err := compile(t, []string{"testdata/stops.f90"}).run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("it ends with %v, want exit status 1", err)
	}
	if !regexp.MustCompile(`(?m)^drx: no array "nowhere"`).MatchString(out) || strings.Contains(out, "after") {
		t.Errorf("it prints\n%s", out)
	}
}

// TestExample compiles and runs the example.
func TestExample(t *testing.T) {
	t.Parallel()
	source := filepath.Join(root, "examples/fortran/grow.f90")
	if n := strings.Count(read(t, source), "\n"); n > 60 {
		t.Errorf("%s has %d lines, want at most 60", source, n)
	}
	out, err := compile(t, []string{source}).run()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if err != nil || len(lines) != 5 || !strings.Contains(lines[2], `"hi":[3,100,200]`) ||
		lines[3] != "x from -9 to 200; pixel 8,51: 0 100 200" || !strings.Contains(lines[4], "dimension 3: indices 4:4 reach outside 1:3") {
		t.Errorf("%s: %v\n%s", source, err, out)
	}
}

// TestStatic links a program with the archive of the module.
func TestStatic(t *testing.T) {
	t.Parallel()
	prog := compile(t, []string{filepath.Join(root, "examples/fortran/grow.f90")},
		"-Wl,--as-needed", "-Wl,-Bstatic", "-L"+installed(t)+"/lib", "-ldrx_fortran", "-Wl,-Bdynamic")
	if out, err := prog.run(); err != nil || !strings.Contains(out, "x from -9 to 200") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := exec.Command("readelf", "-d", prog.file).CombinedOutput(); err != nil || strings.Contains(string(out), "libdrx_fortran") {
		t.Errorf("the program needs the shared library of the module: %v\n%s", err, out)
	}
}

// TestSource compiles the source that is installed, without a warning, and checks that it consists
// of all files here.
func TestSource(t *testing.T) {
	t.Parallel()
	source, err := filepath.Abs(filepath.Join(installed(t), "include/drx-fortran/drx.f90"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("gfortran", append([]string{"-O0", "-c", source}, strict...)...) // install compiles with -O1
	cmd.Dir = t.TempDir()
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
	whole := read(t, source)
	for _, name := range sources(t) {
		text := read(t, name)
		if !strings.Contains(whole, text) {
			t.Errorf("the installed source lacks %s: scripts/lib.sh has a list of the files", name)
		}
	}
}

// sources returns the files of the module.
func sources(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("src/*.f90")
	if err != nil || len(names) < 8 {
		t.Fatalf("the files are %v: %v", names, err)
	}
	return names
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestLines checks that the lines are short enough for every compiler.
func TestLines(t *testing.T) {
	t.Parallel()
	for _, name := range append(sources(t), "testdata/errors.f90", filepath.Join(root, "examples/fortran/grow.f90")) {
		for i, line := range strings.Split(read(t, name), "\n") {
			if len(line) > 132 {
				t.Errorf("%s:%d has %d columns, Fortran allows 132", name, i+1, len(line))
			}
		}
	}
}

// unused has the functions of drx.h that the module does not call, with the reason.
var unused = map[string]string{
	"drx_strides":         "the strides of a variable come from its addresses",
	"drx_select_points":   "a selection of Fortran keeps all dimensions",
	"drx_reserve_key":     "tasks that are tried again are those of schedulers, which programs of Fortran are not run by",
	"drx_meaning_convert": "programs convert variables with the factor and the shift that drx_meaning_compare returns",
}

// TestEveryFunction checks that the module calls every function of libdrx.
func TestEveryFunction(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, name := range sources(t) {
		if name != "src/c.f90" {
			text.WriteString(read(t, name))
		}
	}
	functions := regexp.MustCompile(`\bdrx_(\w+)\(`).FindAllStringSubmatch(read(t, filepath.Join(root, "include/drx.abi")), -1)
	if len(functions) < 70 {
		t.Fatalf("%d functions in drx.abi: the test does not read it well", len(functions))
	}
	for _, f := range functions {
		used := regexp.MustCompile(`\bdrxc_` + f[1] + `\b`).MatchString(text.String())
		if _, listed := unused["drx_"+f[1]]; used == listed {
			t.Errorf("drx_%s: used is %v, listed as unused is %v", f[1], used, listed)
		}
	}
}

// TestDocumented checks that the table of docs/FORTRAN.md has exactly the public procedures.
func TestDocumented(t *testing.T) {
	t.Parallel()
	page := read(t, filepath.Join(root, "docs/FORTRAN.md"))
	internal := []string{ // procedures that the modules share among themselves
		"create_untyped", "describe", "fail", "finish_section", "grow", "has_dim", "open_already", "resolve", "section_of", "to_file", "turned",
	}
	bindings := regexp.MustCompile(`(?m)^    (?:procedure|generic) :: (\w+)`)
	for _, name := range sources(t) {
		for _, m := range bindings.FindAllStringSubmatch(read(t, name), -1) {
			if !strings.Contains(page, "`"+m[1]+"(") && !slices.Contains(internal, m[1]) {
				t.Errorf("docs/FORTRAN.md has no `%s(`, of %s", m[1], name)
			}
		}
	}
	for _, m := range regexp.MustCompile(`\bdrx_\w+`).FindAllString(strings.Join(regexp.MustCompile(`(?m)^  public :: drx_.*$`).FindAllString(read(t, "src/names.f90"), -1), " "), -1) {
		if !strings.Contains(page, "`"+m+"(") {
			t.Errorf("docs/FORTRAN.md has no `%s(`", m)
		}
	}
}
