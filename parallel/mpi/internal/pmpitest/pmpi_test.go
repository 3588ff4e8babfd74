package pmpitest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// TestComplete: every function of MPI that package parallel/mpi calls is counted.
func TestComplete(t *testing.T) {
	counter, err := os.ReadFile("pmpi.c")
	if err != nil {
		t.Fatal(err)
	}
	var counted []string
	for _, m := range regexp.MustCompile(`(?m)^WITH(?:OUT)?\((\w+),`).FindAllSubmatch(counter, -1) {
		counted = append(counted, string(m[1]))
	}
	sources, err := filepath.Glob("../../bridge_*.c")
	if err != nil || len(sources) < 6 {
		t.Fatal(sources, err)
	}
	calls := 0
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\bMPI_([A-Z][a-z]\w*)\(`).FindAllSubmatch(text, -1) {
			calls++
			converts := string(m[1]) == "Comm_f2c" // only the handle
			if !converts && !slices.Contains(counted, string(m[1])) {
				t.Errorf("%s calls MPI_%s, which pmpi.c does not count", name, m[1])
			}
		}
	}
	if calls < 60 {
		t.Errorf("only %d calls were found", calls)
	}
}
