package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
)

// A checker checks the types of Go blocks.
type checker struct {
	fset     *token.FileSet
	exports  map[string]string // files with export data, by import path
	packages map[string]string // import paths, by the packages' names
}

// examplePackages are the packages that blocks may import, besides packages of the module.
const examplePackages = "context errors fmt io log math os path/filepath slices strings syscall time"

// newChecker compiles all packages that the blocks may import.
func newChecker(root string, env []string) (*checker, error) {
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Name}}\t{{.Export}}"}
	args = append(args, ".", "./advise/...", "./cube", "./curve", "./dataset/...", "./parallel/drxmp", "./dtype", "./formats/transfer", "./memory", "./nd", "./parallel/par", "./parallel/spmd", "./relayout")
	cmd := exec.Command("go", append(args, strings.Fields(examplePackages)...)...)
	cmd.Dir, cmd.Env = root, append(env, "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	c := &checker{fset: token.NewFileSet(), exports: map[string]string{}, packages: map[string]string{}}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		fields := strings.Split(lines.Text(), "\t")
		c.exports[fields[0]] = fields[2]
		if fields[0] == "drx" || strings.HasPrefix(fields[0], "drx/") || strings.Contains(" "+examplePackages+" ", " "+fields[0]+" ") {
			c.packages[fields[1]] = fields[0]
		}
	}
	return c, nil
}

// check checks the types of a block. In a part of a function, unused variables are no error, and "{
// ... }" stands for any statements.
func (c *checker) check(b *block) error {
	text := b.text()
	whole := packageClause.MatchString(text)
	if !whole {
		text = c.around(b.given, text)
	}
	file, err := parser.ParseFile(c.fset, fmt.Sprintf("block at line %d", b.line), text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	var faults []error
	conf := types.Config{
		Importer: importer.ForCompiler(c.fset, "gc", func(path string) (io.ReadCloser, error) {
			if c.exports[path] == "" {
				return nil, fmt.Errorf("package %s is not one that examples import", path)
			}
			return os.Open(c.exports[path])
		}),
		Error: func(err error) {
			var t types.Error
			if whole || !errors.As(err, &t) || !t.Soft {
				faults = append(faults, err)
			}
		},
	}
	_, _ = conf.Check(path.Base(b.file), c.fset, []*ast.File{file}, nil)
	return errors.Join(faults...)
}

// packageClause matches the line that makes a block a complete file.
var packageClause = regexp.MustCompile(`(?m)^package `)

// qualified matches the package of a name like drx.Open.
var qualified = regexp.MustCompile(`\b([a-z]+)\.[A-Z]`)

// around returns a file with a function that has the text as its body.
func (c *checker) around(given, text string) string {
	text = strings.ReplaceAll(text, "{ ... }", `{ panic("") }`)
	imports := map[string]bool{}
	for _, m := range qualified.FindAllStringSubmatch(given+text, -1) {
		if p := c.packages[m[1]]; p != "" {
			imports[p] = true
		}
	}
	var b strings.Builder
	b.WriteString("package example\n")
	for p := range imports {
		fmt.Fprintf(&b, "import %q\n", p)
	}
	fmt.Fprintf(&b, "func _(%s) {\n{\n%s}\n}\n", given, text)
	return b.String()
}
