package advise

import "math"

// A bound is a lower bound for the cost of all shapes with the same extents in the first
// dimensions. The cost is a sum over classes of products over dimensions, sum of w_i * prod of
// f_ij(c_j). By the inequality of the arithmetic and geometric means it is, for any shares
// l_i >= 0 that add up to 1, at least
//
//	prod over i of (w_i / l_i)^l_i * prod over j of (prod over i of f_ij(c_j)^l_i)
//
// This is a single product over the dimensions. Dynamic programming over the quotients finds its
// exact minimum for a limited product of the extents. With one class that is the minimal cost. With
// several, the bound equals the cost of a shape in which each class i has the share l_i of the
// cost. So a bound with the shares of the best shape is sharp near the best shape. All values are
// logarithms.
type bound struct {
	dim     int         // the first free dimension
	q       quotients   // of the number of elements that remain for the free dimensions
	base    float64     // sum of l_i * log(w_i / l_i); w_i includes the factors of earlier dims
	part    [][]float64 // by free dimension and quotient: sum of l_i * log f_ij
	minRest [][]float64 // by free dim and quotient: least sum of parts from this dim on
}

// newBound returns the bound with the given shares when q.n elements remain for dim and the
// dimensions after it. logw holds the logarithms of the classes' weights, including the factors of
// the dimensions before dim.
func (s *search) newBound(dim int, q quotients, logw, shares []float64) *bound {
	b := &bound{dim: dim, q: q}
	k := len(s.maxExtents)
	b.part, b.minRest = make([][]float64, k), make([][]float64, k)
	for d := dim; d < k; d++ {
		b.part[d], b.minRest[d] = make([]float64, len(q.value)), make([]float64, len(q.value))
	}
	for i, l := range shares {
		if l == 0 {
			continue
		}
		b.base += l * (logw[i] - math.Log(l))
		for d := dim; d < k; d++ {
			for at, c := range q.value {
				b.part[d][at] += l * s.logs[i][d][s.q.position(c)]
			}
		}
	}
	for d := k - 1; d >= dim; d-- {
		for at := range b.minRest[d] {
			_, b.minRest[d][at] = s.least(b, d, at)
		}
	}
	return b
}

// least returns the choice for dimension d that minimises the bound when the quotient at position
// at remains, and the sum of the parts from d on. The last dimension gets all remaining elements.
func (s *search) least(b *bound, d, at int) (chosen choice, sum float64) {
	if d == len(s.maxExtents)-1 {
		return choice{top: at}, b.part[d][at]
	}
	sum = math.Inf(1)
	part, rest := b.part[d], b.minRest[d+1]
	b.q.eachChoice(b.q.value[at], s.maxExtents[d], func(c choice) {
		if v := part[c.top] + rest[c.rest]; v < sum {
			chosen, sum = c, v
		}
	})
	return chosen, sum
}

// complete sets the extents of the free dimensions to the values that minimise the bound.
func (s *search) complete(b *bound) {
	at := len(b.q.value) - 1
	for d := b.dim; d < len(s.maxExtents); d++ {
		c, _ := s.least(b, d, at)
		s.chunk[d], at = min(b.q.value[c.top], s.maxExtents[d]), c.rest
	}
}

// value returns the logarithm of the bound.
func (b *bound) value() float64 { return b.base + b.minRest[b.dim][len(b.q.value)-1] }
