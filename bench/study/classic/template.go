package classic

import (
	"slices"
	"sort"
)

// Template returns the template for a single pass by the search of figure 2, and whether one fits
// the memory. It is the lcm-block if that fits. Otherwise the search shrinks every dimension of the
// lcm-block by one target chunk at a time until it fits, grows single dimensions as far as
// possible, and continues by steepest descent. Of templates of equal cost it returns the smallest.
func (c Problem) Template() ([]int, bool) {
	f := figure2{c, make([]int, len(c.Target))}
	for d, l := range c.LCM() {
		f.most[d] = l / c.Target[d]
	}
	if f.fits(f.most) {
		return f.template(f.most), true
	}
	// Templates shrink as k grows, so a binary search finds the first that fits.
	k := sort.Search(slices.Max(f.most), func(k int) bool { return f.fits(f.reduced(k)) })
	m := f.reduced(k)
	if !f.fits(m) {
		return nil, false
	}
	f.fill(m)
	for next := f.descend(m); next != nil; next = f.descend(m) {
		m = next
		f.fill(m)
	}
	f.trim(m)
	return f.template(m), true
}

// A figure2 is the search of figure 2. Templates are counted in target chunks.
type figure2 struct {
	Problem
	most []int
}

func (f figure2) template(m []int) []int {
	t := make([]int, len(m))
	for d := range t {
		t[d] = m[d] * f.Target[d]
	}
	return t
}

func (f figure2) need(m []int) int { return f.Need(f.template(m)) }

func (f figure2) cost(m []int) float64 { return f.Cost(f.template(m)) }

func (f figure2) fits(m []int) bool { return f.need(m) <= f.Memory }

// reduced returns the lcm-block shrunk by k target chunks in every dimension, but not below one.
func (f figure2) reduced(k int) []int {
	m := make([]int, len(f.most))
	for d := range m {
		m[d] = max(1, f.most[d]-k)
	}
	return m
}

// moved returns m with by more chunks in dimension d, or nil if there is no such template.
func (f figure2) moved(m []int, d, by int) []int {
	if m[d]+by < 1 || m[d]+by > f.most[d] {
		return nil
	}
	n := slices.Clone(m)
	n[d] += by
	return n
}

// fill grows m until no dimension can grow within the memory (line 4).
func (f figure2) fill(m []int) {
	for d := range m {
		n := f.moved(m, d, 1)
		for ; n != nil && f.fits(n); n = f.moved(m, d, 1) {
			copy(m, n)
		}
	}
}

// descend returns a template that costs less than m, or nil if it finds none (lines 6 to 8).
func (f figure2) descend(m []int) []int {
	var up []int
	best := 0.0
	for d := range m {
		n := f.moved(m, d, 1)
		if n == nil {
			continue
		}
		// m is filled, so n needs more than m.
		if ratio := (f.cost(m) - f.cost(n)) / float64(f.need(n)-f.need(m)); ratio > best {
			up, best = n, ratio
		}
	}
	if up == nil {
		return nil
	}
	for !f.fits(up) {
		if up = f.cheapest(up); up == nil {
			return nil
		}
	}
	if f.cost(up) < f.cost(m) {
		return up
	}
	return nil
}

// cheapest returns the neighbour of m with one chunk less that costs least.
func (f figure2) cheapest(m []int) []int {
	var best []int
	for d := range m {
		if n := f.moved(m, d, -1); n != nil && (best == nil || f.cost(n) < f.cost(best)) {
			best = n
		}
	}
	return best
}

// trim removes chunks, the last dimension first, as long as the cost does not increase.
func (f figure2) trim(m []int) {
	for d := range slices.Backward(m) {
		n := f.moved(m, d, -1)
		for ; n != nil && f.cost(n) <= f.cost(m); n = f.moved(m, d, -1) {
			copy(m, n)
		}
	}
}
