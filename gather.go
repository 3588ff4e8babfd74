package drx

import (
	"fmt"

	"drx/dtype"
	"drx/internal/state"
)

// Gather reads single elements, many at once: element i of dst is the one whose index is
// indices[i*rank : (i+1)*rank]. All addresses are computed first, so that the loads of many elements wait
// for memory at the same time. The error wraps ErrSize when there are not rank indices per element, and is
// otherwise as At's; dst may have changed then.
func Gather[T dtype.Element](a *Array, indices []int, dst []T) error {
	s, done, err := beginElements[T](a, "gather", false, len(dst), indices)
	if err != nil {
		return err
	}
	defer done()
	buf := dtype.Bytes(dst)
	err = a.chunks.Gather(s, buf, indices)
	s.DType.ToLittle(buf) // and from it: the same swap
	return a.errorf("gather", err)
}

// Scatter changes single elements, many at once: the element whose index is
// indices[i*rank : (i+1)*rank] becomes src[i]; of several values for one element the last
// counts. Each chunk is changed once per million elements. The error wraps ErrSize when
// there are not rank indices per element, and is otherwise as Set's; some elements may have
// changed then.
func Scatter[T dtype.Element](a *Array, indices []int, src []T) error {
	if a.shared {
		return scatterShared(a, indices, src)
	}
	s, done, err := beginElements[T](a, "scatter", true, len(src), indices)
	if err != nil {
		return err
	}
	defer done()
	return a.errorf("scatter", a.chunks.Scatter(s, s.DType.Little(dtype.Bytes(src)), indices))
}

// scatterShared is Scatter for an array that other processes write too.
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

// beginElements begins an operation on n elements.
func beginElements[T dtype.Element](a *Array, op string, write bool, n int, indices []int) (*state.State, func(), error) {
	done, err := a.beginChunks(op, write)
	if err != nil {
		return nil, nil, err
	}
	s := a.state.Load()
	if err = checkType[T](s); err == nil {
		err = checkIndices(n, indices, len(s.Lo))
	}
	if err != nil {
		done()
		return nil, nil, a.errorf(op, err)
	}
	return s, done, nil
}

// checkIndices returns an error unless there are rank indices for each of n elements.
func checkIndices(n int, indices []int, rank int) error {
	if len(indices)%rank == 0 && len(indices)/rank == n {
		return nil
	}
	return fmt.Errorf("%d numbers for the indices of %d elements of rank %d: %w", len(indices), n, rank, ErrSize)
}
