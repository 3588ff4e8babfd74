package memory

import (
	"fmt"
	"math/bits"
	"slices"

	"drx/axial"
	"drx/dtype"
	"drx/internal/state"
	"drx/internal/strided"
	"drx/nd"
)

// A view is the state of an array at one moment. The slices of its successor share memory with its
// own and are longer, so only the newest view may be extended (Array.grow).
type view[T dtype.Element] struct {
	state     *state.State
	grid      *axial.Grid // of the state
	fill      T
	axes      []axis
	perChunk  int  // elements of a chunk
	single    bool // a chunk is an element
	shifted   bool // all extents of a chunk are powers of two
	exact     bool // the bounds are those of the grid, in elements
	allocated int  // elements

	segs   []segment[T]
	maps   []int        // per segment its affine map in elements: base, then one factor per dimension
	blocks [][]T        // the blocks of all segments, in order
	chunks axial.Number // number of chunks in all segments
}

// An axis holds the parameters for finding an element along one dimension.
type axis struct {
	lo     int
	extent uint
	chunk  int  // extent of a chunk
	shift  uint // its binary logarithm, if it is a power of two
	stride int  // elements between neighbours in a chunk
}

// newView returns the first view of an array, with at most one segment.
func newView[T dtype.Element](s *state.State, fill T) (*view[T], error) {
	v := &view[T]{fill: fill}
	v.setState(s)
	if s.Grid.Chunks() == 0 {
		return v, nil
	}
	return v, v.adjoin(s.Grid, s.Grid.Lo(), 0, s.Grid.Chunks())
}

// setState makes s the state of v and computes the fields that follow from it.
func (v *view[T]) setState(s *state.State) {
	v.state, v.grid = s, s.Grid
	v.perChunk = s.ChunkBytes / s.DType.Size()
	v.single, v.shifted, v.exact = v.perChunk == 1, true, true
	v.axes = make([]axis, len(s.Chunk))
	for d, c := range s.Chunk {
		v.axes[d] = axis{
			lo: s.Lo[d], extent: uint(s.Hi[d] - s.Lo[d]), chunk: c,
			shift: uint(bits.TrailingZeros(uint(c))), stride: s.Strides[d] / s.DType.Size(),
		}
		v.shifted = v.shifted && c&(c-1) == 0
		v.exact = v.exact && s.Grid.Lo()[d]*c == s.Lo[d] && s.Grid.Hi()[d]*c == s.Hi[d]
	}
}

// next returns the view for a state whose grid is the one of v, extended along dim. It does not
// change v.
func (v *view[T]) next(s *state.State, dim int) (*view[T], error) {
	n := *v
	n.setState(s)
	old, now := v.grid, s.Grid
	if now.Chunks() == 0 {
		return &n, nil
	}
	slab := axial.Number(1)
	for d, extent := range now.Shape() {
		if d != dim {
			slab *= axial.Number(extent)
		}
	}
	// The order is that of state.State if both sides grow at once.
	for _, side := range []axial.Side{axial.High, axial.Low} {
		corner := slices.Clone(now.Lo())
		by := old.Lo()[dim] - now.Lo()[dim]
		if side == axial.High {
			by = now.Hi()[dim] - old.Hi()[dim]
			corner[dim] = now.Hi()[dim] - 1
		}
		if by == 0 {
			continue
		}
		if err := n.adjoin(now, corner, dim, axial.Number(by)*slab); err != nil {
			return nil, err
		}
	}
	return &n, nil
}

// adjoin allocates memory for new chunks. They belong to the segment that grew along dim and
// contains the chunk at corner.
func (v *view[T]) adjoin(g *axial.Grid, corner []int, dim int, chunks axial.Number) error {
	size := int64(v.state.DType.Size())
	if have := int64(v.allocated) / int64(v.perChunk); int64(chunks) > maxBytes/size/int64(v.perChunk)-have {
		return fmt.Errorf("%d chunks of %d elements beside %d: %w: more than %d bytes", chunks, v.perChunk, have, nd.ErrOverflow, int64(maxBytes))
	}
	above := slices.Clone(corner)
	for d := range above {
		above[d]++
	}
	run := g.Runs(corner, above)[0] // of one chunk
	slab := int(max(run.Factor[dim], -run.Factor[dim])) * v.perChunk
	slabs := int(chunks) * v.perChunk / slab
	if run.Segment < len(v.segs) {
		v.lengthen(slabs)
	} else {
		v.addSegment(&run, slab, slabs)
	}
	v.chunks += chunks
	return nil
}

func (v *view[T]) addSegment(run *axial.Run, slab, slabs int) {
	v.maps = append(v.maps, int(run.Base-int64(v.chunks))*v.perChunk)
	for _, f := range run.Factor {
		v.maps = append(v.maps, int(f)*v.perChunk)
	}
	head := v.make(slab * slabs)
	v.blank(head)
	v.segs = append(v.segs, newSegment(v.chunks, head, slab, len(v.blocks), v.state.DType.Size()))
}

// lengthen adds slabs to the last segment, from its reserve or from new blocks.
func (v *view[T]) lengthen(slabs int) {
	seg := &v.segs[len(v.segs)-1]
	at := v.slabsOf(len(v.segs)-1) - seg.headSlabs()
	for end := at + slabs; at < end; {
		i, first, n := seg.block(at)
		if i += seg.first; i == len(v.blocks) {
			v.blocks = append(v.blocks, v.make(n*seg.slab))
		}
		last := min(end, first+n)
		v.blank(v.blocks[i][(at-first)*seg.slab : (last-first)*seg.slab])
		at = last
	}
}

// slabsOf returns the number of slabs of segment i that are in use, in head and blocks.
func (v *view[T]) slabsOf(i int) int {
	end := v.chunks
	if i+1 < len(v.segs) {
		end = v.segs[i+1].number
	}
	return int(end-v.segs[i].number) * v.perChunk / v.segs[i].slab
}

func (v *view[T]) make(n int) []T {
	v.allocated += n
	return make([]T, n)
}

// blank sets memory that is still zero to the fill value. If that is zero, it does not access the
// memory, so that the system need not provide it yet.
func (v *view[T]) blank(s []T) {
	value := dtype.Bytes([]T{v.fill})
	for _, b := range value {
		if b != 0 {
			strided.Repeat(dtype.Bytes(s), value)
			return
		}
	}
}

// addDim returns the view for a state with one more dimension.
func (v *view[T]) addDim(s *state.State) *view[T] {
	n := *v
	n.setState(s)
	k := len(v.axes)
	n.maps = make([]int, 0, len(v.segs)*(k+2))
	for i := range v.segs {
		n.maps = append(append(n.maps, v.maps[i*(k+1):(i+1)*(k+1)]...), 0)
	}
	return &n
}

// mapOf returns the affine map of segment i: its base and one factor per dimension.
func (v *view[T]) mapOf(i int) []int {
	k := len(v.axes) + 1
	return v.maps[i*k : (i+1)*k]
}

// locate returns the memory that contains the chunk at an index, and the position of the chunk in
// it, in elements. mem is nil if there is no such chunk.
func (v *view[T]) locate(chunk []int) (mem []T, at int) {
	s, ok := v.grid.SegmentOf(chunk)
	if !ok {
		return nil, 0
	}
	m := v.maps[s*(len(chunk)+1):]
	m = m[:len(chunk)+1]
	at, m = m[0], m[1:]
	for d, i := range chunk {
		at += m[d] * i
	}
	seg := &v.segs[s]
	if at < len(seg.head) {
		return seg.head, at
	}
	at -= len(seg.head)
	i, first, _ := seg.block(at / seg.slab)
	return v.blocks[seg.first+i], at - first*seg.slab
}
