package drxmp_test

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/mpi"
	"drx/parallel/par"
)

// TestFileLimit: one proc cannot write, because the file would exceed the limit. All procs get the
// error. What was written can be committed, and the rest can be written later.
func TestFileLimit(t *testing.T) {
	if mpi.Launched() {
		t.Skip("changes a limit of the process")
	}
	for _, engine := range []drxmp.Engine{drxmp.Direct, drxmp.MPIIO} {
		t.Run(engine.String(), func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "a")
			if err := par.Run(3, func(c par.Comm) error { return beyondLimit(c, name, engine) }); err != nil {
				t.Fatal(err)
			}
			a, err := drx.Open(name, drx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			report, err := a.Verify(context.Background(), nil)
			if err != nil || len(report.Damaged) > 0 || report.Written != report.Chunks {
				t.Errorf("%+v, %v", report, err)
			}
			data, err := drx.Read[int64](a, nil)
			if err != nil || slices.ContainsFunc(data, func(x int64) bool { return x != 7 }) {
				t.Errorf("%v, %v", data[:8], err)
			}
		})
	}
}

// beyondLimit writes an array of 384 KiB where files are limited to 320 KiB.
func beyondLimit(c par.Comm, name string, engine drxmp.Engine) error {
	spec := drx.Spec{DType: dtype.Int64, Shape: []int{192, 256}, ChunkShape: []int{16, 64}}
	a, err := drxmp.Create(c, name, spec, drxmp.Options{Engine: engine, Distribution: drxmp.Distribution{Grid: []int{3, 1}}})
	if err != nil {
		return err
	}
	zone := slices.Repeat([]int64{7}, a.Zone().Len())
	restore, err := limit(c, 320<<10)
	if err != nil {
		return err
	}
	defer restore()
	lost := int64(7)
	if engine == drxmp.MPIIO { // nothing of a failed round counts as written
		lost = 0
	}
	var whose *par.ProcError
	err = drxmp.WriteAll(a, nil, zone)
	if !errors.Is(err, syscall.EFBIG) || !errors.As(err, &whose) || whose.Proc != 2 {
		return fmt.Errorf("beyond the limit: %w", err)
	}
	if err := a.Sync(); err != nil {
		return err
	}
	first := make([]int64, 128*256)
	err = drxmp.ReadAll(a, nd.Sec(nd.Span(0, 128), nd.All), first)
	if err != nil || slices.ContainsFunc(first, func(x int64) bool { return x != 7 && x != lost }) {
		return fmt.Errorf("what could be written: %v, %w", first[:8], err)
	}
	if err := c.Barrier(); err != nil {
		return err
	}
	restore()
	if err := c.Barrier(); err != nil {
		return err
	}
	if err := drxmp.WriteAll(a, nil, zone); err != nil {
		return err
	}
	if err := failedCommit(c, a, zone); err != nil {
		return err
	}
	return a.Close()
}

// failedCommit: the commit of new chunks fails. Nothing can be written before it succeeds.
func failedCommit(c par.Comm, a *drxmp.Array, zone []int64) error {
	if _, err := a.Extend(0, 48); err != nil {
		return err
	}
	zone = slices.Repeat(zone[:1], a.Zone().Len())
	if err := drxmp.WriteAll(a, nil, zone); err != nil {
		return err
	}
	restore, err := limit(c, 100) // not even the table can be written
	if err != nil {
		return err
	}
	defer restore()
	for range 2 {
		if err := a.Sync(); !errors.Is(err, syscall.EFBIG) {
			return fmt.Errorf("commit: %w", err)
		}
		if err := drxmp.WriteAll(a, nil, zone); !errors.Is(err, syscall.EFBIG) {
			return fmt.Errorf("write after a failed commit: %w", err)
		}
		if err := drxmp.Write(a, nil, zone); !errors.Is(err, syscall.EFBIG) {
			return fmt.Errorf("write alone after a failed commit: %w", err)
		}
	}
	if err := c.Barrier(); err != nil {
		return err
	}
	restore()
	if err := c.Barrier(); err != nil {
		return err
	}
	if err := a.Sync(); err != nil {
		return fmt.Errorf("the next commit: %w", err)
	}
	return drxmp.WriteAll(a, nil, zone)
}

// TestLoneWriteAfterFailure: if one proc cannot write, or cannot send elements to their owner, it
// can go on writing, and repeat the failed call.
func TestLoneWriteAfterFailure(t *testing.T) {
	if mpi.Launched() {
		t.Skip("changes a limit of the process")
	}
	for _, engine := range []drxmp.Engine{drxmp.Direct, drxmp.MPIIO} {
		t.Run(engine.String(), func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "a")
			if err := par.Run(3, func(c par.Comm) error { return aloneBeyondLimit(c, name, engine) }); err != nil {
				t.Fatal(err)
			}
			a, err := drx.Open(name, drx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			data, err := drx.Read[int64](a, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range data {
				want := int64(7)
				if i >= len(data)-256 {
					want = 8 // from proc 0, which has sent it
				}
				if x != want {
					t.Fatalf("element %d is %d, want %d", i, x, want)
				}
			}
		})
	}
}

// aloneBeyondLimit writes an array of 384 KiB where files are limited to 320 KiB, each proc its
// zone.
func aloneBeyondLimit(c par.Comm, name string, engine drxmp.Engine) error {
	spec := drx.Spec{DType: dtype.Int64, Shape: []int{192, 256}, ChunkShape: []int{16, 64}}
	a, err := drxmp.Create(c, name, spec, drxmp.Options{Engine: engine, Distribution: drxmp.Distribution{Grid: []int{3, 1}}})
	if err != nil {
		return err
	}
	restore, err := limit(c, 320<<10)
	if err != nil {
		return err
	}
	defer restore()
	own := func(value int64) error { return drxmp.Write(a, nil, slices.Repeat([]int64{value}, a.Zone().Len())) }
	if err := own(6); errors.Is(err, syscall.EFBIG) != (c.Proc() == 2) {
		return fmt.Errorf("alone beyond the limit: %w", err)
	}
	if c.Proc() == 2 {
		sec := nd.Sec(nd.Span(128, 136), nd.All)
		data := slices.Repeat([]int64{5}, 8*256)
		if err := drxmp.Write(a, sec, data); err != nil {
			return fmt.Errorf("alone below it: %w", err)
		}
		clear(data)
		if err := drxmp.Read(a, sec, data); err != nil || data[0] != 5 || data[8*256-1] != 5 {
			return fmt.Errorf("what could be written: %d, %w", data[0], err)
		}
	}
	if c.Proc() == 0 {
		if err := drxmp.Write(a, nd.Sec(nd.At(191), nd.All), slices.Repeat([]int64{8}, 256)); err != nil {
			return fmt.Errorf("to another proc: %w", err)
		}
	}
	if err := a.Sync(); !errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("sync beyond the limit: %w", err)
	}
	if err := c.Barrier(); err != nil {
		return err
	}
	restore()
	if err := c.Barrier(); err != nil {
		return err
	}
	rows := nd.Span(64*c.Proc(), min(64*c.Proc()+64, 191))
	return errors.Join(drxmp.Write(a, nd.Sec(rows, nd.All), slices.Repeat([]int64{7}, 256*rows.Len())), a.Close())
}

// limit limits the length of files, for all goroutines, until restore is called.
func limit(c par.Comm, bytes uint64) (restore func(), err error) {
	if c.Proc() != 0 {
		return func() {}, c.Agree("limit", nil)
	}
	signal.Ignore(syscall.SIGXFSZ)
	var old unix.Rlimit
	if err = unix.Getrlimit(unix.RLIMIT_FSIZE, &old); err == nil {
		err = unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: bytes, Max: old.Max})
	}
	return func() { _ = unix.Setrlimit(unix.RLIMIT_FSIZE, &old) }, c.Agree("limit", err)
}
