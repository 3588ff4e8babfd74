package stats

import (
	"fmt"
	"math"
	"math/big"

	"drx/hyper/internal/exact"

	"gonum.org/v1/gonum/mat"
)

// Moments are the number of vectors, their sum and the sum of their products. Create them with New,
// Sum or UnmarshalBinary.
type Moments struct {
	bands int
	n     int64
	// sums has the sum of x, then the upper triangle of the sum of xx', row by row.
	sums *exact.Sums
}

// New returns the moments of no vectors, for a number of bands of at least one.
func New(bands int) *Moments { return &Moments{bands: bands, sums: exact.New(length(bands))} }

// length returns the number of sums for a number of bands.
func length(bands int) int { return bands + bands*(bands+1)/2 }

// at returns the index of the sum of products of the bands i <= j.
func (m *Moments) at(i, j int) int { return m.bands + i*m.bands - i*(i-1)/2 + j - i }

// Bands returns the number of elements of each vector.
func (m *Moments) Bands() int { return m.bands }

// Count returns the number of vectors.
func (m *Moments) Count() int64 { return m.n }

// Add adds the vectors of o. It is an error if they have another number of bands.
func (m *Moments) Add(o *Moments) error {
	if m.bands != o.bands {
		return fmt.Errorf("moments of %d bands cannot be added to those of %d", o.bands, m.bands)
	}
	m.n += o.n
	m.sums.Merge(o.sums)
	return nil
}

// Subtract removes vectors that are among those of m. It is an error if they have another number of
// bands, or if they are more than those of m.
func (m *Moments) Subtract(o *Moments) error {
	if m.bands != o.bands {
		return fmt.Errorf("moments of %d bands cannot be subtracted from those of %d", o.bands, m.bands)
	}
	if o.n > m.n {
		return fmt.Errorf("%d vectors cannot be subtracted from %d", o.n, m.n)
	}
	m.n -= o.n
	m.sums.Unmerge(o.sums)
	return nil
}

// addVectors adds n vectors. sum has their sums and gram their products, of which only the upper
// triangle is used.
func (m *Moments) addVectors(n int, sum, gram []float64) {
	m.n += int64(n)
	m.sums.Add(0, sum)
	for i := range m.bands {
		m.sums.Add(m.at(i, i), gram[i*m.bands+i:(i+1)*m.bands])
	}
}

// check returns an error if statistics cannot be computed: there are fewer than least vectors, or a
// sum is not finite.
func (m *Moments) check(least int64) error {
	if m.n < least {
		return fmt.Errorf("%d usable pixels or pairs of them: at least %d are needed", m.n, least)
	}
	if !m.sums.Finite() {
		return fmt.Errorf("a sum of squares is larger than float64 can be: divide the values by a constant")
	}
	return nil
}

// Mean returns the mean of each band, rounded once. It is an error if there is no vector or a sum
// is too large.
func (m *Moments) Mean() ([]float64, error) {
	if err := m.check(1); err != nil {
		return nil, err
	}
	mean := make([]float64, m.bands)
	q := newQuotient(m.n)
	for i := range mean {
		m.sums.Value(&q.v, i)
		mean[i] = q.value()
	}
	return mean, nil
}

// Autocorrelation returns the sum of xx', divided by the number of vectors, rounded once. Its
// diagonal has the mean squares of the bands. It is an error if there is no vector or a sum is too
// large.
func (m *Moments) Autocorrelation() (*mat.SymDense, error) {
	if err := m.check(1); err != nil {
		return nil, err
	}
	q := newQuotient(m.n)
	return m.symmetric(func(i, j int) float64 {
		m.sums.Value(&q.v, m.at(i, j))
		return q.value()
	}), nil
}

// Covariance returns the covariances of the bands, with the divisor n-1, rounded once. It is an
// error if there are fewer than two vectors or a sum is too large.
func (m *Moments) Covariance() (*mat.SymDense, error) {
	if err := m.check(2); err != nil {
		return nil, err
	}
	n := new(big.Float).SetInt64(m.n)
	sums := make([]big.Float, m.bands)
	for i := range sums {
		m.sums.Value(&sums[i], i)
	}
	q := newQuotient(m.n)
	q.by.Mul(&q.by, new(big.Float).SetInt64(m.n-1))
	var product, square big.Float
	product.SetPrec(wide)
	square.SetPrec(wide)
	return m.symmetric(func(i, j int) float64 {
		m.sums.Value(&q.v, m.at(i, j))
		square.Mul(&q.v, n)
		product.Mul(&sums[i], &sums[j])
		q.v.SetPrec(wide).Sub(&square, &product)
		return q.value()
	}), nil
}

// Correlation returns the correlation coefficients of the bands, from -1 to 1. The error is one of
// Covariance, or says that a band is constant.
func (m *Moments) Correlation() (*mat.SymDense, error) {
	k, err := m.Covariance()
	if err != nil {
		return nil, err
	}
	deviation := make([]float64, m.bands)
	for i := range deviation {
		if deviation[i] = math.Sqrt(k.At(i, i)); !(deviation[i] > 0) {
			return nil, fmt.Errorf("band %d has the same value everywhere and no correlation: leave it out", i)
		}
	}
	return m.symmetric(func(i, j int) float64 {
		if i == j {
			return 1
		}
		return max(-1, min(1, k.At(i, j)/deviation[i]/deviation[j]))
	}), nil
}

// symmetric returns a matrix from the elements of its upper triangle, which it requests row by row.
func (m *Moments) symmetric(element func(i, j int) float64) *mat.SymDense {
	s := mat.NewSymDense(m.bands, nil)
	for i := range m.bands {
		for j := i; j < m.bands; j++ {
			s.SetSym(i, j, element(i, j))
		}
	}
	return s
}

// wide is the number of bits that suffices for products of two sums: twice those of one sum.
const wide = 4400

// A quotient divides exact sums by one number, with one rounding.
type quotient struct{ v, by, rounded big.Float }

func newQuotient(n int64) *quotient {
	q := &quotient{}
	q.by.SetPrec(128).SetInt64(n)
	q.rounded.SetPrec(53)
	return q
}

// value returns v divided by by.
func (q *quotient) value() float64 {
	f, _ := q.rounded.Quo(&q.v, &q.by).Float64()
	return f
}
