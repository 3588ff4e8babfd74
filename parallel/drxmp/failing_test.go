package drxmp_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"drx"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/mpi"
	"drx/parallel/par"
)

// TestStraggler: a proc that has not yet learned of the program's failure keeps other writers out,
// and does no harm.
func TestStraggler(t *testing.T) {
	if mpi.Launched() {
		t.Skip("several procs in one process")
	}
	for i, d := range durabilities {
		name := filepath.Join(t.TempDir(), "a"+forms[i%len(forms)])
		var locked, straggler error
		closed, tried := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(tried)
			<-closed
			_, locked = drx.Open(name, drx.Options{Write: true})
		}()
		err := par.Run(3, func(c par.Comm) error {
			spec := failingSpec()
			spec.Durability = d
			a, err := drxmp.Create(c, name, spec, drxmp.Options{})
			if err != nil {
				return err
			}
			zone := make([]int32, a.Zone().Len())
			switch c.Proc() {
			case 1:
				return errPlanned
			case 0:
				defer close(closed)
				return errors.Join(a.Sync(), a.Close())
			}
			<-tried // the proc computes
			straggler = drxmp.Write(a, nil, zone)
			return nil
		})
		if !errors.Is(err, errPlanned) || !errors.Is(locked, drx.ErrLocked) {
			t.Errorf("durability %d: %v; somebody else: %v", d, err, locked)
		}
		a, err := drx.Open(name, drx.Options{Write: true})
		if err != nil {
			t.Fatal(err)
		}
		report, err := a.Verify(context.Background(), nil)
		if err := errors.Join(err, a.Close()); err != nil || len(report.Damaged) > 0 || report.Written > 0 {
			t.Errorf("durability %d: %+v, %v; the straggler: %v", d, report, err, straggler)
		}
	}
}

// TestLeftOpen: a program that fails, or ends, with an array open leaves the array as it was at the
// last commit, and free for other writers.
func TestLeftOpen(t *testing.T) {
	if mpi.Launched() {
		t.Skip("wants its own folder")
	}
	for i, want := range []error{errPlanned, par.ErrDisagree} {
		name := filepath.Join(t.TempDir(), "a"+forms[i])
		err := par.Run(2, func(c par.Comm) error {
			a, err := drxmp.Create(c, name, failingSpec(), drxmp.Options{})
			if err != nil {
				return err
			}
			if err := errors.Join(fillZone(a, 1, drxmp.WriteAll), a.Sync(), fillZone(a, 2, drxmp.WriteAll)); err != nil {
				return err
			}
			if c.Proc() == 0 && want == errPlanned {
				return want
			}
			return nil
		})
		if !errors.Is(err, want) {
			t.Error(err)
		}
		a, err := drx.Open(name, drx.Options{Write: true})
		if err != nil {
			t.Fatal(err)
		}
		data, err := drx.Read[int32](a, nil)
		if err := errors.Join(err, a.Close()); err != nil || slices.ContainsFunc(data, func(x int32) bool { return x != 1 }) {
			t.Error(data, err)
		}
	}
}

// testDiffer: procs that make different calls on one array, or on its global arrays, get an error.
func testDiffer(w *world) error {
	if w.Procs() == 1 {
		return nil
	}
	a, err := drxmp.Create(w, w.file("a"), failingSpec(), drxmp.Options{Engine: w.engine})
	if err != nil {
		return err
	}
	m, err := drxmp.NewGlobalArray[int32](a)
	if err != nil {
		return err
	}
	other, err := drxmp.NewGlobalArray[int32](a)
	if err != nil {
		return err
	}
	for i, calls := range [][2]func() error{
		{a.Sync, m.Fence}, {m.Fence, other.Fence}, {m.Close, other.Close}, {m.Load, m.Store}, {m.Follow, other.Follow},
	} {
		call := calls[0]
		if w.Proc() == w.Procs()-1 {
			call = calls[1]
		}
		if err := call(); !errors.Is(err, par.ErrDisagree) {
			return fmt.Errorf("pair %d: %w", i, err)
		}
	}
	if err := errors.Join(m.Fence(), m.Close(), other.Close(), a.SetAttr("x", 1), a.Close()); err != nil {
		return err
	}
	return differInArguments(w)
}

// differInArguments: procs that make the same call with different arguments get an error, and
// nothing has changed.
func differInArguments(w *world) error {
	name := w.file("a")
	open := func(write bool) (*drxmp.Array, error) {
		return drxmp.Open(w, name, drxmp.Options{Options: drx.Options{Write: write}, Engine: w.engine})
	}
	a, err := open(true)
	if err != nil {
		return err
	}
	long := strings.Repeat("long", 1000)
	mine := 0
	if w.Proc() == w.Procs()-1 {
		mine = 1
	}
	for i, call := range []func() error{
		func() error { _, err := a.Extend(0, 1+mine); return err },
		func() error { _, err := a.Extend(mine, 1); return err },
		func() error { return a.SetAttr("x", 1+mine) },
		func() error { return a.SetAttr("x", fmt.Sprint(long, mine)) },
		func() error { return a.SetAttr(fmt.Sprint("x", mine), 1) },
		func() error { return a.DeleteAttr(fmt.Sprint("x", mine)) },
		func() error { return a.Redistribute(drxmp.Distribution{Grid: [][]int{{1, 2}, {2, 1}}[mine]}) },
		func() error {
			_, err := drxmp.NewGlobalArray[int32](a, []nd.Order{nd.RowMajor, nd.ColMajor(2)}[mine])
			return err
		},
		func() error { _, err := open(mine == 0); return err },
		func() error { _, err := drxmp.Open(w, name, drxmp.Options{Engine: drxmp.Engine(1 + mine)}); return err },
		func() error {
			spec := failingSpec()
			spec.FillValue = mine
			_, err := drxmp.Create(w, w.file("never"), spec, drxmp.Options{Engine: w.engine})
			return err
		},
	} {
		if err := call(); !errors.Is(err, par.ErrDisagree) {
			return fmt.Errorf("call %d: %w", i, err)
		}
	}
	if string(a.Attrs()["x"]) != "1" || len(a.Attrs()) != 1 {
		return fmt.Errorf("attributes %v", a.Attrs())
	}
	if err := a.Close(); err != nil {
		return err
	}
	return differInOpening(open)
}

// differInOpening: procs that make the same call on different openings of one array get an error.
func differInOpening(open func(write bool) (*drxmp.Array, error)) error {
	first, err := open(false)
	if err != nil {
		return err
	}
	second, err := open(false)
	if err != nil {
		return err
	}
	a := first
	if a.Proc() == a.Decomposition().Procs()-1 {
		a = second
	}
	if _, err := a.Verify(context.Background()); !errors.Is(err, par.ErrDisagree) {
		return fmt.Errorf("two openings: %w", err)
	}
	return errors.Join(second.Close(), first.Close())
}

// TestTwoGroups: procs that wait in arrays of different groups end by the timeout. Goroutines may
// work on such arrays at the same time.
func TestTwoGroups(t *testing.T) {
	if mpi.Launched() {
		t.Skip("wants two procs")
	}
	dir := t.TempDir()
	err := par.Run(2, func(c par.Comm) error {
		a, err := drxmp.Create(c, filepath.Join(dir, "a"), failingSpec(), drxmp.Options{})
		if err != nil {
			return err
		}
		group, err := c.Split(0, c.Proc())
		if err != nil {
			return err
		}
		b, err := drxmp.Create(group, filepath.Join(dir, "b"), failingSpec(), drxmp.Options{})
		if err != nil {
			return err
		}
		both := make(chan error, 2)
		for _, x := range []*drxmp.Array{a, b} {
			go func() {
				for i := range 50 {
					if err := x.SetAttr("turn", i); err != nil {
						both <- err
						return
					}
				}
				both <- nil
			}()
		}
		if err := errors.Join(<-both, <-both); err != nil {
			return fmt.Errorf("at the same time: %w", err)
		}
		if c.Proc() == 0 {
			return a.Sync()
		}
		return b.Sync()
	}, par.Options{Timeout: 500 * time.Millisecond})
	if !errors.Is(err, par.ErrTimeout) {
		t.Error(err)
	}
}

// TestRegrowFails: if only one proc extends an array, and fails before the end, the array is closed
// as it was.
func TestRegrowFails(t *testing.T) {
	if mpi.Launched() {
		t.Skip("changes a limit of the process")
	}
	name := filepath.Join(t.TempDir(), "figure1")
	if err := writeFigure1(name); err != nil {
		t.Fatal(err)
	}
	s, err := drx.Open(name, drx.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Shrink(0, 5), s.Close()); err != nil {
		t.Fatal(err)
	}
	err = par.Run(2, func(c par.Comm) error {
		o := drxmp.Options{Options: drx.Options{Write: true}, Distribution: drxmp.Distribution{Grid: []int{2, 1}}}
		a, err := drxmp.Open(c, name, o)
		if err != nil {
			return err
		}
		restore, err := limit(c, 5000)
		if err != nil {
			return err
		}
		defer restore()
		if _, err := a.Extend(0, 800); !errors.Is(err, syscall.EFBIG) {
			return fmt.Errorf("extend: %w", err)
		}
		if err := drxmp.WriteAll(a, nd.Sec(nd.At(4), nd.All), make([]float64, 12)); !errors.Is(err, drx.ErrClosed) {
			return fmt.Errorf("write: %w", err)
		}
		if err := a.Close(); !errors.Is(err, drx.ErrClosed) {
			return fmt.Errorf("close: %w", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if s, err = drx.Open(name, drx.Options{Write: true}); err != nil {
		t.Fatal(err)
	}
	data, err := drx.Read[float64](s, nil)
	if err := errors.Join(err, s.Close()); err != nil || len(data) != 60 || data[59] != 411 {
		t.Error(len(data), err)
	}
}

// TestApplyFails: a commit is in the journal, but its chunks cannot be written to the data file.
// Nothing is written before the commit is complete.
func TestApplyFails(t *testing.T) {
	if mpi.Launched() {
		t.Skip("changes a limit of the process")
	}
	name := filepath.Join(t.TempDir(), "a")
	if err := par.Run(3, func(c par.Comm) error { return applyFails(c, name) }); err != nil {
		t.Fatal(err)
	}
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := drx.Read[int32](a, nil)
	if err := errors.Join(err, a.Close()); err != nil {
		t.Fatal(err)
	}
	for i, x := range data {
		if want := map[bool]int32{false: 1, true: 2}[i >= 56*64]; x != want {
			t.Fatalf("element %d is %d, want %d", i, x, want)
		}
	}
}

func applyFails(c par.Comm, name string) error {
	spec := failingSpec()
	spec.ChunkShape = []int{8, 16} // 512 bytes
	a, err := drxmp.Create(c, name, spec, drxmp.Options{Distribution: drxmp.Distribution{Grid: []int{3, 1}}})
	if err != nil {
		return err
	}
	if err := errors.Join(fillZone(a, 1, drxmp.WriteAll), a.Sync()); err != nil {
		return err
	}
	end, twos := nd.Sec(nd.Span(56, 64), nd.All), slices.Repeat([]int32{2}, 8*64) // the last chunks of the file
	if c.Proc() != 2 {
		end, twos = nd.Sec(nd.Span(0, 0), nd.All), nil
	}
	if err := drxmp.WriteAll(a, end, twos); err != nil {
		return err
	}
	restore, err := limit(c, 12<<10) // less than the 16 KiB of the data file; the journal fits
	if err != nil {
		return err
	}
	defer restore()
	for range 2 {
		calls := []func() error{
			a.Sync, func() error { return drxmp.WriteAll(a, end, twos) }, func() error { _, err := a.Verify(context.Background()); return err },
			func() error { return a.Redistribute(drxmp.Distribution{}) },
		}
		for i, call := range calls {
			if err := call(); !errors.Is(err, syscall.EFBIG) {
				return fmt.Errorf("call %d: %w", i, err)
			}
		}
	}
	if err := c.Barrier(); err != nil {
		return err
	}
	restore()
	if err := c.Barrier(); err != nil {
		return err
	}
	return errors.Join(a.Sync(), drxmp.WriteAll(a, end, twos), a.Close())
}
