package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// tangles checks that the uses between the files of a package go one way. File A uses file B if it
// has an identifier that B declares: a function, type, variable, method or field. A tangle is a set
// of more than few files in which every file uses every other one, directly or through others. The
// number of files in tangles must equal the package's ceiling, or zero if it has none.
func (s *sources) tangles(h rules, variants []string) ([]string, error) {
	found, err := s.tangled(variants)
	if err != nil {
		return nil, err
	}
	var violations []string
	for _, c := range h.tangles {
		pkg := strings.TrimSuffix(s.modules["."]+"/"+c.pkg, "/.")
		sets := found[pkg]
		delete(found, pkg)
		n := count(sets)
		switch {
		case n > c.files:
			violations = append(violations, fmt.Sprintf("%s: %d files in tangles, more than its ceiling of %d: %s; "+
				"let the new use go one way only, or move what both need to a file of its own", c.pkg, n, c.files, names(sets)))
		case n < c.files:
			violations = append(violations, fmt.Sprintf("%s: %d files in tangles, fewer than its ceiling of %d: "+
				"good; put %[2]d in scripts/house/rules.go (none: remove the line), so that it stays so", c.pkg, n, c.files))
		}
	}
	for pkg, sets := range found {
		if len(sets) > 0 {
			violations = append(violations, fmt.Sprintf("%s: %d files in a tangle, each uses the others, and more than %d are not allowed: %s; "+
				"let uses go one way, or move what both need to a file of its own", pkg, count(sets), few, names(sets)))
		}
	}
	slices.Sort(violations)
	return violations, nil
}

func count(sets [][]string) (n int) {
	for _, s := range sets {
		n += len(s)
	}
	return n
}

func names(sets [][]string) string {
	var all []string
	for _, s := range sets {
		all = append(all, strings.Join(s, " "))
	}
	return strings.Join(all, " | ")
}

// tangled returns the tangles of every package of all modules, for the variant with the most files
// in tangles.
func (s *sources) tangled(variants []string) (map[string][][]string, error) {
	var (
		wait  sync.WaitGroup
		mu    sync.Mutex
		found = map[string][][]string{}
		first error
	)
	for dir := range s.modules {
		for _, tags := range variants {
			wait.Go(func() {
				b := newBuild(s.root, filepath.Join(s.root, dir), tags)
				all, err := b.uses()
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					first = err
				}
				for pkg, graph := range all {
					if sets := cycles(graph); count(sets) >= count(found[pkg]) {
						found[pkg] = sets
					}
				}
			})
		}
	}
	wait.Wait()
	return found, first
}

// cycles returns the sets of more than few nodes of a graph in which all nodes reach each other.
func cycles(graph map[string][]string) [][]string {
	reached := map[string]map[string]bool{}
	for from := range graph {
		seen := map[string]bool{}
		var walk func(string)
		walk = func(n string) {
			for _, to := range graph[n] {
				if !seen[to] {
					seen[to] = true
					walk(to)
				}
			}
		}
		walk(from)
		reached[from] = seen
	}
	var sets [][]string
	for n, seen := range reached {
		var set []string
		for to := range seen {
			if reached[to][n] {
				set = append(set, to)
			}
		}
		slices.Sort(set)
		if len(set) > few && set[0] == n { // once per set
			sets = append(sets, set)
		}
	}
	slices.SortFunc(sets, slices.Compare)
	return sets
}
