package main

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// endings checks that no error ends in the text of a kind that adds nothing to the sentence before
// it, as in "bounds 5:3: out of bounds".
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
			if kind := endsInKind(n); kind != "" && slices.Contains(kinds, kind) {
				c.report("%s: the text of %s ends an error: errkind.Errorf leaves it out", c.at(n.Pos()), kind)
			}
			return true
		})
	}
	return c.violations
}

// endsInKind returns the last argument of a call such as fmt.Errorf("index %d: %w", i, ErrBounds),
// without its package; empty for other nodes.
func endsInKind(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) < 2 {
		return ""
	}
	isFormat := func(e ast.Expr) bool {
		if sum, ok := e.(*ast.BinaryExpr); ok {
			e = sum.Y // the end of a text in several pieces
		}
		lit, ok := e.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return false
		}
		text, err := strconv.Unquote(lit.Value)
		return err == nil && strings.HasSuffix(text, ": %w")
	}
	if !slices.ContainsFunc(call.Args, isFormat) {
		return ""
	}
	switch last := call.Args[len(call.Args)-1].(type) {
	case *ast.Ident:
		return last.Name
	case *ast.SelectorExpr:
		return last.Sel.Name
	}
	return ""
}
