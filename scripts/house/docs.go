package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
)

// maxLines is the largest number of lines in a file that is not a test.
const maxLines = 1000

// documentation checks that every package and every exported name has a comment, and the length of
// files. A field or an interface method must have its own comment, be in the same paragraph as one
// with a comment, or be named in the comment of its type. In internal packages, fields and methods
// of unexported types need no comment, because readers see their declaration.
func (s *sources) documentation() []string {
	d := docs{sources: s}
	packages := map[string]bool{} // by folder and package: whether a file has a package comment
	for _, f := range s.files {
		if n := s.fset.File(f.FileStart).LineCount(); n > maxLines {
			d.report("%s: %d lines, more than %d: split it", f.path, n, maxLines)
		}
		key := path.Join(path.Dir(f.path), f.Name.Name)
		packages[key] = packages[key] || f.Doc != nil
		d.internal = slices.Contains(strings.Split(f.path, "/"), "internal")
		for _, decl := range f.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				d.function(decl)
			case *ast.GenDecl:
				d.names(decl)
			}
		}
	}
	for name, documented := range packages {
		if !documented {
			d.report("%s: package without a comment: write one above the package clause of one file", name)
		}
	}
	slices.Sort(d.violations)
	return d.violations
}

// docs collects violations.
type docs struct {
	*sources
	internal   bool // the file is one of an internal package
	violations []string
}

func (d *docs) report(format string, args ...any) {
	d.violations = append(d.violations, fmt.Sprintf(format, args...))
}

func (d *docs) undocumented(at token.Pos, name string) {
	d.report("%s: %s has no comment: say what it does, with units and errors", d.at(at), name)
}

// function checks an exported function or method, including methods of unexported types, because
// these implement interfaces that other code uses.
func (d *docs) function(f *ast.FuncDecl) {
	if !f.Name.IsExported() || f.Doc != nil {
		return
	}
	name := f.Name.Name
	if f.Recv != nil {
		receiver := receiverName(f.Recv.List[0].Type)
		if d.internal && !ast.IsExported(receiver) {
			return
		}
		name = receiver + "." + name
	}
	d.undocumented(f.Pos(), name)
}

// names checks the types, constants and variables of a declaration. In a group, the comment of the
// group is enough for constants and variables, but not for types.
func (d *docs) names(g *ast.GenDecl) {
	for _, spec := range g.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			comment := s.Doc.Text() + s.Comment.Text()
			if !g.Lparen.IsValid() {
				comment += g.Doc.Text()
			}
			if !s.Name.IsExported() {
				continue
			}
			if comment == "" {
				d.undocumented(s.Pos(), s.Name.Name)
			} else if !d.internal {
				d.members(s, comment)
			}
		case *ast.ValueSpec:
			if g.Doc != nil || s.Doc != nil || s.Comment != nil {
				continue
			}
			for _, name := range s.Names {
				if name.IsExported() {
					d.undocumented(name.Pos(), name.Name)
				}
			}
		}
	}
}

// members checks the fields of a struct or the methods of an interface.
func (d *docs) members(t *ast.TypeSpec, comment string) {
	var list []*ast.Field
	switch t := t.Type.(type) {
	case *ast.StructType:
		list = t.Fields.List
	case *ast.InterfaceType:
		list = t.Methods.List
	}
	words := strings.FieldsFunc(comment, func(r rune) bool { return !isLetter(r) })
	for _, paragraph := range d.paragraphs(list) {
		if slices.ContainsFunc(paragraph, func(f *ast.Field) bool { return f.Doc != nil || f.Comment != nil }) {
			continue
		}
		for _, f := range paragraph {
			for _, name := range f.Names {
				if name.IsExported() && !slices.Contains(words, name.Name) {
					d.undocumented(name.Pos(), t.Name.Name+"."+name.Name)
				}
			}
		}
	}
}

func isLetter(r rune) bool {
	return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// paragraphs splits fields at empty lines.
func (d *docs) paragraphs(list []*ast.Field) [][]*ast.Field {
	var all [][]*ast.Field
	last := -1
	for _, f := range list {
		begin := f.Pos()
		if f.Doc != nil {
			begin = f.Doc.Pos()
		}
		if d.fset.Position(begin).Line > last+1 {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], f)
		last = d.fset.Position(f.End()).Line
	}
	return all
}

// receiverName returns the name of the type in a receiver such as *T or T[E].
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
