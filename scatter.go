package drx

import (
	"cmp"
	"slices"

	"drx/dtype"
	"drx/internal/chunkio"
	"drx/internal/state"
)

// Scatter changes single elements, many at once: the element whose index is
// indices[i*rank : (i+1)*rank] becomes src[i]; of several values for one element the last
// counts. Each chunk is changed once per so many million elements. The error wraps ErrSize when
// there are not rank indices per element, and is otherwise as Set's; some elements may have
// changed then.
func Scatter[T dtype.Element](a *Array, src []T, indices []int) error {
	if a.shared {
		return scatterShared(a, src, indices)
	}
	s, done, err := beginMany[T](a, "scatter", true, len(src), indices)
	if err != nil {
		return err
	}
	defer done()
	buf, elem := s.DType.Little(dtype.Bytes(src)), s.DType.Size()
	err = inBatches(len(src), scatterBatch, 1, func(from, to int) error {
		return a.scatter(s, buf[from*elem:to*elem], indices[from*len(s.Lo):to*len(s.Lo)])
	})
	return a.errorf("scatter", err)
}

// scatterShared is Scatter for an array that other processes write too.
func scatterShared[T dtype.Element](a *Array, src []T, indices []int) error {
	k := a.Rank()
	if len(indices) != k*len(src) {
		return a.errorf("scatter", errIndices(len(src), indices, k))
	}
	for i, v := range src {
		if err := Set(a, v, indices[i*k:(i+1)*k]...); err != nil {
			return err
		}
	}
	return nil
}

// scatter changes the elements at indices, chunk by chunk in the order of the file.
func (a *Array) scatter(s *state.State, buf []byte, indices []int) error {
	var p places
	if err := p.locate(s, indices); err != nil {
		return err
	}
	p.collect(p.number)
	lists, elem := p.lists(), s.DType.Size()
	order := make([]int32, len(p.chunks))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int { return cmp.Compare(p.chunks[i], p.chunks[j]) })
	return inParallel(len(order), a.parallel, func(i int) error {
		group := order[i]
		q, list := p.chunks[group], lists[group]
		change := func(data []byte) { p.change(data, list, buf, elem) }
		done, err := a.pool.Patch(q, len(list), func() (bool, error) { return a.put(q, p.pieces(list, buf, elem)) }, change)
		if done || err != nil {
			return err
		}
		return a.pool.Update(q, false, change)
	})
}

// change changes the elements of a list in their chunk.
func (p *places) change(data []byte, list []int32, buf []byte, elem int) {
	for _, e := range list {
		copy(data[p.within[e]:], buf[int(e)*elem:(int(e)+1)*elem])
	}
}

// pieces returns the elements of a list as pieces of their chunk, in order; of several values for one
// element the last.
func (p *places) pieces(list []int32, buf []byte, elem int) []chunkio.Piece {
	slices.SortStableFunc(list, func(i, j int32) int { return cmp.Compare(p.within[i], p.within[j]) })
	pieces := make([]chunkio.Piece, 0, len(list))
	for i, e := range list {
		if i+1 < len(list) && p.within[list[i+1]] == p.within[e] {
			continue
		}
		pieces = append(pieces, chunkio.Piece{At: p.within[e], Bytes: buf[int(e)*elem : (int(e)+1)*elem]})
	}
	return pieces
}
