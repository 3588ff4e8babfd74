// Package exact adds float64 numbers without rounding. So sums do not depend on the order of the
// terms, and terms can be subtracted again.
package exact

import (
	"fmt"
	"math"
	"math/big"
)

// precision is the number of bits that suffices for every sum of float64: from the lowest bit of
// the smallest number to the highest bit of 2^63 times the largest one.
const precision = 1074 + 1024 + 64

// Sums has n sums. Each is the sum of its elements in all planes: plane 0 has the rounded sums,
// plane 1 the rounded sums of their rounding errors, and so on (Knuth, TAOCP 2, 4.2.2, theorem B).
// Planes are added until there are no errors, so nothing is lost.
type Sums struct {
	planes   [][]float64
	rest     []float64
	overflow bool
}

// New returns n sums, all zero.
func New(n int) *Sums { return &Sums{planes: [][]float64{make([]float64, n)}} }

// Len returns the number of sums.
func (s *Sums) Len() int { return len(s.planes[0]) }

// Add adds x[i] to sum number at+i.
func (s *Sums) Add(at int, x []float64) {
	s.rest = append(s.rest[:0], x...)
	s.add(at)
}

// Subtract subtracts x[i] from sum number at+i.
func (s *Sums) Subtract(at int, x []float64) {
	s.rest = s.rest[:0]
	for _, v := range x {
		s.rest = append(s.rest, -v)
	}
	s.add(at)
}

// add adds the elements of rest.
func (s *Sums) add(at int) {
	for level := 0; ; level++ {
		if level == len(s.planes) {
			if !finite(s.rest) {
				s.overflow = true // the rounding error of an infinite sum is NaN
				return
			}
			s.planes = append(s.planes, make([]float64, s.Len()))
		}
		if !addRounded(s.planes[level][at:], s.rest) {
			return
		}
	}
}

// addRounded adds x to sums, stores the rounding errors in x, and reports whether there are any.
func addRounded(sums, x []float64) bool {
	var lost uint64
	sums = sums[:len(x)]
	for i, b := range x {
		a := sums[i]
		sum := a + b
		b1 := sum - a
		rest := (a - (sum - b1)) + (b - b1)
		sums[i], x[i] = sum, rest
		lost |= math.Float64bits(rest)
	}
	return lost<<1 != 0
}

func finite(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// Merge adds the sums of o, which has as many.
func (s *Sums) Merge(o *Sums) {
	for _, p := range o.planes {
		s.Add(0, p)
	}
	s.overflow = s.overflow || o.overflow
}

// Unmerge subtracts the sums of o, which has as many.
func (s *Sums) Unmerge(o *Sums) {
	for _, p := range o.planes {
		s.Subtract(0, p)
	}
	s.overflow = s.overflow || o.overflow
}

// Finite reports whether all sums are finite: no infinity or NaN was added and no sum has
// overflowed.
func (s *Sums) Finite() bool { return !s.overflow && finite(s.planes[0]) }

// Value stores sum number i, which must be finite, in dst, exactly.
func (s *Sums) Value(dst *big.Float, i int) {
	dst.SetPrec(precision).SetFloat64(s.planes[0][i])
	var v big.Float
	for _, p := range s.planes[1:] {
		if p[i] != 0 {
			dst.Add(dst, v.SetFloat64(p[i]))
		}
	}
}

// Planes returns the sums, which must be finite, as planes that depend only on the values of the
// sums: plane 0 has the correctly rounded sums, plane 1 the rounded rest, and so on. The last plane
// has a nonzero element, unless it is the only one.
func (s *Sums) Planes() [][]float64 {
	planes := [][]float64{make([]float64, s.Len())}
	var v, r big.Float
	for i := range planes[0] {
		if s.rounded(i) {
			planes[0][i] = s.planes[0][i]
			continue
		}
		s.Value(&v, i)
		for level := 0; level == 0 || v.Sign() != 0; level++ {
			if level == len(planes) {
				planes = append(planes, make([]float64, s.Len()))
			}
			planes[level][i], _ = v.Float64()
			v.Sub(&v, r.SetFloat64(planes[level][i]))
		}
	}
	return planes
}

// rounded reports whether plane 0 has sum number i without a rest, as is the case for integers that
// are not too large.
func (s *Sums) rounded(i int) bool {
	for _, p := range s.planes[1:] {
		if p[i] != 0 {
			return false
		}
	}
	return true
}

// FromPlanes returns the sums of planes. It is an error if a number is not finite, or if planes
// differ in length.
func FromPlanes(planes [][]float64) (*Sums, error) {
	s := New(len(planes[0]))
	for k, p := range planes {
		if len(p) != s.Len() {
			return nil, fmt.Errorf("plane %d has %d numbers, plane 0 %d", k, len(p), s.Len())
		}
		if !finite(p) {
			return nil, fmt.Errorf("plane %d has a number that is not finite", k)
		}
		s.Add(0, p)
	}
	if !s.Finite() {
		return nil, fmt.Errorf("a sum is too large for float64")
	}
	return s, nil
}
