//go:build ga && mpi && cgo

package main_test

import (
	"path/filepath"
	"testing"
)

// TestPeakMemory: a process needs at most max_memory and 64 MiB besides its elements of the global
// array, with and without journals, however many arrays are open, even if these are larger in
// total. Mapped parts of their files are not included.
func TestPeakMemory(t *testing.T) {
	program := compile(t, "testdata/memory.c", archive)
	for _, c := range []struct{ durability, arrays, extent string }{{"full", "1", "4096"}, {"none", "1", "4096"}, {"none", "20", "1280"}} {
		t.Run(c.durability+" "+c.arrays, func(t *testing.T) {
			t.Setenv("PEXTA_DURABILITY", c.durability)
			out := mpirun(t, 2, program, filepath.Join(t.TempDir(), "a"), c.arrays, c.extent)
			t.Log(out)
			good(t, out)
		})
	}
}
