//go:build mpi && cgo

package mpi_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"drx/par"
	"drx/par/mpi"
	"drx/par/partest"
)

// TestMain ends MPI where mpirun has started this test.
func TestMain(m *testing.M) {
	code := m.Run()
	if err := mpi.Finalize(); err != nil {
		fmt.Println(err)
		code = 1
	}
	if mpi.Launched() && code == 0 {
		fmt.Println(endMark)
	}
	os.Exit(code)
}

// TestConformance is one process of those in which TestUnderMpirun runs the suite.
func TestConformance(t *testing.T) {
	if !mpi.Launched() {
		t.Skip("runs under mpirun, see TestUnderMpirun")
	}
	partest.Test(t, mpi.Run)
}

// TestVictim is a process of a program whose last one is killed, or panics outside of what Run
// has called.
func TestVictim(t *testing.T) {
	way := os.Getenv("DRX_MPI_VICTIM")
	if way == "" {
		t.Skip("runs under mpirun, see TestUnderMpirun")
	}
	err := mpi.Run(func(c par.Comm) error {
		if c.Proc() == c.Procs()-1 {
			if way == "panic" {
				go panic("in a goroutine of the program")
				select {}
			}
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return c.Barrier()
	})
	t.Fatal("the barrier ended: ", err)
}

// TestOnce: what has been finalized does not begin again. It ends MPI, and so runs in a
// process of its own.
func TestOnce(t *testing.T) {
	if mpi.Launched() || os.Getenv("DRX_MPI_ONCE") == "" {
		t.Skip("runs by TestAlone")
	}
	sum := []int64{0}
	err := mpi.Run(func(c par.Comm) error {
		sum[0] = int64(c.Procs())
		return par.AllReduce(c, sum, par.Sum)
	})
	if err != nil || sum[0] != 1 {
		t.Fatal(sum, err)
	}
	if err := mpi.Finalize(); err != nil {
		t.Fatal(err)
	}
	if err := mpi.Run(func(par.Comm) error { return nil }); err == nil {
		t.Error("it began again")
	}
}

// TestAlone: a process that mpirun has not started is a program of one proc.
func TestAlone(t *testing.T) {
	program, err := os.Executable()
	if err != nil || mpi.Launched() {
		t.Skip(err)
	}
	cmd := exec.Command(program, "-test.run", "^TestOnce$", "-test.v")
	cmd.Env = append(os.Environ(), "DRX_MPI_ONCE=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestOnce") {
		t.Fatalf("%v\n%s", err, out)
	}
}
