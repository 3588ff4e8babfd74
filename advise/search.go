package advise

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// tolerance is an upper limit for the relative error of costs computed in floating point. A product
// of 64 factors, summed over 64 classes, has an error below 1e-12. Costs that differ by less than
// the tolerance are compared as fractions.
const tolerance = 1e-9

// A search finds the best shape by branch and bound: it chooses the extents one by one, and
// abandons a prefix if its lower bound exceeds the cost of the best shape so far.
//
// Of the extents that leave equally many elements for the later dimensions it tries only the
// largest (eachChoice). It then shrinks each shape found as far as its factors do not change
// (shrink). This still finds the best shape: replace the extents of the best shape, one after the
// other, by the largest that leave as many elements. No factor rises, and since the shape is the
// best, none falls. Shrinking the result gives the best shape, because that has the fewest elements
// for its factors. In dimensions that are interchangeable the best shape, being the first in
// lexicographic order, has the longer extents last.
type search struct {
	p          Problem
	q          quotients     // of the largest number of elements
	weights    []float64     // by class
	maxExtents []int         // by dimension: the longest useful extent
	twins      []int         // by dimension: the last interchangeable dimension before it, -1 for none
	logs       [][][]float64 // by class, dimension and quotient: logarithm of the factor

	chunk   []int
	best    []int
	ceiling float64 // logarithm of the cost of best plus the tolerance
	nodes   int64
}

func newSearch(p Problem, limit int) *search {
	k := p.rank()
	s := &search{p: p, q: newQuotients(limit), weights: p.weights(), maxExtents: make([]int, k), twins: make([]int, k), chunk: make([]int, k)}
	s.ceiling = math.Inf(1)
	for d := range s.maxExtents {
		s.maxExtents[d], s.twins[d] = s.longestUseful(d, limit), s.interchangeable(d)
	}
	s.logs = make([][][]float64, len(p.Accesses))
	for i, a := range p.Accesses {
		s.logs[i] = make([][]float64, k)
		for d, n := range a.Box {
			s.logs[i][d] = make([]float64, len(s.q.value))
			for at, c := range s.q.value {
				s.logs[i][d][at] = math.Log(factor(n, min(c, s.maxExtents[d]), p.extent(d)).float())
			}
		}
	}
	return s
}

// longestUseful returns the longest useful extent in dimension d: 1 if all boxes have extent 1
// there.
func (s *search) longestUseful(d, limit int) int {
	for _, a := range s.p.Accesses {
		if a.Box[d] > 1 {
			if n := s.p.extent(d); n > 0 {
				return min(limit, n)
			}
			return limit
		}
	}
	return 1
}

// interchangeable returns the last dimension before d that can be exchanged with d without changing
// the problem, or -1.
func (s *search) interchangeable(d int) int {
	as := s.exchanged(d, d)
	for e := d - 1; e >= 0; e-- {
		same := func(a, b Access) bool { return a.Weight == b.Weight && slices.Equal(a.Box, b.Box) }
		if s.p.extent(e) == s.p.extent(d) && slices.EqualFunc(as, s.exchanged(d, e), same) {
			return e
		}
	}
	return -1
}

// exchanged returns the classes with two dimensions exchanged, sorted.
func (s *search) exchanged(d, e int) []Access {
	as := make([]Access, len(s.p.Accesses))
	for i, a := range s.p.Accesses {
		as[i] = Access{slices.Clone(a.Box), a.Weight}
		as[i].Box[d], as[i].Box[e] = a.Box[e], a.Box[d]
	}
	slices.SortFunc(as, func(a, b Access) int {
		return cmp.Or(slices.Compare(a.Box, b.Box), cmp.Compare(a.Weight, b.Weight))
	})
	return as
}

// run finds the best shape.
func (s *search) run() {
	logw := make([]float64, len(s.weights))
	for i, w := range s.weights {
		logw[i] = math.Log(w)
	}
	s.branch(0, s.q, logw)
}

// branch searches all shapes with the extents of s.chunk before dimension d, with a new bound for
// them. It tries the shape of least bound first, because that is likely to be a good one.
func (s *search) branch(d int, q quotients, logw []float64) {
	b := s.newBound(d, q, logw, s.relaxedShares(d, q.n, logw))
	s.complete(b)
	s.update(s.chunk)
	if b.value() <= s.ceiling {
		s.descend(b, d, len(q.value)-1, b.base, logw)
	}
}

// descend chooses the extents from dimension d on, when the quotient at position at remains for
// them. sum is the bound of the extents chosen so far. If at least three dimensions remain after a
// choice, a new bound for them is worth its cost.
func (s *search) descend(b *bound, d, at int, sum float64, logw []float64) {
	s.nodes++
	remaining := len(s.maxExtents) - 1 - d
	if remaining == 0 {
		s.chunk[d] = min(b.q.value[at], s.maxExtents[d])
		s.update(s.chunk)
		return
	}
	b.q.eachChoice(b.q.value[at], s.maxExtents[d], func(c choice) {
		sum := sum + b.part[d][c.top]
		if sum+b.minRest[d+1][c.rest] > s.ceiling {
			return
		}
		s.chunk[d] = min(b.q.value[c.top], s.maxExtents[d])
		if e := s.twins[d]; e >= 0 && s.shrink(d, s.chunk[d]) < s.shrink(e, s.chunk[e]) {
			return // the shape with the two exchanged costs the same and comes first
		}
		if remaining < 3 {
			s.descend(b, d+1, c.rest, sum, logw)
			return
		}
		next := make([]float64, len(logw))
		for i := range next {
			next[i] = logw[i] + s.logs[i][d][s.q.position(b.q.value[c.top])]
		}
		s.branch(d+1, newQuotients(b.q.value[c.rest]), next)
	})
}

// update shrinks a shape and makes it the best so far if it is better.
func (s *search) update(chunk []int) {
	total := 0.0
	for i, c := range s.p.classCosts(chunk) {
		total += s.weights[i] * c
	}
	log := math.Log(total)
	if log > s.ceiling {
		return
	}
	small := make([]int, len(chunk))
	for d, c := range chunk {
		small[d] = s.shrink(d, c)
	}
	if s.best == nil || s.p.compare(small, s.best) < 0 {
		s.best, s.ceiling = small, log+tolerance
	}
}

// shrink returns the smallest extent of dimension d that has the same factors as extent c.
func (s *search) shrink(d, c int) int {
	n := s.p.extent(d)
	return 1 + sort.Search(c-1, func(i int) bool {
		for _, a := range s.p.Accesses {
			if factor(a.Box[d], i+1, n) != factor(a.Box[d], c, n) {
				return false
			}
		}
		return true
	})
}
