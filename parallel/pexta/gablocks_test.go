package pexta_test

import (
	"bytes"
	"slices"

	"drx/nd"
	"drx/parallel/drxmp"
)

// A block holds elements of one proc, with ghost cells around them.
type block struct {
	proc   int
	box    nd.Section
	data   []byte
	single bool // the only one of its proc
}

// lay creates the blocks.
func (s *shared) lay(procs int, shape []int, l layout) {
	s.shape, s.blocks = slices.Clone(shape), nil
	if l.Procs == nil {
		l.Procs = nd.RowMajor.Dims(procs)
	}
	begins := l.Begins
	switch {
	case l.Cyclic != nil:
		begins = make([][]int, len(shape))
		for d, n := range l.Cyclic {
			for at := 0; at < shape[d]; at += n {
				begins[d] = append(begins[d], at)
			}
		}
	case begins == nil:
		begins = regular(len(l.Procs), shape)
	}
	grid := make([]int, len(shape))
	for d := range grid {
		grid[d] = len(begins[d])
	}
	lo, at := make([]int, len(grid)), make([]int, len(grid))
	count := map[int]int{}
	for i, more := 0, true; more; i, more = i+1, nd.Next(at, lo, grid) {
		box := make(nd.Section, len(grid))
		for d, b := range at {
			end := shape[d]
			if b+1 < grid[d] {
				end = begins[d][b+1]
			}
			box[d] = nd.Span(begins[d][b], end)
		}
		proc := l.Procs[i%len(l.Procs)]
		count[proc]++
		s.blocks = append(s.blocks, block{proc: proc, box: box, data: bytes.Repeat([]byte{0xdb}, s.stored(box))})
		s.blocks[i].put(s, box, make([]byte, elements(box)*s.dtype.Size()))
	}
	for i := range s.blocks {
		s.blocks[i].single = count[s.blocks[i].proc] == 1
	}
}

// regular returns the first indices of the blocks of the default distribution.
func regular(procs int, shape []int) [][]int {
	begins := make([][]int, len(shape))
	for d, n := range drxmp.BalancedGrid(procs, shape) {
		each := max(1, nd.CeilDiv(shape[d], n))
		for at := 0; at < shape[d]; at += each {
			begins[d] = append(begins[d], at)
		}
	}
	return begins
}

func elements(box nd.Section) int {
	n, _ := box.Len()
	return n
}

func (s *shared) ghost(d int) int {
	if s.ghosts == nil {
		return 0
	}
	return s.ghosts[d]
}

// stored returns the bytes of a block with its ghost cells.
func (s *shared) stored(box nd.Section) int {
	n := s.dtype.Size()
	for d, r := range box {
		n *= r.Len() + 2*s.ghost(d)
	}
	return n
}

// put copies the intersection of a block and a box from the elements of the box.
func (b *block) put(s *shared, box nd.Section, data []byte) {
	b.each(s, box, func(here, there []byte) { copy(here, there) }, data)
}

// get copies the intersection of a block and a box to the elements of the box.
func (b *block) get(s *shared, box nd.Section, data []byte) {
	b.each(s, box, func(here, there []byte) { copy(there, here) }, data)
}

// each calls f for each row of the intersection of a block and a box, with its bytes in both.
func (b *block) each(s *shared, box nd.Section, f func(here, there []byte), data []byte) {
	rank, elem := len(box), s.dtype.Size()
	around := make([]int, rank)
	lo, hi := make([]int, rank), make([]int, rank)
	for d, r := range box {
		around[d] = b.box[d].Len() + 2*s.ghost(d)
		lo[d], hi[d] = max(r.Lo, b.box[d].Lo), min(r.Hi, b.box[d].Hi)
		if lo[d] >= hi[d] {
			return
		}
	}
	inner, outer := nd.RowMajor.Strides(around), nd.RowMajor.Strides(box.Shape())
	row := (hi[rank-1] - lo[rank-1]) * elem
	hi[rank-1] = lo[rank-1] + 1
	at := slices.Clone(lo)
	for more := true; more; more = nd.Next(at, lo, hi) {
		here, there := 0, 0
		for d, i := range at {
			here += (i - b.box[d].Lo + s.ghost(d)) * inner[d] * elem
			there += (i - box[d].Lo) * outer[d] * elem
		}
		f(b.data[here:here+row], data[there:there+row])
	}
}
