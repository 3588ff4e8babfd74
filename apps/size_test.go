// Package apps has programs over drxmp, each in a folder of its own.
package apps

import (
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// limit is the number of lines of code that each program must not reach.
const limit = 400

// The files of each folder. The program is all that works with arrays, procs, commits and growth,
// with its flags. Only its lines are counted. Not counted are:
//
//	kernels  what computes, and the parameters that this needs
//	beside   what is done with results later: a program of its own
//
// Lines of code are those with anything but a comment.
var programs = map[string]struct{ program, kernels, beside []string }{
	"matmul": {
		program: []string{"main.go", "session.go", "progress.go"},
		kernels: []string{"srumma.go", "tiling.go", "dgemm.go", "dgemm_openblas.go"},
	},
	"md": {
		program: []string{"main.go", "simulation.go", "files.go"},
		kernels: []string{"settings.go", "force.go", "lattice.go"},
		beside:  []string{"analyse.go", "draw.go"},
	},
	"lbm": {
		program: []string{"main.go", "run.go", "commit.go"},
		kernels: []string{"d2q9/lattice.go", "d2q9/collide.go", "d2q9/stream.go"},
		beside:  []string{"cavity/field.go", "cavity/snapshot.go", "cavity/ghia.go", "cavity/draw.go", "cavity/report.go"},
	},
}

// TestSize: each program has less than 400 lines of code beside its kernels, no file is left out,
// and no kernel uses arrays or procs, except those of matmul, whose algorithm is parallel.
func TestSize(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if p, known := programs[e.Name()]; e.IsDir() && !known {
			t.Errorf("%s is not counted", e.Name())
		} else if e.IsDir() {
			checkProgram(t, e.Name(), p.program, p.kernels, p.beside)
		}
	}
}

func checkProgram(t *testing.T, folder string, program, kernels, beside []string) {
	listed := slices.Concat(program, kernels, beside)
	for _, pattern := range []string{"*.go", "*/*.go"} {
		files, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if name, _ := filepath.Rel(folder, f); !strings.HasSuffix(f, "_test.go") && !slices.Contains(listed, filepath.ToSlash(name)) {
				t.Errorf("%s is not counted", f)
			}
		}
	}
	lines := 0
	for _, f := range program {
		lines += codeLines(t, filepath.Join(folder, f))
	}
	t.Logf("%s: %d lines of code", folder, lines)
	if lines == 0 || lines >= limit {
		t.Errorf("%s has %d lines of code beside its kernels, want less than %d", folder, lines, limit)
	}
	for _, f := range kernels {
		if folder != "matmul" {
			checkKernel(t, filepath.Join(folder, f))
		}
	}
}

// codeLines returns how many lines of a file have anything but a comment.
func codeLines(t *testing.T, name string) int {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	files, with := token.NewFileSet(), map[int]bool{}
	file := files.AddFile(name, -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return len(with)
		}
		if tok == token.SEMICOLON && literal == "\n" {
			continue // the scanner's own
		}
		first := file.Line(pos)
		for line := first; line <= first+strings.Count(literal, "\n"); line++ {
			with[line] = true
		}
	}
}

// checkKernel checks that a file imports nothing of arrays and procs.
func checkKernel(t *testing.T, name string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range f.Imports {
		if path, _ := strconv.Unquote(i.Path.Value); path == "drx" || strings.HasPrefix(path, "drx/") {
			t.Errorf("%s imports %s: a kernel knows of no arrays and no procs", name, path)
		}
	}
}

// TestCodeLines: blank lines and comments do not count, whatever they look like, and lines of a
// text do.
func TestCodeLines(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.go")
	text := "// Package a.\npackage a\n\n/* one\nvar no int\n*/\nvar a = `x\n// y\n\nz` // four lines\n\nfunc f() {\n\t// nothing\n}\n"
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if n := codeLines(t, name); n != 1+4+2 {
		t.Errorf("%d lines", n)
	}
}
