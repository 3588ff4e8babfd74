//go:build openblas

package openblas

// #cgo pkg-config: openblas
// #include <cblas.h>
import "C"

import "drx/internal/gemm"

// Mul adds the product of a (m x k) and b (k x n) to c (m x n), whose rows are ldc elements apart,
// with the given number of threads.
func Mul(threads, m, n, k int, a, b gemm.Matrix, c []float64, ldc int) {
	if m <= 0 || n <= 0 || k <= 0 {
		return
	}
	C.openblas_set_num_threads(C.int(threads))
	C.cblas_dgemm(C.CblasRowMajor, transposed(a), transposed(b), C.int(m), C.int(n), C.int(k),
		1, (*C.double)(&a.Data[0]), C.int(a.Stride), (*C.double)(&b.Data[0]), C.int(b.Stride), 1, (*C.double)(&c[0]), C.int(ldc))
}

func transposed(m gemm.Matrix) C.enum_CBLAS_TRANSPOSE {
	if m.Transposed {
		return C.CblasTrans
	}
	return C.CblasNoTrans
}
