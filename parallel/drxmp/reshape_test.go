package drxmp_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/par"
)

// TestReshape: procs add a dimension, extend along it, and shrink the array on both sides. All of
// them, and a reader outside, see the elements that must be there.
func TestReshape(t *testing.T) {
	for procs := 1; procs <= 3; procs++ {
		for _, engine := range []drxmp.Engine{drxmp.Direct, drxmp.MPIIO} {
			name := filepath.Join(t.TempDir(), "a")
			err := par.Run(procs, func(c par.Comm) error { return reshape(c, name, engine) })
			if err != nil {
				t.Errorf("%d procs, %v: %v", procs, engine, err)
			}
			a, err := drx.Open(name, drx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			data, err := drx.Read[int32](a, nil)
			if err := errors.Join(err, checkReshaped(data), a.Close()); err != nil {
				t.Errorf("%d procs, %v: a reader sees %v", procs, engine, err)
			}
		}
	}
}

// reshapedBounds are the bounds at the end; element (i, j, k) is 100 i + 10 j + k, but -1 where it
// was not written, for i = 8, and where it was removed, for j > 2.
var reshapedBounds = nd.Sec(nd.Span(2, 9), nd.Span(0, 5), nd.Span(0, 2))

func reshape(c par.Comm, name string, engine drxmp.Engine) error {
	spec := drx.Spec{DType: dtype.Int32, Shape: []int{8, 5}, ChunkShape: []int{3, 2}, FillValue: -1}
	a, err := drxmp.Create(c, name, spec, drxmp.Options{Engine: engine})
	if err != nil {
		return err
	}
	if err := writeValues(c, a, nd.Sec(nd.Span(0, 8), nd.Span(0, 5))); err != nil {
		return err
	}
	if dim, err := a.AddDim("level"); err != nil || dim != 2 {
		return fmt.Errorf("dimension %d, %w", dim, err)
	}
	_, err = a.Extend(2, 1)
	if err := errors.Join(err, writeValues(c, a, nd.Sec(nd.Span(0, 8), nd.Span(0, 5), nd.Span(1, 2)))); err != nil {
		return err
	}
	_, err = a.Extend(0, 1) // the last row is never written
	if err := errors.Join(err, a.ShrinkLow(0, 2)); err != nil {
		return err
	}
	if err := a.Shrink(0, 8); !errors.Is(err, drx.ErrBounds) {
		return fmt.Errorf("shrink by more than there is: %w", err)
	}
	if err := a.Shrink(1, 2); err != nil {
		return err
	}
	if _, err := a.Extend(1, 2); err != nil { // what was removed does not come back
		return err
	}
	data := make([]int32, 70)
	if err := drxmp.ReadAll(a, reshapedBounds, data); err != nil {
		return err
	}
	return errors.Join(checkReshaped(data), a.Close())
}

// writeValues writes a section on the last proc.
func writeValues(c par.Comm, a *drxmp.Array, sec nd.Section) error {
	var data []int32
	if c.Proc() != c.Procs()-1 {
		sec = slices.Clone(sec)
		sec[0].Hi = sec[0].Lo
	} else {
		data = values(sec)
	}
	return drxmp.WriteAll(a, sec, data)
}

// values returns what the elements of a section must be, if they were written.
func values(sec nd.Section) []int32 {
	var data []int32
	lo, hi := sec.Bounds()
	at := slices.Clone(lo)
	for more := true; more; more = nd.Next(at, lo, hi) {
		v := 100*at[0] + 10*at[1]
		if len(at) > 2 {
			v += at[2]
		}
		data = append(data, int32(v))
	}
	return data
}

func checkReshaped(data []int32) error {
	want := values(reshapedBounds)
	for i := range want {
		if i >= 60 || i%10 >= 6 {
			want[i] = -1
		}
	}
	if !slices.Equal(data, want) {
		return fmt.Errorf("got %v, want %v", data, want)
	}
	return nil
}
