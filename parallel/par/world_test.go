package par

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"drx/dtype"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

const (
	rdwr   = os.O_RDWR
	create = os.O_CREATE
)

var errDisk = errors.New("disk on fire")

// TestFileFaults: a fault on one proc is an error of all, which names that proc, and the file can
// be used further. Files are in memory.
func TestFileFaults(t *testing.T) {
	var broken atomic.Value // an operation
	broken.Store(vfstest.Op(""))
	w := &world{fs: vfstest.Faulty{FS: vfs.NewMem(), Fail: func(op vfstest.Op, _ string) error {
		if broken.Load() == op {
			return errDisk
		}
		return nil
	}}}
	err := w.run(3, func(c Comm) error {
		setBroken := func(op vfstest.Op) {
			_ = c.Barrier()
			if c.Proc() == 0 {
				broken.Store(op)
			}
			_ = c.Barrier()
		}
		setBroken(vfstest.OpCreate)
		if _, err := c.OpenFile("a", rdwr|create, nil); !errors.Is(err, errDisk) {
			return fmt.Errorf("create: %w", err)
		}
		setBroken("")
		f, err := c.OpenFile("a", rdwr|create, nil)
		if err != nil {
			return err
		}
		mine := []Piece{{int64(c.Proc()) * 5, []byte("hello")}}
		if c.Proc() != 2 {
			mine = nil
		}
		steps := []struct {
			op   vfstest.Op
			call func() error
			proc int
		}{
			{vfstest.OpWrite, func() error { return f.WriteAll(mine) }, 2},
			{vfstest.OpSync, f.Sync, 0},
			{vfstest.OpRead, func() error { return f.ReadAll(mine) }, 2},
			{vfstest.OpSize, func() error { return f.ReadAll(mine) }, 2},
		}
		for _, s := range steps {
			setBroken(s.op)
			err := s.call()
			var whose *ProcError
			if !errors.Is(err, errDisk) || !errors.As(err, &whose) || whose.Proc != s.proc {
				return fmt.Errorf("%s: %w", s.op, err)
			}
			setBroken("")
			if err := s.call(); err != nil {
				return fmt.Errorf("%s again: %w", s.op, err)
			}
		}
		return f.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRunRefused(t *testing.T) {
	if err := Run(0, func(Comm) error { return nil }); !errors.Is(err, ErrArgument) {
		t.Error(err)
	}
}

// TestFirstFailure: Run returns the error of the proc that failed first, whatever the errors of
// others.
func TestFirstFailure(t *testing.T) {
	err := Run(3, func(c Comm) error {
		if c.Proc() == 1 {
			return fs.ErrExist
		}
		if err := c.Barrier(); !errors.Is(err, ErrFailed) {
			return fmt.Errorf("barrier: %w", err)
		}
		return errDisk
	})
	var whose *ProcError
	if !errors.As(err, &whose) || whose.Proc != 1 || !errors.Is(err, fs.ErrExist) || errors.Is(err, errDisk) {
		t.Error(err)
	}
}

// TestPanicPlace: the error of a panic says where.
func TestPanicPlace(t *testing.T) {
	err := Run(2, func(c Comm) error {
		var none []int
		none[c.Proc()] = 1
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "panic at world_test.go:") || !strings.Contains(err.Error(), "index out of range") {
		t.Error(err)
	}
}

// TestBusy: two collective calls of one proc on one group at once.
func TestBusy(t *testing.T) {
	refused := make(chan struct{})
	told := sync.OnceFunc(func() { close(refused) })
	err := Run(2, func(c Comm) error {
		if c.Proc() == 1 {
			<-refused
			return c.Barrier()
		}
		defer told()
		done := make(chan error)
		go func() { done <- c.Barrier() }()
		var err error
		for err == nil {
			if err = c.(*comm).probe(); err == nil {
				time.Sleep(time.Millisecond)
			}
		}
		if !errors.Is(err, ErrBusy) {
			return err
		}
		told()
		return <-done
	})
	if err != nil {
		t.Error(err)
	}
}

// probe returns the error that a collective call would return now, but begins none.
func (c *comm) probe() error {
	if !c.busy.Load() {
		return nil
	}
	return c.Barrier()
}

// TestEnded: a proc that waits for one that has ended gets an error, also in a part of the program.
func TestEnded(t *testing.T) {
	over := make(chan struct{})
	err := Run(3, func(c Comm) error {
		g, err := c.Split(min(c.Proc(), 1), 0)
		if err != nil || c.Proc() == 2 {
			return err
		}
		if c.Proc() == 0 {
			<-over
			return nil
		}
		defer close(over)
		err = g.Barrier()
		var whose *ProcError
		if !errors.Is(err, ErrDisagree) || !errors.As(err, &whose) || whose.Proc != 2 {
			return err
		}
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "groups open: 1") {
		t.Error(err)
	}
}

// TestCombineAskew: unaligned bytes give the same results as aligned ones.
func TestCombineAskew(t *testing.T) {
	for _, typ := range dtype.All() {
		for op := Sum; op <= Or; op++ {
			if op.Check(typ) != nil {
				continue
			}
			n := 5 * typ.Size()
			a, b := make([]byte, n), make([]byte, n)
			for i := range a {
				a[i], b[i] = byte(i%2), byte((i/2)%2) // none is NaN; all are valid bools
			}
			x, y := append([]byte{9}, a...), append([]byte{9}, b...)
			combine(a, b, typ, op)
			combine(x[1:], y[1:], typ, op)
			if !bytes.Equal(a, x[1:]) {
				t.Errorf("%v of %v: %v, askew %v", op, typ, a, x[1:])
			}
		}
	}
}

func TestOpNames(t *testing.T) {
	if Sum.String() != "sum" || Op(0).String() != "no operation" || Op(99).String() != "op(99)" {
		t.Error(Sum, Op(0), Op(99))
	}
}

// TestNothingLeft: programs that end well, fail, panic or wait for too long leave no goroutine
// behind.
func TestNothingLeft(t *testing.T) {
	ways := []func(Comm) error{
		Comm.Barrier,
		func(Comm) error { return errDisk },
		func(c Comm) error { panic(c.Proc()) },
		func(c Comm) error {
			if c.Proc() == 0 {
				time.Sleep(100 * time.Millisecond)
			}
			return c.Barrier()
		},
		func(c Comm) error {
			f, err := c.OpenFile("a", rdwr|create, nil)
			if err == nil {
				go func() { _ = f.WriteAll([]Piece{{int64(c.Proc()), []byte{1}}}) }()
			}
			return errors.Join(err, errDisk)
		},
	}
	before := runtime.NumGoroutine()
	for i, way := range ways {
		timeout := 20 * time.Millisecond
		if i == 0 {
			timeout = time.Minute // on a busy machine a proc may well be late
		}
		err := (&world{fs: vfs.NewMem(), timeout: timeout}).run(4, way)
		if (err == nil) != (i == 0) {
			t.Errorf("program %d: %v", i, err)
		}
	}
	for wait := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Since(wait) > time.Minute {
			t.Fatalf("%d goroutines are left", runtime.NumGoroutine()-before)
		}
	}
}
