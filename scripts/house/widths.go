package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxColumns is the largest width of a comment, in characters. A tab counts as one.
const maxColumns = 100

// widths returns the lines of comments that are too wide. Generated files do not count;
// foreignWidths has those of tests.
func (s *sources) widths() (violations []string) {
	for _, f := range s.files {
		if ast.IsGenerated(f.File) {
			continue
		}
		preamble := cPreamble(f.File)
		for _, group := range f.Comments {
			if group == preamble {
				continue
			}
			for _, c := range group.List {
				at := s.fset.Position(c.Pos())
				before := at.Column - 1 // of the first line: what is before the comment
				for i, line := range strings.Split(c.Text, "\n") {
					if n := before + utf8.RuneCountInString(line); n > maxColumns && canWrap(line) {
						violations = append(violations, fmt.Sprintf("%s:%d: a comment of %d columns, more than %d: wrap it", f.path, at.Line+i, n, maxColumns))
					}
					before = 0
				}
			}
		}
	}
	return violations
}

// cPreamble returns the C code above an import of "C", nil if there is none.
func cPreamble(f *ast.File) *ast.CommentGroup {
	for _, decl := range f.Decls {
		if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.IMPORT && g.Doc != nil {
			if slices.ContainsFunc(g.Specs, func(s ast.Spec) bool { return s.(*ast.ImportSpec).Path.Value == `"C"` }) {
				return g.Doc
			}
		}
	}
	return nil
}

// canWrap reports whether a line of a comment is prose of several words. Directives, code, lists
// and tables, which gofmt indents, and single words, such as addresses, may be wider.
func canWrap(line string) bool {
	text, isLine := strings.CutPrefix(line, "//")
	if isLine && !strings.HasPrefix(text, " ") || strings.HasPrefix(text, "  ") || strings.HasPrefix(text, " |") {
		return false
	}
	return len(strings.Fields(text)) > 1
}
