package stats

import (
	"sort"

	"drx/cube"
	"drx/nd"
)

// An axis cuts the indices that are selected of a dimension into pieces. A piece is a range of
// indices of one chunk, or of a part of it, whose positions in the selection follow each other. The
// pieces are in the order of the positions; they are computed, not stored, as there may be as many
// as chunks in a petabyte.
type axis struct {
	ranges    []nd.Range
	extent    int   // of a piece, at most, in indices
	pieces    []int // before each range, and the number of all
	positions []int // before each range, and the number of all
}

// newAxis returns the pieces of a selection of a dimension, each within a multiple of extent.
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

// piece returns a piece and the position of its first index.
func (x *axis) piece(i int) (r nd.Range, at int) {
	k := sort.SearchInts(x.pieces, i+1) - 1
	r, at = x.ranges[k], x.positions[k]
	step := r.Stride()
	if i -= x.pieces[k]; step >= x.extent { // a piece for each index
		return nd.At(r.Lo + i*step), at + i
	}
	lo := (nd.FloorDiv(r.Lo, x.extent) + i) * x.extent
	skip := max(0, nd.CeilDiv(lo-r.Lo, step))
	from := r.Lo + skip*step
	n := nd.CeilDiv(min(r.Hi, lo+x.extent)-from, step)
	return nd.Span(from, from+(n-1)*step+1).By(step), at + skip
}

// position returns the position of the first index of a piece, or of the end.
func (x *axis) position(piece int) int {
	if piece == x.count() {
		return x.len()
	}
	_, at := x.piece(piece)
	return at
}

// pieceOf returns the piece in which an index of a chunk lies, if the pieces are those of chunks
// along one range, and whether that is so.
func (x *axis) pieceOf(chunk int) int { return chunk - nd.FloorDiv(x.ranges[0].Lo, x.extent) }

// isRegular reports whether there is one range of which each chunk has one piece, for chunks of an
// extent.
func (x *axis) isRegular(extent int) bool {
	if len(x.ranges) != 1 || x.extent != extent {
		return false
	}
	step := x.ranges[0].Stride()
	return step == 1 || step < extent
}
