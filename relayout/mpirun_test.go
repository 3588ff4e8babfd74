package relayout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"drx/parallel/mpi"
	"drx/parallel/par"
	"drx/parallel/partest"
)

// mpiEnv names the folder in which processes that mpirun has started copy together. If mpiStopEnv
// is set too, the first process interrupts the copy after that number of steps.
const (
	mpiEnv     = "DRX_RELAYOUT_MPI"
	mpiStopEnv = "DRX_RELAYOUT_MPI_STOP"
)

// copyMPI is one process of the copy.
func copyMPI(dir string) error {
	s := newSharedIn(dir)
	err := mpi.Run(func(c par.Comm) error {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		stop, _ := strconv.Atoi(os.Getenv(mpiStopEnv))
		if stop == 0 {
			s.memory = 3000
		}
		s.Progress = func(int64, int64) {
			if stop--; stop == 0 {
				cancel()
			}
		}
		err := s.program(ctx, c)
		if errors.Is(err, context.Canceled) {
			fmt.Println("interrupted")
			return nil
		}
		return err
	})
	return errors.Join(err, mpi.Finalize())
}

// Processes of MPI copy and are interrupted, and another number of processes must finish the copy.
func TestCopyParallelUnderMpirun(t *testing.T) {
	if mpi.Command != "mpirun.openmpi" {
		t.Skip("one MPI is enough")
	}
	program := partest.Program(t, mpi.Built, mpi.Command)
	for procs := 1; procs <= 3; procs++ {
		s := newShared(t, 4, 7)
		t.Setenv(mpiEnv, s.dir)
		t.Setenv(mpiStopEnv, "5")
		out, err := partest.Mpirun(t, mpi.Command, strconv.Itoa(procs), program)
		if err != nil || strings.Count(out, "interrupted") != procs {
			t.Fatalf("%d processes: %v\n%s", procs, err, out)
		}
		t.Setenv(mpiStopEnv, "")
		if out, err := partest.Mpirun(t, mpi.Command, strconv.Itoa(1+procs%3), program); err != nil || strings.Contains(out, "interrupted") {
			t.Fatalf("%d processes: %v\n%s", 1+procs%3, err, out)
		}
		s.check(t)
	}
}
