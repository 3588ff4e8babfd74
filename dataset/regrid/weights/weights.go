// Package weights computes how values on one axis depend on those on another: by the nearest value,
// by linear interpolation, or as means of cells.
package weights

import (
	"math"
	"slices"
	"sort"
)

// An Axis has the coordinates of cells along a dimension.
type Axis struct {
	Values []float64    // strictly ascending or descending, without NaN
	Cells  [][2]float64 // the edges of each cell, lower first; needed for Mean
	Period float64      // the length after which the axis repeats, 360 for longitudes; 0 for none
	Sphere bool         // latitudes in degrees: the size of a cell is a difference of sines
}

// A Matrix has a row for each index of the target: positions of the source and their positive
// weights. A row without positions means that the source does not cover the target there.
type Matrix struct {
	start     []int
	positions []int
	weights   []float64
}

// IsEmpty reports whether the source covers nothing of the target.
func (m *Matrix) IsEmpty() bool { return len(m.positions) == 0 }

// Row returns the positions and weights of a row.
func (m *Matrix) Row(i int) (positions []int, weights []float64) {
	lo, hi := m.start[i], m.start[i+1]
	return m.positions[lo:hi], m.weights[lo:hi]
}

// Span returns the smallest range of positions that includes those of the rows lo to hi-1.
func (m *Matrix) Span(lo, hi int) (first, end int) {
	all := m.positions[m.start[lo]:m.start[hi]]
	if len(all) == 0 {
		return 0, 0
	}
	return slices.Min(all), slices.Max(all) + 1
}

func (m *Matrix) add(position int, weight float64) {
	if weight > 0 {
		m.positions, m.weights = append(m.positions, position), append(m.weights, weight)
	}
}

func (m *Matrix) endRow() { m.start = append(m.start, len(m.positions)) }

// descends reports whether the values descend.
func (x *Axis) descends() bool { return len(x.Values) > 1 && x.Values[1] < x.Values[0] }

// position returns the position of the i-th lowest value.
func (x *Axis) position(i int) int {
	if x.descends() {
		return len(x.Values) - 1 - i
	}
	return i
}

// ascending returns the values in ascending order.
func (x *Axis) ascending() []float64 {
	values := slices.Clone(x.Values)
	if x.descends() {
		slices.Reverse(values)
	}
	return values
}

// shift returns v moved by a multiple of the period into [low, low + period).
func (x *Axis) shift(v, low float64) float64 {
	if x.Period == 0 {
		return v
	}
	return v - x.Period*math.Floor((v-low)/x.Period)
}

// seam returns the distance from the highest value to the lowest one a period later, or 0 if that
// is wider than the other steps, so that the axis does not cover the whole period.
func (x *Axis) seam(ascending []float64) float64 {
	n := len(ascending)
	if x.Period == 0 || n < 2 {
		return 0
	}
	widest := 0.0
	for i := 1; i < n; i++ {
		widest = max(widest, ascending[i]-ascending[i-1])
	}
	seam := ascending[0] + x.Period - ascending[n-1]
	if seam > widest*(1+1e-3) {
		return 0
	}
	return seam
}

// Nearest returns for each value of the target the position of the nearest value of the source. Of
// two at the same distance it is the larger value. The source must have a value.
func Nearest(from Axis, to []float64) []int {
	x := from.ascending()
	n := len(x)
	found := make([]int, len(to))
	for i, t := range to {
		t = from.shift(t, x[0])
		k := sort.SearchFloat64s(x, t)
		below, above := max(0, k-1), min(k, n-1)
		toBelow, toAbove := math.Abs(t-x[below]), math.Abs(x[above]-t)
		if from.Period > 0 && k == n {
			above, toAbove = 0, x[0]+from.Period-t
		}
		if toAbove <= toBelow {
			below = above
		}
		found[i] = from.position(below)
	}
	return found
}

// Linear returns the weights of linear interpolation between neighbours. It does not extrapolate.
func Linear(from Axis, to []float64) *Matrix {
	x := from.ascending()
	n, seam := len(x), from.seam(x)
	m := &Matrix{start: []int{0}}
	for _, t := range to {
		t = from.shift(t, x[0])
		k := sort.SearchFloat64s(x, t)
		switch {
		case k < n && x[k] == t:
			m.add(from.position(k), 1)
		case k > 0 && k < n:
			w := (t - x[k-1]) / (x[k] - x[k-1])
			m.add(from.position(k-1), 1-w)
			m.add(from.position(k), w)
		case k == n && seam > 0:
			w := (t - x[n-1]) / seam
			m.add(from.position(n-1), 1-w)
			m.add(from.position(0), w)
		}
		m.endRow()
	}
	return m
}

// Mean returns, as weights, the sizes of the intersections of each cell of the target with the
// cells of the source. The weights of a row are not normalised.
func Mean(from Axis, to [][2]float64) *Matrix {
	cells := slices.Clone(from.Cells)
	if from.descends() {
		slices.Reverse(cells)
	}
	m := &Matrix{start: []int{0}}
	for _, t := range to {
		low := from.shift(t[0], cells[0][0])
		t = [2]float64{low, low + t[1] - t[0]}
		for _, by := range []float64{0, from.Period} {
			k := sort.Search(len(cells), func(i int) bool { return cells[i][1]+by > t[0] })
			for ; k < len(cells) && cells[k][0]+by < t[1]; k++ {
				m.add(from.position(k), from.size(max(t[0], cells[k][0]+by), min(t[1], cells[k][1]+by)))
			}
			if from.Period == 0 {
				break
			}
		}
		m.endRow()
	}
	return m
}

// size returns the size of the part of a cell between low and high.
func (x *Axis) size(low, high float64) float64 {
	if x.Sphere {
		return math.Sin(high*math.Pi/180) - math.Sin(low*math.Pi/180)
	}
	return high - low
}

// Cells returns cells whose edges are halfway between the values, and equally far beyond the first
// and the last one. Latitudes end at the poles. It returns nil for fewer than two values.
func Cells(values []float64, sphere bool) [][2]float64 {
	n := len(values)
	if n < 2 {
		return nil
	}
	cells := make([][2]float64, n)
	for i, v := range values {
		before, after := values[max(0, i-1)], values[min(n-1, i+1)]
		if i == 0 {
			before = 2*v - after
		}
		if i == n-1 {
			after = 2*v - before
		}
		a, b := (before+v)/2, (v+after)/2
		if sphere {
			a, b = max(-90, min(90, a)), max(-90, min(90, b))
		}
		cells[i] = [2]float64{min(a, b), max(a, b)}
	}
	return cells
}
