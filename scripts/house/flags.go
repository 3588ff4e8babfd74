package main

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// flagInText matches a flag of a command line.
var flagInText = regexp.MustCompile(`(^|[^-\w])--[a-z]`)

// flags checks that libraries, which are called from Go, C and Python, do not mention flags of a
// command line.
func (s *sources) flags(h rules) []string {
	c := &importChecker{sources: s, rules: h, top: s.modules["."], used: map[string]bool{}}
	for _, f := range s.files {
		from, _ := c.short(f.pkg)
		if l := c.layerOf(from); l == nil || l.name == "programs" {
			continue
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			if namesFlag(n) && !c.excepted(h.flagTexts, f, from) {
				c.report("%s: a flag in a text: callers of a library have options of other names; see package optionerr",
					c.at(n.Pos()))
			}
			return true
		})
	}
	for _, e := range h.flagTexts {
		if !c.used[e.who] {
			c.report("exception: %s no longer names a flag: remove the line from scripts/house/rules.go", e.who)
		}
	}
	return c.violations
}

// namesFlag reports whether a node is a sentence with a flag. A text that consists of a flag only
// is an argument for another program.
func namesFlag(n ast.Node) bool {
	lit, ok := n.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return false
	}
	text, err := strconv.Unquote(lit.Value)
	return err == nil && strings.Contains(text, " ") && flagInText.MatchString(text)
}
