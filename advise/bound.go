package advise

import "math"

// A bound is a lower bound of the cost of all shapes that begin in a certain way. The cost is
// a sum over classes of products over dimensions, sum of w_i * prod of f_ij(c_j). By the
// inequality between the arithmetic and the geometric mean it is, for any shares l_i >= 0 that
// add up to 1, at least
//
//	prod over i of (w_i / l_i)^l_i * prod over j of (prod over i of f_ij(c_j)^l_i)
//
// and this is one product over the dimensions, whose minimum under a bound on the product of
// the extents is found exactly, by dynamic programming over the quotients. With one class
// that is the answer. In general the two are equal where the classes have the shares l_i of
// the cost, so that a bound with the shares of the best shape is sharp near the best shape.
// Everything is in logarithms.
type bound struct {
	dim  int         // the first that is free
	q    quotients   // of the elements left for the free dimensions
	base float64     // sum of l_i * log(w_i / l_i); factors of dimensions before are in w_i
	part [][]float64 // by free dimension and quotient: sum of l_i * log f_ij
	rest [][]float64 // by free dimension and quotient: least sum of parts from it on, if so much is left
}

// newBound returns the bound with the given shares for dim and the dimensions behind it, if n
// elements are left for them. logw holds the logarithms of the weights of the classes,
// multiplied by the factors of the dimensions before.
func (s *search) newBound(dim int, q quotients, logw, shares []float64) *bound {
	b := &bound{dim: dim, q: q}
	k := len(s.caps)
	b.part, b.rest = make([][]float64, k), make([][]float64, k)
	for d := dim; d < k; d++ {
		b.part[d], b.rest[d] = make([]float64, len(q.value)), make([]float64, len(q.value))
	}
	for i, l := range shares {
		if l == 0 {
			continue
		}
		b.base += l * (logw[i] - math.Log(l))
		for d := dim; d < k; d++ {
			for at, c := range q.value {
				b.part[d][at] += l * s.logs[i][d][s.q.at(c)]
			}
		}
	}
	for d := k - 1; d >= dim; d-- {
		for at := range b.rest[d] {
			_, b.rest[d][at] = s.least(b, d, at)
		}
	}
	return b
}

// least returns the choice for dimension d that makes the bound least when the quotient at a
// place is left, and the sum of the parts from d on. The last dimension gets all that is left.
func (s *search) least(b *bound, d, at int) (chosen choice, sum float64) {
	if d == len(s.caps)-1 {
		return choice{top: at}, b.part[d][at]
	}
	sum = math.Inf(1)
	part, rest := b.part[d], b.rest[d+1]
	b.q.choices(b.q.value[at], s.caps[d], func(c choice) {
		if v := part[c.top] + rest[c.rest]; v < sum {
			chosen, sum = c, v
		}
	})
	return chosen, sum
}

// complete chooses the extents of the free dimensions so that the bound is least.
func (s *search) complete(b *bound) {
	at := len(b.q.value) - 1
	for d := b.dim; d < len(s.caps); d++ {
		c, _ := s.least(b, d, at)
		s.chunk[d], at = min(b.q.value[c.top], s.caps[d]), c.rest
	}
}

// value returns the logarithm of the bound.
func (b *bound) value() float64 { return b.base + b.rest[b.dim][len(b.q.value)-1] }
