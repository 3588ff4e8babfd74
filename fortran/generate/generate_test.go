package main

import (
	"os"
	"strings"
	"testing"
)

// TestCurrent checks that the generated files are up to date, as written by go generate ./fortran.
func TestCurrent(t *testing.T) {
	t.Parallel()
	abi, err := os.ReadFile("../../include/drx.abi")
	if err != nil {
		t.Fatal(err)
	}
	c, err := interfaces(string(abi))
	if err != nil {
		t.Fatal(err)
	}
	e, err := elements()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"../src/c.f90": c, "../src/elements.f90": e} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s is not what is generated now: run go generate ./fortran (%v)", name, err)
		}
	}
}

// TestUnknown checks that an unknown kind of declaration in drx.abi is an error.
func TestUnknown(t *testing.T) {
	t.Parallel()
	for abi, want := range map[string]string{
		"int drx_new(drx_array a, float x);": "drx_new has a parameter of a type that is not known: float",
		"float drx_new(void);":               "drx_new has a result that is not known: float",
		"struct drx_thing;":                  "drx.abi has a line that is no function: struct drx_thing;",
		"int drx_new(int);":                  "drx_new has a parameter that is not understood: int",
	} {
		if _, err := interfaces(abi); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", abi, err, want)
		}
	}
}

// TestWrap checks that wrapping keeps all words, and that lines are short.
func TestWrap(t *testing.T) {
	t.Parallel()
	line := "function f(" + strings.Repeat("argument, ", 40) + "last)"
	got := wrap("    ", line)
	for part := range strings.Lines(got) {
		if len(part) > 124 {
			t.Errorf("a line of %d columns", len(part))
		}
	}
	if joined := strings.Join(strings.Fields(strings.ReplaceAll(got, "&", "")), " "); joined != line {
		t.Errorf("wrapped it is\n%s", joined)
	}
}
