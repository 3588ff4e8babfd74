// Command house checks the rules of the house. CONTRIBUTING.md states them, and rules.go has them
// as tables:
//
//   - every package and every exported name has a comment, and no file is too long (docs.go);
//   - comments have at most 100 columns (widths.go);
//   - imports point down, and internal packages are used only by permitted packages (imports.go);
//   - only internal/vfs and listed packages open files (imports.go);
//   - only internal/fileset contains the extensions of an array's files (names.go);
//   - nobody decides by the text of an error (errortexts.go);
//   - libraries speak of no flags of a command line (flags.go);
//   - no package has many files that all use each other (tangles.go).
//
// Run it in the root folder of the repository. It checks all modules there:
//
//	go run ./scripts/house [tags ...]
//
// Each argument is a comma-separated list of build tags for one more variant of the build.
// It reads all sources whatever their tags; the variants are needed for tangles, which need types.
//
// With -lower instead of tags it only lowers the ceilings in widths.txt to what there is.
//
// It prints one line per violation, which says what to do, and ends with status 1 if there are any.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "-lower" {
		if err := lower("."); err != nil {
			fmt.Fprintln(os.Stderr, "house:", err)
			os.Exit(2)
		}
		return
	}
	violations, err := check(".", house, append([]string{""}, os.Args[1:]...))
	if err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(2)
	}
	for _, v := range violations {
		fmt.Println(v)
	}
	if len(violations) > 0 {
		fmt.Println("The rules are in CONTRIBUTING.md, the tables in scripts/house/rules.go.")
		os.Exit(1)
	}
}

// check returns the violations of all rules below root, with the tags of each variant. The error is
// one of reading, parsing or type-checking.
func check(root string, h rules, variants []string) ([]string, error) {
	s, err := read(root)
	if err != nil {
		return nil, err
	}
	ceilings, err := readCeilings(root)
	if err != nil {
		return nil, err
	}
	violations := slices.Concat(s.documentation(), s.widths(ceilings), s.imports(h), s.names(h), s.errorTexts(h), s.flags(h))
	tangled, err := s.tangles(h, variants)
	if err != nil {
		return nil, err
	}
	return append(violations, tangled...), nil
}

// A source is a Go file that is not a test.
type source struct {
	path string // from the root folder, with slashes
	pkg  string // import path of its folder
	*ast.File
}

// sources holds all Go files below a folder except tests, whatever their build tags.
type sources struct {
	root    string
	fset    *token.FileSet
	modules map[string]string // folder from the root: import path of the module
	files   []source
}

// read parses the files below root.
func read(root string) (*sources, error) {
	s := &sources{root: root, fset: token.NewFileSet(), modules: map[string]string{}}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != root && (name == "testdata" || name == "bin" || name[0] == '.' || name[0] == '_') {
				return filepath.SkipDir
			}
			return s.module(path)
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		return s.parse(path)
	})
	return s, err
}

// module notes the module whose root folder this is, if it is one.
func (s *sources) module(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut("\n"+string(text), "\nmodule ")
	name, _, _ := strings.Cut(rest, "\n")
	s.modules[s.local(dir)] = strings.TrimSpace(name)
	return nil
}

// local is a path as seen from the root folder.
func (s *sources) local(path string) string {
	if rel, err := filepath.Rel(s.root, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

func (s *sources) parse(path string) error {
	file, err := parser.ParseFile(s.fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	local := s.local(path)
	dir := filepath.ToSlash(filepath.Dir(local))
	module := dir
	for s.modules[module] == "" && module != "." {
		module = filepath.ToSlash(filepath.Dir(module))
	}
	pkg := s.modules[module]
	if inside := strings.TrimPrefix(strings.TrimPrefix(dir, module), "/"); dir != module {
		pkg += "/" + inside
	}
	s.files = append(s.files, source{local, pkg, file})
	return nil
}

// at returns file and line of a position.
func (s *sources) at(p token.Pos) string {
	where := s.fset.Position(p)
	return fmt.Sprintf("%s:%d", s.local(where.Filename), where.Line)
}
