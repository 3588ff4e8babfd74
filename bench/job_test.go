//go:build !mpi

// The jobs are the same programs with either build of this test, so one of the builds suffices.

package main

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// needMPI skips a test if jobs cannot run.
func needMPI(t *testing.T) {
	t.Helper()
	for _, program := range []string{mpicc, mpirun} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
}

// Every installed parallel peer must write, read and extend a small array, and find the expected
// values.
func TestJobsAgree(t *testing.T) {
	needMPI(t)
	sum := func(rows, columns int) string { return fmt.Sprint(sectionSum(0, rows, columns)) }
	l := testLab(t)
	cs := l.present(mpDirect, mpHDF5, mpPnetCDFAlone, mpRaw, mpDRA, mpPEXTA, mpChunks, mpRows)
	for _, program := range []string{"job-drx", "job-mpiio", "job-chunks"} {
		if err := l.peers.missing[program]; err != nil {
			t.Errorf("MPI is there, but: %v", err)
		}
	}
	flow := "" // check of the first competitor
	for _, c := range cs {
		args := jobArgs(t.TempDir(), "2,1", "24,64")
		with := func(words ...string) []string { return append(words, args...) }
		requests := [][]string{
			with("write"), with("read"), with("read", "again=1"),
			append([]string{"grow", "by=8", "rounds=2"}, jobArgs(t.TempDir(), "2,1", "24,64")...),
		}
		moves := slices.Contains([]string{"drx-mp", "hdf5", "dra", "pexta"}, c.store)
		if moves {
			requests = append(requests, append([]string{"flow", "steps=0:7,1:18,0:1,1:45", "between=5"}, jobArgs(t.TempDir(), "2,1", "24,72")...))
		}
		rs, err := l.peers.session(c, 2, requests...)
		if err != nil {
			t.Errorf("%s: %v", c.series, err)
			continue
		}
		if c.series != mpChunks.series && c.series != mpRows.series { // with whole chunks only
			grown, err := l.peers.session(c, 2, append([]string{"extend", "steps=0:7,1:13,1:1,0:30"}, jobArgs(t.TempDir(), "1,2", "24,64")...))
			if err != nil || grown[0].check != sum(61, 78) || grown[0].ops != 4 {
				t.Errorf("%s: %+v, %v, want the check %s after four extensions", c.series, grown, err, sum(61, 78))
			}
		}
		if moves {
			if flow == "" {
				flow = rs[4].check
			}
			if rs[4].check != flow || flow == "0" {
				t.Errorf("%s: a flow has the check %s, want %s", c.series, rs[4].check, flow)
			}
		}
		for i, want := range []string{"0", sum(24, 64), sum(24, 64), sum(24, 80)} {
			if rs[i].check != want || rs[i].wall <= 0 {
				t.Errorf("%s, request %d: took %v, check %s, want %s", c.series, i, rs[i].wall, rs[i].check, want)
			}
		}
		trySections(t, l, c)
		if rs[3].ops != 2 {
			t.Errorf("%s: %g rounds, want 2", c.series, rs[3].ops)
		}
	}
}

// trySections tries sections that begin at (1, 1), and growth of both dimensions in turn, with the
// competitors of these experiments.
func trySections(t *testing.T, l *lab, c competitor) {
	t.Helper()
	if c.limit || c.store == "pnetcdf" {
		return
	}
	args := append(jobArgs(t.TempDir(), "2,1", "24,64"), "offset=1")
	growing := append([]string{"extend", "steps=1:16,0:16,1:16"}, jobArgs(t.TempDir(), "2,1", "24,64")...)
	rs, err := l.peers.session(c, 2, append([]string{"write-section"}, args...), append([]string{"read-section"}, args...), growing)
	if err != nil {
		t.Errorf("%s: %v", c.series, err)
		return
	}
	for i, want := range []uint64{0, sectionSum(1, 16, 56), sectionSum(0, 40, 96)} {
		if rs[i].check != fmt.Sprint(want) || rs[i].wall <= 0 {
			t.Errorf("%s, request %d: took %v, check %s, want %d", c.series, i, rs[i].wall, rs[i].check, want)
		}
	}
}

// Wrong values must end the run. Here the file has the values of an array of another shape.
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
