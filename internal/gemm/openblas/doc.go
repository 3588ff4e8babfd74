// Package openblas calls OpenBLAS (tag openblas), for comparison with package gemm in tests and
// benchmarks, and for programs that prefer it. Without the tag it is empty.
package openblas
