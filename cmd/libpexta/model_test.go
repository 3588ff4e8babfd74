//go:build ga && mpi && cgo

package main_test

import (
	"cmp"
	"os"
	"strconv"
	"strings"
	"testing"

	"drx/parallel/mpi"
	"drx/parallel/partest"
)

// TestHistories runs random histories of jobs with 1 to 4 processes on one disk array, against a
// plain array. One run is without durability, which is fast, one with journals. DRX_PEXTA_HISTORIES
// is the number of histories, 50 by default; each has its own seed.
func TestHistories(t *testing.T) {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("DRX_PEXTA_HISTORIES"), "50"))
	if err != nil {
		t.Fatal(err)
	}
	program := compile(t, "testdata/model.c", archive, counting...)
	for first := 0; first < n; first += 50 { // seeds; each start of mpirun may take a minute
		t.Setenv("PEXTA_DURABILITY", "none")
		good(t, mpirun(t, 4, program, t.TempDir(), strconv.Itoa(first), "40"))
		t.Setenv("PEXTA_DURABILITY", "full")
		good(t, mpirun(t, 2+first/50%2, program, t.TempDir(), strconv.Itoa(first+40), "10"))
	}
	t.Setenv("PEXTA_DURABILITY", "some")
	out, err := partest.Mpirun(t, mpi.Command, "1", program, t.TempDir(), "0", "1")
	if err == nil || !strings.Contains(out, `PEXTA_DURABILITY="some"`) {
		t.Errorf("PEXTA_DURABILITY=some: %v\n%s", err, out)
	}
}
