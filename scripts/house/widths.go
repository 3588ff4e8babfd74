package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxColumns is the largest width of a comment, in characters. A tab counts as one.
const maxColumns = 100

// ceilingsFile lists how many lines of comments in a folder are wider today.
const ceilingsFile = "scripts/house/widths.txt"

// widths checks the width of comments. A folder may have as many wide lines as ceilingsFile says,
// no more and no fewer, so that they only become fewer: -lower writes the numbers that have become
// smaller.
func (s *sources) widths(ceilings map[string]int) (violations []string) {
	found := s.wideComments()
	for _, folder := range slices.Sorted(maps.Keys(found)) {
		lines := found[folder]
		switch limit := ceilings[folder]; {
		case limit == 0:
			violations = append(violations, lines...)
		case len(lines) > limit:
			violations = append(violations, fmt.Sprintf("%s: %d lines of comments have more than %d columns, more than its ceiling of %d: wrap the new ones; the first is %s",
				folder, len(lines), maxColumns, limit, lines[0]))
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(ceilings)) {
		if n := len(found[folder]); n < ceilings[folder] {
			violations = append(violations, fmt.Sprintf("%s: %d lines of comments have more than %d columns, fewer than its ceiling of %d: good; lower it by go run ./scripts/house -lower",
				folder, n, maxColumns, ceilings[folder]))
		}
	}
	return violations
}

// wideComments returns the lines of comments that are too wide, by folder. Tests and generated
// files do not count.
func (s *sources) wideComments() map[string][]string {
	found := map[string][]string{}
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
						text := fmt.Sprintf("%s:%d: a comment of %d columns, more than %d: wrap it", f.path, at.Line+i, n, maxColumns)
						found[path.Dir(f.path)] = append(found[path.Dir(f.path)], text)
					}
					before = 0
				}
			}
		}
	}
	return found
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

// readCeilings reads ceilingsFile below root: a folder and a number per line.
func readCeilings(root string) (map[string]int, error) {
	f, err := os.Open(filepath.Join(root, ceilingsFile))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	ceilings := map[string]int{}
	for r := bufio.NewScanner(f); r.Scan(); {
		folder, number, _ := strings.Cut(r.Text(), " ")
		if ceilings[folder], err = strconv.Atoi(number); err != nil {
			return nil, fmt.Errorf("%s: %q: want a folder and a number", ceilingsFile, r.Text())
		}
	}
	return ceilings, nil
}

// lower writes the ceilings of folders that have fewer wide lines than before. It raises none.
func lower(root string) error {
	s, err := read(root)
	if err != nil {
		return err
	}
	ceilings, err := readCeilings(root)
	if err != nil {
		return err
	}
	var text strings.Builder
	found := s.wideComments()
	for _, folder := range slices.Sorted(maps.Keys(ceilings)) {
		if n := min(ceilings[folder], len(found[folder])); n > 0 {
			fmt.Fprintf(&text, "%s %d\n", folder, n)
		}
	}
	return os.WriteFile(filepath.Join(root, ceilingsFile), []byte(text.String()), 0o666)
}
