package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// drxRun runs one command line and returns its output.
func drxRun(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

func TestDemoAndItsSuggestions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tour")
	code, out, stderr := drxRun(t, "demo", "--dir", dir)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	for _, want := range []string{
		"sha256", "216 of 216 chunks written", "12852000 values, all equal", "row-major: rewrite 9.0 MiB",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the tour does not tell %q", want)
		}
	}
	for _, command := range []string{"verify " + dir + "/radar", "read " + dir + "/radar --section 0,-5:5,128"} {
		_, printed, _ := drxRun(t, strings.Fields(command)...)
		shown := "   $ drx " + command + "\n   " + strings.ReplaceAll(strings.TrimSpace(printed), "\n", "\n   ") + "\n"
		if !strings.Contains(out, shown) {
			t.Errorf("the tour does not show what its command prints:\n%s\nin\n%s", shown, out)
		}
	}
	_, next, _ := strings.Cut(out, "Try this next:\n")
	lines := strings.Split(strings.TrimSpace(next), "\n")
	if len(lines) != 5 {
		t.Fatalf("%d suggestions, want 5:\n%s", len(lines), next)
	}
	for _, line := range lines {
		if code, _, stderr := drxRun(t, strings.Fields(line)[1:]...); code != 0 {
			t.Errorf("%s: exit %d: %s", strings.TrimSpace(line), code, stderr)
		}
	}
}
