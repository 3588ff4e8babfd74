package main

import (
	"bytes"
	"encoding/json"
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
	"path/filepath"
	"slices"
	"strings"
)

// A build is one variant of a module, with one set of tags. Packages below root, which may belong
// to several modules, are type-checked from their sources, so that no C compiler is needed. For all
// other packages it uses the export data in the build cache.
type build struct {
	root, dir, tags string

	fset    *token.FileSet
	other   types.Importer            // for packages that are not below root
	checked map[string]*types.Package // packages below root
}

func newBuild(root, dir, tags string) *build {
	return &build{root: root, dir: dir, tags: tags, fset: token.NewFileSet(), checked: map[string]*types.Package{}}
}

// goPackage is what go list reports about a package.
type goPackage struct {
	ImportPath, Name, Dir, Export string
	GoFiles, CgoFiles             []string
	Module                        *struct{ Main bool }
}

// uses returns, for every package of the module, the files of the package that each of its files
// uses.
func (b *build) uses() (map[string]map[string][]string, error) {
	root, err := filepath.Abs(b.root)
	if err != nil {
		return nil, err
	}
	all, err := b.list("-deps", "./...")
	if err != nil {
		return nil, err
	}
	var own []goPackage // in the order of go list -deps: imported ones come first
	var others []string
	for _, p := range all {
		switch {
		case p.Module != nil && strings.HasPrefix(p.Dir+"/", root+"/"):
			own = append(own, p)
		case p.ImportPath != "unsafe":
			others = append(others, p.ImportPath)
		}
	}
	if err := b.importOthers(others); err != nil {
		return nil, err
	}
	result := map[string]map[string][]string{}
	for _, p := range own {
		graph, err := b.check(p)
		if err != nil {
			return nil, err
		}
		if p.Module.Main {
			result[p.ImportPath] = graph
		}
	}
	return result, nil
}

// list runs go list in the folder of the module.
func (b *build) list(args ...string) ([]goPackage, error) {
	args = append([]string{"list", "-e", "-tags", b.tags, "-json=ImportPath,Name,Dir,Export,GoFiles,CgoFiles,Module"}, args...)
	cmd := exec.Command("go", args...)
	cmd.Dir = b.dir
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w: %s", b.dir, err, complaints.String())
	}
	var all []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list in %s: %w", b.dir, err)
		}
		all = append(all, p)
	}
}

// importOthers sets the importer for packages outside of root.
func (b *build) importOthers(paths []string) error {
	exports := map[string]string{}
	if len(paths) > 0 {
		all, err := b.list(append([]string{"-export"}, paths...)...)
		if err != nil {
			return err
		}
		for _, p := range all {
			exports[p.ImportPath] = p.Export
		}
	}
	b.other = importer.ForCompiler(b.fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(exports[path])
	})
	return nil
}

// Import returns a package by its path, for the type checker.
func (b *build) Import(path string) (*types.Package, error) {
	if p := b.checked[path]; p != nil {
		return p, nil
	}
	return b.other.Import(path)
}

// check type-checks a package and returns which of its files use which.
func (b *build) check(p goPackage) (map[string][]string, error) {
	var files []*ast.File
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		f, err := parser.ParseFile(b.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	c := types.Config{Importer: b, FakeImportC: true}
	if len(p.CgoFiles) > 0 {
		c.Error = func(error) {} // types of C are unknown
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	checked, err := c.Check(p.ImportPath, b.fset, files, info)
	if err != nil && c.Error == nil {
		return nil, fmt.Errorf("type-check with tags %q: %w", b.tags, err)
	}
	b.checked[p.ImportPath] = checked
	graph := map[string][]string{}
	for id, object := range info.Uses {
		if object.Pkg() != checked || !object.Pos().IsValid() {
			continue
		}
		from, to := b.file(id.Pos()), b.file(object.Pos())
		if from != to && !slices.Contains(graph[from], to) {
			graph[from] = append(graph[from], to)
		}
	}
	return graph, nil
}

func (b *build) file(at token.Pos) string { return filepath.Base(b.fset.Position(at).Filename) }
