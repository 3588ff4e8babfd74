package drxmp

import (
	"fmt"

	"drx"
	"drx/axial"
	"drx/dtype"
	"drx/nd"
)

// Scan calls f with the elements of every chunk of this proc's share of the file, one after the other
// as they lie there: the procs have equal shares, in the order of their numbers, whatever the zones
// are. Where the elements belong, sec, is computed by the inverse of the mapping function from the
// number of the chunk. data is row-major, of the part of the chunk within the bounds, and f's until
// it returns; chunks never written have the fill value. It is a call of one proc, see Read; it
// returns the first error, that of f as it is.
func Scan[T dtype.Element](a *Array, f func(q axial.Number, sec nd.Section, data []T) error) error {
	if _, err := checkType[T](a, nil); err != nil {
		return a.errorf("scan", err)
	}
	s := a.now()
	grid, bounds, chunk := s.Grid(), s.Bounds(), s.ChunkShape()
	chunks, procs, proc := int64(grid.Chunks()), int64(a.comm.Procs()), int64(a.comm.Proc())
	index := make([]int, len(chunk))
	most, err := nd.Product(chunk...)
	if err != nil {
		return a.errorf("scan", err)
	}
	data := make([]T, most)
	for q := axial.Number(chunks * proc / procs); q < axial.Number(chunks*(proc+1)/procs); q++ {
		if !grid.Index(q, index) {
			return a.errorf("scan", fmt.Errorf("chunk %d: %w", q, drx.ErrBounds))
		}
		sec := make(nd.Section, len(chunk))
		n := 1
		for d, i := range index {
			sec[d] = nd.Span(max(bounds[d].Lo, i*chunk[d]), min(bounds[d].Hi, (i+1)*chunk[d]))
			n *= sec[d].Len()
		}
		if n == 0 { // all of it was shrunk away
			continue
		}
		if err := Read(a, sec, data[:n]); err != nil {
			return err
		}
		if err := f(q, sec, data[:n]); err != nil {
			return err
		}
	}
	return nil
}
