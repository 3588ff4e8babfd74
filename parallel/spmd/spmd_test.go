package spmd_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"drx/parallel/mpi"
	"drx/parallel/par"
	"drx/parallel/partest"
	"drx/parallel/spmd"
)

// TestMain is the parallel program that the tests start, if an environment variable is set.
func TestMain(m *testing.M) {
	switch os.Getenv("DRX_SPMD") {
	case "program":
		spmd.Main(program)
	case "flags": // a program that has flags of its own
		spmd.Exit(spmd.Run(len(os.Args)-1, program))
	default:
		os.Exit(m.Run())
	}
}

// program adds the numbers of its procs; of five, the fourth fails.
func program(c par.Comm) error {
	sum := []int64{int64(c.Proc())}
	if err := par.AllReduce(c, sum, par.Sum); err != nil {
		return err
	}
	if c.Procs() == 5 && c.Proc() == 3 {
		return errors.New("no fourth of five")
	}
	if c.Proc() == 0 {
		fmt.Printf("%d procs, sum %d\n", c.Procs(), sum[0])
	}
	return c.Barrier()
}

func start(env []string, args ...string) (string, error) {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestGoroutines starts the program without mpirun.
func TestGoroutines(t *testing.T) {
	for _, c := range []struct {
		how, want string
		args      []string
	}{
		{"program", "1 procs, sum 0\n", nil},
		{"program", "4 procs, sum 6\n", []string{"-procs", "4"}},
		{"flags", "3 procs, sum 3\n", []string{"a", "b", "c"}},
	} {
		out, err := start([]string{"DRX_SPMD=" + c.how}, c.args...)
		if err != nil || out != c.want {
			t.Errorf("%v: %v: got %q, want %q", c.args, err, out, c.want)
		}
	}
}

// TestFailure: status 1, and one line that names the proc.
func TestFailure(t *testing.T) {
	out, err := start([]string{"DRX_SPMD=program"}, "-procs", "5")
	if err == nil || !strings.HasSuffix(out, ": proc 3: no fourth of five\n") {
		t.Errorf("%v: %q", err, out)
	}
}

// TestRefused: a program started by mpirun has as many procs as there are processes, and needs MPI.
func TestRefused(t *testing.T) {
	if err := spmd.Run(-1, program); !errors.Is(err, par.ErrArgument) {
		t.Errorf("fewer procs than none: %v", err)
	}
	t.Setenv("OMPI_COMM_WORLD_RANK", "0")
	if err := spmd.Run(4, program); !errors.Is(err, par.ErrArgument) {
		t.Errorf("-procs under mpirun: %v", err)
	}
	if mpi.Built {
		return
	}
	if err := spmd.Run(0, program); !errors.Is(err, par.ErrNotBuilt) {
		t.Errorf("mpirun without MPI: %v", err)
	}
}

// TestMpirun starts the same program by mpirun.
func TestMpirun(t *testing.T) {
	if !mpi.Built {
		t.Skip("needs a build with -tags mpi")
	}
	t.Setenv("DRX_SPMD", "program")
	if out, err := partest.Mpirun(t, mpi.Command, "2", os.Args[0]); err != nil || !strings.Contains(out, "2 procs, sum 1\n") {
		t.Errorf("%v: %s", err, out)
	}
	out, err := partest.Mpirun(t, mpi.Command, "5", os.Args[0])
	if err == nil || strings.Count(out, ": proc 3: no fourth of five\n") != 1 {
		t.Errorf("a failing program: %v: %s", err, out)
	}
}
