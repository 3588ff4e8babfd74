package stats

import (
	"fmt"
	"math"

	"drx"
)

// A number is a type in which elements are reduced. Integers are reduced as integers; scaled
// integers and all other elements are reduced as float64.
type number interface{ int64 | uint64 | float64 }

// A run holds elements of one row that belong to one cell, or to neighbouring cells, one each.
type run[T number] struct {
	values  []T
	flags   []uint8   // not 0 for an element that is left out; nil if none is
	weights []float64 // nil for equal weights
	pos     int       // position of the first element along the reduced dimension
	step    int       // difference between the positions of neighbours: 0 or 1
}

// omits reports whether element i is left out.
func (r *run[T]) omits(i int) bool { return r.flags != nil && r.flags[i] != 0 }

// A summer holds the sums of numbers, one per cell.
type summer[T number] interface {
	// add adds a run: element i to cell at+i*stride, where stride is 0 or 1.
	add(r *run[T], at, stride int)
	// addTimes adds a number to a cell n times.
	addTimes(at int, v T, n int64)
	merge(from summer[T])
	// sum returns the sum of a cell. The error wraps drx.ErrOverflow if T cannot hold it.
	sum(at int) (T, error)
	// dd returns the sum of a cell for further computations.
	dd(at int) dd
	// memory returns the bytes of all sums.
	memory() []byte
}

// newSummer returns sums for n cells.
func newSummer[T number](n int) summer[T] {
	var s any
	switch any(T(0)).(type) {
	case int64:
		s = &intSums[int64]{make([]wide, n)}
	case uint64:
		s = &intSums[uint64]{make([]wide, n)}
	default:
		s = floatSums(make([]dd, n))
	}
	return s.(summer[T])
}

// floatSums are sums of float64.
type floatSums []dd

func (s floatSums) add(r *run[float64], at, stride int) {
	switch {
	case r.weights != nil:
		for i, v := range r.values {
			if !r.omits(i) {
				s[at+i*stride].addProduct(v, r.weights[i])
			}
		}
	case stride == 0:
		sum := s[at]
		for i, v := range r.values {
			if !r.omits(i) {
				sum.add(v)
			}
		}
		s[at] = sum
	case r.flags == nil:
		to := s[at:][:len(r.values)]
		for i, v := range r.values {
			to[i].add(v)
		}
	default:
		to, flags := s[at:][:len(r.values)], r.flags[:len(r.values)]
		for i, v := range r.values {
			if flags[i] == 0 {
				to[i].add(v)
			}
		}
	}
}

func (s floatSums) addTimes(at int, v float64, n int64) { s[at].addProduct(v, float64(n)) }

func (s floatSums) merge(from summer[float64]) {
	for i, o := range from.(floatSums) {
		s[i].merge(o)
	}
}

func (s floatSums) sum(at int) (float64, error) { return s[at].value(), nil }
func (s floatSums) dd(at int) dd                { return s[at] }
func (s floatSums) memory() []byte              { return memoryOf(s) }

// intSums are sums of integers.
type intSums[T int64 | uint64] struct{ of []wide }

// widened returns v as a 128-bit integer.
func widened[T int64 | uint64](v T) wide {
	if v < 0 {
		return wide{-1, uint64(v)}
	}
	return wide{0, uint64(v)}
}

func (s *intSums[T]) add(r *run[T], at, stride int) {
	for i, v := range r.values {
		if !r.omits(i) {
			w := widened(v)
			s.of[at+i*stride].add(w.lo, w.hi)
		}
	}
}

func (s *intSums[T]) addTimes(at int, v T, n int64) { s.of[at].addTimes(widened(v), n) }

func (s *intSums[T]) merge(from summer[T]) {
	for i, o := range from.(*intSums[T]).of {
		s.of[i].add(o.lo, o.hi)
	}
}

func (s *intSums[T]) sum(at int) (T, error) {
	var ok bool
	var v T
	switch any(v).(type) {
	case int64:
		var i int64
		i, ok = s.of[at].int64()
		v = T(i)
	default:
		var u uint64
		u, ok = s.of[at].uint64()
		v = T(u)
	}
	if !ok {
		return 0, fmt.Errorf("a sum of about %g does not fit %T: %w", s.of[at].dd().value(), v, drx.ErrOverflow)
	}
	return v, nil
}

func (s *intSums[T]) dd(at int) dd   { return s.of[at].dd() }
func (s *intSums[T]) memory() []byte { return memoryOf(s.of) }

// squares are sums of squares, one per cell, weighted if the runs have weights.
type squares[T number] []dd

func (s squares[T]) add(r *run[T], at, stride int) {
	for i, v := range r.values {
		if r.omits(i) {
			continue
		}
		x, to := float64(v), &s[at+i*stride]
		if r.weights == nil {
			to.addProduct(x, x)
			continue
		}
		p := float64(r.weights[i] * x)
		to.addProduct(p, x)
		to.lo += float64(math.FMA(r.weights[i], x, -p) * x)
	}
}

// mergeSums adds other sums.
func mergeSums(s, from []dd) {
	for i, o := range from {
		s[i].merge(o)
	}
}
