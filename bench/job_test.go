//go:build !mpi

// The jobs are the same programs with either build of this test, so one of them is enough.

package main

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// needMPI skips a test where jobs cannot run.
func needMPI(t *testing.T) {
	t.Helper()
	for _, program := range []string{mpicc, mpirun} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
}

// Every installed parallel peer writes, reads and extends a small array, and finds the expected values.
func TestJobsAgree(t *testing.T) {
	needMPI(t)
	sum := func(rows, columns int) string {
		var s uint64
		for i := range rows {
			for j := range columns {
				s += valueAt([]int{i, j})
			}
		}
		return fmt.Sprint(s)
	}
	l := testLab(t)
	cs := l.present(mpDirect, mpHDF5, mpPnetCDFAlone, mpRaw, mpDRA, mpChunks, mpRows)
	for _, program := range []string{"job-drx", "job-mpiio", "job-chunks"} {
		if err := l.peers.missing[program]; err != nil {
			t.Errorf("MPI is there, but: %v", err)
		}
	}
	for _, c := range cs {
		args := jobArgs(t.TempDir(), "2,1", "24,64")
		with := func(words ...string) []string { return append(words, args...) }
		rs, err := l.peers.session(c, 2, with("write"), with("read"), with("read", "again=1"),
			append([]string{"grow", "by=8", "rounds=2"}, jobArgs(t.TempDir(), "2,1", "24,64")...))
		if err != nil {
			t.Errorf("%s: %v", c.series, err)
			continue
		}
		for i, want := range []string{"0", sum(24, 64), sum(24, 64), sum(24, 80)} {
			if rs[i].check != want || rs[i].wall <= 0 {
				t.Errorf("%s, request %d: took %v, check %s, want %s", c.series, i, rs[i].wall, rs[i].check, want)
			}
		}
		if rs[3].ops != 2 {
			t.Errorf("%s: %g rounds, want 2", c.series, rs[3].ops)
		}
	}
}

// Wrong values end the run. Here the file has the values of an array of another shape.
func TestJobsFindWrongValues(t *testing.T) {
	needMPI(t)
	l := testLab(t)
	dir := t.TempDir()
	_, err := l.peers.session(mpRaw, 1,
		append([]string{"write"}, jobArgs(dir, "1,1", "24,64")...), append([]string{"read"}, jobArgs(dir, "1,1", "48,32")...))
	if err == nil || !strings.Contains(err.Error(), "wrong values in row 1 from column 0 on") {
		t.Errorf("error %v", err)
	}
}
