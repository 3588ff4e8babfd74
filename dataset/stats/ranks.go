package stats

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"drx/dtype"
)

// Top returns the numbers of the n results with the largest values of a column, the largest first,
// or with the least ones if n is negative. Of equal values the first one comes first. Results of no
// element are left out.
func (r *Result) Top(c *Column, n int) []int {
	var order []int
	for i := range r.Count {
		if r.Has(c, i) && !(c.DType == dtype.Float64 && math.IsNaN(c.DType.Float64(c.Value(i)))) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		if n < 0 {
			return compareValues(c, i, j)
		}
		return compareValues(c, j, i)
	})
	return order[:min(max(n, -n), len(order))]
}

// compareValues compares two values of a column, integers exactly.
func compareValues(c *Column, i, j int) int {
	p, q := c.Value(i), c.Value(j)
	switch c.DType {
	case dtype.Int64:
		return cmp.Compare(int64(binary.LittleEndian.Uint64(p)), int64(binary.LittleEndian.Uint64(q)))
	case dtype.Uint64:
		return cmp.Compare(binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(q))
	}
	return cmp.Compare(c.DType.Float64(p), c.DType.Float64(q))
}

// Shares returns the share of each value of a column in the sum of all of them, NaN for results of
// no element, and for all if the sum is 0. It means something for sums and numbers of elements.
func (r *Result) Shares(c *Column) []float64 {
	shares := r.Float64s(c)
	var all dd
	for i, x := range shares {
		if r.Has(c, i) {
			all.add(x)
		}
	}
	sum := all.value()
	for i := range shares {
		if shares[i] /= sum; sum == 0 {
			shares[i] = math.NaN()
		}
	}
	return shares
}
