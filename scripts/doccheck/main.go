// Command doccheck checks the rules of the house that can be counted: every
// package has a comment, every exported name outside internal folders has one
// (methods of unexported types too), and no file that is not a test is longer than 1000 lines.
//
//	go run ./scripts/doccheck [folder]
//
// It prints one line per violation and ends with status 1 if there was any.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const maxLines = 1000

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	violations, err := check(root)
	if err != nil {
		fmt.Fprintln(os.Stderr, "doccheck:", err)
		os.Exit(2)
	}
	for _, v := range violations {
		fmt.Println(v)
	}
	if len(violations) > 0 {
		os.Exit(1)
	}
}

// A checker gathers violations while files are added to it.
type checker struct {
	fset       *token.FileSet
	packages   map[string]bool // folder and package: whether one of its files has a package comment
	violations []string
}

// check looks at all Go files below root, those excluded by build tags too. The
// error is that of reading or parsing a file.
func check(root string) ([]string, error) {
	c := &checker{fset: token.NewFileSet(), packages: map[string]bool{}}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch name := entry.Name(); {
		case entry.IsDir():
			if path != root && (name == "testdata" || name == "bin" || name[0] == '.' || name[0] == '_') {
				return filepath.SkipDir
			}
			return nil
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		return c.file(path)
	})
	for name, documented := range c.packages {
		if !documented {
			c.violations = append(c.violations, fmt.Sprintf("%s: package without a comment", name))
		}
	}
	slices.Sort(c.violations)
	return c.violations, err
}

func (c *checker) file(path string) error {
	file, err := parser.ParseFile(c.fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if n := c.fset.File(file.FileStart).LineCount(); n > maxLines {
		c.violations = append(c.violations, fmt.Sprintf("%s: %d lines, more than %d", path, n, maxLines))
	}
	key := filepath.Join(filepath.Dir(path), file.Name.Name)
	c.packages[key] = c.packages[key] || file.Doc != nil
	if slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "internal") {
		return nil
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			c.function(d)
		case *ast.GenDecl:
			c.names(d)
		}
	}
	return nil
}

// function checks an exported function or method: those of unexported types too, which carry out
// interfaces that are read elsewhere.
func (c *checker) function(d *ast.FuncDecl) {
	if !d.Name.IsExported() || d.Doc != nil {
		return
	}
	name := d.Name.Name
	if d.Recv != nil {
		name = receiverName(d.Recv.List[0].Type) + "." + name
	}
	c.undocumented(d.Pos(), name)
}

// names checks the types, constants and variables of a declaration. In a group,
// the comment of the group serves constants and variables, not types.
func (c *checker) names(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && s.Doc == nil && s.Comment == nil && (d.Doc == nil || d.Lparen.IsValid()) {
				c.undocumented(s.Pos(), s.Name.Name)
			}
		case *ast.ValueSpec:
			if d.Doc != nil || s.Doc != nil || s.Comment != nil {
				continue
			}
			for _, name := range s.Names {
				if name.IsExported() {
					c.undocumented(name.Pos(), name.Name)
				}
			}
		}
	}
}

func (c *checker) undocumented(at token.Pos, name string) {
	p := c.fset.Position(at)
	c.violations = append(c.violations, fmt.Sprintf("%s:%d: %s has no comment", p.Filename, p.Line, name))
}

// receiverName is the name of the type in a receiver like *T or T[E].
func receiverName(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.StarExpr:
		return receiverName(t.X)
	case *ast.IndexExpr:
		return receiverName(t.X)
	case *ast.IndexListExpr:
		return receiverName(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}
