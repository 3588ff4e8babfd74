package division

import (
	"drx"
	"drx/dtype"
)

// chunkBytes is the approximate size of a chunk.
const chunkBytes = 1 << 20

// ChunkShape returns the extents of the chunks of an array whose typical requests have the given
// extents. An extent of 0 or less is unknown; the one of drx.DefaultChunk replaces it.
//
// Requests larger than about 1 MiB are split into equal chunks, along their longest dimensions
// (ties: the first). For smaller ones the chunk grows along its shortest dimensions, up to the
// array's extents. A request may be larger than the array: blocks of 64 rows that are added to an
// array of one row should have chunks of 64 rows. For requests of 1024 x 1024, chunks of 256 x 512
// and of 512 x 256 are equally fast, read and written, aligned or not, transposed or not.
func ChunkShape(t dtype.DType, shape, request []int) []int {
	chunk := drx.DefaultChunk(t, shape)
	known := false
	for d, n := range request {
		if n > 0 {
			chunk[d], known = n, true
		}
	}
	if !known {
		return chunk
	}
	for bytes(t, chunk) > chunkBytes {
		longest := 0
		for d, n := range chunk {
			if n > chunk[longest] {
				longest = d
			}
		}
		if chunk[longest] == 1 {
			break
		}
		chunk[longest] = (chunk[longest] + 1) / 2
	}
	for bytes(t, chunk) <= chunkBytes/2 {
		shortest := -1
		for d, n := range chunk {
			if 2*n <= shape[d] && (shortest < 0 || n <= chunk[shortest]) {
				shortest = d
			}
		}
		if shortest < 0 {
			break
		}
		chunk[shortest] *= 2
	}
	return chunk
}

// bytes returns the size of a chunk; as a float, because the extents of a request have no limit.
func bytes(t dtype.DType, chunk []int) float64 {
	n := float64(t.Size())
	for _, extent := range chunk {
		n *= float64(extent)
	}
	return n
}
