package vfstest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// isEntry reports whether a Keep is called for a change of a directory, not of a file's contents.
func isEntry(file string) bool { return strings.HasSuffix(file, "/") }

// Policies returns policies for changes that were not durable in a crash: all kept or all lost,
// halves, single files and names kept or lost, and random choices.
func Policies(random int, seed uint64) map[string]Keep {
	policies := map[string]Keep{
		"none":        func(string, int, int) bool { return false },
		"all":         func(string, int, int) bool { return true },
		"first half":  func(_ string, i, n int) bool { return i < (n+1)/2 },
		"second half": func(_ string, i, n int) bool { return i >= n/2 },
		"all but one": func(_ string, i, n int) bool { return i != n/2 },
		"last only":   func(_ string, i, n int) bool { return i == n-1 },
		"even":        func(_ string, i, _ int) bool { return i%2 == 0 },
		"names only":  func(file string, _, _ int) bool { return isEntry(file) },
		"no names":    func(file string, _, _ int) bool { return !isEntry(file) },
		"first names": func(file string, i, n int) bool { return !isEntry(file) || i < (n+1)/2 },
		"last names":  func(file string, i, n int) bool { return !isEntry(file) || i >= n/2 },
	}
	for _, ext := range []string{".xmd", ".xta", ".xck", ".xpm", ".xjl"} {
		policies["only "+ext] = func(file string, _, _ int) bool { return isEntry(file) || strings.HasSuffix(file, ext) }
		policies["all but "+ext] = func(file string, _, _ int) bool { return !strings.HasSuffix(file, ext) }
	}
	for _, ext := range []string{".xjl", ".xjl0", ".xjl1", ".xcp", ".xmd", ".xta", ".xck", ".xpm"} {
		policies["all but the name "+ext] = func(file string, _, _ int) bool { return !strings.HasSuffix(file, ext+"/") }
	}
	for r := range random {
		rng := rand.New(rand.NewPCG(seed, uint64(r)))
		policies[fmt.Sprintf("random %d", r)] = func(string, int, int) bool { return rng.IntN(2) == 0 }
	}
	return policies
}
