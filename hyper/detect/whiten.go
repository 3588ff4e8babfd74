package detect

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"drx/hyper/internal/eigen"
)

// whitening returns the lower triangular matrix W with W C W' = 1, so that x' C^-1 x = |W x|^2; row
// i has i+1 values. The error says that C has another number of bands, or is one of
// eigen.Whitening.
func whitening(what string, c mat.Symmetric, bands int) ([][]float64, error) {
	if bands == 0 || c.SymmetricDim() != bands {
		return nil, fmt.Errorf("the %s has %d bands where %d are needed", what, c.SymmetricDim(), bands)
	}
	return eigen.Whitening(what, c)
}
