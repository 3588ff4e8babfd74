package drxmp

import (
	"drx"
	"drx/axial"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
)

// Scan calls f with the elements of every chunk of this proc's share of the file, in the order of
// the file. The procs have equal shares, in the order of their numbers, whatever the zones are. q
// is the number of the chunk; sec, its part within the bounds, is computed from q by the inverse of
// the mapping function. data holds the elements of sec, row-major, and may be used until f returns;
// chunks never written have the fill value. Scan is a call of one proc, see Read. It returns the
// first error; an error of f is returned as it is.
func Scan[T dtype.Element](a *Array, f func(q axial.Number, sec nd.Section, data []T) error) error {
	if _, err := checkType[T](a, nil); err != nil {
		return a.errorf("scan", err)
	}
	s := a.now()
	grid, bounds, chunk := s.Grid(), s.Bounds(), s.ChunkShape()
	index := make([]int, len(chunk))
	most, err := nd.Product(chunk...)
	if err != nil {
		return a.errorf("scan", err)
	}
	data := make([]T, most)
	from, to := shareOf(grid.Chunks(), a.comm)
	for q := from; q < to; q++ {
		if !grid.Index(q, index) {
			return a.errorf("scan", errkind.Errorf(drx.ErrBounds, "chunk %d: there are %d", q, grid.Chunks()))
		}
		sec := make(nd.Section, len(chunk))
		n := 1
		for d, i := range index {
			sec[d] = nd.Span(max(bounds[d].Lo, i*chunk[d]), min(bounds[d].Hi, (i+1)*chunk[d]))
			n *= sec[d].Len()
		}
		if n == 0 { // a Shrink has removed all of it
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
