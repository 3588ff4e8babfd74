// Package eigen computes eigenvalues and eigenvectors of covariances.
package eigen

import (
	"fmt"
	"math"
	"slices"

	_ "drx/internal/gemm" // gonum's products of matrices

	"gonum.org/v1/gonum/mat"
)

// epsilon is the distance from 1 to the next float64.
const epsilon = 0x1p-52

// Symmetric returns the eigenvalues of a symmetric matrix, largest first, and the eigenvectors, of
// length 1, as the columns of vectors. It is an error if an element is not finite, or if the
// iteration does not converge; the error names the matrix.
func Symmetric(name string, a mat.Symmetric) (values []float64, vectors *mat.Dense, err error) {
	e, err := factorize(name, a, true)
	if err != nil {
		return nil, nil, err
	}
	values = e.Values(nil)
	slices.Reverse(values)
	var ascending mat.Dense
	e.VectorsTo(&ascending)
	n := len(values)
	vectors = mat.NewDense(n, n, nil)
	for k := range n {
		vectors.SetCol(k, mat.Col(nil, n-1-k, &ascending))
	}
	return values, vectors, nil
}

// Values is Symmetric without the eigenvectors, which take most of the time.
func Values(name string, a mat.Symmetric) ([]float64, error) {
	e, err := factorize(name, a, false)
	if err != nil {
		return nil, err
	}
	values := e.Values(nil)
	slices.Reverse(values)
	return values, nil
}

// factorize computes the eigenvalues of a, and, if vectors is set, its eigenvectors.
func factorize(name string, a mat.Symmetric, vectors bool) (*mat.EigenSym, error) {
	n := a.SymmetricDim()
	for i := range n {
		for j := i; j < n; j++ {
			if v := a.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("element %d, %d of the %s is %v: it must be finite", i, j, name, v)
			}
		}
	}
	e := new(mat.EigenSym)
	if !e.Factorize(a, vectors) {
		return nil, fmt.Errorf("the eigenvalues of the %s of %d bands do not converge", name, n)
	}
	return e, nil
}

// Positive is Symmetric for a matrix that must be invertible: it is also an error if the smallest
// eigenvalue is not positive beyond rounding.
func Positive(name string, a mat.Symmetric) (values []float64, vectors *mat.Dense, err error) {
	values, vectors, err = Symmetric(name, a)
	if err != nil {
		return nil, nil, err
	}
	n := len(values)
	if least := values[n-1]; !(least > float64(n)*epsilon*values[0]) {
		return nil, nil, fmt.Errorf("the %s of %d bands is singular (eigenvalues from %.3g to %.3g): leave out bands that are constant or follow from others, "+
			"use more pixels, or regularise", name, n, least, values[0])
	}
	return values, vectors, nil
}
