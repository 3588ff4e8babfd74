package drx

import (
	"fmt"

	"drx/dtype"
	"drx/internal/state"
)

// Gather reads many single elements: dst[i] becomes the element whose index is indices[i*rank : (i+1)*rank]. It
// computes all addresses first, so that the processor loads many elements at the same time. The error wraps
// ErrSize unless there are rank indices per element of dst, and is otherwise one of those of At. After an error
// some elements of dst may have changed.
func Gather[T dtype.Element](a *Array, indices []int, dst []T) error {
	return doElements[T](a, "gather", false, len(dst), indices, func(s *state.State) error {
		buf := dtype.Bytes(dst)
		err := a.chunks.Gather(s, buf, indices)
		s.DType.ToLittle(buf) // the same swap converts from little-endian
		return err
	})
}

// Scatter changes many single elements: the element whose index is indices[i*rank : (i+1)*rank] becomes src[i].
// If an index occurs several times, its last value counts. A chunk is changed once per million elements. The
// error wraps ErrSize unless there are rank indices per element of src, and is otherwise one of those of Set.
// After an error some elements of the array may have changed.
func Scatter[T dtype.Element](a *Array, indices []int, src []T) error {
	if a.opts.Shared {
		return scatterShared(a, indices, src)
	}
	return doElements[T](a, "scatter", true, len(src), indices, func(s *state.State) error {
		return a.chunks.Scatter(s, s.DType.Little(dtype.Bytes(src)), indices)
	})
}

// scatterShared is Scatter for an array that other processes may write at the same time. It changes one element
// after the other.
func scatterShared[T dtype.Element](a *Array, indices []int, src []T) error {
	k := a.Rank()
	if err := checkIndices(len(src), indices, k); err != nil {
		return a.errorf("scatter", err)
	}
	for i, v := range src {
		if err := Set(a, v, indices[i*k:(i+1)*k]...); err != nil {
			return err
		}
	}
	return nil
}

// doElements calls f for an operation on n elements with the given indices, while the array is open.
func doElements[T dtype.Element](a *Array, op string, write bool, n int, indices []int, f func(s *state.State) error) error {
	done, err := a.beginChunkAccess(op, write)
	if err != nil {
		return err
	}
	defer done()
	s := a.state.Load()
	if err = checkType[T](s); err == nil {
		err = checkIndices(n, indices, len(s.Lo))
	}
	if err == nil {
		err = f(s)
	}
	return a.errorf(op, err)
}

// checkIndices returns an error wrapping ErrSize unless there are rank indices for each of n elements.
func checkIndices(n int, indices []int, rank int) error {
	if len(indices)%rank == 0 && len(indices)/rank == n {
		return nil
	}
	return fmt.Errorf("%d indices for %d elements of rank %d, there must be %d per element: %w", len(indices), n, rank, rank, ErrSize)
}
