package gemm

import (
	"runtime"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
)

func init() { use() }

// use makes gonum's packages mat, lapack and blas64 multiply matrices with Mul in this program,
// unless the program has already selected an implementation other than gonum's own. A program can
// still select another one in main.
func use() {
	if _, own := blas64.Implementation().(gonum.Implementation); own {
		blas64.Use(implementation{})
	}
}

// implementation is gonum's own, except for products of matrices.
type implementation struct{ gonum.Implementation }

// Dgemm computes C = alpha op(A) op(B) + beta C like gonum's, with one goroutine per processor.
// Unlike there, a zero in A times a NaN or an infinity in B is NaN.
func (i implementation) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if m <= 0 || n <= 0 || k <= 0 || alpha == 0 || !fits(tA, m, k, a, lda) || !fits(tB, k, n, b, ldb) || ldc < n || len(c) < (m-1)*ldc+n {
		// Nothing to multiply, or an invalid argument, for which gonum panics.
		i.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	scale(beta, m, n, c, ldc)
	Mul(runtime.GOMAXPROCS(0), m, n, k, alpha, Matrix{a, lda, tA != blas.NoTrans}, Matrix{b, ldb, tB != blas.NoTrans}, c, ldc)
}

// fits reports whether a matrix of size rows x cols after the operation t has a valid stride and
// enough elements.
func fits(t blas.Transpose, rows, cols int, data []float64, stride int) bool {
	switch t {
	case blas.NoTrans:
	case blas.Trans, blas.ConjTrans:
		rows, cols = cols, rows
	default:
		return false
	}
	return stride >= cols && len(data) >= (rows-1)*stride+cols
}

// scale multiplies c by beta. For a beta of 0 the old values have no effect, not even NaN.
func scale(beta float64, m, n int, c []float64, ldc int) {
	if beta == 1 {
		return
	}
	for i := range m {
		row := c[i*ldc:][:n]
		if beta == 0 {
			clear(row)
			continue
		}
		for j := range row {
			row[j] *= beta
		}
	}
}
