package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxColumns is the largest width of a comment, in characters. A tab counts as one.
const maxColumns = 100

// widths returns the lines of comments that are too wide. It skips generated files; foreignWidths
// checks tests.
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
			var text prose
			for _, c := range group.List {
				at := s.fset.Position(c.Pos())
				before := at.Column - 1 // characters before the comment, in its first line
				for i, line := range strings.Split(c.Text, "\n") {
					n := before + utf8.RuneCountInString(line)
					if wraps := text.next(line); wraps && n > maxColumns {
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

// A prose reads the lines of a comment one by one, and detects the lines that can be wrapped.
type prose struct{ inList bool }

// listItem matches the beginning of an item of a list, as indented by gofmt, or as in other
// languages.
var listItem = regexp.MustCompile(`^ +([-*+•]|\d+[.)]) +\S`)

// next reports whether the next line is prose of several words, alone or in a list. Directives,
// tables and code, which are indented, and single words, such as addresses, may be wider.
func (p *prose) next(line string) bool {
	text, isLine := strings.CutPrefix(line, "//")
	indented := strings.HasPrefix(text, "  ")
	switch {
	case listItem.MatchString(text) && indented:
		p.inList = true
	case strings.TrimSpace(text) != "" && !indented:
		p.inList = false
	}
	if isLine && !strings.HasPrefix(text, " ") || indented && !p.inList || strings.HasPrefix(strings.TrimSpace(text), "|") {
		return false
	}
	return len(strings.Fields(text)) > 1
}
