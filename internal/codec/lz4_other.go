//go:build !amd64

package codec

func firstSequences(dst, src []byte) (di, si int) { return 0, 0 }
