package memory

import (
	"drx"
	"drx/internal/errkind"
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

// Pointer returns a pointer to an element. It stays valid when the array grows. After a Shrink
// has removed the element, its memory may be reused for another one. The error wraps drx.ErrRank
// or drx.ErrBounds.
func (a *Array[T]) Pointer(index ...int) (*T, error) {
	v := a.view.Load()
	p := v.pointer(index)
	if p == nil {
		return nil, v.outside("pointer", index)
	}
	return p, nil
}

// batch is the number of addresses that are computed before the elements are accessed.
const batch = 128

// Gather reads many single elements: dst[i] becomes the element with the index
// indices[i*rank : (i+1)*rank]. It computes addresses in batches before it reads the elements, so
// that many loads wait for memory at the same time. The error wraps drx.ErrSize if indices does not
// have rank numbers per element, or drx.ErrBounds; dst may have changed then.
func (a *Array[T]) Gather(indices []int, dst []T) error {
	v, err := a.beginMany("gather", len(dst), indices)
	if err != nil {
		return err
	}
	var buffer [batch]*T
	for len(dst) > 0 {
		pointers := buffer[:min(batch, len(dst))]
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

// Scatter changes many single elements: the element with the index indices[i*rank : (i+1)*rank]
// becomes src[i]. If an index occurs several times, the last value wins. Errors are those of
// Gather; some elements may have changed then.
func (a *Array[T]) Scatter(indices []int, src []T) error {
	v, err := a.beginMany("scatter", len(src), indices)
	if err != nil {
		return err
	}
	var buffer [batch]*T
	for len(src) > 0 {
		pointers := buffer[:min(batch, len(src))]
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

// beginMany checks that indices has rank numbers for each of n elements.
func (a *Array[T]) beginMany(op string, n int, indices []int) (*view[T], error) {
	v := a.view.Load()
	if k := len(v.axes); len(indices)%k != 0 || len(indices)/k != n {
		return nil, fail(op, errkind.Errorf(drx.ErrSize, "%d indices for %d elements of rank %d, there must be %d per element", len(indices), n, k, k))
	}
	return v, nil
}

// pointers stores the pointers to the first len(pointers) elements and returns the remaining
// indices.
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

// outside returns the error for an index outside the bounds of the view.
func (v *view[T]) outside(op string, index []int) error {
	return fail(op, nd.CheckIndex(index, v.state.Lo, v.state.Hi))
}

// pointer returns a pointer to an element, nil for an index outside the bounds.
func (v *view[T]) pointer(index []int) *T {
	if !v.single {
		return v.pointerInChunk(index)
	}
	if !v.exact && !v.holds(index) {
		return nil
	}
	mem, at := v.locate(index) // returns nil for an index outside of the grid
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

// inline is the largest rank for which a chunk index is kept in a small array on the stack.
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
	mem, at := v.locate(chunk)
	return &mem[at+within]
}

// split stores the index of an element's chunk in chunk and returns the element's position within
// the chunk, or -1 for an index outside the bounds.
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
