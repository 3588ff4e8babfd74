//go:build openblas

package main

import (
	"drx/internal/gemm"
	"drx/internal/gemm/openblas"
)

// fixedOrder says that the bits of a product do not depend on how its rows and columns are divided.
// OpenBLAS does not promise it.
const fixedOrder = false

// addProduct adds the product of a, m x k, and b, k x n, to c, whose rows are ldc elements apart,
// with the given number of threads.
func addProduct(threads, m, n, k int, a, b gemm.Matrix, c []float64, ldc int) {
	openblas.Mul(threads, m, n, k, a, b, c, ldc)
}
