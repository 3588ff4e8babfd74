package transfer

import (
	"math"

	"drx/formats"
	"drx/nd"
)

// chunkBytes returns the size of a chunk in bytes, or the largest int64 if that overflows.
func chunkBytes(info formats.Info) int64 {
	bytes, err := nd.Product(append([]int{info.DType.Size()}, info.Chunk...)...)
	if err != nil {
		return math.MaxInt64
	}
	return int64(bytes)
}

// isOneChunk reports whether a variable fits into one chunk.
func isOneChunk(info formats.Info) bool {
	for d, n := range info.Shape {
		if n > info.Chunk[d] {
			return false
		}
	}
	return true
}
