//go:build netcdf && cgo

package netcdf

import (
	"errors"
	"slices"

	"drx/nd"
)

// pieceBytes is about how much memory a piece of a section takes that is converted here.
const pieceBytes = 1 << 20

var errClosed = errors.New("is closed")

// pieces calls f with boxes that make up a section, in row-major order, each of at most most elements, which is at least
// 1; at is the number of elements before.
func pieces(sec nd.Section, most int, f func(box nd.Section, at int) error) error {
	return piecesFrom(slices.Clone(sec), 0, 0, most, f)
}

// piecesFrom is pieces for a section of which the dimensions before d have a single index each.
func piecesFrom(sec nd.Section, d, at, most int, f func(box nd.Section, at int) error) error {
	n := count(sec)
	if n <= most || d == len(sec) {
		return f(slices.Clone(sec), at)
	}
	whole := sec[d]
	defer func() { sec[d] = whole }()
	step := max(1, most/(n/whole.Len()))
	for lo := whole.Lo; lo < whole.Hi; lo += step {
		sec[d] = nd.Span(lo, min(lo+step, whole.Hi))
		if err := piecesFrom(sec, d+1, at, most, f); err != nil {
			return err
		}
		at += count(sec)
	}
	return nil
}

// count returns the number of elements of a section, which was checked to fit an int.
func count(sec nd.Section) int {
	n := 1
	for _, s := range sec {
		n *= s.Len()
	}
	return n
}

// corner returns the first index and the extents of a section for the library, never nil.
func corner(sec nd.Section) (start, counts []sizeT) {
	start, counts = make([]sizeT, len(sec)+1), make([]sizeT, len(sec)+1)
	for d, s := range sec {
		start[d], counts[d] = sizeT(s.Lo), sizeT(s.Len())
	}
	return start, counts
}
