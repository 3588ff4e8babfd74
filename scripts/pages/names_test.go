package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestNames: the source files that docs/ARCHITECTURE.md names exist, and contain the functions
// named after them, as in `io.go` (ReadBytes, read) and `io.go`: ReadBytes, read.
func TestNames(t *testing.T) {
	const root = "../.."
	text, err := os.ReadFile(filepath.Join(root, "docs/ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := sourcesIn(string(text))
	if len(named) < 100 {
		t.Fatalf("%d sources are named: the page or this test has changed", len(named))
	}
	for _, fault := range unknownSources(t, root, named) {
		t.Error(fault)
	}
	for _, wrong := range []string{"`nothere.go`", "`io.go` (ReadBytes, nothere)", "`transfer/read.go`: Read, nothere;"} {
		if len(unknownSources(t, root, sourcesIn(wrong))) != 1 {
			t.Errorf("%s is not refused", wrong)
		}
	}
}

// A namedSource is a source file that a page names, with the functions named after it.
type namedSource struct {
	file      string
	functions []string
}

var (
	sourceName = regexp.MustCompile("`([\\w./-]+\\.go)`(?: of the root)?")
	functions  = regexp.MustCompile(`^(?: \(|: )(\w+(?:\.\w+)?(?:, \w+(?:\.\w+)?)*)[).;]`)
)

// sourcesIn returns the sources that a text names.
func sourcesIn(text string) (all []namedSource) {
	text = strings.Join(strings.Fields(text), " ")
	for _, at := range sourceName.FindAllStringSubmatchIndex(text, -1) {
		s := namedSource{file: text[at[2]:at[3]]}
		if m := functions.FindStringSubmatch(text[at[1]:]); m != nil {
			s.functions = strings.Split(m[1], ", ")
		}
		all = append(all, s)
	}
	return all
}

// unknownSources returns a message for each source, or function in it, that does not exist below
// root. A source is named by the end of its path.
func unknownSources(t *testing.T, root string, named []namedSource) (faults []string) {
	t.Helper()
	files := goFiles(t, root)
	for _, s := range named {
		var found []string
		for _, f := range files {
			if strings.HasSuffix("/"+f, "/"+s.file) {
				found = append(found, filepath.Join(root, f))
			}
		}
		if len(found) == 0 {
			faults = append(faults, "there is no "+s.file)
			continue
		}
		for _, name := range s.functions {
			base := name[strings.LastIndex(name, ".")+1:]
			if !slices.ContainsFunc(found, func(f string) bool { return declares(t, f, base) }) {
				faults = append(faults, s.file+" has no "+name)
			}
		}
	}
	return faults
}

// goFiles returns the sources below root.
func goFiles(t *testing.T, root string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") {
			path, err = filepath.Rel(root, path)
			files = append(files, filepath.ToSlash(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// declares reports whether a source declares a function, a method, a type or a variable.
func declares(t *testing.T, path, name string) bool {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
		switch d := d.(type) {
		case *ast.FuncDecl:
			return d.Name.Name == name
		case *ast.GenDecl:
			return slices.ContainsFunc(d.Specs, func(s ast.Spec) bool {
				switch s := s.(type) {
				case *ast.TypeSpec:
					return s.Name.Name == name
				case *ast.ValueSpec:
					return slices.ContainsFunc(s.Names, func(i *ast.Ident) bool { return i.Name == name })
				}
				return false
			})
		}
		return false
	})
}
