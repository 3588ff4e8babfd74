//go:build ga && mpi && cgo

package main_test

import (
	"path/filepath"
	"testing"
)

// TestPeakMemory: a process needs at most max_memory and 64 MiB beside its elements of the global array, with journals and without.
func TestPeakMemory(t *testing.T) {
	program := compile(t, "testdata/memory.c", archive)
	for _, durability := range []string{"full", "none"} {
		t.Run(durability, func(t *testing.T) {
			t.Setenv("PEXTA_DURABILITY", durability)
			out := mpirun(t, 2, program, filepath.Join(t.TempDir(), "a"))
			t.Log(out)
			good(t, out)
		})
	}
}
