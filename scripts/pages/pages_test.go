package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestPages runs the examples of all pages.
func TestPages(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("builds programs and runs shells")
	}
	const root = "../.."
	pages, err := allPages(root)
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRunner(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.close() })
	for _, page := range pages {
		t.Run(page, func(t *testing.T) {
			faults, err := r.page(t.Context(), page, false)
			if err != nil {
				t.Fatal(err)
			}
			for _, fault := range faults {
				t.Error(fault)
			}
		})
	}
}

// TestLinks: the targets of the links in pages exist.
func TestLinks(t *testing.T) {
	const root = "../.."
	pages, err := allPages(root)
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)(#:\s]+)(#[^)]*)?\)`)
	for _, page := range append(pages, "CONTRIBUTING.md", "examples/sales/README.md") {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(page), string(m[1]))); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
}

// TestFaults: pages with wrong examples are refused.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, page, want string }{
		{"no fences", "text\n\n    drx info A\n", "3: an indented block"},
		{"no language", "```\ndrx info A\n```\n", "1: a block without a language"},
		{"other language", "```shell\ndrx info A\n```\n", "1: language \"shell\" is none"},
		{"no file, C", "```c\nint main(void);\n```\n", "1: a block in c"},
		{"no file", "```python\nprint(1)\n```\n", "1: a block in python"},
		{"no end", "```sh\ndrx info A\n", "2: a block without an end"},
		{"no block", "<!-- not run: slow -->\ntext\n", "2: the comment above"},
		{"no command", "```console\noutput\n```\n", "2: a console block begins"},
	} {
		blocks, err := parse(c.page)
		if err == nil {
			_, err = stepsOf(blocks)
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestGoBlocks: a Go block that does not compile is reported, whether it is a file or a part of a
// function.
func TestGoBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles packages")
	}
	c, err := newChecker("../..", os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []struct {
		given, text, want string
	}{
		{"", "a, err := drx.Open(\"A\", drx.Options{})", ""},
		{"a *drx.Array, err error", "for p, err := range a.Parts(drx.Walk{}) { ... }", ""},
		{"", "package main\n\nfunc main() { println(1) }", ""},
		{"", "a, err := drx.Open(7, drx.Options{})", "cannot use 7"},
		{"a *drx.Array", "a.Grow()", "a.Grow undefined"},
		{"", "if {", "missing condition"},
		{"", "package main\n\nfunc main() { x := 1 }", "declared and not used"},
	} {
		err := c.check(&block{given: b.given, lines: []string{b.text}})
		if (err == nil) != (b.want == "") || err != nil && !strings.Contains(err.Error(), b.want) {
			t.Errorf("%s: %v", b.text, err)
		}
	}
}

// TestOutput: outputs are compared line by line, ignoring what differs from run to run.
func TestOutput(t *testing.T) {
	for _, c := range []struct {
		shown, got string
		same       bool
	}{
		{"", "", true},
		{"a", "", false},
		{"", "a", false},
		{"a\nb", "a\nb", true},
		{"a\nb", "a\nc", false},
		{"a\n...", "a\nb\nc", true},
		{"a\n...\nc", "a\nc", true},
		{"a\n...\nd", "a\nb\nc", false},
		{"done in 1.5 s", "done in 0.25 s", true},
		{"1.5 MiB", "1.6 MiB", false},
		{"15", "16", false},
	} {
		split := func(s string) []string { return strings.FieldsFunc(s, func(r rune) bool { return r == '\n' }) }
		if sameOutput(split(c.shown), split(c.got)) != c.same {
			t.Errorf("%q shows %q: want %v", c.got, c.shown, c.same)
		}
	}
}

// TestRun runs a page with each kind of block and finds the error in each.
func TestRun(t *testing.T) {
	steps := []step{
		{line: 1, shell: "cd /; x=1\n", strict: true},
		{line: 2, shell: "pwd; echo $x; false\n", block: &block{}, shown: []string{"/", "1"}},
		{line: 3, shell: "echo one\n", block: &block{}, shown: []string{"two"}},
		{line: 4, shell: "false\necho no\n", strict: true},
		{line: 5, shell: "echo unreached\n", strict: true},
	}
	r := &runner{root: t.TempDir(), dir: t.TempDir()}
	outputs, err := r.runSteps(t.Context(), steps)
	if err != nil {
		t.Fatal(err)
	}
	faults := compare("page", steps, outputs)
	if len(faults) != 2 || !strings.HasPrefix(faults[0], "page:3: echo one\nprints\none\n") || !strings.HasPrefix(faults[1], "page:4: failed") {
		t.Error(faults)
	}
	page := "```sh\n$ pwd\n/\n1\n$ echo one\ntwo\n```"
	steps[1].line, steps[2].line = 2, 5
	if got := updated(page, steps, outputs); got != strings.Replace(page, "two", "one", 1) {
		t.Error(got)
	}
}
