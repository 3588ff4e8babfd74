// Package gemm multiplies matrices of float64 at the speed of the machine's fused multiply-add
// instructions.
//
// [Mul] is the general product, [Gram] the product of a matrix with its own transpose, of which it
// computes only one triangle. In a program that imports this package, gonum's package mat
// multiplies with Mul.
//
// # The same bits everywhere
//
// An element of a product is computed in blocks of [blockK] terms. A block begins with zero and
// adds its terms one after the other, each with one rounding (fused multiply-add). Then alpha times
// the block is added to the element, again with one rounding. This order depends neither on the
// kernel (AVX-512, AVX2 or plain Go) nor on the number of goroutines nor on the size of the other
// dimensions: the same matrices give the same bits on every machine. Products of integers are exact
// as long as all sums of a block, and all elements, stay below 2^53.
//
// # How it works
//
// Both matrices are packed into panels: w rows of A, or w columns of B, element by element of the
// common dimension. A kernel multiplies a panel of A by up to three panels of B and holds all sums
// in registers. The panel of A, 16 KiB, stays in the first cache, and the packed part of B in the
// second one (Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, 2008, with
// the roles of A and B exchanged, because rows are contiguous here).
package gemm
