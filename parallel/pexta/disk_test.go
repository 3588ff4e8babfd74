package pexta_test

import (
	"errors"
	"fmt"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/par"
	"drx/parallel/pexta"
)

// TestForeign: arrays that no global array can match are refused, and those extended on the low
// side begin with index 0.
func TestForeign(t *testing.T) {
	dir := t.TempDir()
	create := func(name string, spec drx.Spec) string {
		file := filepath.Join(dir, name)
		a, err := drx.Create(file, spec)
		if err == nil && name == "low" {
			_, err = a.ExtendLow(0, 3)
			err = errors.Join(err, drx.Set(a, 7.0, -3))
		}
		if err := errors.Join(err, a.Close()); err != nil {
			t.Fatal(err)
		}
		return file
	}
	bytes := create("bytes", drx.Spec{DType: dtype.Uint8, Shape: []int{2}})
	eight := create("eight", drx.Spec{DType: dtype.Int32, Shape: slices.Repeat([]int{1}, 8)})
	low := create("low", drx.Spec{DType: dtype.Float64, Shape: []int{2}, ChunkShape: []int{2}, Attrs: map[string]any{"pexta_name": 5}})
	err := par.Run(2, func(c par.Comm) error {
		s := pexta.Start(pexta.Options{})
		for i := range 2 { // the first attempt leaves nothing behind
			if _, err := s.Open(c, bytes, pexta.ReadWrite); !errors.Is(err, drx.ErrDType) || !strings.Contains(err.Error(), "bytes: open: elements uint8") {
				return fmt.Errorf("bytes, attempt %d: %w", i, err)
			}
			if _, err := s.Open(c, eight, pexta.ReadWrite); !errors.Is(err, drx.ErrRank) {
				return fmt.Errorf("eight dimensions, attempt %d: %w", i, err)
			}
		}
		h, err := s.Open(c, low, pexta.ReadOnly)
		if err != nil {
			return err
		}
		g, err := newGA(c, dtype.Float64, []int{5}, layout{})
		if err != nil {
			return err
		}
		r, err := s.Read(g, h)
		if err != nil {
			return err
		}
		if err := s.Wait(r); err != nil {
			return err
		}
		got := make([]float64, 5)
		err = g.Get(nd.Sec(nd.Span(0, 5)), dtype.Bytes(got))
		if err != nil || !slices.Equal(got, []float64{7, 0, 0, 0, 0}) {
			return fmt.Errorf("read %v: %w", got, err)
		}
		return s.Terminate()
	})
	if err != nil {
		t.Error(err)
	}
}

// TestFullDisk: one proc cannot write. All procs get the error when they wait, or close. What can
// be written then is written later.
func TestFullDisk(t *testing.T) {
	for _, closes := range []bool{false, true} {
		file := filepath.Join(t.TempDir(), "a")
		if err := par.Run(3, func(c par.Comm) error { return fullDisk(c, file, closes) }); err != nil {
			t.Errorf("closes %v: %v", closes, err)
		}
	}
}

func fullDisk(c par.Comm, file string, closes bool) error {
	s := pexta.Start(pexta.Options{})
	shape := []int{192, 64}
	h, err := s.Create(c, pexta.Spec{Type: dtype.Int64, Shape: shape, ChunkShape: []int{16, 16}, File: file})
	if err != nil {
		return err
	}
	g, err := newGA(c, dtype.Int64, shape, layout{})
	if err != nil {
		return err
	}
	want := &plain{8, shape, slices.Repeat([]byte{7}, 192*64*8)}
	if err := putAll(c, g, want); err != nil {
		return err
	}
	restore, err := limitFiles(c, 80<<10)
	if err != nil {
		return err
	}
	r, err := s.Write(g, h)
	switch {
	case err != nil:
	case closes:
		if failure := s.Close(h); !errors.Is(failure, syscall.EFBIG) {
			err = fmt.Errorf("close beyond the limit: %w", failure)
		}
	default:
		if failure := s.Wait(r); !errors.Is(failure, syscall.EFBIG) {
			err = fmt.Errorf("beyond the limit: %w", failure)
		}
	}
	if err := errors.Join(err, restore()); err != nil {
		return err
	}
	if closes {
		if h, err = s.Open(c, file, pexta.ReadWrite); err != nil {
			return err
		}
	}
	if r, err = s.Write(g, h); err != nil {
		return err
	}
	if err := errors.Join(s.Wait(r), s.Terminate()); err != nil || c.Proc() != 0 {
		return err
	}
	return sameOnDisk(file, want)
}

// limitFiles limits the length of files that this process writes, collective. restore removes the
// limit, collective.
func limitFiles(c par.Comm, bytes uint64) (restore func() error, err error) {
	var old unix.Rlimit
	if c.Proc() == 0 {
		signal.Ignore(syscall.SIGXFSZ)
		if err = unix.Getrlimit(unix.RLIMIT_FSIZE, &old); err == nil {
			err = unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: bytes, Max: old.Max})
		}
	}
	return func() error {
		var err error
		if c.Proc() == 0 {
			err = unix.Setrlimit(unix.RLIMIT_FSIZE, &old)
		}
		return c.Agree("restore", err)
	}, c.Agree("limit", err)
}
