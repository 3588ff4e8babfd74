package main_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"drx/cmd/internal/capi"
	"drx/dtype"
)

// TestPrograms runs the programs in C and C++, with the shared library and with the archive. They
// print their failures.
func TestPrograms(t *testing.T) {
	t.Parallel()
	archive := []string{"-Wl,-Bstatic", "-ldrx", "-Wl,-Bdynamic"}
	for name, c := range map[string]struct {
		source      string
		flags, args []string
	}{
		"errors":          {source: "errors.c"},
		"errors, .a":      {source: "errors.c", flags: archive},
		"errors, -static": {source: "errors.c", flags: []string{"-static"}},
		"fork":            {source: "fork.c"},
		"fork, .a":        {source: "fork.c", flags: archive},
		"strides":         {source: "strides.c"},
		"callbacks":       {source: "callbacks.c"},
		"datasets":        {source: "datasets.c"},
		"exchange":        {source: "exchange.c"},
		"exchange, .a":    {source: "exchange.c", flags: archive},
		"threads":         {source: "threads.c", args: calls()},
		"histories":       {source: "histories.c", args: []string{"1", "500"}},
		"classes":         {source: "classes.cpp"},
		"classes, .a":     {source: "classes.cpp", flags: archive},
		"signals, .a":     {source: "signals.c", flags: append([]string{"-DLINKED"}, archive...), args: []string{"", "after"}},
		"c++ 2b":          {source: "classes.cpp", flags: []string{"-std=c++2b"}},
		"mdspan":          {source: "mdspan.cpp", flags: append(sanitizers, "-D__cpp_lib_mdspan=202207L", "-Itestdata/stub")},
		"c99, no gnu":     {source: "tables.c", flags: []string{"-std=c99", "-pedantic"}},
		"drx.h in C++":    {source: "header.cpp", flags: []string{"-std=c++11", "-pedantic"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out := compile(t, "testdata/"+c.source, c.flags...).run(t, c.args...); name == "threads" {
				t.Log("\n" + out)
			}
		})
	}
}

// calls returns the numbers of calls for threads.c: with DRX_SOAK, which make soak sets, a million
// reads and a million times open and close.
func calls() []string {
	if os.Getenv("DRX_SOAK") != "" {
		return []string{"4000000", "1000000"}
	}
	return []string{"1000000", "100000"}
}

// sanitizers are the flags of gcc for the sanitizers of addresses, leaks and undefined behaviour.
var sanitizers = []string{"-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"}

// TestSanitized runs the programs with the sanitizers of gcc for addresses, leaks and undefined
// behaviour. They check the C side: memory that the library allocates for the host, and memory that
// the host passes to it. Nothing is suppressed. signals.c is left out: it floods itself with
// signals, and with sanitizers it did not always end in time on a busy machine.
func TestSanitized(t *testing.T) {
	t.Parallel()
	for _, c := range [][]string{
		{"errors.c"},
		{"strides.c"},
		{"callbacks.c"},
		{"datasets.c"},
		{"exchange.c"},
		{"histories.c", "1000", "50"},
		{"classes.cpp"},
		{"fork.c"},
		{"tables.c"},
		{"threads.c", "20000", "2000"},
	} {
		t.Run(c[0], func(t *testing.T) {
			t.Parallel()
			compile(t, "testdata/"+c[0], sanitizers...).run(t, c[1:]...)
		})
	}
	t.Run("a leak is found", func(t *testing.T) {
		t.Parallel()
		out, err := compile(t, "testdata/leak.c", sanitizers...).start(t)
		if err == nil || !strings.Contains(out, "LeakSanitizer") {
			t.Errorf("a string that is not freed: %v\n%s", err, out)
		}
	})
}

// TestSignals runs a program with handlers of its own, installed before and after the library is
// loaded.
func TestSignals(t *testing.T) {
	t.Parallel()
	library := filepath.Join(prefix(t), "lib", "libdrx.so.1")
	for _, when := range []string{"before", "after"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			compile(t, "testdata/signals.c").run(t, library, when)
		})
	}
	for name, flags := range map[string][]string{"crash": nil, "crash, .a": {"-DLINKED", "-Wl,-Bstatic", "-ldrx", "-Wl,-Bdynamic"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := compile(t, "testdata/signals.c", flags...).start(t, library, "crash")
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGSEGV || out != "" {
				t.Errorf("a fault of the host ends it with %v and %q, want only the signal", err, out)
			}
		})
	}
}

// TestPython checks that Python keeps Ctrl-C and its child processes. It is skipped without
// python3, unless CI=true.
func TestPython(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	script, err := filepath.Abs("testdata/interrupt.py")
	if err != nil {
		t.Fatal(err)
	}
	p := program{python, workFolder(t)}
	if out := p.run(t, script, filepath.Join(prefix(t), "lib", "libdrx.so")); out != "good\n" {
		t.Errorf("%s", out)
	}
}

// TestExamples compiles and runs the examples.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"c/grow.c", "cpp/grow.cpp"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			source := filepath.Join(root, "examples", file)
			text, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(text), "\n"); n > 60 {
				t.Errorf("%s has %d lines, want at most 60", file, n)
			}
			out := compile(t, source).run(t)
			lines := strings.Split(strings.TrimSpace(out), "\n")
			if len(lines) != 4 || !strings.Contains(lines[2], `"hi":[3,100,200]`) || lines[3] != "x from -10 to 200; pixel 50,7: 0 100 200" {
				t.Errorf("%s prints\n%s", file, out)
			}
		})
	}
}

// TestTables compares the tables in C with those in Go.
func TestTables(t *testing.T) {
	t.Parallel()
	out := compile(t, "testdata/tables.c").run(t)
	var want strings.Builder
	for _, d := range dtype.All() {
		writef(&want, "type %d %s %d %d\n", d, d, d.Size(), d)
	}
	constants := constantsOf(t, "drx")
	names := map[int]string{}
	for name, value := range constants {
		if strings.HasPrefix(name, "DRX_E") || name == "DRX_OK" {
			names[value] = name
		}
	}
	if len(names) != int(capi.CodeGone)+1 {
		t.Errorf("drx.h has %d codes, capi %d", len(names), capi.CodeGone+1)
	}
	for i := range 100 {
		name := names[i]
		if name == "" {
			name = "unknown code"
		}
		writef(&want, "code %d %s\n", i, name)
	}
	writef(&want, "version %s\n", testVersion)
	if out != want.String() {
		t.Errorf("the library says\n%s\nwant\n%s", out, want.String())
	}
	for _, d := range dtype.All() {
		if name := "DRX_" + strings.ToUpper(d.String()); constants[name] != int(d) {
			t.Errorf("%s is %d in drx.h, %d in package dtype", name, constants[name], d)
		}
	}
}
