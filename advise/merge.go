package advise

import (
	"cmp"
	"math/bits"
	"slices"
)

// Merge reduces a pattern to at most limit classes. It merges classes of equal boxes. If there are
// still too many, it rounds extents to 4, 3, 2 and finally 1 significant binary digits; extents
// equal to the array's (shape, which may be nil) are not rounded. If there are still too many, it
// keeps the classes of the largest weights. merged is sorted by falling weight; covered is its
// fraction of the total weight. All boxes must have the same rank.
func Merge(accesses []Access, shape []int, limit int) (merged []Access, covered float64) {
	merged = sumEqual(accesses)
	for digits := 4; digits > 0 && len(merged) > limit; digits-- {
		rounded := make([]Access, len(accesses))
		for i, a := range accesses {
			rounded[i] = Access{roundBox(a.Box, shape, digits), a.Weight}
		}
		merged = sumEqual(rounded)
	}
	if len(merged) <= limit {
		return merged, 1
	}
	return merged[:limit], weight(merged[:limit]) / weight(merged)
}

// sumEqual merges classes of equal boxes and sorts them by falling weight.
func sumEqual(accesses []Access) []Access {
	sorted := slices.Clone(accesses)
	slices.SortFunc(sorted, func(a, b Access) int { return slices.Compare(a.Box, b.Box) })
	var sums []Access
	for _, a := range sorted {
		if n := len(sums); n > 0 && slices.Equal(sums[n-1].Box, a.Box) {
			sums[n-1].Weight += a.Weight
		} else {
			sums = append(sums, a)
		}
	}
	slices.SortStableFunc(sums, func(a, b Access) int { return cmp.Compare(b.Weight, a.Weight) })
	return sums
}

func roundBox(box, shape []int, digits int) []int {
	rounded := make([]int, len(box))
	for d, n := range box {
		rounded[d] = n
		if shape == nil || n != shape[d] {
			rounded[d] = roundTo(n, digits)
		}
		if shape != nil && shape[d] > 0 {
			rounded[d] = min(rounded[d], shape[d])
		}
	}
	return rounded
}

// roundTo rounds n to the nearest number with the given number of significant binary digits.
func roundTo(n, digits int) int {
	low := bits.Len(uint(n)) - digits
	if low <= 0 {
		return n
	}
	unit := 1 << low
	return (n + unit/2) / unit * unit
}

func weight(accesses []Access) float64 {
	total := 0.0
	for _, a := range accesses {
		total += a.Weight
	}
	return total
}
