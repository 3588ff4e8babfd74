package picture

import (
	"math"
	"slices"
)

// Limits returns the values at the two ends of the colour map: Lo and Hi if they are given or
// Fixed; otherwise the least and the largest finite value, or with Robust the percentiles 0.5 and
// 99.5 of the finite values if these differ. Equal limits mean that the finite values are all equal
// (or lie beyond the only limit given). Without finite values the limits are 0 and 1.
func (o HeatOptions) Limits(values []float64) (lo, hi float64) {
	findLo, findHi := math.IsNaN(o.Lo) || o.Lo == o.Hi, math.IsNaN(o.Hi) || o.Lo == o.Hi
	if o.Fixed || !findLo && !findHi {
		return o.Lo, o.Hi
	}
	lo, hi = extremes(values)
	if o.Robust {
		if a, b := Percentiles(values, 0.005, 0.995); a < b {
			lo, hi = a, b
		}
	}
	// A given limit and a computed one must not cross, because that would reverse the colours.
	if !findLo {
		return o.Lo, max(o.Lo, hi)
	}
	if !findHi {
		return min(lo, o.Hi), o.Hi
	}
	return lo, hi
}

// finite reports whether v is neither NaN nor infinite.
func finite(v float64) bool { return v-v == 0 }

// extremes returns the least and the largest finite value, 0 and 1 for none.
func extremes(values []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if finite(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if lo > hi {
		return 0, 1
	}
	return lo, hi
}

// FewOutside reports whether outliers compress the colours of the other values: whether the
// percentiles 0.5 and 99.5 of the finite values differ and span less than half of the range from lo
// to hi.
func FewOutside(values []float64, lo, hi float64) bool {
	a, b := Percentiles(values, 0.005, 0.995)
	return a < b && b/4-a/4 < (hi/4-lo/4)/2 // with quarters nothing overflows
}

// Percentiles returns the elements at the shares a and b of the sorted finite values, or NaN if
// there are none.
func Percentiles(values []float64, a, b float64) (atA, atB float64) {
	sorted := make([]float64, 0, len(values))
	for _, v := range values {
		if finite(v) {
			sorted = append(sorted, v)
		}
	}
	if len(sorted) == 0 {
		return math.NaN(), math.NaN()
	}
	slices.Sort(sorted)
	at := func(share float64) float64 { return sorted[int(math.Round(share*float64(len(sorted)-1)))] }
	return at(a), at(b)
}

// far stands for infinity among positions. It outweighs the other elements of a block, and the sum
// of two of opposite sign is still defined.
const far = 1e12

// scale maps values to positions: 0 at the lower limit, 1 at the upper one.
type scale struct {
	lo, width float64 // both multiplied by unit
	unit      float64 // 1/2 where the width would overflow, else 1
}

func newScale(lo, hi float64) scale {
	unit := 1.0
	if math.IsInf(hi-lo, 0) {
		unit = 0.5
	}
	return scale{lo: lo * unit, width: hi*unit - lo*unit, unit: unit}
}

// position returns the position of v between the limits: NaN for NaN, and at most far on either
// side of the middle. If the limits are equal it is the middle.
func (s scale) position(v float64) float64 {
	d := v*s.unit - s.lo
	if s.width == 0 && d == 0 {
		return 0.5
	}
	width := s.width
	if width == 0 {
		width = math.SmallestNonzeroFloat64
	}
	return min(max(d/width, 0.5-far), 0.5+far)
}

// blockMean computes the means of the blocks along a row of pixels from rows of values. It averages
// positions rather than values, so that no sum overflows.
type blockMean struct {
	sum   []float64
	count []int
}

func newBlockMean(blocks int) *blockMean {
	return &blockMean{make([]float64, blocks), make([]int, blocks)}
}

// add adds a row of elements to the means, block elements to each. It skips NaN.
func (m *blockMean) add(row []float64, block int, s scale) {
	for x := range m.sum {
		for _, v := range row[x*block : min(len(row), (x+1)*block)] {
			if p := s.position(v); p == p {
				m.sum[x] += p
				m.count[x]++
			}
		}
	}
}

// levels writes zoom pixels with the palette index of each mean, and resets the means.
func (m *blockMean) levels(pix []uint8, zoom int) {
	for x := range m.sum {
		level := uint8(missingLevel)
		if m.count[x] > 0 {
			level = levelOf(m.sum[x] / float64(m.count[x]))
		}
		for i := range zoom {
			pix[x*zoom+i] = level
		}
	}
	clear(m.sum)
	clear(m.count)
}

// levelOf returns the level of a position: 0..1 is divided into equal steps.
func levelOf(position float64) uint8 {
	return uint8(min(max(position, 0)*(topLevel+1), topLevel))
}
