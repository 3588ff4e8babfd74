package drxmp_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
)

// testStrided: one proc writes a section from strided memory, to chunks of all procs, and reads it
// to other strides.
func testStrided(w *world) error {
	rng := rand.New(rand.NewPCG(1, 7))
	spec := drx.Spec{DType: dtype.Int32, Shape: []int{9, 11, 5}, ChunkShape: []int{2, 3, 4}}
	a, err := drxmp.Create(w, w.file("a"), spec, drxmp.Options{Engine: w.engine})
	if err != nil {
		return err
	}
	want := make([]byte, 9*11*5*4)
	for round := range 20 {
		sec, step := make(nd.Section, 3), rng.Perm(3)
		for d, n := range spec.Shape {
			lo := rng.IntN(n)
			sec[d] = nd.Span(lo, lo+1+rng.IntN(n-lo)).By(1 + rng.IntN(2))
		}
		// The memory has the section in another order, with gaps.
		strides, size := make([]int, 3), 4+4*rng.IntN(3)
		for _, d := range step {
			strides[d] = size
			size = size*sec.Shape()[d] + 4*rng.IntN(3)
		}
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		writer := rng.IntN(w.Procs())
		if w.Proc() == writer {
			err = a.WriteStrided(sec, data, strides)
		}
		if err := w.Agree("write", err); err != nil {
			return err
		}
		if err := a.Sync(); err != nil {
			return err
		}
		got := make([]byte, size)
		if err := a.ReadStrided(sec, got, strides); err != nil {
			return err
		}
		shape := sec.Shape()
		for i := range shape[0] {
			for j := range shape[1] {
				for k := range shape[2] {
					at := i*strides[0] + j*strides[1] + k*strides[2]
					there := ((sec[0].Lo+i*sec[0].Stride())*11+sec[1].Lo+j*sec[1].Stride())*5 + sec[2].Lo + k*sec[2].Stride()
					copy(want[4*there:4*there+4], data[at:])
					if !bytes.Equal(got[at:at+4], data[at:at+4]) {
						return fmt.Errorf("round %d: element %d, %d, %d of %v", round, i, j, k, sec)
					}
				}
			}
		}
	}
	all := make([]byte, len(want))
	if err := a.ReadStrided(nil, all, []int{220, 20, 4}); err != nil || !bytes.Equal(all, want) {
		return fmt.Errorf("all elements: %w", err)
	}
	return errors.Join(stridedErrors(a), a.Close())
}

func stridedErrors(a *drxmp.Array) error {
	two := nd.Sec(nd.Span(0, 2), nd.Span(0, 2), nd.Span(0, 2))
	for i, c := range []struct {
		sec     nd.Section
		size    int
		strides []int
		want    error
	}{
		{two, 31, []int{16, 8, 4}, drx.ErrSize},
		{two, 32, []int{16, 8, -4}, drx.ErrSize},
		{two, 32, []int{1 << 62, 1 << 62, 4}, drx.ErrSize},
		{two, 32, []int{16, 8}, drx.ErrRank},
		{two[:2], 32, []int{16, 8}, drx.ErrRank},
		{nd.Sec(nd.Span(0, 10), nd.At(0), nd.At(0)), 400, []int{4, 4, 4}, drx.ErrBounds},
		{nd.Sec(nd.Span(1, 1), nd.At(0), nd.At(0)), 0, []int{4, 4, 4}, nil},
		{two, 32, []int{16, 8, 4}, nil},
	} {
		buf := make([]byte, c.size)
		read, write := a.ReadStrided(c.sec, buf, c.strides), a.WriteStrided(c.sec, buf, c.strides)
		for _, err := range []error{read, write} {
			if !errors.Is(err, c.want) {
				return fmt.Errorf("case %d: %w", i, err)
			}
		}
	}
	return nil
}
