//go:build mpi

package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
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
	spec := drx.Spec{DType: dtype.Float64, Shape: r.shape, ChunkShape: r.chunk, Codec: r.codec, Options: o.Options}
	return drxmp.Create(j.comm, r.path, spec, o)
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

// filled returns a share with its elements, in memory that has been touched.
func filled(b box, err error) (box, []float64, error) {
	if err != nil {
		return b, nil, err
	}
	buf := touchedBuffer(volume(b.size))
	fillBox(b, buf)
	return b, buf, nil
}

func (j *jobChild) write(r jobRequest) error {
	_, buf, err := filled(j.share(r, []int{0, 0}, r.shape))
	if err != nil {
		return err
	}
	return j.timed(1, func() error {
		a, err := j.create(r)
		if err != nil {
			return err
		}
		return errors.Join(drxmp.WriteAll(a, nil, buf), a.Close())
	})
}

// sectionShare returns this proc's block of the section of the verbs write-section and
// read-section.
func (j *jobChild) sectionShare(r jobRequest) (box, error) {
	size := slices.Clone(r.shape)
	for d := range size {
		size[d] -= r.grid[d] * r.chunk[d]
	}
	return j.share(r, []int{r.offset, r.offset}, size)
}

func (j *jobChild) writeSection(r jobRequest) error {
	b, buf, err := filled(j.sectionShare(r))
	if err != nil {
		return err
	}
	a, err := j.create(r)
	if err != nil {
		return err
	}
	return j.timed(1, func() error { return errors.Join(drxmp.WriteAll(a, b.section(), buf), a.Close()) })
}

func (j *jobChild) readSection(r jobRequest) error {
	b, err := j.sectionShare(r)
	if err != nil {
		return err
	}
	buf := touchedBuffer(volume(b.size))
	o := r.options()
	o.Write = false
	a, err := drxmp.Open(j.comm, r.path, o)
	if err != nil {
		return err
	}
	err = j.timed(1, func() error { return drxmp.ReadAll(a, b.section(), buf) })
	if err := errors.Join(err, a.Close()); err != nil {
		return err
	}
	return j.verify(b, buf)
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

// verify compares all values of a box with the expected ones, and adds their sum to check.
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

// calls makes the cheapest collective call, with which every other one begins, a number of times.
func (j *jobChild) calls(r jobRequest) error {
	return j.timed(r.rounds, func() error {
		for range r.rounds {
			if err := j.comm.Agree("nothing", nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// grow adds columns in rounds and commits each round.
func (j *jobChild) grow(r jobRequest) error {
	_, buf, err := filled(j.share(r, []int{0, 0}, r.shape))
	if err != nil {
		return err
	}
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

// extend writes an array, then extends it in steps, and commits the new elements after each step.
func (j *jobChild) extend(r jobRequest) error {
	a, err := j.create(r)
	if err != nil {
		return err
	}
	b := j.divide([]int{0, 0}, r.shape, r.grid)
	buf := touchedBuffer(volume(b.size))
	fillBox(b, buf)
	if err := drxmp.WriteAll(a, b.section(), buf); err != nil {
		return err
	}
	for _, step := range r.steps {
		var dim, by int
		if _, err := fmt.Sscanf(step, "%d:%d", &dim, &by); err != nil || dim < 0 || dim > 1 || by < 1 {
			return fmt.Errorf("steps: %s", step)
		}
		if err := j.extendOnce(a, dim, by); err != nil {
			return err
		}
	}
	b = j.divide([]int{0, 0}, a.Shape(), r.grid)
	if err := a.Close(); err != nil {
		return err
	}
	if a, err = drxmp.Open(j.comm, r.path, r.options()); err != nil {
		return err
	}
	buf = make([]float64, volume(b.size))
	if err := drxmp.ReadAll(a, b.section(), buf); err != nil {
		return err
	}
	if err := a.Close(); err != nil {
		return err
	}
	return j.verify(b, buf)
}

// extendOnce extends an array, and writes and commits the new elements. The procs share them along
// the other dimension.
func (j *jobChild) extendOnce(a *drxmp.Array, dim, by int) error {
	lo, size, grid := []int{0, 0}, a.Shape(), uniform(2, j.comm.Procs())
	lo[dim], size[dim], grid[dim] = size[dim], by, 1
	b := j.divide(lo, size, grid)
	buf := touchedBuffer(volume(b.size))
	fillBox(b, buf)
	return j.timed(1, func() error {
		if _, err := a.Extend(dim, by); err != nil {
			return err
		}
		if err := drxmp.WriteAll(a, b.section(), buf); err != nil {
			return err
		}
		return a.Sync()
	})
}

// divide returns this proc's block of a box that is divided among a grid of procs. All blocks but
// the last are equal, as in peers/job.c.
func (j *jobChild) divide(lo, size, grid []int) box {
	p := j.comm.Proc()
	b := box{slices.Clone(lo), slices.Clone(size)}
	for d, at := range []int{p / grid[1], p % grid[1]} {
		edge := nd.CeilDiv(size[d], grid[d])
		first := min(edge*at, size[d])
		b.lo[d], b.size[d] = lo[d]+first, min(edge, size[d]-first)
	}
	return b
}

// section returns a box of rank 2 as a section.
func (b box) section() nd.Section {
	return nd.Sec(nd.Span(b.lo[0], b.lo[0]+b.size[0]), nd.Span(b.lo[1], b.lo[1]+b.size[1]))
}
