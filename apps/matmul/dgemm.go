//go:build !openblas

package main

import "drx/internal/gemm"

// fixedOrder says that the bits of a product do not depend on how its rows and columns are divided.
const fixedOrder = true

// addProduct adds the product of a, m x k, and b, k x n, to c, whose rows are ldc elements apart,
// with threads goroutines.
func addProduct(threads, m, n, k int, a, b gemm.Matrix, c []float64, ldc int) {
	gemm.Mul(threads, m, n, k, 1, a, b, c, ldc)
}
