package planner

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"drx/internal/errkind"
	"drx/nd"
)

// A Grid is a box of elements that is cut into chunks. The chunks begin at multiples of their
// extents. Its JSON is part of the checkpoints in array files.
type Grid struct {
	Lo, Hi     []int // bounds [Lo, Hi), in elements
	ChunkShape []int `json:"Chunk"` // extents of a chunk, in elements
	ElemSize   int   `json:"Elem"`  // bytes of an element
}

// CheckGrids returns an error unless src, with its dimensions in the given order, can be copied
// to dst. The error wraps nd.ErrRank, nd.ErrBounds or nd.ErrOverflow.
func CheckGrids(src, dst Grid, order nd.Order) error {
	if err := src.check("source"); err != nil {
		return err
	}
	if err := dst.check("target"); err != nil {
		return err
	}
	if err := order.Check(len(src.Lo)); err != nil {
		return err
	}
	if err := nd.CheckRank("dimensions of the target", len(dst.Lo), len(src.Lo)); err != nil {
		return err
	}
	want := order.Apply(src.shape())
	if have := dst.shape(); !slices.Equal(want, have) {
		return errkind.Errorf(nd.ErrBounds, "target of shape %v: the source has shape %v in that order", have, want)
	}
	return nil
}

// check checks the bounds, chunks and element size; what names the grid in the error.
func (g Grid) check(what string) error {
	if err := nd.CheckRank("high bounds of the "+what, len(g.Hi), len(g.Lo)); err != nil {
		return err
	}
	if err := nd.CheckRank("chunk extents of the "+what, len(g.ChunkShape), len(g.Lo)); err != nil {
		return err
	}
	for d := range g.Lo {
		if g.Lo[d] > g.Hi[d] {
			return fmt.Errorf("%s: %w", what, nd.DimErrorf(d, "%w", errkind.Errorf(nd.ErrBounds, "bounds %d:%d are reversed", g.Lo[d], g.Hi[d])))
		}
		if g.ChunkShape[d] < 1 {
			return fmt.Errorf("%s: %w", what, nd.DimErrorf(d, "%w", errkind.Errorf(nd.ErrBounds, "chunk extent %d is less than 1", g.ChunkShape[d])))
		}
	}
	if g.ElemSize < 1 {
		return errkind.Errorf(nd.ErrBounds, "%s: elements of %d bytes: want at least 1", what, g.ElemSize)
	}
	size, err := nd.Product(append([]int{g.ElemSize}, g.ChunkShape...)...)
	if err != nil || int64(size) > math.MaxUint32 {
		return fmt.Errorf("%s: chunks of %v elements of %d bytes: %w: at most %d bytes",
			what, g.ChunkShape, g.ElemSize, nd.ErrOverflow, int64(math.MaxUint32))
	}
	return nil
}

func (g Grid) shape() []int { return nd.Shape(g.Lo, g.Hi) }

// empty reports whether the grid has no elements.
func (g Grid) empty() bool { return slices.Contains(g.shape(), 0) }

// ChunkBytes returns the bytes of a whole chunk.
func (g Grid) ChunkBytes() int64 {
	n := int64(g.ElemSize)
	for _, extent := range g.ChunkShape {
		n = Mul(n, int64(extent))
	}
	return n
}

// permuted returns the grid with dimension order[d] as dimension d.
func (g Grid) permuted(order nd.Order) Grid {
	return Grid{order.Apply(g.Lo), order.Apply(g.Hi), order.Apply(g.ChunkShape), g.ElemSize}
}

// appendKey appends bytes that differ for different grids of the same rank.
func (g Grid) appendKey(key []byte) []byte {
	for _, list := range [][]int{g.Lo, g.Hi, g.ChunkShape, {g.ElemSize}} {
		for _, v := range list {
			key = binary.AppendVarint(key, int64(v))
		}
	}
	return key
}
