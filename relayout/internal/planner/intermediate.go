package planner

import "math"

// An intermediateSearch proposes the chunk shapes of intermediate arrays.
type intermediateSearch struct {
	shape    []int // of the arrays, in elements
	elemSize int
	memory   int64
}

// Intermediate chunks of fewer bytes than this are enlarged where that is possible: a plan
// should win by the bytes that it moves, not by moving them in tiny pieces.
const smallestChunk = 64 << 10

// chunks returns the intermediate chunk shapes to try between chunks of shapes a and b, if so
// many passes remain. Per dimension they are the weighted geometric mean of the paper's
// figure 4 (weight 1/2, or for three passes 1/3 and 2/3), the mean rounded to a neighbour that
// divides or is divided by a or b, so that no chunk straddles another, the smaller of both, and
// what rechunker takes. Each is proposed as it is and enlarged.
func (s intermediateSearch) chunks(a, b []int, passes int) [][]int {
	var all [][]int
	for _, w := range []float64{1 / float64(passes), 1 / 2., 1 / 3., 2 / 3.} {
		all = append(all, each(a, b, func(s, t int) int { return mean(s, t, w) }))
		for _, round := range []func(s, t, m int) int{roundToSource, roundToTarget, roundToBoth} {
			all = append(all, each(a, b, func(s, t int) int { return round(s, t, mean(s, t, w)) }))
		}
	}
	r := newRechunker(s.shape, a, b, s.elemSize, s.memory)
	all = append(all, each(a, b, func(s, t int) int { return min(s, t) }), r.intermediate)
	all = append(all, mixtures(a, b)...)
	for _, c := range all {
		clip(c, s.shape)
	}
	for _, c := range all[:len(all):len(all)] {
		all = append(all, s.enlarged(c, smallestChunk), s.enlarged(c, s.memory/8))
	}
	return all
}

// each applies f to the extents of every dimension. The results are at least one.
func each(a, b []int, f func(s, t int) int) []int {
	c := make([]int, len(a))
	for d := range c {
		c[d] = max(1, f(a[d], b[d]))
	}
	return c
}

// mean returns s^(1-w) * t^w, rounded down.
func mean(s, t int, w float64) int {
	// The addend keeps a rounding error from making an exact power one less.
	return int(math.Pow(float64(s), 1-w)*math.Pow(float64(t), w) + 1e-9)
}

// roundToSource returns the value nearest to m, by ratio, that divides s or is a multiple of s.
func roundToSource(s, _, m int) int { return nearest(m, s) }

// roundToTarget is roundToSource for t.
func roundToTarget(_, t, m int) int { return nearest(m, t) }

// roundToBoth returns the value nearest to m that divides the larger of s and t and is a
// multiple of the smaller. If there is none, only the larger one counts.
func roundToBoth(s, t, m int) int {
	small, large := min(s, t), max(s, t)
	if large%small != 0 {
		return nearest(m, large)
	}
	return small * nearest(max(1, m/small), large/small)
}

// nearest returns the value nearest to m, by ratio, that divides s or is a multiple of s.
func nearest(m, s int) int {
	if m >= s {
		return max(1, (m+s/2)/s) * s
	}
	best := 1
	for k := 1; k*k <= s; k++ {
		if s%k == 0 {
			best = closer(m, closer(m, best, k), s/k)
		}
	}
	return best
}

// closer returns the one of a and b that is nearer to m by ratio.
func closer(m, a, b int) int {
	ratio := func(x int) float64 { return math.Abs(math.Log(float64(x) / float64(max(m, 1)))) }
	if ratio(b) < ratio(a) {
		return b
	}
	return a
}

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

// clip cuts a chunk to the extents of the array.
func clip(chunk, shape []int) {
	for d := range chunk {
		chunk[d] = min(chunk[d], shape[d])
	}
}

// enlarged returns the chunk doubled, along its last dimensions first, until it has so many
// bytes, fills the array, or would exceed an eighth of the memory.
func (s intermediateSearch) enlarged(chunk []int, bytes int64) []int {
	c := append([]int(nil), chunk...)
	n := int64(s.elemSize)
	for _, extent := range c {
		n = mul(n, int64(extent))
	}
	for d := len(c) - 1; d >= 0; d-- {
		for c[d] < s.shape[d] && n < bytes && mul(n, 2) <= s.memory/8 {
			c[d] *= 2
			n *= 2
		}
		c[d] = min(c[d], s.shape[d])
	}
	return c
}
