package eigen

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Inverse returns the inverse of a positive definite matrix of sums of squares and products. Units
// do not matter, because it scales the diagonal to 1 first. The error names the matrix and says
// that an element is not finite, a diagonal element is not positive, or the matrix is singular up
// to rounding.
func Inverse(name string, a mat.Symmetric) (*mat.SymDense, error) {
	factor, scale, err := cholesky(name, a)
	if err != nil {
		return nil, err
	}
	var inverse mat.SymDense
	if err := factor.InverseTo(&inverse); err != nil {
		return nil, fmt.Errorf("the %s of %d bands is singular: %w", name, len(scale), err)
	}
	return rescaled(&inverse, scale), nil
}

// Whitening returns the rows of a lower triangular W with W a W' = I, row i with i+1 numbers, so
// that x'inv(a)x is the square of Wx. It returns the errors of Inverse.
func Whitening(name string, a mat.Symmetric) ([][]float64, error) {
	factor, scale, err := cholesky(name, a)
	if err != nil {
		return nil, err
	}
	var lower, inverse mat.TriDense
	factor.LTo(&lower)
	if err := inverse.InverseTri(&lower); err != nil {
		return nil, fmt.Errorf("the %s of %d bands is singular: %w", name, len(scale), err)
	}
	rows := make([][]float64, len(scale))
	for i := range rows {
		rows[i] = make([]float64, i+1)
		for j := range rows[i] {
			rows[i][j] = inverse.At(i, j) * scale[j]
		}
	}
	return rows, nil
}

// cholesky returns the Cholesky factor of a matrix whose rows and columns are multiplied by scale,
// so that its diagonal is 1.
func cholesky(name string, a mat.Symmetric) (factor *mat.Cholesky, scale []float64, err error) {
	n := a.SymmetricDim()
	scale = make([]float64, n)
	for i := range scale {
		v := a.At(i, i)
		if !(v > 0) || math.IsInf(v, 0) {
			return nil, nil, fmt.Errorf("band %d of the %s is %v: it must be positive, leave such bands out", i, name, v)
		}
		scale[i] = 1 / math.Sqrt(v)
	}
	for i := range n {
		for j := i; j < n; j++ {
			if v := a.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, nil, fmt.Errorf("element %d, %d of the %s is %v: it must be finite", i, j, name, v)
			}
		}
	}
	factor = new(mat.Cholesky)
	if !factor.Factorize(rescaled(a, scale)) || !(factor.Cond() < 1/(float64(n)*epsilon)) {
		return nil, nil, fmt.Errorf("the %s of %d bands is singular: leave out bands that follow from others, or use more pixels", name, n)
	}
	return factor, scale, nil
}

// rescaled returns a matrix with its rows and columns multiplied by scale.
func rescaled(a mat.Symmetric, scale []float64) *mat.SymDense {
	s := mat.NewSymDense(len(scale), nil)
	for i := range scale {
		for j := i; j < len(scale); j++ {
			s.SetSym(i, j, a.At(i, j)*scale[i]*scale[j])
		}
	}
	return s
}
