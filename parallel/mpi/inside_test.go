//go:build mpi && cgo

package mpi_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx/parallel/mpi"
	"drx/parallel/par"
)

// inside skips a test that runs in processes which mpirun has started, see TestUnderMpirun.
func inside(t *testing.T) {
	if !mpi.Launched() {
		t.Skip("runs under mpirun, see TestUnderMpirun")
	}
}

// TestInsideHint: a hint that MPI refuses is an error. It does not end the job, as errors of calls
// without a communicator do by default. The file is not created.
func TestInsideHint(t *testing.T) {
	inside(t)
	name := filepath.Join(os.TempDir(), "refused hint")
	err := mpi.Run(func(c par.Comm) error {
		_, err := c.OpenFile(name, os.O_RDWR|os.O_CREATE, map[string]string{strings.Repeat("long", 200): "1"})
		if err == nil || !strings.Contains(err.Error(), "hint longlong") {
			return fmt.Errorf("got %w", err)
		}
		return c.Barrier()
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("the file is there")
	}
}

// TestInsideOnce: a program within a program is refused, and objects of a program that has ended
// return errors instead of using freed memory.
func TestInsideOnce(t *testing.T) {
	inside(t)
	var left par.Comm
	err := mpi.Run(func(c par.Comm) error {
		left = c
		if err := mpi.Run(func(par.Comm) error { return nil }); !errors.Is(err, par.ErrBusy) {
			return fmt.Errorf("within a program: %w", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	_, split := left.Split(0, 0)
	for i, err := range []error{left.Barrier(), split} {
		if !errors.Is(err, par.ErrClosed) {
			t.Errorf("call %d after the end: %v", i, err)
		}
	}
}

// TestInsideNames: names without a folder may begin like a type of file system.
func TestInsideNames(t *testing.T) {
	inside(t)
	err := mpi.Run(func(c par.Comm) error {
		dir := ""
		if c.Proc() == 0 {
			dir = t.TempDir()
		}
		all, err := c.AllGather([]byte(dir))
		if err != nil {
			return err
		}
		t.Chdir(string(all[0]))
		for _, name := range []string{"ufs:a", "nfs:a", "lustre:a", "x:a", ":a"} {
			f, err := c.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, nil)
			if err != nil {
				return err
			}
			if err := errors.Join(f.WriteAll([]par.Piece{{Data: make([]byte, 7*(1-min(c.Proc(), 1)))}}), f.Close()); err != nil {
				return err
			}
			if info, err := os.Stat(name); err != nil || info.Size() != 7 {
				return fmt.Errorf("%s: %v, %w", name, info, err)
			}
		}
		return c.Barrier()
	})
	if err != nil {
		t.Error(err)
	}
}
