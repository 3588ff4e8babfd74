// Command pages runs the examples of README.md, docs and apps/*/README.md, so that they stay
// true:
//
//	go run ./scripts/pages                            all pages
//	go run ./scripts/pages -update docs/TUTORIAL.md   put the present output into the page
//
// Code blocks have fences and a language, which says what happens to them:
//
//	sh        the lines are run; each must succeed
//	console   lines that begin with "$ " are run ("> " continues one); the other lines are their
//	          output, in which a line "..." stands for any number of lines
//	go        a whole file or a part of a function; it must pass the type checker
//	python    must be a file, see below; c, cpp and fortran as well
//	pycon     nothing: the tests of folder python run it
//	text      nothing, like json and csv, unless they are made a file
//
// All blocks of a page are run in order by one shell, which starts in a copy of the sources with
// drx and drxmp in PATH. Durations, and the space that files take, do not count in outputs. An HTML
// comment right before a block changes what is done:
//
//	<!-- not run: REASON -->     nothing is done
//	<!-- needs: COMMAND ... -->  nothing is done on machines that lack one of the commands, or a module
//	                             of Python, as in python3:numpy
//	<!-- file: NAME -->          the block is written to this file, in the folder where the shell is then
//	<!-- given: PARAMETERS -->   variables of the function around a Go block
//
// A comment that begins with "<!-- setup" has lines of shell of its own, which readers do not see.
package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
)

func main() {
	update := flag.Bool("update", false, "replace outputs in the pages by the present ones")
	flag.Parse()
	if err := run(context.Background(), ".", *update, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run runs the examples of the pages, by default of all, and prints what fails.
func run(ctx context.Context, root string, update bool, pages []string) error {
	if len(pages) == 0 {
		var err error
		if pages, err = allPages(root); err != nil {
			return err
		}
	}
	r, err := newRunner(root)
	if err != nil {
		return err
	}
	defer r.close()
	failed := 0
	for _, page := range pages {
		faults, err := r.page(ctx, page, update)
		if err != nil {
			return err
		}
		for _, fault := range faults {
			fmt.Println(fault)
		}
		failed += len(faults)
	}
	if failed > 0 {
		return fmt.Errorf("%d examples failed", failed)
	}
	return nil
}

// allPages returns the names of the pages, relative to the root of the sources.
func allPages(root string) (pages []string, err error) {
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/perf/*.md", "apps/*/README.md"} {
		found, err := fs.Glob(os.DirFS(root), pattern)
		if err != nil {
			return nil, err
		}
		pages = append(pages, found...)
	}
	return pages, nil
}
