//go:build !amd64

package gemm

// best is the kernel of Mul and Gram.
var best = portable

// kernels are all that this machine can run.
var kernels = []*kernel{portable}
