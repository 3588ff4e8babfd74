package endmember

import (
	"context"
	"fmt"
	"slices"

	"drx/hyper/internal/eigen"
	"drx/hyper/scene"
	"drx/hyper/stats"

	"gonum.org/v1/gonum/mat"
)

// moments are the first two moments of the usable pixels.
type moments struct {
	n    int
	mean []float64
	cov  *mat.SymDense // covariance, divided by n
	corr *mat.SymDense // mean of x x'
}

// momentsOf computes the moments in one pass.
func momentsOf(ctx context.Context, c *scene.Cube) (*moments, error) {
	sums, err := stats.Sum(ctx, c, stats.Spectra, c.Bounds(), c.Bounds())
	if err != nil {
		return nil, err
	}
	n := int(sums.Count())
	if n == 0 {
		return nil, fmt.Errorf("none of the %d pixels is usable", c.Bounds().Pixels())
	}
	m := &moments{n: n}
	if m.mean, err = sums.Mean(); err != nil {
		return nil, err
	}
	if m.corr, err = sums.Autocorrelation(); err != nil {
		return nil, err
	}
	if n == 1 {
		m.cov = mat.NewSymDense(c.Bands(), nil)
		return m, nil
	}
	if m.cov, err = sums.Covariance(); err != nil {
		return nil, err
	}
	m.cov.ScaleSym(float64(n-1)/float64(n), m.cov)
	return m, nil
}

// axes returns the d eigenvectors with the largest eigenvalues, largest first, and these
// eigenvalues. The sign of each vector is such that its component of largest magnitude is positive.
func axes(s *mat.SymDense, d int) (vectors [][]float64, values []float64, err error) {
	all, v, err := eigen.Symmetric("covariance", s)
	if err != nil {
		return nil, nil, err
	}
	for k := range d {
		column := mat.Col(nil, k, v)
		lo, hi := slices.Min(column), slices.Max(column)
		if -lo > hi {
			for i := range column {
				column[i] = -column[i]
			}
		}
		vectors, values = append(vectors, column), append(values, all[k])
	}
	return vectors, values, nil
}
