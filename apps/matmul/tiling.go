package main

import (
	"fmt"

	"drx/nd"
	"drx/parallel/drxmp"
)

// depth is the number of inner indices of a block of A or B. Package gemm sums the same number of
// products before it adds them to C: so the bits of C do not depend on the tiling.
const depth = 256

// A tiling divides a box among procs that form a grid. C is computed tile by tile, and each proc
// has one block of a tile. A block of C begins at a multiple of its extents, so that the procs own
// whole chunks of it. The inner dimension is divided into blocks, and as many of them as a period
// has are one step.
type tiling struct {
	box   box
	grid  [2]int // procs along rows and columns
	block [2]int // rows and columns of a block of C
	// a multiple of both extents of the grid, so that all procs own equally many blocks of A and B
	// in a step
	period int
}

// newTiling returns the tiling with the largest blocks whose buffers fit into the memory of one
// proc, in bytes. chunk is the chunk shape of C. The grid of procs is as long and wide as the box,
// or nearly square if that needs too much memory.
func newTiling(b box, procs int, chunk []int, memory int64, threads int) (t tiling, err error) {
	var chunks [2]int // of C
	for d := range chunks {
		chunks[d] = nd.CeilDiv(b[d][1], chunk[d]) - nd.FloorDiv(b[d][0], chunk[d])
	}
	for _, extents := range [][]int{chunks[:], {procs, procs}} {
		t = tiling{box: b, grid: [2]int(drxmp.BalancedGrid(procs, extents))}
		for t.period = t.grid[0]; t.period%t.grid[1] != 0; t.period += t.grid[0] {
		}
		if t.chooseBlocks(chunks, chunk, memory, threads) {
			return t, nil
		}
	}
	return t, fmt.Errorf("-memory leaves %d bytes for the buffers of each of %d procs; blocks of one chunk of C, %d x %d, need %d: allow more, or remove C and give a smaller -chunk",
		memory, procs, t.block[0], t.block[1], t.bytes(threads))
}

// chooseBlocks makes the blocks of C as large as memory allows, and reports whether it allows at
// least blocks of one chunk.
func (t *tiling) chooseBlocks(chunks [2]int, chunk []int, memory int64, threads int) bool {
	var each [2]int // chunks of a block
	for d := range each {
		each[d] = nd.CeilDiv(chunks[d], t.grid[d])
		t.block[d] = each[d] * chunk[d]
	}
	for t.bytes(threads) > memory {
		d := rows // the longer side shrinks
		if each[rows] == 1 || each[cols] > 1 && t.block[cols] > t.block[rows] {
			d = cols
		}
		if each[d] == 1 {
			return false
		}
		each[d] -= max(1, each[d]/16)
		t.block[d] = each[d] * chunk[d]
	}
	for d := range each { // equal blocks, if they are as many, instead of a smaller last one
		turns := nd.CeilDiv(chunks[d], t.grid[d]*each[d])
		each[d] = nd.CeilDiv(chunks[d], t.grid[d]*turns)
		t.block[d] = each[d] * chunk[d]
	}
	return true
}

// owned returns how many blocks of A (side rows) or B (side cols) a proc owns in a step.
func (t tiling) owned(side int) int { return t.period / t.grid[1-side] }

// windowPart returns the bytes of the blocks of A and B that a proc owns in a step.
func (t tiling) windowPart() int {
	return 8 * depth * (t.owned(rows)*t.block[rows] + t.owned(cols)*t.block[cols])
}

// panel returns the elements of the blocks of A or B that a proc multiplies in a step and does not
// own.
func (t tiling) panel(side int) int { return (t.period - t.owned(side)) * t.block[side] * depth }

// bytes returns the memory of one proc: a block of C; owned blocks of three steps, and panels of
// two; the blocks that package gemm packs.
func (t tiling) bytes(threads int) int64 {
	packed := threads * depth * (min(t.block[rows], 1024) + min(t.block[cols], 240) + 16)
	return 8*int64(t.block[rows])*int64(t.block[cols]) + 3*int64(t.windowPart()) + 8*int64(2*t.panel(rows)+2*t.panel(cols)+packed)
}

// tileSpan returns the numbers of the tiles along rows or columns.
func (t tiling) tileSpan(d int) span {
	edge := t.grid[d] * t.block[d]
	return span{nd.FloorDiv(t.box[d][0], edge), nd.CeilDiv(t.box[d][1], edge)}
}

// tiles returns the number of tiles, and steps the number of steps of each.
func (t tiling) tiles() int { return t.tileSpan(rows).len() * t.tileSpan(cols).len() }
func (t tiling) steps() int { return nd.CeilDiv(t.box[inner].len(), t.period*depth) }

// tile returns the products of a tile, by its number; tiles come row by row.
func (t tiling) tile(n int) box {
	b, across := t.box, t.tileSpan(cols).len()
	for d, i := range [2]int{n / across, n % across} {
		edge := t.grid[d] * t.block[d]
		i += t.tileSpan(d)[0]
		b[d] = span{i * edge, (i + 1) * edge}.in(t.box[d])
	}
	return b
}

// chunksOf returns the number of chunks of C that a tile touches.
func chunksOf(tile box, chunk []int) int {
	n := 1
	for d, extent := range chunk {
		n *= nd.CeilDiv(tile[d][1], extent) - nd.FloorDiv(tile[d][0], extent)
	}
	return n
}

// blockSpan returns the rows or columns of a tile that the procs at a coordinate of the grid
// multiply; they may be none.
func (t tiling) blockSpan(tile box, d, coord int) span {
	first := nd.FloorDiv(tile[d][0], t.grid[d]*t.block[d])*t.grid[d] + coord
	return span{first * t.block[d], (first + 1) * t.block[d]}.in(tile[d])
}

// innerSpan returns the inner indices of a block of A and B, by its number in a step; they may be
// none.
func (t tiling) innerSpan(step, number int) span {
	lo := t.box[inner][0] + (step*t.period+number)*depth
	return span{lo, lo + depth}.in(t.box[inner])
}

// distribution gives the blocks of C to the procs that compute them.
func (t tiling) distribution(chunk []int) drxmp.Distribution {
	d := drxmp.Distribution{Grid: t.grid[:]}
	for i, n := range t.block {
		d.Dims = append(d.Dims, drxmp.BlockCyclic(n/chunk[i]))
	}
	return d
}
