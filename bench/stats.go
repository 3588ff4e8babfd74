package main

import "slices"

// median returns the middle value, the mean of the two middle ones for an even number of values, or
// 0 for none.
func median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// span returns the least and the greatest value, or zeros for none.
func span(values []float64) (low, high float64) {
	if len(values) == 0 {
		return 0, 0
	}
	return slices.Min(values), slices.Max(values)
}
