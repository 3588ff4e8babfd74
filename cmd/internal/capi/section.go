package capi

import (
	"fmt"
	"math"
	"strconv"
	"sync"
	"unsafe"

	"drx"
	"drx/internal/errkind"
	"drx/nd"
)

// A Section is a section as the host passes it: lists of low bounds, high bounds and steps with one
// number per dimension. nil means the bounds of the array, and steps of 1.
type Section struct {
	Lo, Hi, Step []int64
}

// A request is the memory of a call on a section. Requests are pooled, because small calls would
// spend much of their time on allocating them.
type request struct {
	sec     nd.Section
	strides []int // in bytes
}

var requests = sync.Pool{New: func() any { return new(request) }}

// newRequest returns a request for a section of an array. The caller must call free. The error
// wraps drx.ErrRank or drx.ErrBounds. The bounds of the array are checked later.
func newRequest(a *array, rank int, s Section) (*request, error) {
	if err := nd.CheckRank("ranges", rank, a.Rank()); err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name(), err)
	}
	r := requests.Get().(*request)
	if cap(r.sec) < rank {
		r.sec, r.strides = make(nd.Section, rank), make([]int, rank)
	}
	r.sec, r.strides = r.sec[:rank], r.strides[:rank]
	if err := r.set(a, s); err != nil {
		r.free()
		return nil, fmt.Errorf("%s: %w", a.Name(), err)
	}
	return r, nil
}

// free returns the request to the pool.
func (r *request) free() { requests.Put(r) }

// set sets the section.
func (r *request) set(a *array, s Section) error {
	var bounds nd.Section
	if s.Lo == nil || s.Hi == nil {
		if bounds = a.bounds(); len(bounds) != len(r.sec) {
			return nd.CheckRank("ranges", len(r.sec), len(bounds))
		}
	}
	for d := range r.sec {
		var err error
		if r.sec[d], err = s.at(d, bounds); err != nil {
			return &nd.DimError{Dim: d, Err: err}
		}
	}
	return nil
}

// at returns the range of a dimension. bounds are nil if they are not needed.
func (s Section) at(d int, bounds nd.Section) (r nd.Range, err error) {
	r.Step = 1
	if s.Step != nil {
		if r.Step, err = Int(s.Step[d]); err != nil || r.Step < 1 {
			return r, errkind.Errorf(drx.ErrBounds, "step %d: steps are at least 1", s.Step[d])
		}
	}
	if s.Lo == nil {
		r.Lo = bounds[d].Lo
	} else if r.Lo, err = toIndex(s.Lo[d]); err != nil {
		return r, err
	}
	if s.Hi == nil {
		r.Hi = bounds[d].Hi
	} else if r.Hi, err = toIndex(s.Hi[d]); err != nil {
		return r, err
	}
	return r, nil
}

// toIndex converts an index. The smallest and the largest int are refused: in an nd.Range they
// would mean the bounds of the array.
func toIndex(i int64) (int, error) {
	n, err := Int(i)
	if err == nil && (n == math.MinInt || n == math.MaxInt) {
		err = errkind.Errorf(drx.ErrBounds, "index %d: no array has it", i)
	}
	return n, err
}

// Int converts a number. The error wraps drx.ErrOverflow on machines of 32 bits.
func Int(i int64) (int, error) {
	if int64(int(i)) != i {
		return 0, errkind.Errorf(drx.ErrOverflow, "%d does not fit this machine", i)
	}
	return int(i), nil
}

// Ints returns numbers of the host as ints, in the same memory if int has 64 bits. The error wraps
// drx.ErrOverflow.
func Ints(list []int64) ([]int, error) {
	if list == nil {
		return nil, nil
	}
	if strconv.IntSize == 64 {
		return unsafe.Slice((*int)(unsafe.Pointer(unsafe.SliceData(list))), len(list)), nil
	}
	ints := make([]int, len(list))
	for i, n := range list {
		var err error
		if ints[i], err = Int(n); err != nil {
			return nil, err
		}
	}
	return ints, nil
}
