package formats

import (
	"drx/dtype"
	"drx/nd"
)

// runs are the contiguous pieces of a section, in the order of the file. A run spans the fastest
// dimensions, up to and including the first one that the section does not cover entirely. There is
// one run per combination of indices in the remaining dimensions.
type runs struct {
	bytes  int     // of a run
	base   int64   // offset of the run at index 0 of the remaining dimensions, from the first element
	lo, hi []int   // bounds of the remaining dimensions, slowest first
	steps  []int64 // bytes between neighbours along them
	empty  bool
}

// newRuns returns the runs of a section that Info.Check has resolved.
func newRuns(info Info, sec nd.Section) runs {
	dims, strides, size := info.Order.Dims(len(info.Shape)), info.Order.Strides(info.Shape), info.DType.Size()
	r := runs{bytes: size}
	for _, s := range sec {
		r.empty = r.empty || s.Len() == 0
	}
	if r.empty {
		return runs{empty: true}
	}
	outer := len(dims)
	for whole := true; whole && outer > 0; {
		outer--
		d := dims[outer]
		r.bytes *= sec[d].Len()
		r.base += int64(sec[d].Lo) * int64(strides[d]) * int64(size)
		whole = sec[d].Len() == info.Shape[d]
	}
	for _, d := range dims[:outer] {
		r.lo, r.hi = append(r.lo, sec[d].Lo), append(r.hi, sec[d].Hi)
		r.steps = append(r.steps, int64(strides[d])*int64(size))
	}
	return r
}

// Runs calls f for each run of a section: elements that are consecutive both in the section and in
// an array of the given shape and order. first is the number of the run's first element in the
// array, at the number of elements of the section before it, and n the number of elements. Runs
// returns the first error of f. Info.Check must have resolved sec.
func Runs(shape []int, order nd.Order, sec nd.Section, f func(first, at, n int) error) error {
	r, at := newRuns(Info{DType: dtype.Uint8, Shape: shape, Order: order}, sec), 0
	return r.each(func(first, _ int64) error {
		err := f(int(first), at, r.bytes)
		at += r.bytes
		return err
	})
}

// first returns the offset of the first run.
func (r runs) first() int64 { return r.offset(r.lo) }

// offset returns the offset of the run at an index of the remaining dimensions.
func (r runs) offset(index []int) int64 {
	off := r.base
	for i, n := range index {
		off += int64(n) * r.steps[i]
	}
	return off
}

// isSingle reports whether there is at most one run.
func (r runs) isSingle() bool {
	for i := range r.lo {
		if r.hi[i]-r.lo[i] != 1 {
			return false
		}
	}
	return true
}

// gap returns the bytes between two neighbouring runs.
func (r runs) gap() int64 {
	if len(r.steps) == 0 {
		return 0
	}
	return r.steps[len(r.steps)-1] - int64(r.bytes)
}

// each calls f for each run with its offset and with the number of bytes from there to the end of
// the last run that differs only in the fastest remaining dimension. It returns the first error.
func (r runs) each(f func(off, line int64) error) error {
	if r.empty {
		return nil
	}
	index, last := append([]int(nil), r.lo...), len(r.lo)-1
	for {
		line := int64(r.bytes)
		if last >= 0 {
			line += int64(r.hi[last]-1-index[last]) * r.steps[last]
		}
		if err := f(r.offset(index), line); err != nil {
			return err
		}
		if last < 0 || !nd.Next(index, r.lo, r.hi) {
			return nil
		}
	}
}
