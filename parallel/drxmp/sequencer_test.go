package drxmp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"drx"
	"drx/dtype"
	"drx/parallel/drxmp"
	"drx/parallel/par"
)

// pair returns two arrays of 8 x 6 elements that are open for writing.
func pair(w *world) (a, b *drxmp.Array, err error) {
	spec := drx.Spec{DType: dtype.Int32, Shape: []int{8, 6}, ChunkShape: []int{2, 3}}
	o := drxmp.Options{Engine: w.engine}
	if a, err = drxmp.Create(w, w.file("a"), spec, o); err == nil {
		b, err = drxmp.Create(w, w.file("b"), spec, o)
	}
	return a, b, err
}

// testTwoArrays: the last proc calls something on one array, the others something on another one.
// No proc hangs, all get an error that names both calls, and the arrays can be used further.
func testTwoArrays(w *world) error {
	if w.Procs() == 1 {
		return nil
	}
	a, b, err := pair(w)
	if err != nil {
		return err
	}
	m, err := drxmp.NewGlobalArray[int32](a)
	if err != nil {
		return err
	}
	zone := make([]int32, b.Zone().Len())
	read := func() error { return drxmp.ReadAll(b, nil, zone) }
	open := func() error {
		_, err := drxmp.Open(w, w.file("b"), drxmp.Options{Engine: w.engine})
		return err
	}
	for _, c := range []struct {
		what, other  string
		mine, others func() error
	}{
		{"read of ", "write of ", read, func() error { return fillZone(a, 1, drxmp.WriteAll) }},
		{"sync of ", "extend dimension 1", b.Sync, func() error { _, err := a.Extend(1, 3); return err }},
		{"read of ", "fence of global array 1 of ", read, m.Fence},
		{
			"verify of ", "redistribute", func() error { _, err := b.Verify(context.Background()); return err },
			func() error { return a.Redistribute(drxmp.Distribution{Grid: []int{1, w.Procs()}}) },
		},
		{
			"read of ", "write of ", func() error { return drxmp.StartReadAll(b, nil, zone).Wait() },
			func() error { return drxmp.StartWriteAll(a, nil, make([]int32, a.Zone().Len())).Wait() },
		},
		{"open of ", "discard attempt", open, func() error { return a.SetAttr("discard attempt", 1) }},
	} {
		call := c.others
		if w.Proc() == w.Procs()-1 {
			call = c.mine
		}
		err := call()
		if !errors.Is(err, par.ErrDisagree) || !strings.Contains(err.Error(), c.what) || !strings.Contains(err.Error(), c.other) {
			return fmt.Errorf("%s, %s: %w", c.what, c.other, err)
		}
	}
	for _, array := range []*drxmp.Array{a, b} {
		if err := errors.Join(fillZone(array, 7, drxmp.WriteAll), allOf(array, 7)); err != nil {
			return err
		}
	}
	return errors.Join(m.Close(), b.Close(), a.Close())
}

// testTwoInBackground: calls on two arrays go on in the background; procs wait for them in any
// order.
func testTwoInBackground(w *world) error {
	a, b, err := pair(w)
	if err != nil {
		return err
	}
	x, y := make([]int32, a.Zone().Len()), make([]int32, b.Zone().Len())
	for i := range int32(20) {
		for j := range x {
			x[j], y[j] = i, -i
		}
		ra, rb := drxmp.StartWriteAll(a, nil, x), drxmp.StartWriteAll(b, nil, y)
		again, back := make([]int32, len(x)), make([]int32, len(y))
		rx, ry := drxmp.StartReadAll(a, nil, again), drxmp.StartReadAll(b, nil, back)
		requests := []*drxmp.Request{ry, rb, rx, ra}
		if w.Proc()%2 == 1 {
			requests = []*drxmp.Request{ra, rx, ry, rb}
		}
		for _, r := range requests {
			if err := r.Wait(); err != nil {
				return err
			}
		}
		for j := range again {
			if again[j] != i || back[j] != -i {
				return fmt.Errorf("element %d: %d and %d, want %d and %d", j, again[j], back[j], i, -i)
			}
		}
	}
	return errors.Join(a.Close(), b.Close())
}
