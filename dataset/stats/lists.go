package stats

import (
	"math"
	"math/bits"
	"slices"
)

// lists hold the keys of all values of each cell, see keyOf, in any order. Key n of cell i is at
// index i*cell + n*slot: the keys of a cell adjoin if rows of elements belong to one cell, and
// those of neighbouring cells if rows belong to many, so that add writes to adjacent memory.
type lists[T number] struct {
	keys       []uint64
	cell, slot int
	block      []uint64 // the keys of cells first to first+blockCells-1, all of each
	first      int
}

// blockCells is the number of cells whose keys are gathered at once: those of a cache line.
const blockCells = 8

// newLists returns empty lists with space for capacity keys in each cell.
func newLists[T number](cells, capacity int, byCell bool) *lists[T] {
	l := &lists[T]{keys: make([]uint64, cells*capacity), cell: 1, slot: cells, first: -1}
	if byCell {
		l.cell, l.slot = capacity, 1
	}
	return l
}

// add appends the elements of a run. counts are the numbers of values per cell so far.
func (l *lists[T]) add(r *run[T], at, stride int, counts []int64) {
	if stride == 0 {
		to := at*l.cell + int(counts[at])*l.slot
		for i, v := range r.values {
			if !r.omits(i) {
				l.keys[to] = keyOf(v)
				to += l.slot
			}
		}
		return
	}
	for i, v := range r.values {
		if !r.omits(i) {
			l.keys[(at+i)*l.cell+int(counts[at+i])*l.slot] = keyOf(v)
		}
	}
}

// of returns the keys of a cell, valid until the next call with another cell. Their order may be
// changed. counts are the numbers of keys of all cells.
func (l *lists[T]) of(cell int, counts []int64) []uint64 {
	if l.slot == 1 {
		return l.keys[cell*l.cell:][:counts[cell]]
	}
	capacity := len(l.keys) / l.slot
	if first := cell - cell%blockCells; first != l.first {
		l.gather(first, capacity, counts)
	}
	return l.block[cell%blockCells*capacity:][:counts[cell]]
}

// gather copies the keys of neighbouring cells to the block.
func (l *lists[T]) gather(first, capacity int, counts []int64) {
	if l.block == nil {
		l.block = make([]uint64, blockCells*capacity)
	}
	l.first = first
	cells := min(blockCells, l.slot-first)
	most := int(slices.Max(counts[first:][:cells]))
	for n := range most {
		for i, v := range l.keys[first+n*l.slot:][:cells] {
			l.block[i*capacity+n] = v
		}
	}
}

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

// quantile returns a quantile of at least one number, given their keys. It changes their order.
func quantile[T number](keys []uint64, percent float64) float64 {
	r := rankOf(percent, int64(len(keys)))
	low := nth(keys, int(r.low))
	if r.high == r.low {
		return numberOf[T](low)
	}
	return r.between(numberOf[T](low), numberOf[T](slices.Min(keys[r.low+1:])))
}

// nth returns the key with index n in ascending order and moves smaller keys before it
// (quickselect with the median of three as pivot).
func nth(keys []uint64, n int) uint64 {
	lo, hi := 0, len(keys)
	for lo+1 < hi {
		a, b, c := keys[lo], keys[lo+(hi-lo)/2], keys[hi-1]
		pivot := max(min(a, b), min(max(a, b), c))
		middle := lo + moveBelow(keys[lo:hi], pivot)
		switch {
		case n < middle:
			hi = middle
		case middle > lo:
			lo = middle
		case pivot == math.MaxUint64:
			return pivot
		default: // the pivot is the least key: its equals are moved to the front
			if lo += moveBelow(keys[lo:hi], pivot+1); n < lo {
				return pivot
			}
		}
	}
	return keys[n]
}

// moveBelow moves the keys below the pivot to the front and returns their number. Every key is
// exchanged (Lomuto's partition) and counted by the borrow of a subtraction, because the processor
// would predict half of the branches of a comparison wrongly, which takes three times as long.
func moveBelow(keys []uint64, pivot uint64) int {
	n := 0
	for i, key := range keys {
		keys[i] = keys[n]
		keys[n] = key
		_, less := bits.Sub64(key, pivot, 0)
		n += int(less)
	}
	return n
}
