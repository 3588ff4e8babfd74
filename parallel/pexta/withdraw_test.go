package pexta_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"drx/dtype"
	"drx/parallel/par"
	"drx/parallel/pexta"
)

// TestWithdraw: memory of a pending read does not change once it is withdrawn. The request is done,
// or has an error on all procs.
func TestWithdraw(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	err := par.Run(2, func(c par.Comm) error {
		s := pexta.Start(pexta.Options{Goroutines: 1})
		g, err := newGA(c, dtype.Float64, []int{600, 700}, layout{Local: true})
		if err != nil {
			return err
		}
		h, err := s.Create(c, pexta.Spec{Type: dtype.Float64, Shape: []int{600, 700}, ChunkShape: []int{50, 70}, File: file, Like: g})
		if err != nil {
			return err
		}
		for range 5 {
			r, err := s.Read(g, h)
			if err != nil {
				return err
			}
			_, mem, _, release, err := g.Access()
			if err != nil {
				return err
			}
			release()
			s.Withdraw(func(other []byte) bool { return &other[0] == &mem[0] })
			for i := range mem { // the file has zeros
				mem[i] = 7
			}
			err = s.Wait(r)
			if err != nil && !errors.Is(err, pexta.ErrHandle) {
				return err
			}
			if !bytes.Equal(mem, bytes.Repeat([]byte{7}, len(mem))) {
				return fmt.Errorf("memory was changed after it was withdrawn: %w", par.ErrArgument)
			}
		}
		return s.Terminate()
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNames: names need not be UTF-8.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"", "plate", "na\xefve \xff", "näive"} {
		err := par.Run(1, func(c par.Comm) error {
			s := pexta.Start(pexta.Options{})
			file := filepath.Join(dir, fmt.Sprint(i, "\xe4"))
			h, err := s.Create(c, pexta.Spec{Type: dtype.Int32, Shape: []int{3}, Name: name, File: file})
			if err == nil {
				err = s.Close(h)
			}
			if err != nil {
				return err
			}
			if h, err = s.Open(c, file, pexta.ReadOnly); err != nil {
				return err
			}
			info, err := s.Inquire(h)
			if info.Name != name || info.File != file {
				t.Errorf("%q in %q, want %q in %q", info.Name, info.File, name, file)
			}
			return errors.Join(err, s.Terminate())
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
