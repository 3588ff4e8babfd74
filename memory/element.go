package memory

import (
	"fmt"

	"drx"
	"drx/nd"
)

// At returns one element. The error wraps drx.ErrRank or drx.ErrBounds.
func (a *Array[T]) At(index ...int) (T, error) {
	v := a.view.Load()
	p := v.pointer(index)
	if p == nil {
		var zero T
		return zero, v.outside("at", index)
	}
	return *p, nil
}

// Set changes one element. The error wraps drx.ErrRank or drx.ErrBounds.
func (a *Array[T]) Set(value T, index ...int) error {
	v := a.view.Load()
	p := v.pointer(index)
	if p == nil {
		return v.outside("set", index)
	}
	*p = value
	return nil
}

// Pointer returns where an element is. It stays there, however the array grows; once a Shrink
// has taken the element away, the pointer is to memory that may become another's. The error
// wraps drx.ErrRank or drx.ErrBounds.
func (a *Array[T]) Pointer(index ...int) (*T, error) {
	v := a.view.Load()
	p := v.pointer(index)
	if p == nil {
		return nil, v.outside("pointer", index)
	}
	return p, nil
}

// batch is how many addresses are computed before the elements are touched.
const batch = 128

// Gather reads single elements, many at once: element i of dst is the one whose index is
// indices[i*rank : (i+1)*rank]. Addresses are computed in batches before their elements are
// read, so that many elements are on their way from memory at a time. The error wraps
// drx.ErrSize when there are not rank indices per element, and drx.ErrBounds; dst may have
// changed then.
func (a *Array[T]) Gather(indices []int, dst []T) error {
	v, err := a.beginMany("gather", len(dst), indices)
	if err != nil {
		return err
	}
	var room [batch]*T
	for len(dst) > 0 {
		pointers := room[:min(batch, len(dst))]
		if indices, err = v.pointers("gather", pointers, indices); err != nil {
			return err
		}
		for i, p := range pointers {
			dst[i] = *p
		}
		dst = dst[len(pointers):]
	}
	return nil
}

// Scatter changes single elements, many at once: the element whose index is
// indices[i*rank : (i+1)*rank] becomes src[i]; of several values for one element the last
// counts. Errors are those of Gather; some elements may have changed then.
func (a *Array[T]) Scatter(indices []int, src []T) error {
	v, err := a.beginMany("scatter", len(src), indices)
	if err != nil {
		return err
	}
	var room [batch]*T
	for len(src) > 0 {
		pointers := room[:min(batch, len(src))]
		if indices, err = v.pointers("scatter", pointers, indices); err != nil {
			return err
		}
		for i, p := range pointers {
			*p = src[i]
		}
		src = src[len(pointers):]
	}
	return nil
}

// beginMany checks that there are as many indices as n elements have.
func (a *Array[T]) beginMany(op string, n int, indices []int) (*view[T], error) {
	v := a.view.Load()
	if k := len(v.axes); len(indices)%k != 0 || len(indices)/k != n {
		return nil, fail(op, fmt.Errorf("%d numbers for the indices of %d elements of rank %d: %w", len(indices), n, k, drx.ErrSize))
	}
	return v, nil
}

// pointers finds the elements whose indices come first and returns the indices that are left.
func (v *view[T]) pointers(op string, pointers []*T, indices []int) ([]int, error) {
	k := len(v.axes)
	for i := range pointers {
		p := v.pointer(indices[:k])
		if p == nil {
			return nil, v.outside(op, indices[:k])
		}
		pointers[i], indices = p, indices[k:]
	}
	return indices, nil
}

// outside returns the error for an index that is not one of the view's.
func (v *view[T]) outside(op string, index []int) error {
	return fail(op, nd.CheckIndex(index, v.state.Lo, v.state.Hi))
}

// pointer returns where an element is, nil for an index that is none.
func (v *view[T]) pointer(index []int) *T {
	if !v.single {
		return v.pointerInChunk(index)
	}
	if !v.exact && !v.holds(index) {
		return nil
	}
	mem, at := v.place(index) // checks the bounds of the grid
	if mem == nil {
		return nil
	}
	return &mem[at]
}

func (v *view[T]) holds(index []int) bool {
	if len(index) != len(v.axes) {
		return false
	}
	for d, i := range index {
		if uint(i-v.axes[d].lo) >= v.axes[d].extent {
			return false
		}
	}
	return true
}

// inline is the rank up to which a chunk's index takes little of the stack.
const inline = 8

func (v *view[T]) pointerInChunk(index []int) *T {
	var few [inline]int
	chunk := few[:]
	if len(index) > inline {
		var many [nd.MaxRank]int
		chunk = many[:]
	}
	if len(index) != len(v.axes) {
		return nil
	}
	chunk = chunk[:len(index)]
	within := v.split(index, chunk)
	if within < 0 {
		return nil
	}
	mem, at := v.place(chunk)
	return &mem[at+within]
}

// split stores the index of an element's chunk and returns its place in there, -1 for an
// index outside the bounds.
func (v *view[T]) split(index, chunk []int) int {
	axes := v.axes[:len(index)]
	chunk = chunk[:len(index)]
	within := 0
	for d, i := range index {
		a := &axes[d]
		if uint(i-a.lo) >= a.extent {
			return -1
		}
		c := i >> (a.shift & 63)
		if !v.shifted {
			c = nd.FloorDiv(i, a.chunk)
		}
		chunk[d] = c
		within += (i - c*a.chunk) * a.stride
	}
	return within
}
