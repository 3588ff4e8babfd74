package main_test

import (
	"errors"
	"path/filepath"

	"drx"
	"drx/dtype"
	"drx/parallel/drxmp"
	"drx/parallel/par"
)

// figure1InGo is examples/c/figure1.c in Go.
func figure1InGo(dir string) error {
	return par.Run(4, func(c par.Comm) error {
		spec := drx.Spec{DType: dtype.Int32, Shape: []int{2, 3}, ChunkShape: []int{2, 3}}
		a, err := drxmp.Create(c, filepath.Join(dir, "figure1"), spec, drxmp.Options{})
		if err != nil {
			return err
		}
		for _, dim := range []int{1, 0, 0, 1, 0, 1, 0} {
			if _, err := a.Extend(dim, spec.ChunkShape[dim]); err != nil {
				return err
			}
		}
		if err := a.Redistribute(drxmp.Distribution{Grid: []int{2, 2}}); err != nil {
			return err
		}
		values := make([]int32, a.Zone().Len())
		for i := range values {
			values[i] = int32(1000*c.Proc() + i)
		}
		return errors.Join(drxmp.WriteAll(a, nil, values), a.Close())
	})
}
