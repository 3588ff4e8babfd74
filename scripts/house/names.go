package main

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
)

// arrayFile matches a text that ends like the name of one of the files of an array. (Help texts
// about such a file continue after the name.)
var arrayFile = regexp.MustCompile(`\.x(md|ta|ck|pm|jl[0-9]*|cp)(\.new)?$`)

// names checks that only the listed packages spell the extensions of an array's files in a text.
func (s *sources) names(h rules) []string {
	c := &importChecker{sources: s, rules: h, top: s.modules["."], used: map[string]bool{}}
	for _, f := range s.files {
		from, _ := c.short(f.pkg)
		ast.Inspect(f.File, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err == nil && arrayFile.MatchString(text) && !c.excepted(h.spell, f, from) {
				c.report("%s: %q: let internal/fileset make the names of an array's files, or use Exists, Remove and Rename of the root",
					c.at(lit.Pos()), text)
			}
			return true
		})
	}
	for _, e := range h.spell {
		if !c.used[e.who] {
			c.report("exception: %s no longer spells an extension: remove the line from scripts/house/rules.go", e.who)
		}
	}
	return c.violations
}

// excepted reports whether a file, or its package, is one of the exceptions, and records that the
// exception was needed.
func (c *importChecker) excepted(list []exception, f source, from string) bool {
	for _, e := range list {
		if e.who == f.path || within(from, e.who) {
			c.used[e.who] = true
			return true
		}
	}
	return false
}
