package vfs

import (
	"math/bits"
	"sort"
)

// Runs maps the bytes of a file to offsets in its container. It is immutable. A nil Runs maps
// nothing.
type Runs struct {
	runs []preparedRun // ascending
	last preparedRun   // a copy of the last one, which usually has most bytes
}

// A Run maps bytes [From, To) of a file to offset At of the container, in blocks of Every bytes
// with gaps of Skip. Every 0 means contiguous.
type Run struct{ From, To, At, Every, Skip int64 }

// preparedRun is a Run with a prepared division.
type preparedRun struct {
	Run
	shift int // Every is 1 << shift, -1 if it is no power of two
}

// NewRuns returns the map of runs that follow each other.
func NewRuns(runs []Run) *Runs {
	p := &Runs{runs: make([]preparedRun, len(runs))}
	for i, r := range runs {
		if r.Every == 0 {
			r.Every, r.Skip = 1<<62, 0
		}
		p.runs[i] = preparedRun{r, -1}
		if r.Every&(r.Every-1) == 0 {
			p.runs[i].shift = bits.TrailingZeros64(uint64(r.Every))
		}
	}
	if len(runs) > 0 {
		p.last = p.runs[len(runs)-1]
	}
	return p
}

// At returns the offset in the container of the byte at an offset, or -1 if no run has it.
func (p *Runs) At(off int64) int64 {
	if p == nil {
		return -1
	}
	if r := &p.last; r.From <= off && off < r.To && r.shift >= 0 {
		off -= r.From
		return r.At + off + off>>(r.shift&63)*r.Skip
	}
	return p.search(off)
}

// search is At for runs other than the last, and for blocks whose length is no power of two.
func (p *Runs) search(off int64) int64 {
	if r := p.run(off); r != nil {
		off -= r.From
		return r.At + off + r.divide(off)*r.Skip
	}
	return -1
}

// Find returns the offset in the container of the byte at an offset, and the number of contiguous
// bytes from there on: 0 if no run has it.
func (p *Runs) Find(off int64) (at, n int64) {
	if p == nil {
		return -1, 0
	}
	r := p.run(off)
	if r == nil {
		return -1, 0
	}
	n = r.To - off
	off -= r.From
	periods := r.divide(off)
	return r.At + off + periods*r.Skip, min(n, (periods+1)*r.Every-off)
}

// run returns the run with a byte, nil if there is none.
func (p *Runs) run(off int64) *preparedRun {
	r := &p.last
	if off < r.From {
		if off < 0 {
			return nil
		}
		r = &p.runs[sort.Search(len(p.runs), func(i int) bool { return p.runs[i].From > off })-1]
	}
	if off >= r.To {
		return nil
	}
	return r
}

func (r *preparedRun) divide(off int64) int64 {
	if r.shift >= 0 {
		return off >> (r.shift & 63)
	}
	return int64(uint64(off) / uint64(r.Every))
}
