package relayout

import (
	"math"

	"drx/nd"
)

// What other tools do, to compare with.

// ChunkByChunk returns the cost of the simple loop: every chunk of the target, one after
// the other, by reading all source chunks that it needs.
func ChunkByChunk(src, dst Grid, order nd.Order) (Cost, error) {
	if err := checkGrids(src, dst, order); err != nil {
		return Cost{}, err
	}
	p := newProblem(src.permuted(order), dst)
	ones := choice{blocks: make([]int, len(p.axes)), atLeast: make([]int, len(p.axes))}
	for d, a := range p.axes {
		if ones.blocks[d] = 1; a.n == 0 {
			return Cost{}, nil
		}
	}
	return p.cost(p.profilesOf(ones)), nil
}

// Rechunker returns the cost of the plan of the Python package rechunker
// (rechunker.algorithm.rechunking_plan): chunks to read and to write are made as large as
// the memory allows, and unless they agree the data goes through an intermediate array
// whose chunks are the smaller of both in every dimension. An intermediate chunk that a
// region covers in part is read, changed and written; whole ones are only written.
func Rechunker(src, dst Grid, order nd.Order, memory int64) (Cost, error) {
	if err := checkGrids(src, dst, order); err != nil {
		return Cost{}, err
	}
	a := src.permuted(order)
	for d := range a.Lo {
		if a.Lo[d] == a.Hi[d] {
			return Cost{}, nil
		}
	}
	elem := min(src.Elem, dst.Elem)
	r := newRechunker(nd.Shape(a.Lo, a.Hi), a.Chunk, dst.Chunk, elem, memory)
	return r.cost(newProblem(a, dst), elem), nil
}

// A rechunker is the regions that rechunker reads and writes, and the chunks of its
// intermediate array.
type rechunker struct{ read, middle, write []int }

func newRechunker(shape, src, dst []int, elem int, memory int64) rechunker {
	r := rechunker{write: consolidate(shape, dst, nil, elem, memory)}
	limit := make([]int, len(src)) // only dimensions that are to become longer are joined
	for d := range limit {
		limit[d] = src[d]
		if dst[d] > src[d] {
			limit[d] = r.write[d]
		}
	}
	r.read = consolidate(shape, src, limit, elem, memory)
	for d := range shape {
		r.middle = append(r.middle, min(r.read[d], r.write[d]))
	}
	return r
}

// consolidate makes chunks longer by whole multiples, the last dimension first, up to the
// limits (nil is the shape) and the memory.
func consolidate(shape, chunk, limit []int, elem int, memory int64) []int {
	c := make([]int, len(chunk))
	bytes := int64(elem)
	for d := range c {
		c[d] = min(chunk[d], shape[d])
		bytes = mul(bytes, int64(c[d]))
	}
	for d := len(c) - 1; d >= 0; d-- {
		most := shape[d]
		if limit != nil {
			most = min(most, limit[d])
		}
		room := int(min(memory/max(bytes, 1), math.MaxInt32))
		to := min(most, int(min(mul(int64(c[d]), int64(room)), math.MaxInt32)))
		if to < shape[d] {
			to = to / c[d] * c[d]
		}
		if to > c[d] {
			bytes = bytes / int64(c[d]) * int64(to)
			c[d] = to
		}
	}
	return c
}

// cost counts the chunks that the regions touch.
func (r rechunker) cost(p *problem, elem int) Cost {
	direct := true
	read, whole, touched, back := int64(1), int64(1), int64(1), int64(1)
	write, final, middle := int64(1), int64(1), int64(elem)
	for d, a := range p.axes {
		direct = direct && r.read[d] == r.write[d]
		read = mul(read, int64(a.regions(r.read[d], a.touched)))
		write = mul(write, int64(a.regions(r.write[d], a.touched)))
		final = mul(final, int64(a.blocks()))
		m := axis{n: a.n, s: r.middle[d], t: r.middle[d]}
		whole = mul(whole, int64(m.regions(r.read[d], m.covered)))
		touched = mul(touched, int64(m.regions(r.read[d], m.touched)))
		back = mul(back, int64(m.regions(r.write[d], m.touched)))
		middle = mul(middle, int64(r.middle[d]))
	}
	if direct {
		return Cost{write, final, mul(write, p.src), mul(final, p.dst)}
	}
	again := touched - whole + back // intermediate chunks read
	return Cost{
		Reads: add(read, again), Writes: add(touched, final),
		BytesRead:    add(mul(read, p.src), mul(again, middle)),
		BytesWritten: add(mul(touched, middle), mul(final, p.dst)),
	}
}

// regions sums f over the regions of so many elements that an axis is cut into.
func (a axis) regions(extent int, f func(lo, hi int) int) int {
	sum := 0
	for lo := 0; lo < a.n; lo += extent {
		sum += f(lo, min(lo+extent, a.n))
	}
	return sum
}

// covered returns the number of source chunks that lie within [lo, hi) as a whole, as far
// as there are elements.
func (a axis) covered(lo, hi int) int {
	n := 0
	for from := nd.CeilDiv(lo, a.s) * a.s; from < hi && min(from+a.s, a.n) <= hi; from += a.s {
		n++
	}
	return n
}
