package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A source is a Go file that is not a test.
type source struct {
	path string // from the root folder, with slashes
	pkg  string // import path of its folder
	*ast.File
}

// sources holds all Go files below a folder except tests, whatever their build tags.
type sources struct {
	root    string
	fset    *token.FileSet
	modules map[string]string // folder from the root: import path of the module
	files   []source
}

// read parses the files below root.
func read(root string) (*sources, error) {
	s := &sources{root: root, fset: token.NewFileSet(), modules: map[string]string{}}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != root && (name == "testdata" || name == "bin" || name[0] == '.' || name[0] == '_') {
				return filepath.SkipDir
			}
			return s.module(path)
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		return s.parse(path)
	})
	return s, err
}

// module records the module whose root folder is dir, if it is one.
func (s *sources) module(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut("\n"+string(text), "\nmodule ")
	name, _, _ := strings.Cut(rest, "\n")
	s.modules[s.local(dir)] = strings.TrimSpace(name)
	return nil
}

// local returns a path relative to the root folder.
func (s *sources) local(path string) string {
	if rel, err := filepath.Rel(s.root, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

func (s *sources) parse(path string) error {
	file, err := parser.ParseFile(s.fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	local := s.local(path)
	dir := filepath.ToSlash(filepath.Dir(local))
	module := dir
	for s.modules[module] == "" && module != "." {
		module = filepath.ToSlash(filepath.Dir(module))
	}
	pkg := s.modules[module]
	if inside := strings.TrimPrefix(strings.TrimPrefix(dir, module), "/"); dir != module {
		pkg += "/" + inside
	}
	s.files = append(s.files, source{local, pkg, file})
	return nil
}

// at returns the file and the line of a position.
func (s *sources) at(p token.Pos) string {
	where := s.fset.Position(p)
	return fmt.Sprintf("%s:%d", s.local(where.Filename), where.Line)
}
