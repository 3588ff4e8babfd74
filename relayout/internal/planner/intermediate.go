package planner

import (
	"math"
	"slices"
)

// Intermediate chunks of fewer bytes than this are enlarged where that is possible: a plan
// should win by the bytes that it moves, not by moving them in tiny pieces.
const smallestChunk = 64 << 10

// intermediateChunks returns the chunk shapes to try for arrays of a shape between chunks of shapes
// a and b, for memory bytes and elements of elemSize bytes. Per dimension these are the geometric
// mean (section 4.3 of the paper), the smaller extent, and each of the two. Each shape is tried
// unchanged and enlarged. The weighted means of the paper's figure 4, means rounded to divisors or
// multiples, the chunks of rechunker and larger ones were tried: in a thousand random problems they
// saved at most one percent.
func intermediateChunks(a, b, shape []int, elemSize int, memory int64) [][]int {
	all := append(mixtures(a, b), each(a, b, mean), each(a, b, func(s, t int) int { return min(s, t) }))
	for _, c := range all[:len(all):len(all)] {
		copy(c, each(c, shape, func(s, t int) int { return min(s, t) }))
		all = append(all, enlarged(c, shape, elemSize, memory))
	}
	return all
}

// each applies f to the extents of every dimension.
func each(a, b []int, f func(s, t int) int) []int {
	c := make([]int, len(a))
	for d := range c {
		c[d] = f(a[d], b[d])
	}
	return c
}

// mean returns the geometric mean, rounded down.
func mean(s, t int) int { return int(math.Sqrt(float64(s) * float64(t))) }

// maxMixed is the highest rank for which all mixtures are tried.
const maxMixed = 5

// mixtures returns the shapes that take the extent of every dimension from either s or t.
func mixtures(s, t []int) [][]int {
	var all [][]int
	if len(s) > maxMixed {
		return nil
	}
	for set := 1; set < 1<<len(s)-1; set++ {
		c := make([]int, len(s))
		for d := range c {
			c[d] = s[d]
			if set>>d&1 != 0 {
				c[d] = t[d]
			}
		}
		all = append(all, c)
	}
	return all
}

// enlarged returns the chunk doubled, along its last dimensions first, until it has smallestChunk
// bytes, fills the array, or would exceed an eighth of the memory.
func enlarged(chunk, shape []int, elemSize int, memory int64) []int {
	c := slices.Clone(chunk)
	n := Grid{ChunkShape: c, ElemSize: elemSize}.ChunkBytes()
	for d := range slices.Backward(c) {
		for c[d] < shape[d] && n < smallestChunk && Mul(n, 2) <= memory/8 {
			c[d], n = 2*c[d], 2*n
		}
		c[d] = min(c[d], shape[d])
	}
	return c
}
