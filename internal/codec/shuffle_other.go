//go:build !amd64

package codec

// hasKernels is false: there are no kernels in assembly for this machine.
var hasKernels = false

func shuffleGroups(dst, src []byte, size, n int) int   { return 0 }
func unshuffleGroups(dst, src []byte, size, n int) int { return 0 }
func transposeGroups(dst, src []byte) int              { return 0 }
