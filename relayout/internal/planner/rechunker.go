package planner

import "math"

// A rechunker is a plan of the Python package rechunker (rechunker.algorithm.rechunking_plan): the
// extents of the regions that it reads and writes, and those of the chunks of its intermediate
// array. Rechunker makes the chunks to read and to write as large as the memory, in bytes, allows.
// The intermediate chunks are the smaller of both in every dimension.
type rechunker struct{ read, intermediate, write []int }

func newRechunker(shape, src, dst []int, elemSize int, memory int64) rechunker {
	r := rechunker{write: consolidate(shape, dst, nil, elemSize, memory)}
	limit := make([]int, len(src)) // chunks are joined only along dimensions in which they are to grow
	for d := range limit {
		limit[d] = src[d]
		if dst[d] > src[d] {
			limit[d] = r.write[d]
		}
	}
	r.read = consolidate(shape, src, limit, elemSize, memory)
	for d := range shape {
		r.intermediate = append(r.intermediate, min(r.read[d], r.write[d]))
	}
	return r
}

// consolidate makes chunks longer by whole multiples, the last dimension first, up to the
// limits (nil is the shape) and the memory.
func consolidate(shape, chunk, limit []int, elemSize int, memory int64) []int {
	c := make([]int, len(chunk))
	bytes := int64(elemSize)
	for d := range c {
		c[d] = min(chunk[d], shape[d])
		bytes = mul(bytes, int64(c[d]))
	}
	for d := len(c) - 1; d >= 0; d-- {
		most := shape[d]
		if limit != nil {
			most = min(most, limit[d])
		}
		factor := int(min(memory/max(bytes, 1), math.MaxInt32))
		to := min(most, int(min(mul(int64(c[d]), int64(factor)), math.MaxInt32)))
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
