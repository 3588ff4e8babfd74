package cavity

import (
	"math"

	"drx/apps/lbm/d2q9"
)

// Snapshot returns the velocity, in speeds of the lid, and the density of the nodes with the given
// populations: Components numbers for each node.
func Snapshot(populations []float64, lid float64) (values []float32) {
	for f := populations; len(f) > 0; f = f[d2q9.Directions:] {
		excess, u, v := d2q9.Moments((*d2q9.Node)(f))
		values = append(values, float32(u/lid), float32(v/lid), float32(1+excess))
	}
	return values
}

// LargestChange returns the largest difference of velocities between two snapshots of the same
// nodes. It is very large if a node has no value (NaN) in one of them, such as a node that an
// extension has added.
func LargestChange(before, after []float32) (largest float64) {
	for i := range after {
		d := math.Abs(float64(after[i] - before[i]))
		if math.IsNaN(d) {
			return math.MaxFloat64
		}
		if i%Components < 2 {
			largest = max(largest, d)
		}
	}
	return largest
}
