package drxmp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/par"
)

// small creates an array of 8 elements in 4 chunks.
func small(c par.Comm, name string) (*Array, error) {
	return Create(c, name, drx.Spec{DType: dtype.Int32, Shape: []int{8}, ChunkShape: []int{2}}, Options{})
}

// TestReopenFails: if files that have replaced others cannot be opened the array is closed, on all
// procs.
func TestReopenFails(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	err := par.Run(2, func(c par.Comm) error {
		a, err := small(c, name)
		if err != nil {
			return err
		}
		if err := a.Close(); err != nil {
			return err
		}
		if a, err = Open(c, name, Options{}); err != nil {
			return err
		}
		if c.Proc() == 0 {
			err = os.Remove(name + ".xck")
		}
		if err := c.Agree("removal", err); err != nil {
			return err
		}
		t := a.beginExclusive()
		if err = t.agree("refresh", false, nil); err == nil {
			err = a.reopenOrClose()
		}
		t.end()
		if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("reopen: %w", err)
		}
		if err := a.Close(); !errors.Is(err, drx.ErrClosed) || a.Shape()[0] != 8 {
			return fmt.Errorf("close: %v, %w", a.Shape(), err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestNoOwner: elements without an owner are an error, and not left out.
func TestNoOwner(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	err := par.Run(2, func(c par.Comm) error {
		a, err := small(c, name)
		if err != nil {
			return err
		}
		zones, err := NewDecomposition(Distribution{}, 2, a.Grid(), a.ChunkShape(), []int{0}, []int{5})
		if err != nil {
			return err
		}
		a.decomposition = zones
		sec, data := nd.Sec(nd.Span(4, 6)), []int32{1, 2}
		if c.Proc() == 0 {
			sec, data = nd.Sec(nd.Span(0, 1)), data[:1]
		}
		if err := WriteAll(a, sec, data); !errors.Is(err, drx.ErrBounds) {
			return fmt.Errorf("write by all: %w", err)
		}
		if err := Write(a, nd.Sec(nd.Span(4, 6)), []int32{1, 2}); !errors.Is(err, drx.ErrBounds) {
			return fmt.Errorf("write: %w", err)
		}
		return a.Discard()
	})
	if err != nil {
		t.Error(err)
	}
}

// TestDistributionText: distributions that fit no array can be printed.
func TestDistributionText(t *testing.T) {
	for want, d := range map[string]Distribution{
		"block":                                   {},
		"block over 2, block over 3":              {Grid: []int{2, 3}},
		"cyclic over 2, block over 3":             {Grid: []int{2, 3}, Dims: []DimDistribution{Cyclic()}},
		"cyclic over 2, genblock(1 4), cyclic(3)": {Grid: []int{2}, Dims: []DimDistribution{Cyclic(), GenBlock(1, 4), BlockCyclic(3)}},
	} {
		if got := d.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
