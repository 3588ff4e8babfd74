package codec

import "golang.org/x/sys/cpu"

// The kernels in assembly take groups of 32 elements. Between the planes, one for each byte of an
// element, are plane bytes.

//go:noescape
func shuffle2(dst, src *byte, groups, plane int)

//go:noescape
func shuffle4(dst, src *byte, groups, plane int)

//go:noescape
func shuffle8(dst, src *byte, groups, plane int)

// shuffleColumns sorts 8 bytes of elements that are stride bytes apart.
//
//go:noescape
func shuffleColumns(dst, src *byte, groups, plane, stride int)

//go:noescape
func unshuffle2(dst, src *byte, groups, plane int)

//go:noescape
func unshuffle4(dst, src *byte, groups, plane int)

//go:noescape
func unshuffle8(dst, src *byte, groups, plane int)

//go:noescape
func unshuffleColumns(dst, src *byte, groups, plane, stride int)

// transposeAll transposes groups of 8 matrices of 8 x 8 bits. dst may be src.
//
//go:noescape
func transposeAll(dst, src *byte, groups int)

// group is the number of elements, and of bytes of matrices, that a kernel processes at a time.
const (
	group       = 32
	matrixGroup = 64
)

// hasKernels enables the kernels in assembly. Tests also run with false.
var hasKernels = cpu.X86.HasAVX2

// shuffleGroups shuffles the bytes of the first elements of src, which has n elements of size
// bytes, and returns how many elements that were.
func shuffleGroups(dst, src []byte, size, n int) int {
	groups := n / group
	if !hasKernels || groups == 0 {
		return 0
	}
	_, _ = dst[n*size-1], src[n*size-1] // the kernels do not check
	switch {
	case size == 2:
		shuffle2(&dst[0], &src[0], groups, n)
	case size == 4:
		shuffle4(&dst[0], &src[0], groups, n)
	case size == 8:
		shuffle8(&dst[0], &src[0], groups, n)
	case size > 8:
		for b := 0; b < size; b += 8 {
			first := min(b, size-8) // the last columns may be shuffled twice
			shuffleColumns(&dst[first*n], &src[first], groups, n, size)
		}
	default:
		return 0
	}
	return groups * group
}

// unshuffleGroups is the inverse of shuffleGroups.
func unshuffleGroups(dst, src []byte, size, n int) int {
	groups := n / group
	if !hasKernels || groups == 0 {
		return 0
	}
	_, _ = dst[n*size-1], src[n*size-1] // the kernels do not check
	switch {
	case size == 2:
		unshuffle2(&dst[0], &src[0], groups, n)
	case size == 4:
		unshuffle4(&dst[0], &src[0], groups, n)
	case size == 8:
		unshuffle8(&dst[0], &src[0], groups, n)
	case size > 8:
		for b := 0; b < size; b += 8 {
			first := min(b, size-8) // the last columns may be merged twice
			unshuffleColumns(&dst[first], &src[first*n], groups, n, size)
		}
	default:
		return 0
	}
	return groups * group
}

// transposeGroups transposes the first matrices of src and returns their length in bytes.
func transposeGroups(dst, src []byte) int {
	groups := len(src) / matrixGroup
	if !hasKernels || groups == 0 {
		return 0
	}
	_ = dst[len(src)-1]
	transposeAll(&dst[0], &src[0], groups)
	return groups * matrixGroup
}
