//go:build ga && mpi && cgo

package main_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"drx"
	"drx/nd"
	"drx/parallel/mpi"
	"drx/parallel/partest"
)

// rowsOfKilled is the initial number of rows of the array of killed.c.
const rowsOfKilled = 10

// TestKilled: if one process is killed in a call that writes or extends, the job ends within 10
// seconds, and the file has exactly one commit. DRX_KILLS is the number of attempts for each of the
// two calls.
func TestKilled(t *testing.T) {
	kills, err := strconv.Atoi(os.Getenv("DRX_KILLS"))
	if err != nil {
		kills = 2
	}
	program := compile(t, "testdata/killed.c", archive)
	dir := t.TempDir()
	for i := range kills {
		for shift, call := range []string{"write", "extend"} {
			victim, percent := (i+shift)%3, (5+37*i+50*shift)%100
			file := filepath.Join(dir, fmt.Sprint(call, i)+[]string{"", drx.OneFileExt}[(i+shift)%2])
			out, err := partest.Mpirun(t, mpi.Command, "3", program, file, call, fmt.Sprint(victim), fmt.Sprint(percent))
			ended := time.Now()
			if err == nil {
				t.Error("the job has not failed")
			}
			if err := lastCommit(file, ended.Add(-10*time.Second)); err != nil {
				t.Errorf("process %d killed after %d %% of %s: %v\n%s", victim, percent, call, err, out)
			}
		}
	}
}

// lastCommit returns an error unless the file is whole and has the last announced commit, which was
// after the given time, or the next one.
func lastCommit(file string, after time.Time) error {
	text, err := os.ReadFile(file + ".announced")
	if err != nil {
		return err
	}
	at, err := os.Stat(file + ".announced")
	if err != nil {
		return err
	}
	if at.ModTime().Before(after) {
		return errors.New("the job has gone on too long after its last commit")
	}
	steps := strings.Count(string(text), "\n") // two of them make a round
	a, err := drx.Open(file, drx.Options{})
	if err != nil {
		return err
	}
	defer a.Close()
	report, err := a.Verify(context.Background(), nil)
	if err != nil || len(report.Damaged) > 0 {
		return errors.Join(fmt.Errorf("verified %+v", report), err)
	}
	shape := a.Shape()
	data, err := drx.Read[int32](a, nil)
	if err != nil {
		return err
	}
	round, step := shape[0]-rowsOfKilled, 0
	n, _ := nd.Product(shape...)
	extended := slices.Repeat([]int32{int32(round - 1)}, n-shape[1])
	extended = append(extended, make([]int32, shape[1])...)
	switch {
	case slices.Equal(data, slices.Repeat([]int32{int32(round)}, n)):
		step = 2 * round
	case slices.Equal(data, extended):
		step = 2*round - 1
	}
	if steps < 6 || step < steps || step > steps+1 {
		return fmt.Errorf("extents %v, elements %v ... %v are those of commit %d, %d were announced", shape, data[:3], data[n-3:], step, steps)
	}
	return nil
}
