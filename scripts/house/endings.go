package main

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// endings checks that no error contains the text of a kind that adds nothing to the sentence before
// or after it, as in "bounds 5:3: out of bounds" or "3 procs: wrong argument: there are 2".
func (s *sources) endings(h rules) []string {
	c := &importChecker{sources: s, rules: h, top: s.modules["."], used: map[string]bool{}}
	for _, f := range s.files {
		from, _ := c.short(f.pkg)
		kinds := slices.Clone(h.kinds)
		for _, e := range h.ownKinds {
			if within(from, e.who) {
				kinds = append(kinds, e.what)
			}
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			if kind := kindInText(n); kind != "" && slices.Contains(kinds, kind) {
				c.report("%s: the text of %s is in an error: errkind.Errorf leaves it out", c.at(n.Pos()), kind)
			}
			return true
		})
	}
	return c.violations
}

// kindInText returns the argument for ": %w" in a call such as fmt.Errorf("index %d: %w", i,
// ErrBounds), without its package. It returns "" for other nodes, and if the text after it does not
// begin with ": ".
func kindInText(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return ""
	}
	for i, arg := range call.Args[:max(len(call.Args)-1, 0)] {
		if sum, ok := arg.(*ast.BinaryExpr); ok {
			arg = sum.Y // the end of a concatenated text
		}
		lit, ok := arg.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			continue
		}
		text, err := strconv.Unquote(lit.Value)
		before, after, found := strings.Cut(text, ": %w")
		if err != nil || !found || after != "" && !strings.HasPrefix(after, ": ") {
			continue
		}
		at := len(call.Args) - 1 // of a concatenated text only the end is known
		if after != "" {
			at = i + 1 + strings.Count(strings.ReplaceAll(before, "%%", ""), "%")
		}
		if at < len(call.Args) {
			return nameOf(call.Args[at])
		}
	}
	return ""
}

// nameOf returns an identifier without its package, or "".
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}
