//go:build mpi && cgo

package mpi_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"drx/parallel/mpi"
	"drx/parallel/par"
	"drx/parallel/partest"
)

// TestMain ends MPI if mpirun has started this test.
func TestMain(m *testing.M) {
	partest.StopIfAsked(func(proc int) bool { return mpi.Owns(&par.ProcError{Proc: proc}) })
	code := m.Run()
	if err := mpi.Finalize(); err != nil {
		fmt.Println(err)
		code = 1
	}
	if mpi.Launched() && code == 0 {
		fmt.Println(endMark)
		partest.Linger()
	}
	os.Exit(code)
}

// TestConformance is one of the processes in which TestUnderMpirun runs the suite.
func TestConformance(t *testing.T) {
	if !mpi.Launched() {
		t.Skip("runs under mpirun, see TestUnderMpirun")
	}
	partest.Test(t, mpi.Run)
}

// TestVictim is a process of a program whose last process is killed, or panics outside of the
// function that Run has called.
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

// stopTimeout is the timeout of the programs of TestStopped.
const stopTimeout = 500 * time.Millisecond

// TestStopVictim is a process of a program that makes calls of every kind until one of the
// processes is stopped.
func TestStopVictim(t *testing.T) {
	name := os.Getenv("DRX_MPI_STOP_VICTIM")
	if name == "" {
		t.Skip("runs under mpirun, see TestStopped")
	}
	t.Fatal(mpi.Run(func(c par.Comm) error {
		for i := 0; ; i++ {
			if err := everyCall(c, name); err != nil {
				return fmt.Errorf("round %d: %w", i, err)
			}
		}
	}, par.Options{Timeout: stopTimeout}))
}

// everyCall makes the calls in which procs wait for others, each in its own way.
func everyCall(c par.Comm, name string) error {
	next := (c.Proc() + 1) % c.Procs()
	buf, one := make([]byte, 100_000), par.Contiguous(0, 100_000)
	err := c.Broadcast(buf, 0)
	_, err1 := c.AllGather(buf)
	_, err2 := c.Gather(buf, 0)
	_, err3 := c.AllToAll(make([][]byte, c.Procs()))
	if err := errors.Join(err, err1, err2, err3, par.AllReduce(c, []int64{1}, par.Sum)); err != nil {
		return err
	}
	g, err := c.Split(0, 0)
	if err != nil {
		return err
	}
	w, err := g.Window(len(buf))
	if err != nil {
		return err
	}
	if err := errors.Join(w.Put(next, one, buf, one), w.Flush(next), w.Fence(), w.Get(next, one, buf, one), w.Close(), g.Close()); err != nil {
		return err
	}
	f, err := c.OpenFile(name, os.O_RDWR|os.O_CREATE, nil)
	if err != nil {
		return err
	}
	piece := []par.Piece{{Off: int64(c.Proc() * len(buf)), Data: buf}}
	return errors.Join(f.WriteAll(piece), f.Sync(), f.ReadAll(piece), f.Close())
}

// TestEndVictim is a process of a program that ends well; one process is stopped then, before MPI
// ends.
func TestEndVictim(t *testing.T) {
	if os.Getenv("DRX_MPI_END_VICTIM") == "" {
		t.Skip("runs under mpirun, see TestStopped")
	}
	last := false
	err := mpi.Run(func(c par.Comm) error {
		last = c.Proc() == c.Procs()-1
		return nil
	}, par.Options{Timeout: stopTimeout})
	if last {
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		time.Sleep(time.Minute) // the signal may arrive late, and the process must not end before
	}
	if err != nil {
		t.Error(err)
	}
}

// TestOnce: MPI cannot start again after it has been finalized. The test ends MPI, so it runs in a
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
