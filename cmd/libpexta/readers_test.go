//go:build ga && mpi && cgo

package main_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"drx/parallel/mpi"
	"drx/parallel/partest"
)

// TestReadersOfGrowing: two jobs with growing global arrays read an array while a third one extends
// it, and see only whole commits. Then they see columns added by drx extend, which is refused while
// the array is open for writing.
func TestReadersOfGrowing(t *testing.T) {
	t.Setenv("PEXTA_DURABILITY", "none") // the test is about visibility, not durability
	program := compile(t, "testdata/follow.c", archive)
	command, err := drxCommand()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "a")
	extend := func() ([]byte, error) {
		return exec.Command(command, "extend", file, "--dim", "1", "--by", "5").CombinedOutput()
	}
	var jobs sync.WaitGroup
	job := func(n, role string) {
		jobs.Go(func() {
			out, err := partest.Mpirun(t, mpi.Command, n, program, file, role)
			if err != nil {
				t.Error(err)
			}
			good(t, out)
		})
	}
	job("2", "grow")
	appears(t, file+".created")
	if out, err := extend(); err == nil {
		t.Errorf("drx extend, while the array is open for writing: %s", out)
	}
	job("1", "read")
	job("2", "read")
	note(t, file+".go")
	for _, what := range []string{"done", "all1", "all2"} {
		appears(t, file+"."+what)
	}
	if out, err := extend(); err != nil {
		t.Errorf("drx extend: %v\n%s", err, out)
	}
	note(t, file+".wider")
	jobs.Wait()
}

// appears waits until a file exists.
func appears(t *testing.T, file string) {
	t.Helper()
	for range 6000 {
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("no %s after a minute", file)
}

func note(t *testing.T, file string) {
	t.Helper()
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Error(err)
	}
}
