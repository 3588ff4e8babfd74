//go:build mpi

package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"drx"
	"drx/drxmp"
	"drx/dtype"
	"drx/nd"
)

func (r jobRequest) options() drxmp.Options {
	return drxmp.Options{
		Options:      drx.Options{Write: true, Durability: drx.DurabilityNone},
		Distribution: drxmp.Distribution{Grid: r.grid},
		Engine:       r.engine,
	}
}

func (j *jobChild) create(r jobRequest) (*drxmp.Array, error) {
	o := r.options()
	return drxmp.Create(j.comm, r.path, drx.Spec{DType: dtype.Float64, Shape: r.shape, ChunkShape: r.chunk, Options: o.Options}, o)
}

// share returns this proc's block of a box.
func (j *jobChild) share(r jobRequest, lo, size []int) (box, error) {
	p := j.comm.Proc()
	at := []int{p / r.grid[1], p % r.grid[1]}
	b := box{slices.Clone(lo), slices.Clone(size)}
	for d, n := range r.grid {
		if size[d]%(n*r.chunk[d]) != 0 {
			return b, fmt.Errorf("%d elements in %d blocks of chunks of %d", size[d], n, r.chunk[d])
		}
		b.size[d] /= n
		b.lo[d] += at[d] * b.size[d]
	}
	return b, nil
}

func (j *jobChild) begin() error {
	err := j.comm.Barrier()
	j.clock.begin()
	return err
}

// end adds the CPU time of this proc, and the wall time until all procs have finished.
func (j *jobChild) end(ops int) error {
	err := j.comm.Barrier()
	j.clock.end(ops)
	return err
}

func (j *jobChild) write(r jobRequest) error {
	b, err := j.share(r, []int{0, 0}, r.shape)
	if err != nil {
		return err
	}
	buf := touchedBuffer(volume(b.size))
	fillBox(b, buf)
	return j.timed(1, func() error {
		a, err := j.create(r)
		if err != nil {
			return err
		}
		return errors.Join(drxmp.WriteAll(a, nil, buf), a.Close())
	})
}

// timed measures f.
func (j *jobChild) timed(ops int, f func() error) error {
	if err := j.begin(); err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	return j.end(ops)
}

func (j *jobChild) read(r jobRequest) error {
	b, err := j.share(r, []int{0, 0}, r.shape)
	if err != nil {
		return err
	}
	buf := touchedBuffer(volume(b.size))
	o := r.options()
	o.Write = false
	all := func() error {
		a, err := drxmp.Open(j.comm, r.path, o)
		if err != nil {
			return err
		}
		err = drxmp.ReadAll(a, nil, buf)
		if err == nil && r.again == 1 {
			clear(buf)
			err = j.timed(1, func() error { return drxmp.ReadAll(a, nil, buf) })
		}
		return errors.Join(err, a.Close())
	}
	if r.again == 1 {
		err = all()
	} else {
		err = j.timed(1, all)
	}
	if err != nil {
		return err
	}
	return j.verify(b, buf)
}

// verify compares all values of a box with the expected ones and adds their sum to check.
func (j *jobChild) verify(b box, buf []float64) error {
	line := box{slices.Clone(b.lo), []int{1, b.size[1]}}
	want := make([]float64, b.size[1])
	for ; line.lo[0] < b.lo[0]+b.size[0]; line.lo[0]++ {
		fillBox(line, want)
		if !bytes.Equal(dtype.Bytes(want), dtype.Bytes(buf[:len(want)])) {
			return fmt.Errorf("wrong values in row %d from column %d on", line.lo[0], line.lo[1])
		}
		for _, v := range want {
			j.check += uint64(v)
		}
		buf = buf[len(want):]
	}
	return nil
}

// grow adds columns in rounds and commits each round.
func (j *jobChild) grow(r jobRequest) error {
	b, err := j.share(r, []int{0, 0}, r.shape)
	if err != nil {
		return err
	}
	buf := touchedBuffer(volume(b.size))
	fillBox(b, buf)
	a, err := j.create(r)
	if err != nil {
		return err
	}
	if err := drxmp.WriteAll(a, nil, buf); err != nil {
		return err
	}
	for range r.rounds {
		if err := j.growRound(r, a); err != nil {
			return err
		}
	}
	if err := a.Close(); err != nil {
		return err
	}
	whole := r
	whole.shape, whole.again = []int{r.shape[0], r.shape[1] + r.by*r.rounds}, 0
	kept := j.clock
	err = j.read(whole)
	j.clock = kept // the read only verifies
	return err
}

func (j *jobChild) growRound(r jobRequest, a *drxmp.Array) error {
	b, err := j.share(r, []int{0, a.Shape()[1]}, []int{r.shape[0], r.by})
	if err != nil {
		return err
	}
	buf := touchedBuffer(volume(b.size))
	fillBox(b, buf)
	return j.timed(1, func() error {
		if _, err := a.Extend(1, r.by); err != nil {
			return err
		}
		sec := nd.Section{nd.Span(b.lo[0], b.lo[0]+b.size[0]), nd.Span(b.lo[1], b.lo[1]+b.size[1])}
		return errors.Join(drxmp.WriteAll(a, sec, buf), a.Sync())
	})
}
