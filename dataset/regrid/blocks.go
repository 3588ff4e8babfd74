package regrid

import (
	"context"
	"slices"

	"drx"
	"drx/dataset"
	"drx/internal/fanout"
	"drx/nd"
)

// blockCells is the largest number of elements of the result that a goroutine has in memory,
// partCells that of the source. Both are constant, so that the order of sums is, too.
const (
	blockCells = 1 << 18
	partCells  = 1 << 18
)

// eachBlock calls f with sections that cover an array, in several goroutines. No two sections share
// a chunk, unless chunks are larger than a block.
func (j *job) eachBlock(a *drx.Array, f func(block nd.Section) error) error {
	bounds, extent := a.Bounds(), slices.Clone(a.ChunkShape())
	cells := 1
	for d := range extent {
		extent[d] = max(1, min(extent[d], bounds[d].Len()))
		cells *= extent[d]
	}
	for d := range extent {
		for cells > blockCells && extent[d] > 1 {
			cells = cells / extent[d] * nd.CeilDiv(extent[d], 2)
			extent[d] = nd.CeilDiv(extent[d], 2)
		}
	}
	for d := len(extent) - 1; d >= 0; d-- {
		for 2*cells <= blockCells && extent[d] < bounds[d].Len() {
			cells, extent[d] = 2*cells, 2*extent[d]
		}
	}
	count, total := make([]int, len(extent)), 1
	first := make([]int, len(extent))
	for d, r := range bounds {
		if r.Len() == 0 {
			return nil
		}
		first[d] = nd.FloorDiv(r.Lo, extent[d])
		count[d] = nd.CeilDiv(r.Hi, extent[d]) - first[d]
		total *= count[d]
	}
	return fanout.Each(total, j.workers, func(i int) error {
		if err := context.Cause(j.ctx); err != nil {
			return err
		}
		block := make(nd.Section, len(extent))
		for d := len(extent) - 1; d >= 0; d-- {
			lo := (first[d] + i%count[d]) * extent[d]
			block[d] = nd.Span(max(lo, bounds[d].Lo), min(lo+extent[d], bounds[d].Hi)).By(1)
			i /= count[d]
		}
		if err := f(block); err != nil {
			return err
		}
		n, _ := block.Len() // it fitted into memory
		j.progress(n)
		return nil
	})
}

// fillPicked copies the elements of a variable in their stored form.
func (j *job) fillPicked(v *dataset.Variable, to *drx.Array) error {
	indices := make([][]int, len(v.Dims()))
	for d, dim := range v.Dims() {
		if x := j.axes[dim]; x != nil {
			indices[d] = x.pick
		}
	}
	return j.eachBlock(to, func(block nd.Section) error { return pickBlock(v.Array(), to, indices, block) })
}

// pickBlock copies a block. indices has the index in the source for each index of the result, nil
// if they are equal. A block whose elements are far apart in the source is divided.
func pickBlock(from, to *drx.Array, indices [][]int, block nd.Section) error {
	box := slices.Clone(block)
	for d, pick := range indices {
		if pick != nil {
			part := pick[block[d].Lo:block[d].Hi]
			box[d] = nd.Span(slices.Min(part), slices.Max(part)+1)
		}
	}
	n, _ := block.Len()
	if read, err := box.Len(); err != nil || read > 2*blockCells && n > 1 {
		longest := 0
		for d := range block {
			if block[d].Len() > block[longest].Len() {
				longest = d
			}
		}
		r := block[longest]
		for _, half := range []nd.Range{nd.Span(r.Lo, r.Lo+r.Len()/2), nd.Span(r.Lo+r.Len()/2, r.Hi)} {
			part := slices.Clone(block)
			part[longest] = half
			if err := pickBlock(from, to, indices, part); err != nil {
				return err
			}
		}
		return nil
	}
	size := from.DType().Size()
	read, _ := box.Len()
	source, chosen := make([]byte, read*size), make([]byte, 0, n*size)
	if err := from.ReadBytes(box, source, nil); err != nil {
		return err
	}
	strides := nd.Order(nil).Strides(box.Shape())
	var gather func(d, at int)
	gather = func(d, at int) {
		if d == len(block) {
			chosen = append(chosen, source[at*size:][:size]...)
			return
		}
		for i := block[d].Lo; i < block[d].Hi; i++ {
			k := i
			if indices[d] != nil {
				k = indices[d][i]
			}
			gather(d+1, at+(k-box[d].Lo)*strides[d])
		}
	}
	gather(0, 0)
	return to.WriteBytes(block, chosen, nil)
}
