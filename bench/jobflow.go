//go:build mpi

package main

import (
	"errors"
	"fmt"
	"math"

	"drx/apps/lbm/d2q9"
	"drx/dtype"
	"drx/parallel/drxmp"
)

// flow does the same as peers/job_flow.c: it computes the flow in a box with a moving lid, on a
// plate that is extended in between. It does not write the new nodes, because the fill value is a
// fluid at rest.
func (j *jobChild) flow(r jobRequest) error {
	b := j.divide([]int{0, 0}, r.shape, r.grid)
	f := touchedBuffer(volume(b.size))
	clear(f)
	err := j.timed(1, func() error {
		a, err := j.create(r)
		if err != nil {
			return err
		}
		for _, step := range r.steps {
			if b, f, err = j.flowOnce(r, a, step, b, f); err != nil {
				return err
			}
		}
		return a.Close()
	})
	for _, x := range f {
		j.check += uint64(math.Abs(math.Round(math.Ldexp(x, 40))))
	}
	return err
}

// flowOnce computes, commits the plate, extends it, and reads the new part of this proc.
func (j *jobChild) flowOnce(r jobRequest, a *drxmp.Array, step string, b box, f []float64) (box, []float64, error) {
	var dim, by int
	if _, err := fmt.Sscanf(step, "%d:%d", &dim, &by); err != nil || dim < 0 || dim > 1 || by < 1 || dim == 1 && by%d2q9.Directions != 0 {
		return b, f, fmt.Errorf("steps: %s", step)
	}
	f, err := j.compute(f, b.size[1], r.between)
	if err != nil {
		return b, f, err
	}
	if err := errors.Join(drxmp.WriteAll(a, b.section(), f), a.Sync()); err != nil {
		return b, f, err
	}
	if _, err := a.Extend(dim, by); err != nil {
		return b, f, err
	}
	b = j.divide([]int{0, 0}, a.Shape(), r.grid)
	f = touchedBuffer(volume(b.size))
	return b, f, drxmp.ReadAll(a, b.section(), f)
}

// compute computes some steps for the rows of this proc, each of width elements, and returns the
// rows.
func (j *jobChild) compute(f []float64, width, steps int) ([]float64, error) {
	k := d2q9.Kernel{Collide: d2q9.BGK((1/1.6 - 0.5) / 3), Lid: 0.1}
	next := make([]float64, len(f))
	for range steps {
		below, above, err := j.halos(f, width)
		if err != nil {
			return f, err
		}
		k.Rows(next, below, f, above, width)
		f, next = next, f
	}
	return f, nil
}

// halos returns the last row of the previous proc and the first row of the next one; nil where
// there is none.
func (j *jobChild) halos(f []float64, width int) (below, above []float64, err error) {
	me, last := j.comm.Proc(), j.comm.Procs()-1
	out := make([][]byte, last+1)
	if me > 0 {
		out[me-1] = dtype.Bytes(f[:width])
	}
	if me < last {
		out[me+1] = dtype.Bytes(f[len(f)-width:])
	}
	in, err := j.comm.AllToAll(out)
	if err != nil {
		return nil, nil, err
	}
	if me > 0 {
		below = make([]float64, width)
		copy(dtype.Bytes(below), in[me-1])
	}
	if me < last {
		above = make([]float64, width)
		copy(dtype.Bytes(above), in[me+1])
	}
	return below, above, nil
}
