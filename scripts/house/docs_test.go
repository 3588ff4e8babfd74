package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const good = `// Package p is documented.
package p

// A T is a type with one Field.
type T[E any] struct{ Field int }

// M is a method.
func (t *T[E]) M() {}

type hidden struct{}

// Exported carries out an interface.
func (hidden) Exported() {}

// A U is a struct: A is named here.
type U struct {
	A int
	// B has a comment, which serves C as well.
	B int
	C int

	D int // so has D
	e int
}

// The limits.
const (
	A = 1
	B = 2
)

var C = 3 // a comment behind the name is one
`

const bad = `package q

type T struct{}

func (t *T) M() {}

func F() {}

const A, b = 1, 2

type hidden struct{}

func (hidden) Exported() {}

// A group.
type (
	U int
	// V has one.
	V int
)

// An I is an interface.
type I interface {
	// Do does it.
	Do()

	Undo()
}
`

func TestDocumentation(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"p/p.go":           good,
		"p/more.go":        "package p\n",
		"q/q.go":           bad,
		"q/q_test.go":      "package q\n\nfunc Exported() {}\n",
		"q/testdata/x.go":  "no Go at all",
		"internal/i/i.go":  "// Package i has a comment.\npackage i\n\nfunc F() {}\n\ntype t int\n\nfunc (t) M() {}\n",
		"internal/j/j.go":  "package j\n",
		"long/long.go":     "// Package long is long.\npackage long\n" + strings.Repeat("\n", maxLines-1),
		"long/ok.go":       "package long\n" + strings.Repeat("\n", maxLines-1),
		"long/all_test.go": "package long\n" + strings.Repeat("\n", 2*maxLines),
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	all, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	got := all.documentation()
	const advice = ": say what it does, with units and errors"
	want := []string{
		"internal/i/i.go:4: F has no comment" + advice,
		"internal/j/j: package without a comment: write one above the package clause of one file",
		"long/long.go: 1001 lines, more than 1000: split it",
		"q/q.go:3: T has no comment" + advice,
		"q/q.go:5: T.M has no comment" + advice,
		"q/q.go:7: F has no comment" + advice,
		"q/q.go:9: A has no comment" + advice,
		"q/q.go:13: hidden.Exported has no comment" + advice,
		"q/q.go:17: U has no comment" + advice,
		"q/q.go:27: I.Undo has no comment" + advice,
		"q/q: package without a comment: write one above the package clause of one file",
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("violations:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestReadReportsBadSource(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "x.go"), []byte("package"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := read(root); err == nil || !strings.Contains(err.Error(), "x.go") {
		t.Errorf("error %v, want one that names x.go", err)
	}
	if _, err := read(filepath.Join(root, "nowhere")); err == nil {
		t.Error("no error for a folder that is not there")
	}
}
