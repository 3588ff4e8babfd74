package curve

import (
	"fmt"
	"math/big"

	"drx/nd"
)

// maxStretch is the largest number of elements, so that sums fit 63 bits: 2^28 elements have at
// most 28 extents above one, and so at most 56 neighbours each.
const maxStretch = 1 << 28

// Stretch returns the average nearest-neighbour stretch of an order, by which section 5.4.2 of
// the thesis compares curves: the distance in positions between an element and its neighbours
// (those whose index differs by one in one dimension), averaged over the neighbours of each
// element and then over all elements (Xu and Tirthapura, 2012). It is 0 for a single
// element. The sums are exact; the result is rounded once. It takes O(k) time per element, and 4
// bytes, and returns an error wrapping nd.ErrOverflow when there are more than 2^28 elements.
func Stretch(o Order) (float64, error) {
	r, err := exactStretch(o)
	if err != nil {
		return 0, err
	}
	f, _ := r.Float64()
	return f, nil
}

func exactStretch(o Order) (*big.Rat, error) {
	n := o.Len()
	if n > maxStretch {
		return nil, fmt.Errorf("stretch of %d elements: %w: more than %d", n, nd.ErrOverflow, maxStretch)
	}
	positions, err := Permutation(o)
	if err != nil {
		return nil, err
	}
	r := new(big.Rat)
	// The elements with c neighbours have an average of thirds, quarters, ... in common.
	for c, sum := range distances(positions, o.Shape()) {
		if sum > 0 {
			r.Add(r, big.NewRat(sum, int64(c)))
		}
	}
	return r.Quo(r, big.NewRat(int64(n), 1)), nil
}

// distances adds up, for each number c of neighbours that an element may have, the distances in
// positions between the elements with c neighbours and these. The positions are in row-major order.
func distances(positions []int32, shape []int) []int64 {
	sums := make([]int64, 2*len(shape)+1)
	strides := nd.RowMajor.Strides(shape)
	lo, index := make([]int, len(shape)), make([]int, len(shape))
	for at, position := range positions {
		neighbours, sum := 0, int64(0)
		for d, i := range index {
			if i > 0 {
				neighbours++
				sum += distance(position, positions[at-strides[d]])
			}
			if i < shape[d]-1 {
				neighbours++
				sum += distance(position, positions[at+strides[d]])
			}
		}
		sums[neighbours] += sum
		nd.Next(index, lo, shape)
	}
	return sums
}

func distance(a, b int32) int64 { return int64(max(a-b, b-a)) }
