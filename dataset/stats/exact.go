package stats

import (
	"math"
	"math/bits"
)

// A dd is a sum of float64 numbers with about twice their digits: hi is the running rounded sum and
// lo the sum of the rounding errors (Neumaier 1974). Thus the order of the terms hardly matters.
type dd struct{ hi, lo float64 }

// add adds a number.
func (s *dd) add(x float64) {
	t := s.hi + x
	b := t - s.hi
	s.lo += (s.hi - (t - b)) + (x - b)
	s.hi = t
}

// addProduct adds x*y without rounding the product.
func (s *dd) addProduct(x, y float64) {
	p := x * y
	s.add(p)
	s.lo += math.FMA(x, y, -p)
}

// merge adds another sum.
func (s *dd) merge(o dd) {
	s.add(o.hi)
	s.lo += o.lo
}

// value returns the rounded sum. If hi is infinite, lo is NaN or meaningless, and hi is the sum.
func (s dd) value() float64 {
	if math.IsInf(s.hi, 0) || math.IsNaN(s.lo) {
		return s.hi
	}
	return s.hi + s.lo
}

// normal returns an equal sum in which hi is the rounded sum, as value returns it, and lo the rest.
func (s dd) normal() dd {
	hi := s.value()
	return dd{hi, s.lo - (hi - s.hi)}
}

// over returns the quotient of two sums.
func (s dd) over(w dd) dd {
	s, w = s.normal(), w.normal()
	q := s.hi / w.hi
	rest := math.FMA(-q, w.hi, s.hi) + s.lo
	rest -= float64(q * w.lo)
	return dd{q, rest / w.hi}
}

// squareDistance returns the sum of the squared distances from the mean, given the sum of the
// values, the sum of their squares and their number n, or the weighted sums and the sum of the
// weights. It subtracts sum*mean from squares. Most leading digits cancel, which is why both have
// double digits.
func squareDistance(sum, squares, n dd) float64 {
	mean := sum.over(n)
	if math.IsInf(mean.hi, 0) || math.IsNaN(mean.hi) {
		return math.NaN()
	}
	sum, squares = sum.normal(), squares.normal()
	p := float64(sum.hi * mean.hi)
	lost := math.FMA(sum.hi, mean.hi, -p)
	lost += float64(sum.hi*mean.lo) + float64(sum.lo*mean.hi)
	squares.add(-p)
	squares.lo -= lost
	return max(0, squares.value())
}

// A wide is the 128-bit integer hi*2^64 + lo. No sum over an array overflows it.
type wide struct {
	hi int64
	lo uint64
}

// add adds a 64-bit integer, given as its low bits and its sign extension: high is 0 or -1.
func (s *wide) add(low uint64, high int64) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, low, 0)
	s.hi += high + int64(carry)
}

// addTimes adds v*n, for n of at least 0.
func (s *wide) addTimes(v wide, n int64) {
	hi, lo := bits.Mul64(v.lo, uint64(n))
	s.add(lo, int64(hi)+v.hi*n)
}

// dd returns the integer as a dd, without error up to 2^106.
func (s wide) dd() dd {
	negative := s.hi < 0
	if negative {
		s.lo = -s.lo
		s.hi = ^s.hi
		if s.lo == 0 {
			s.hi++
		}
	}
	var d dd
	for _, part := range []float64{
		math.Ldexp(float64(uint64(s.hi)>>32), 96), math.Ldexp(float64(uint64(s.hi)&(1<<32-1)), 64),
		math.Ldexp(float64(s.lo>>32), 32), float64(s.lo & (1<<32 - 1)),
	} {
		d.add(part)
	}
	if negative {
		return dd{-d.hi, -d.lo}
	}
	return d
}

// int64 returns the integer, or false if it does not fit.
func (s wide) int64() (int64, bool) { return int64(s.lo), s.hi == int64(s.lo)>>63 }

// uint64 is int64 for integers without a sign.
func (s wide) uint64() (uint64, bool) { return s.lo, s.hi == 0 }
