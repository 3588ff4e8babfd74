package stats

import "math"

// lists hold all values of each cell. Their order does not matter.
type lists[T number] struct {
	starts []int // for each cell, the index of its first value; then the end
	values []T
}

// newLists returns empty lists, with room for capacity(i) values of cell i.
func newLists[T number](cells int, capacity func(cell int) int) *lists[T] {
	l := &lists[T]{starts: make([]int, cells+1)}
	for i := range cells {
		l.starts[i+1] = l.starts[i] + capacity(i)
	}
	l.values = make([]T, l.starts[cells])
	return l
}

// add appends the elements of a run. counts are the numbers of values per cell so far.
func (l *lists[T]) add(r *run[T], at, stride int, counts []int64) {
	n := counts[at]
	for i, v := range r.values {
		if r.omits(i) {
			continue
		}
		to := at + i*stride
		if stride != 0 {
			n = counts[to]
		}
		l.values[l.starts[to]+int(n)] = v
		n++
	}
}

// merge appends the values of o. counts and from are the numbers of values per cell in l and in o.
func (l *lists[T]) merge(o *lists[T], counts, from []int64) {
	for i, n := range from {
		copy(l.values[l.starts[i]+int(counts[i]):], o.values[o.starts[i]:][:n])
	}
}

// of returns the n values of a cell.
func (l *lists[T]) of(cell int, n int64) []T { return l.values[l.starts[cell]:][:n] }

// A rank locates a quantile between two of the values in ascending order.
type rank struct {
	low, high int64 // of n values: 0 to n-1
	part      float64
}

// rankOf returns the rank of a percentage among n values. Quantiles are interpolated linearly, as
// in NumPy and xarray.
func rankOf(percent float64, n int64) rank {
	at := float64(n-1) * (percent / 100)
	low := math.Floor(at)
	r := rank{low: int64(low), part: at - low}
	r.high = min(r.low+1, n-1)
	return r
}

// between interpolates between the two values of the rank and rounds as NumPy does.
func (r rank) between(low, high float64) float64 {
	if low == high {
		return low // also if both are infinite
	}
	distance := high - low
	if r.part >= 0.5 {
		return high - float64(distance*(1-r.part))
	}
	return low + float64(distance*r.part)
}

// quantile returns a quantile of at least one value. It changes their order.
func quantile[T number](values []T, percent float64) float64 {
	r := rankOf(percent, int64(len(values)))
	low := nth(values, int(r.low))
	if r.high == r.low {
		return float64(low)
	}
	rest := values[r.low+1:]
	high := rest[0]
	for _, v := range rest {
		high = min(high, v)
	}
	return r.between(float64(low), float64(high))
}

// nth returns the value with index n in ascending order and moves smaller values before it (Hoare's
// quickselect with the median of three as pivot).
func nth[T number](values []T, n int) T {
	lo, hi := 0, len(values)-1
	for lo < hi {
		middle := lo + (hi-lo)/2
		a, b, c := values[lo], values[middle], values[hi]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := lo, hi
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case n <= j:
			hi = j
		case n >= i:
			lo = i
		default:
			return values[n]
		}
	}
	return values[n]
}
