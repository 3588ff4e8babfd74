package mpi_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drx/parallel/mpi"
	"drx/parallel/par"
	"drx/parallel/partest"
)

// endMark is what every process prints at its end: not every mpirun notices a missing process.
const endMark = "all tests of this process have ended"

// TestUnderMpirun runs the suite of all implementations in processes that mpirun starts.
func TestUnderMpirun(t *testing.T) {
	if mpi.Launched() {
		t.Skip("mpirun has started this")
	}
	program := partest.Program(t, mpi.Built, mpi.Command)
	for _, n := range counts() {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			out, err := partest.Mpirun(t, mpi.Command, fmt.Sprint(n), program, "-test.run", "^Test(Conformance|Inside.*)$", "-test.timeout", "150s")
			if err != nil || strings.Count(out, endMark) != n {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
	for _, way := range []string{"kill", "panic"} {
		t.Run(way, func(t *testing.T) { killed(t, program, way) })
	}
}

// counts returns the numbers of processes to test: fewer with MPICH, whose processes wait busily.
func counts() []int {
	if mpi.Command == "mpirun.mpich" {
		return []int{1, 2}
	}
	return []int{1, 2, 3, 4}
}

// TestAdopted runs the programs of adopt_test.go, which start MPI themselves.
func TestAdopted(t *testing.T) {
	if mpi.Launched() {
		t.Skip("mpirun has started this")
	}
	program := partest.Program(t, mpi.Built, mpi.Command)
	for _, c := range []struct {
		purpose string
		n       int
	}{{"single", 1}, {"single", 3}, {"suite", 2}, {"failing", 3}} {
		t.Run(fmt.Sprint(c.purpose, c.n), func(t *testing.T) {
			n := min(c.n, len(counts()))
			if c.purpose == "suite" && mpi.Command == "mpirun.mpich" {
				t.Skip("its MPI_Finalize aborts if a program that has failed has left a window open")
			}
			t.Setenv("DRX_MPI_ADOPT", c.purpose)
			out, err := partest.Mpirun(t, mpi.Command, fmt.Sprint(n), program, "-test.run", "^TestAdopt(Single|Suite|Failing)$", "-test.timeout", "50s")
			if err != nil || strings.Count(out, endMark) != n || strings.Count(out, "PASS") != n {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
}

// killed runs a job in which a process ends in some way while the others wait for it. The job must
// end, with an error.
func killed(t *testing.T, program, way string) {
	t.Setenv("DRX_MPI_VICTIM", way)
	begun := time.Now()
	out, err := partest.Mpirun(t, mpi.Command, "2", program, "-test.run", "^TestVictim$")
	if err == nil || strings.Contains(out, endMark) {
		t.Errorf("the others did not notice:\n%s", out)
	}
	if d := time.Since(begun); d > time.Minute {
		t.Errorf("it took %v", d)
	}
}

// TestStopped: if a process is stopped, anywhere, the others do not wait for longer than the
// timeout, and the job ends.
func TestStopped(t *testing.T) {
	if mpi.Launched() {
		t.Skip("mpirun has started this")
	}
	program := partest.Program(t, mpi.Built, mpi.Command)
	t.Setenv("DRX_MPI_END_VICTIM", "1")
	begun := time.Now()
	out, err := partest.Mpirun(t, mpi.Command, "2", program, "-test.run", "^TestEndVictim$")
	if took := time.Since(begun); err == nil || !strings.Contains(out, "MPI_Finalize: waited too long") || took > time.Minute {
		t.Errorf("at the end, after %v: %v\n%s", took, err, out)
	}
	// A process that is killed while it opens a file can leave Open MPI's semaphore of that name
	// taken: later processes would wait for it for ever.
	victim := fmt.Sprint("stopped", os.Getpid())
	t.Cleanup(func() { _ = os.Remove("/dev/shm/sem.OMPIO_" + victim) })
	t.Setenv("DRX_MPI_STOP_VICTIM", filepath.Join(t.TempDir(), victim))
	t.Run("jobs", func(t *testing.T) { // returns when all jobs have ended
		partest.TestStops(t, 6, max(2, len(counts())-1), 1500*time.Millisecond, 500*time.Millisecond, mpi.Command,
			func(int) []string { return []string{program, "-test.run", "^TestStopVictim$"} })
	})
}

// TestNotBuilt: without the tag, Run returns par.ErrNotBuilt.
func TestNotBuilt(t *testing.T) {
	if mpi.Built {
		t.Skip("built with MPI")
	}
	err := mpi.Run(func(par.Comm) error { return nil })
	if err := errors.Join(mpi.Finalize(), err); !errors.Is(err, par.ErrNotBuilt) {
		t.Error(err)
	}
}

// TestOwns: the process of its proc prints an error.
func TestOwns(t *testing.T) {
	if mpi.Launched() {
		t.Skip("mpirun has started this")
	}
	theirs := fmt.Errorf("reading: %w", &par.ProcError{Proc: 3, Err: par.ErrSize})
	if !mpi.Owns(theirs) {
		t.Error("without mpirun there is one process for all")
	}
	for _, name := range []string{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"} {
		t.Setenv(name, "2")
		if !mpi.Launched() || mpi.Owns(theirs) || !mpi.Owns(par.ErrSize) {
			t.Errorf("%s: launched %v, owns %v and %v", name, mpi.Launched(), mpi.Owns(theirs), mpi.Owns(par.ErrSize))
		}
		t.Setenv(name, "3")
		if !mpi.Owns(theirs) {
			t.Errorf("%s: proc 3 does not own its error", name)
		}
		t.Setenv(name, "")
	}
}
