package relayout

import (
	"math"

	"drx/nd"
)

// Intermediate chunks of fewer bytes than this are made larger where that is possible: a
// plan is to win by the bytes that it moves, not by moving them in tiny pieces.
const smallest = 64 << 10

// shapes returns the intermediate chunk shapes to try between chunks of s and t when n
// passes are left: per dimension the weighted geometric mean of the paper (1/2, or for
// three passes 1/3 and 2/3), that rounded to a neighbour that divides or is divided by s or
// t, so that no chunk straddles, the smaller of both, and what rechunker would take. Each
// comes as it is and enlarged.
func (s *solver) shapes(a, b []int, n int) [][]int {
	shape := nd.Shape(s.dst.Lo, s.dst.Hi)
	var all [][]int
	for _, w := range []float64{1 / float64(n), 1 / 2., 1 / 3., 2 / 3.} {
		all = append(all, each(a, b, func(s, t int) int { return mean(s, t, w) }))
		for _, round := range []func(s, t, m int) int{toSource, toTarget, toBoth} {
			all = append(all, each(a, b, func(s, t int) int { return round(s, t, mean(s, t, w)) }))
		}
	}
	r := newRechunker(shape, a, b, s.elem(), s.memory)
	all = append(all, each(a, b, func(s, t int) int { return min(s, t) }), r.middle)
	all = append(all, mixtures(a, b)...)
	for _, c := range all {
		clip(c, shape)
	}
	for _, c := range all[:len(all):len(all)] {
		all = append(all, s.enlarged(c, shape, smallest), s.enlarged(c, shape, s.memory/8))
	}
	return all
}

// each applies f to every dimension.
func each(a, b []int, f func(s, t int) int) []int {
	c := make([]int, len(a))
	for d := range c {
		c[d] = max(1, f(a[d], b[d]))
	}
	return c
}

// mean returns s^(1-w) * t^w, rounded down.
func mean(s, t int, w float64) int {
	// A product that is a power must not fall short by a rounding error.
	return int(math.Pow(float64(s), 1-w)*math.Pow(float64(t), w) + 1e-9)
}

// toSource returns the value nearest to m, by ratio, that divides s or is a multiple of it.
func toSource(s, _, m int) int { return nearest(m, s) }

// toTarget is toSource for t.
func toTarget(_, t, m int) int { return nearest(m, t) }

// toBoth returns the value nearest to m that divides the one of s and t that is larger and
// is divided by the smaller; where there is none it is the larger.
func toBoth(s, t, m int) int {
	small, large := min(s, t), max(s, t)
	if large%small != 0 {
		return nearest(m, large)
	}
	return small * nearest(max(1, m/small), large/small)
}

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

// maxMixed is for how many dimensions all mixtures are tried.
const maxMixed = 5

// mixtures returns the shapes that take every dimension from either s or t.
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
// bytes, fills the array or would be more than an eighth of the memory.
func (s *solver) enlarged(chunk, shape []int, bytes int64) []int {
	c := append([]int(nil), chunk...)
	n := int64(s.elem())
	for _, extent := range c {
		n = mul(n, int64(extent))
	}
	for d := len(c) - 1; d >= 0; d-- {
		for c[d] < shape[d] && n < bytes && mul(n, 2) <= s.memory/8 {
			c[d] *= 2
			n *= 2
		}
		c[d] = min(c[d], shape[d])
	}
	return c
}
