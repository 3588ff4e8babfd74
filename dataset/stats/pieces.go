package stats

import (
	"sort"

	"drx/cube"
	"drx/nd"
)

// An axis divides the selected indices of a dimension into pieces. A piece is the part of a range
// that lies in one chunk, or in a fixed fraction of a chunk. Pieces are numbered in the order of
// their positions in the selection. They are computed when needed and not stored, because an array
// of a petabyte may have too many of them.
type axis struct {
	ranges    []nd.Range
	extent    int   // the largest number of indices that a piece spans
	pieces    []int // the number of pieces before each range; then the total
	positions []int // the number of positions before each range; then the total
}

// newAxis divides a selection at the multiples of extent.
func newAxis(selected cube.Indices, extent int) axis {
	x := axis{extent: extent, pieces: []int{0}, positions: []int{0}}
	for _, r := range selected {
		n := r.Len()
		if n == 0 {
			continue
		}
		pieces := n
		if r.Stride() < extent {
			last := r.Lo + (n-1)*r.Stride()
			pieces = nd.FloorDiv(last, extent) - nd.FloorDiv(r.Lo, extent) + 1
		}
		x.ranges = append(x.ranges, r)
		x.pieces = append(x.pieces, x.count()+pieces)
		x.positions = append(x.positions, x.len()+n)
	}
	return x
}

// count returns the number of pieces.
func (x *axis) count() int { return x.pieces[len(x.pieces)-1] }

// len returns the number of positions.
func (x *axis) len() int { return x.positions[len(x.positions)-1] }

// piece returns piece i as a range and the position of its first index.
func (x *axis) piece(i int) (r nd.Range, at int) {
	k := sort.SearchInts(x.pieces, i+1) - 1
	r, at = x.ranges[k], x.positions[k]
	step := r.Stride()
	if i -= x.pieces[k]; step >= x.extent { // each piece has one index
		return nd.At(r.Lo + i*step), at + i
	}
	lo := (nd.FloorDiv(r.Lo, x.extent) + i) * x.extent
	skip := max(0, nd.CeilDiv(lo-r.Lo, step))
	from := r.Lo + skip*step
	n := nd.CeilDiv(min(r.Hi, lo+x.extent)-from, step)
	return nd.Span(from, from+(n-1)*step+1).By(step), at + skip
}

// position returns the position of the first index of a piece, or the number of positions for the
// piece after the last one.
func (x *axis) position(piece int) int {
	if piece == x.count() {
		return x.len()
	}
	_, at := x.piece(piece)
	return at
}

// pieceOf returns the piece that lies in a chunk, given the chunk's index along the dimension. The
// axis must be regular.
func (x *axis) pieceOf(chunk int) int { return chunk - nd.FloorDiv(x.ranges[0].Lo, x.extent) }

// isRegular reports whether the pieces are consecutive chunks of the given extent, one piece per
// chunk: the selection is one range, and no chunk within it is stepped over or divided.
func (x *axis) isRegular(extent int) bool {
	if len(x.ranges) != 1 || x.extent != extent {
		return false
	}
	step := x.ranges[0].Stride()
	return step == 1 || step < extent
}
