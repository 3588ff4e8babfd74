//go:build mpi && cgo

package mpi_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"drx/parallel/internal/call"
	"drx/parallel/mpi"
	"drx/parallel/mpi/internal/pmpitest"
	"drx/parallel/par"
	"drx/parallel/partest"
)

// adopting returns whether this process is one that TestAdopted has started for a purpose.
func adopting(t *testing.T, purpose string) {
	t.Helper()
	if os.Getenv("DRX_MPI_ADOPT") != purpose {
		t.Skip("runs under mpirun, see TestAdopted")
	}
}

// host starts MPI as a program does that uses the library, calls f, and ends MPI.
func host(t *testing.T, multiple bool, f func() error) {
	t.Helper()
	runtime.LockOSThread()
	if _, err := mpi.Adopt(0); !errors.Is(err, par.ErrArgument) {
		t.Errorf("before MPI_Init: %v", err)
	}
	if err := pmpitest.Init(multiple); err != nil {
		t.Fatal(err)
	}
	if err := f(); err != nil {
		t.Error(err)
	}
	if err := pmpitest.Finalize(); err != nil {
		t.Error(err)
	}
	if _, err := mpi.Adopt(0); !errors.Is(err, par.ErrArgument) {
		t.Errorf("after MPI_Finalize: %v", err)
	}
}

// TestAdoptSingle: a program of MPI_THREAD_SINGLE makes every kind of call on a part of its
// processes. No call of MPI is made on another thread, or with MPI_COMM_WORLD.
func TestAdoptSingle(t *testing.T) {
	adopting(t, "single")
	host(t, false, func() error {
		if _, err := mpi.Adopt(mpi.Handle(pmpitest.Null())); !errors.Is(err, par.ErrArgument) {
			return fmt.Errorf("MPI_COMM_NULL: %w", err)
		}
		part, err := pmpitest.Part(min(pmpitest.Rank(), 1)) // process 0, and all others
		if err != nil {
			return err
		}
		c, err := mpi.Adopt(mpi.Handle(part))
		if err != nil {
			return err
		}
		err = errors.Join(again(c, part), everything(t, c), offThread(t, c))
		if err := errors.Join(err, pmpitest.Free(part), closed(c)); err != nil { // in this order, which is allowed
			return err
		}
		return pmpitest.Check()
	})
}

// again adopts the communicator again, and closes that group.
func again(c par.Comm, part int32) error {
	second, err := mpi.Adopt(mpi.Handle(part))
	if err != nil || second != c {
		return fmt.Errorf("the second Adopt returns %v, %w", second == c, err)
	}
	return second.Close()
}

// closed closes a group, and checks that it is closed then.
func closed(c par.Comm) error {
	if err := c.Close(); err != nil {
		return err
	}
	if err := c.Barrier(); !errors.Is(err, par.ErrClosed) {
		return fmt.Errorf("barrier of a closed group: %w", err)
	}
	return closedTwice(c)
}

func closedTwice(c par.Comm) error {
	if err := c.Close(); !errors.Is(err, par.ErrClosed) {
		return fmt.Errorf("second close: %w", err)
	}
	return nil
}

// everything makes all calls of everyCall in a file of the group, and some wrong ones.
func everything(t *testing.T, c par.Comm) error {
	dir := ""
	if c.Proc() == 0 {
		dir = t.TempDir()
	}
	all, err := c.AllGather([]byte(dir))
	if err != nil {
		return err
	}
	name := string(all[0]) + "/everything"
	for range 3 {
		if err := everyCall(c, name); err != nil {
			return err
		}
	}
	if _, err := c.OpenFile(name, os.O_RDWR, map[string]string{strings.Repeat("long", 200): "1"}); err == nil {
		return errors.New("a hint that MPI refuses")
	}
	err = c.Agree("step", map[bool]error{true: par.ErrSize}[c.Proc() == c.Procs()-1])
	var whose *par.ProcError
	if !errors.Is(err, par.ErrSize) || !errors.As(err, &whose) || whose.Proc != c.Procs()-1 {
		return fmt.Errorf("an error of the last proc: %w", err)
	}
	return c.Barrier()
}

// offThread makes calls from other goroutines, which must get an error before MPI is called, and do
// no harm.
func offThread(t *testing.T, c par.Comm) error {
	f, err := c.OpenFile(t.TempDir()+"/file", os.O_RDWR|os.O_CREATE, nil)
	if c.Procs() > 1 { // each has a folder of its own
		if err == nil {
			return errors.New("a file that only one process has")
		}
		return offThreadCalls(c, nil)
	}
	if err != nil {
		return err
	}
	return errors.Join(offThreadCalls(c, f), f.Close())
}

func offThreadCalls(c par.Comm, f par.File) error {
	w, err := c.Window(8)
	if err != nil {
		return err
	}
	calls := map[string]func() error{
		"barrier": c.Barrier,
		"split":   func() error { _, err := c.Split(0, 0); return err },
		"put":     func() error { return w.Put(0, par.Contiguous(0, 1), []byte{1}, par.Contiguous(0, 1)) },
		"fence":   w.Fence,
		"close":   c.Close,
		"window":  w.Close,
	}
	if f != nil {
		calls["size"] = func() error { _, err := f.Size(); return err }
		calls["read all"] = func() error { return f.ReadAll(nil) }
		calls["write all"] = func() error { return f.WriteAll(nil) }
	}
	done := make(chan error)
	go func() {
		var wrong []error
		for name, f := range calls {
			if err := f(); !errors.Is(err, par.ErrThread) {
				wrong = append(wrong, fmt.Errorf("%s on another thread: %w", name, err))
			}
		}
		done <- errors.Join(wrong...)
	}()
	return errors.Join(<-done, w.Close())
}

// ofRun is a group that only TestAdoptSuite closes, as only Run closes the group of its program.
type ofRun struct{ par.Comm }

func (ofRun) Close() error { return par.ErrArgument }

func (c ofRun) AtEnd(f func()) (cancel func()) { return par.AtEnd(c.Comm, f) }

// TestAdoptSuite runs the conformance suite in groups that are adopted under MPI_THREAD_MULTIPLE.
func TestAdoptSuite(t *testing.T) {
	adopting(t, "suite")
	host(t, true, func() error {
		partest.Test(t, func(f func(par.Comm) error, o ...par.Options) error {
			c, err := mpi.Adopt(mpi.Handle(pmpitest.World()), o...)
			if err != nil {
				return err
			}
			mpi.Fail(c, call.Guard(func() error { return f(ofRun{c}) }))
			return c.Close()
		})
		return nil
	})
}

// TestAdoptFailing: a process that cannot go on informs the others, and all can adopt the
// communicator again.
func TestAdoptFailing(t *testing.T) {
	adopting(t, "failing")
	host(t, false, func() error {
		for range 3 {
			c, err := mpi.Adopt(mpi.Handle(pmpitest.World()), par.Options{Timeout: 20 * time.Second})
			if err != nil {
				return err
			}
			if err := c.Barrier(); err != nil {
				return err
			}
			if c.Proc() == 0 {
				mpi.Fail(c, par.ErrSize)
			}
			for _, err := range []error{c.Barrier(), c.Barrier(), c.Close()} {
				var whose *par.ProcError
				if !errors.Is(err, par.ErrSize) || !errors.As(err, &whose) || whose.Proc != 0 {
					return fmt.Errorf("after a failure: %w", err)
				}
			}
			if err := closedTwice(c); err != nil {
				return err
			}
		}
		return nil
	})
}
