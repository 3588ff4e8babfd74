// Package openblas calls OpenBLAS (tag openblas), beside which package gemm is measured and tested,
// and with which programs may multiply. Without the tag it is empty.
package openblas
