package advise

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// tolerance is the relative error allowed for in costs computed as floating-point numbers; that
// of a product of 64 factors summed over 64 classes is below 1e-12. What differs by less is
// compared as fractions.
const tolerance = 1e-9

// A search looks for the best shape by branch and bound: one extent after the other is chosen,
// and a beginning is given up when even its lower bound costs more than the best shape so far.
//
// It chooses only the largest of the extents that leave equal room for the dimensions behind
// (choices), and shrinks each shape found as far as its factors stay (shrink). That loses
// nothing. Take the best shape and make its extents, one after the other, the largest that
// leave the same room: no factor rises, so as it is the best none falls either; and shrinking
// that gives the best shape back, which has the fewest elements for its factors. Of dimensions
// that can be exchanged the best shape, as the first of equals, has the longer extents behind.
type search struct {
	p       Problem
	q       quotients     // of the largest number of elements
	weights []float64     // by class
	caps    []int         // by dimension: the longest extent that matters
	twins   []int         // by dimension: the last before that is like it, -1 for none
	logs    [][][]float64 // by class, dimension and quotient: logarithm of the factor

	chunk   []int
	best    []int
	ceiling float64 // logarithm of the cost of best, tolerance added
	nodes   int64
}

func newSearch(p Problem, limit int) *search {
	k := p.rank()
	s := &search{p: p, q: newQuotients(limit), weights: p.weights(), caps: make([]int, k), twins: make([]int, k), chunk: make([]int, k)}
	s.ceiling = math.Inf(1)
	for d := range s.caps {
		s.caps[d], s.twins[d] = s.cap(d, limit), s.twin(d)
	}
	s.logs = make([][][]float64, len(p.Accesses))
	for i, a := range p.Accesses {
		s.logs[i] = make([][]float64, k)
		for d, n := range a.Box {
			s.logs[i][d] = make([]float64, len(s.q.value))
			for at, c := range s.q.value {
				s.logs[i][d][at] = math.Log(factor(n, min(c, s.caps[d]), p.extent(d)).float())
			}
		}
	}
	return s
}

// cap returns the longest extent that matters: 1 where all boxes are thin.
func (s *search) cap(d, limit int) int {
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

// twin returns the last dimension before d that can be exchanged with d without any change of
// the problem, -1 for none.
func (s *search) twin(d int) int {
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

// branch looks at all shapes that begin as s.chunk does before dimension d, with a bound made
// for them. The shape of least bound is looked at first: it is good.
func (s *search) branch(d int, q quotients, logw []float64) {
	b := s.newBound(d, q, logw, s.smooth(d, q.n, logw))
	s.complete(b)
	s.offer(s.chunk)
	if b.value() <= s.ceiling {
		s.descend(b, d, len(q.value)-1, b.base, logw)
	}
}

// descend chooses the extents from dimension d on, with the quotient at a place left for
// them. sum is the bound of what is chosen. Where three dimensions or more are left after a
// choice, a bound of their own is worth its cost.
func (s *search) descend(b *bound, d, at int, sum float64, logw []float64) {
	s.nodes++
	left := len(s.caps) - 1 - d
	if left == 0 {
		s.chunk[d] = min(b.q.value[at], s.caps[d])
		s.offer(s.chunk)
		return
	}
	b.q.choices(b.q.value[at], s.caps[d], func(c choice) {
		sum := sum + b.part[d][c.top]
		if sum+b.rest[d+1][c.rest] > s.ceiling {
			return
		}
		s.chunk[d] = min(b.q.value[c.top], s.caps[d])
		if e := s.twins[d]; e >= 0 && s.shrink(d, s.chunk[d]) < s.shrink(e, s.chunk[e]) {
			return // the same with the two exchanged is as good, and first
		}
		if left < 3 {
			s.descend(b, d+1, c.rest, sum, logw)
			return
		}
		next := make([]float64, len(logw))
		for i := range next {
			next[i] = logw[i] + s.logs[i][d][s.q.at(b.q.value[c.top])]
		}
		s.branch(d+1, newQuotients(b.q.value[c.rest]), next)
	})
}

// offer makes a shape, shrunk, the best so far if it is better.
func (s *search) offer(chunk []int) {
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

// shrink returns the smallest extent of a dimension that has the same factors as c.
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
