package gemm

import "golang.org/x/sys/cpu"

// The kernels in assembly. The name of a kernel has the rows and columns of the tile of C whose
// sums are in registers.
var (
	avx512 = &kernel{"avx512", 8, [...]func(int, []float64, []float64, int, float64, []float64, int){add8x8, add8x16, add8x24}}
	avx2   = &kernel{"avx2", 4, [...]func(int, []float64, []float64, int, float64, []float64, int){add4x4, add4x8, add4x12}}
)

// best is the kernel of Mul and Gram.
var best = kernels[0]

// kernels are all that this machine can run, the fastest one first.
var kernels = func() (all []*kernel) {
	if cpu.X86.HasAVX512F {
		all = append(all, avx512)
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		all = append(all, avx2)
	}
	return append(all, portable)
}()

//go:noescape
func add8x8(k int, a, b []float64, step int, alpha float64, c []float64, ldc int)

//go:noescape
func add8x16(k int, a, b []float64, step int, alpha float64, c []float64, ldc int)

//go:noescape
func add8x24(k int, a, b []float64, step int, alpha float64, c []float64, ldc int)

//go:noescape
func add4x4(k int, a, b []float64, step int, alpha float64, c []float64, ldc int)

//go:noescape
func add4x8(k int, a, b []float64, step int, alpha float64, c []float64, ldc int)

//go:noescape
func add4x12(k int, a, b []float64, step int, alpha float64, c []float64, ldc int)
