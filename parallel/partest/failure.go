package partest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"drx/parallel/par"
)

// agreedFailure: the program ends with an error that all procs have agreed on.
func agreedFailure(t *testing.T, launch Launch) {
	err := launchSoon(t, launch, func(c par.Comm) error {
		var mine error
		if c.Proc() == c.Procs()-1 {
			mine = errTest
		}
		return fmt.Errorf("reading: %w", c.Agree("step", mine))
	})
	last := procsOf(t, launch) - 1
	want := fmt.Sprintf("reading: proc %d: error of the test", last)
	if err := errors.Join(is("program", err, errTest), from("program", err, last), equal("text", err.Error(), want)); err != nil {
		t.Error(err)
	}
}

// testFailure lets a proc fail in several ways while the others wait in several calls: within 10
// seconds all get an error that names it.
func testFailure(t *testing.T, launch Launch) {
	var nowhere *int
	ways := map[string]func() error{
		"error":   func() error { return fmt.Errorf("the end: %w", errTest) },
		"panic":   func() error { panic("the end:\nnow") },
		"nil":     func() error { return fmt.Errorf("%d: cannot be", *nowhere) },
		"goexit":  func() error { runtime.Goexit(); return nil },
		"message": func() error { return errors.New(strings.Repeat("long \x01", 1000)) },
	}
	for _, name := range sorted(ways) {
		failing(t, launch, name, ways[name], map[string]func(par.Comm) error{"barrier": par.Comm.Barrier})
	}
	failing(t, launch, "while others wait", ways["error"], waits)
	t.Run("in use", func(t *testing.T) { failingInUse(t, launch) })
	t.Run("agreed", func(t *testing.T) { agreedFailure(t, launch) })
	t.Run("ended", func(t *testing.T) { endedEarly(t, launch) })
	t.Run("ended in a group", func(t *testing.T) { endedInGroup(t, launch) })
	t.Run("at the end", func(t *testing.T) { atEnd(t, launch) })
	t.Run("timeout", func(t *testing.T) { timeouts(t, launch) })
}

// waits holds calls that wait for the last proc.
var waits = map[string]func(par.Comm) error{
	"all-reduce": func(c par.Comm) error { return par.AllReduce(c, []int64{1}, par.Sum) },
	"gather":     func(c par.Comm) error { _, err := c.Gather(nil, 0); return err },
	"split":      func(c par.Comm) error { _, err := c.Split(0, 0); return err },
	"window":     func(c par.Comm) error { _, err := c.Window(8); return err },
	"open": func(c par.Comm) error {
		_, err := c.OpenFile(filepath.Join(os.TempDir(), "none"), os.O_RDONLY, nil)
		return err
	},
}

// failing lets the last proc fail while the others are in each of the calls.
func failing(t *testing.T, launch Launch, name string, way func() error, calls map[string]func(par.Comm) error) {
	for _, call := range sorted(calls) {
		t.Run(name+"/"+call, func(t *testing.T) {
			failed := procsOf(t, launch) - 1
			inside := make(chan error, failed) // errors of the other procs
			err := launchSoon(t, launch, func(c par.Comm) error {
				if c.Proc() == failed {
					time.Sleep(20 * time.Millisecond) // until the others wait
					return way()
				}
				got := calls[call](c)
				err := errors.Join(is(call, got, par.ErrFailed), from(call, got, failed),
					is("afterwards", c.Barrier(), par.ErrFailed))
				inside <- err
				return err
			})
			close(inside)
			for e := range inside {
				if e != nil {
					t.Error(e)
				}
			}
			if err := from("program", err, failed); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("not one line: %q", err)
			}
		})
	}
}

// failingInUse: the last proc fails while the others wait for it in windows, files and groups that
// all have open.
func failingInUse(t *testing.T, launch Launch) {
	last := procsOf(t, launch) - 1
	err := launchSoon(t, launch, func(c par.Comm) error {
		g, err := c.Split(0, 0)
		w, err2 := c.Window(8)
		f, err3 := c.OpenFile(os.DevNull, os.O_RDONLY, nil)
		if err := errors.Join(err, err2, err3); err != nil {
			return err
		}
		if c.Proc() == last {
			return errTest
		}
		one := par.Contiguous(0, 8)
		for what, err := range map[string]error{
			"fence": w.Fence(), "group": g.Barrier(), "read": f.ReadAll(nil), "sync": f.Sync(),
			"get": w.Get(0, one, make([]byte, 8), one), "close file": f.Close(), "close window": w.Close(), "close group": g.Close(),
		} {
			if err := errors.Join(is(what, err, par.ErrFailed), from(what, err, last)); err != nil {
				t.Error(err)
			}
		}
		return nil
	})
	if err := errors.Join(is("program", err, errTest), from("program", err, last)); err != nil {
		t.Error(err)
	}
}

// launchSoon launches a program that ends within 10 seconds.
func launchSoon(t *testing.T, launch Launch, f func(par.Comm) error, o ...par.Options) error {
	var err error
	if late := soon("program", func() { err = launch(f, o...) }); late != nil {
		t.Fatal(late)
	}
	return err
}

// endedEarly: the last proc returns, without an error, while the others are in a barrier.
func endedEarly(t *testing.T, launch Launch) {
	last := procsOf(t, launch) - 1
	err := launchSoon(t, launch, func(c par.Comm) error {
		if c.Proc() == last {
			return nil
		}
		return c.Barrier()
	})
	if (last == 0) != (err == nil) || last > 0 && !errors.Is(err, par.ErrDisagree) {
		t.Fatal(err)
	}
}

// endedInGroup: the last proc returns, without an error, while the others are in a group that it
// has open; and all of them do.
func endedInGroup(t *testing.T, launch Launch) {
	last := procsOf(t, launch) - 1
	for _, early := range []bool{true, false} {
		err := launchSoon(t, launch, func(c par.Comm) error {
			g, err := c.Split(0, 0)
			if err != nil || !early || c.Proc() == last {
				return err
			}
			return g.Barrier()
		})
		if !errors.Is(err, par.ErrDisagree) {
			t.Fatal(err)
		}
	}
}

// atEnd: the functions of AtEnd are called after every program, for all groups, unless they were
// cancelled.
func atEnd(t *testing.T, launch Launch) {
	for _, want := range []error{nil, errTest} {
		var done, back atomic.Int64
		var procs atomic.Int64
		err := launchSoon(t, launch, func(c par.Comm) error {
			procs.Add(1)
			g, err := c.Split(0, 0)
			if err != nil {
				return err
			}
			par.AtEnd(c, func() { done.Add(1) })
			par.AtEnd(g, func() { done.Add(1) })
			par.AtEnd(g, func() { back.Add(1) })()
			return errors.Join(g.Close(), want)
		})
		if !errors.Is(err, want) || done.Load() != 2*procs.Load() || back.Load() != 0 {
			t.Errorf("%d of %d calls at the end, %d that were taken back: %v", done.Load(), 2*procs.Load(), back.Load(), err)
		}
	}
}

// timeouts: the last proc never arrives.
func timeouts(t *testing.T, launch Launch) {
	last := procsOf(t, launch) - 1
	for _, call := range []string{"all-reduce", "gather"} {
		if last == 0 {
			return // a proc alone waits for nobody
		}
		err := launchSoon(t, launch, func(c par.Comm) error {
			if c.Proc() == last {
				time.Sleep(time.Second) // longer than a busy machine keeps the others from waiting
				return is("too late", c.Barrier(), par.ErrFailed)
			}
			return waits[call](c)
		}, par.Options{Timeout: 100 * time.Millisecond})
		if err := is(call, err, par.ErrTimeout); err != nil {
			t.Fatal(err)
		}
	}
}

// procsOf returns the number of procs that programs have.
func procsOf(t *testing.T, launch Launch) int {
	var procs atomic.Int64
	err := launch(func(c par.Comm) error {
		procs.Store(int64(c.Procs()))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return int(procs.Load())
}
