package advise

import "math"

const (
	descentSteps = 50 // steps of the descent in relaxedShares
	stepSize     = 1
	halvings     = 40 // halvings of the interval in project, to 2^-40
)

// relaxedShares returns the classes' shares of the cost at the best shape with real extents, for
// the dimensions from dim on and by equation 5.2.2. The cost is a convex function of the logarithms
// of the extents. Projected gradient descent finds its minimum for a limited product of the
// extents. An inexact minimum makes the bound less sharp, but not wrong.
func (s *search) relaxedShares(dim, n int, logw []float64) []float64 {
	maxLogs := make([]float64, len(s.maxExtents)-dim)
	for d := range maxLogs {
		maxLogs[d] = math.Log(float64(s.maxExtents[dim+d]))
	}
	x, slope, shares := make([]float64, len(maxLogs)), make([]float64, len(maxLogs)), make([]float64, len(logw))
	project(x, maxLogs, math.Log(float64(n)))
	for range descentSteps {
		s.slope(dim, x, logw, shares, slope)
		for d := range x {
			x[d] += stepSize * slope[d]
		}
		project(x, maxLogs, math.Log(float64(n)))
	}
	s.slope(dim, x, logw, shares, slope)
	return shares
}

// slope computes the shares of the classes at the extents exp(x), and the negative gradient of the
// logarithm of the cost.
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

// project moves x to the nearest point of 0 <= x <= room with the sum total, or to room if its sum
// is smaller.
func project(x, maxLogs []float64, total float64) {
	lo, hi := -total, total // bounds of the number to add to each x
	for d := range x {
		lo, hi = min(lo, -x[d]), max(hi, maxLogs[d]-x[d])
	}
	for range halvings {
		mid, sum := (lo+hi)/2, 0.0
		for d := range x {
			sum += min(max(x[d]+mid, 0), maxLogs[d])
		}
		if sum < total {
			lo = mid
		} else {
			hi = mid
		}
	}
	for d := range x {
		x[d] = min(max(x[d]+hi, 0), maxLogs[d])
	}
}
