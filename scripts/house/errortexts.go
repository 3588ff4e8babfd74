package main

import (
	"go/ast"
	"go/token"
	"slices"
)

// askingText are the functions of package strings that test the contents of a text, or cut it at
// some contents.
var askingText = []string{
	"Contains", "ContainsAny", "Count", "Cut", "CutPrefix", "CutSuffix", "EqualFold", "HasPrefix", "HasSuffix", "Index",
	"LastIndex", "Split", "SplitN", "TrimPrefix", "TrimSuffix",
}

// errorTexts checks that no code decides by the text of an error, or takes it apart: sentinels and
// types identify errors. It detects the text in the call itself, and in a variable of the same
// function.
func (s *sources) errorTexts(h rules) []string {
	c := &importChecker{sources: s, rules: h, top: s.modules["."], used: map[string]bool{}}
	for _, f := range s.files {
		from, _ := c.short(f.pkg)
		for _, decl := range f.Decls {
			texts := errorVariables(decl)
			isText := func(e ast.Expr) bool {
				id, ok := e.(*ast.Ident)
				return isErrorText(e) || ok && texts[id.Name]
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				if asksText(n, isText) && !c.excepted(h.errorTexts, f, from) {
					c.report("%s: a decision by the text of an error: use errors.Is or errors.As, with a sentinel or a type", c.at(n.Pos()))
				}
				return true
			})
		}
	}
	for _, e := range h.errorTexts {
		if !c.used[e.who] {
			c.report("exception: %s no longer decides by the text of an error: remove the line from scripts/house/rules.go", e.who)
		}
	}
	return c.violations
}

// errorVariables returns the names of the variables in a declaration that hold the text of an
// error.
func errorVariables(decl ast.Decl) map[string]bool {
	texts := map[string]bool{}
	ast.Inspect(decl, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
			for i, to := range a.Lhs {
				if id, ok := to.(*ast.Ident); ok && isErrorText(a.Rhs[i]) {
					texts[id.Name] = true
				}
			}
		}
		return true
	})
	return texts
}

// asksText reports whether a node is a call such as strings.Contains(err.Error(), "x"), a
// comparison with such a text, or a switch on one.
func asksText(n ast.Node, isText func(ast.Expr) bool) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		sel, ok := n.Fun.(*ast.SelectorExpr)
		if !ok || !slices.ContainsFunc(n.Args, isText) {
			return false
		}
		x, ok := sel.X.(*ast.Ident)
		return ok && (x.Name == "strings" || x.Name == "slices") && slices.Contains(askingText, sel.Sel.Name) || sel.Sel.Name == "MatchString"
	case *ast.IndexExpr: // of a map
		return isText(n.Index)
	case *ast.BinaryExpr:
		return (n.Op == token.EQL || n.Op == token.NEQ) && (isText(n.X) || isText(n.Y))
	case *ast.SwitchStmt:
		return n.Tag != nil && isText(n.Tag)
	}
	return false
}

// isErrorText reports whether an expression is the text of an error, such as err.Error() or
// fmt.Sprint(err).
func isErrorText(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	switch {
	case !ok:
		return false
	case len(call.Args) == 0:
		return sel.Sel.Name == "Error"
	}
	arg, ok := call.Args[len(call.Args)-1].(*ast.Ident)
	return ok && arg.Name == "err" && len(call.Args) <= 2 && (sel.Sel.Name == "Sprint" || sel.Sel.Name == "Sprintf")
}
