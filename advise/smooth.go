package advise

import "math"

const (
	steps    = 50 // of the descent in smooth
	stepSize = 1
	halvings = 40 // of the interval in project
)

// smooth returns the shares that the classes have of the cost at the best shape of real
// extents for the dimensions from dim on, by equation 5.2.2. In the logarithms of the extents
// the cost is a convex function, and its minimum where the product of the extents is bounded
// is found by projected gradient descent. What is off by a little makes a bound less sharp
// but not wrong.
func (s *search) smooth(dim, n int, logw []float64) []float64 {
	room := make([]float64, len(s.caps)-dim)
	for d := range room {
		room[d] = math.Log(float64(s.caps[dim+d]))
	}
	x, slope, shares := make([]float64, len(room)), make([]float64, len(room)), make([]float64, len(logw))
	project(x, room, math.Log(float64(n)))
	for range steps {
		s.slope(dim, x, logw, shares, slope)
		for d := range x {
			x[d] += stepSize * slope[d]
		}
		project(x, room, math.Log(float64(n)))
	}
	s.slope(dim, x, logw, shares, slope)
	return shares
}

// slope computes the shares of the classes at the extents exp(x), and by how much the logarithm
// of the cost falls with each x.
func (s *search) slope(dim int, x, logw, shares, slope []float64) {
	largest := math.Inf(-1)
	for i, a := range s.p.Accesses {
		shares[i] = logw[i]
		for d := range x {
			shares[i] += math.Log1p(float64(a.Box[dim+d]-1) * math.Exp(-x[d]))
		}
		largest = max(largest, shares[i])
	}
	total := 0.0
	for i := range shares {
		shares[i] = math.Exp(shares[i] - largest)
		total += shares[i]
	}
	clear(slope)
	for i, a := range s.p.Accesses {
		shares[i] /= total
		for d := range x {
			rest := float64(a.Box[dim+d]-1) * math.Exp(-x[d])
			slope[d] += shares[i] * rest / (1 + rest)
		}
	}
}

// project moves x to the nearest point of 0 <= x <= room whose sum is total, or to room if
// that is less.
func project(x, room []float64, total float64) {
	lo, hi := -total, total // of what is added to each
	for d := range x {
		lo, hi = min(lo, -x[d]), max(hi, room[d]-x[d])
	}
	for range halvings {
		mid, sum := (lo+hi)/2, 0.0
		for d := range x {
			sum += min(max(x[d]+mid, 0), room[d])
		}
		if sum < total {
			lo = mid
		} else {
			hi = mid
		}
	}
	for d := range x {
		x[d] = min(max(x[d]+hi, 0), room[d])
	}
}
