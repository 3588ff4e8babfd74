package pexta_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"drx/dtype"
	"drx/parallel/par"
	"drx/parallel/pexta"
)

// TestPanicOfOneProc: a panic of one proc while it moves elements is an error of the request on all
// procs, which do not wait for it, and the array can be used further.
func TestPanicOfOneProc(t *testing.T) {
	for _, call := range []string{"get", "put"} {
		t.Run(call, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a")
			if err := par.Run(3, func(c par.Comm) error { return panics(c, file, call) }); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// panics lets a call of the global array panic on proc 1, in every request but the last ones. There
// are few buffers, so a lost one would be noticed.
func panics(c par.Comm, file, call string) error {
	s := pexta.Start(pexta.Options{MaxMemory: pexta.MinMaxMemory})
	h, err := s.Create(c, pexta.Spec{Type: dtype.Float64, Shape: []int{40, 30}, ChunkShape: []int{8, 8}, File: file})
	if err != nil {
		return err
	}
	g, err := newGA(c, dtype.Float64, []int{40, 30}, layout{})
	if err != nil {
		return err
	}
	move := map[string]func(pexta.GlobalArray, pexta.Handle) (pexta.Request, error){"get": s.Write, "put": s.Read}[call]
	for i := range 30 {
		if c.Proc() == 1 {
			g.Fail = func(what string) error {
				if strings.EqualFold(what, call) {
					panic("a mistake")
				}
				return nil
			}
		}
		r, err := move(g, h)
		if err != nil {
			return fmt.Errorf("%s %d: %w", call, i, err)
		}
		if err := s.Wait(r); err == nil || !strings.Contains(err.Error(), "internal error: a mistake") {
			return fmt.Errorf("%s %d: %v", call, i, err)
		}
		g.Fail = nil
	}
	for _, move := range []func(pexta.GlobalArray, pexta.Handle) (pexta.Request, error){s.Write, s.Read} {
		r, err := move(g, h)
		if err == nil {
			err = s.Wait(r)
		}
		if err != nil {
			return err
		}
	}
	return s.Terminate()
}
