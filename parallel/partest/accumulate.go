package partest

import (
	"errors"

	"drx/dtype"
	"drx/parallel/par"
)

// accumulates adds to all windows from all procs at once, in overlapping layouts.
func accumulates(c par.Comm) error {
	const n = 500
	w, err := c.Window(8 * n)
	if err != nil {
		return err
	}
	want := make([]int64, n)
	for origin := range c.Procs() {
		for target := range c.Procs() {
			r := random(uint64(origin), uint64(target))
			for i := range 15 {
				l := randomLayout(r, 8*n, 8)
				here, size := asList(r, l.Size()/8)
				values := make([]int64, size)
				for k := range values {
					values[k] = int64(k*k + i)
				}
				scale(&here)
				if target == c.Proc() {
					from := offsets(here)
					for k, at := range offsets(l) {
						if k%8 == 0 {
							want[at/8] += values[from[k]/8]
						}
					}
				}
				if origin != c.Proc() {
					continue
				}
				if err := w.Accumulate(target, l, dtype.Bytes(values), here, dtype.Int64, par.Sum); err != nil {
					return err
				}
			}
		}
	}
	return errors.Join(w.Fence(), same("sums", w.Local(), dtype.Bytes(want)), w.Close(), otherOps(c))
}

// scale turns a layout of single bytes into one of elements of 8 bytes.
func scale(l *par.Layout) {
	l.Offset *= 8
	l.Bytes *= 8
	for d := range l.Stride {
		l.Stride[d] *= 8
	}
}

// otherOps accumulates with other operations and types.
func otherOps(c par.Comm) error {
	w, err := c.Window(64)
	if err != nil {
		return err
	}
	last := c.Procs() - 1
	errs := []error{
		par.Accumulate(w, last, par.Contiguous(0, 8), []float64{float64(c.Proc()) + 0.5}, par.Max),
		par.Accumulate(w, last, par.Contiguous(8, 8), []complex64{complex(1, float32(c.Proc()))}, par.Sum),
		par.Accumulate(w, last, par.Contiguous(16, 4), []uint32{1 << c.Proc()}, par.Or),
		par.Accumulate(w, last, par.Contiguous(20, 1), []bool{true}, par.Or),
		par.Accumulate(w, last, par.Contiguous(22, 2), []int16{-1}, par.Min),
		w.Fence(),
	}
	if c.Proc() == last {
		n := c.Procs()
		want := make([]byte, 64)
		copy(want, bytesOf(float64(last)+0.5))
		copy(want[8:], bytesOf(complex(float32(n), float32(n*last/2))))
		copy(want[16:], bytesOf(uint32(1<<n-1)))
		want[20] = 1
		copy(want[22:], bytesOf(int16(-1)))
		errs = append(errs, same("other operations", w.Local(), want))
	}
	return errors.Join(append(errs, w.Close())...)
}
