package main

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
)

// imports checks the imports of every file, and which files access the file system.
func (s *sources) imports(h rules) []string {
	c := &importChecker{sources: s, rules: h, top: s.modules["."], used: map[string]bool{}}
	for _, f := range s.files {
		c.file(f)
	}
	c.unused()
	return c.violations
}

type importChecker struct {
	*sources
	rules
	top        string          // import path of the root module
	used       map[string]bool // exceptions that were needed
	violations []string
}

func (c *importChecker) report(format string, args ...any) {
	c.violations = append(c.violations, fmt.Sprintf(format, args...))
}

// short returns the import path of a package relative to the root module, "." for the root package.
// It returns false for packages of other modules.
func (c *importChecker) short(path string) (string, bool) {
	if path == c.top {
		return ".", true
	}
	return strings.CutPrefix(path, c.top+"/")
}

func (c *importChecker) file(f source) {
	from, _ := c.short(f.pkg)
	l := c.layerOf(from)
	if l == nil {
		c.report("%s: package %s is in no layer: name it in one of them in scripts/house/rules.go", f.path, from)
		return
	}
	names := map[string]string{} // of imported packages in this file
	for _, spec := range f.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if slices.Contains(filePackages, imported) {
			names[name] = imported
		}
		if name == "." {
			c.report("%s: %s is imported as \".\": give it its name, so that a reader sees what comes from where", c.at(spec.Pos()), imported)
		}
		if to, ok := c.short(imported); ok {
			c.edge(c.at(spec.Pos()), from, to, l)
		} else if l.pure && slices.ContainsFunc(ioPackages, func(p string) bool { return within(imported, p+"/...") }) {
			c.report("%s: %s imports %s, and packages of the layer %q do no I/O: let the caller do it", c.at(spec.Pos()), from, imported, l.name)
		}
	}
	c.reaches(f, from, names)
}

// edge checks one import of a package by another one.
func (c *importChecker) edge(at, from, to string, l *layer) {
	for _, e := range c.internal {
		if within(from, e.who) && slices.Contains(strings.Fields(e.what), to) {
			c.used[e.who+" "+to] = true
			return
		}
	}
	target := c.layerOf(to)
	inside := slices.Contains(strings.Split(from, "/"), "internal")
	parent, _, internal := strings.Cut("/"+to+"/", "/internal/")
	internal = internal && (parent == "" || !strings.HasPrefix("/"+from+"/", parent+"/"))
	switch {
	case target == nil: // the target's own files are reported
	case supportsTests(to) && !supportsTests(from):
		c.report("%s: %s imports %s: only tests, and packages whose name ends in test, import a package with such a name", at, from, to)
	case !slices.Contains(strings.Fields(l.imports), target.name):
		c.report("%s: %s imports %s: packages of the layer %q import only those of %q; move what is needed down, or what needs it up",
			at, from, to, l.name, strings.Fields(l.imports))
	case internal && from != "." && !inside:
		c.report("%s: %s imports %s: use the public API of the root; only internal packages, the root and those listed as exceptions import it",
			at, from, to)
	}
}

// supportsTests reports whether a package is only for tests: whether its name ends in test, like
// iotest.
func supportsTests(pkg string) bool { return strings.HasSuffix(pkg, "test") }

// reaches checks a file for calls of functions that open, create, change or find files.
func (c *importChecker) reaches(f source, from string, names map[string]string) {
	ast.Inspect(f.File, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := sel.X.(*ast.Ident)
		if !ok || names[x.Name] == "" || !reachesFiles(sel.Sel.Name) {
			return true
		}
		if c.excepted(c.rules.reach, f, from) {
			return true
		}
		c.report("%s: %s.%s: reach files through internal/vfs, so that tests can run in memory, crash and fail on demand",
			c.at(sel.Pos()), x.Name, sel.Sel.Name)
		return true
	})
}

// reachesFiles reports whether a function with this name accesses files. Names with an underscore
// are constants (O_CREAT) or C types (Stat_t).
func reachesFiles(name string) bool {
	return !strings.Contains(name, "_") &&
		slices.ContainsFunc(fileFunctions, func(f string) bool { return strings.HasPrefix(name, f) })
}

// unused reports exceptions that are no longer needed.
func (c *importChecker) unused() {
	const advice = "remove it from scripts/house/rules.go, so that it does not come back"
	for _, e := range c.internal {
		for to := range strings.FieldsSeq(e.what) {
			if !c.used[e.who+" "+to] {
				c.report("exception: %s no longer imports %s: %s", e.who, to, advice)
			}
		}
	}
	for _, e := range c.rules.reach {
		if !c.used[e.who] {
			c.report("exception: %s no longer reaches files by itself: %s", e.who, advice)
		}
	}
}

// layerOf returns the layer of a package, or nil if it has none.
func (c *importChecker) layerOf(pkg string) *layer {
	for i, l := range c.layers {
		for pattern := range strings.FieldsSeq(l.packages) {
			if within(pkg, pattern) {
				return &c.layers[i]
			}
		}
	}
	return nil
}

// within reports whether a package matches a pattern: its path, "path/..." for the package and all
// below it, or "..." for all packages.
func within(pkg, pattern string) bool {
	if pattern == "..." {
		return true
	}
	parent, all := strings.CutSuffix(pattern, "/...")
	return pkg == parent || all && strings.HasPrefix(pkg, parent+"/")
}
