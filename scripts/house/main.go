// Command house checks the rules for the code. CONTRIBUTING.md states them, and rules.go has them
// as tables:
//
//   - every package and every exported name has a comment, and no file is too long (docs.go);
//   - comments have at most 100 columns (widths.go), in tests and other languages too (foreign.go);
//   - imports point down, and internal packages are used only by permitted packages (imports.go);
//   - a package whose name ends in test is imported only by tests and its like (imports.go);
//   - only internal/vfs and listed packages open files (imports.go);
//   - only internal/fileset contains the extensions of an array's files (names.go);
//   - nobody decides by the text of an error (errortexts.go);
//   - no error ends in the text of a kind that adds nothing to the sentence (endings.go);
//   - libraries speak of no flags of a command line (flags.go);
//   - no package has many files that all use each other (tangles.go).
//
// Run it in the root folder of the repository. It checks all modules there:
//
//	go run ./scripts/house [tags ...]
//
// Each argument is a comma-separated list of build tags for another variant of the build. It reads
// all sources, whatever their tags. Only the rule about tangles needs variants, because it needs
// types.
//
// It prints one line per violation, with the remedy, and exits with status 1 if there are any.
package main

import (
	"fmt"
	"os"
	"slices"
)

func main() {
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

// check returns the violations of all rules below root. variants has the tags of each variant of
// the build. The error is one of reading, parsing or type-checking.
func check(root string, h rules, variants []string) ([]string, error) {
	s, err := read(root)
	if err != nil {
		return nil, err
	}
	foreign, err := s.foreignWidths()
	if err != nil {
		return nil, err
	}
	tangled, err := s.tangles(h, variants)
	if err != nil {
		return nil, err
	}
	return slices.Concat(
		s.documentation(), s.widths(), foreign, s.imports(h), s.names(h), s.errorTexts(h), s.flags(h), s.endings(h), tangled,
	), nil
}
