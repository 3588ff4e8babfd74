package main

import (
	"slices"

	"drx/nd"
)

// alignedChunk returns a chunk shape, of at most importChunk bytes, for an array that is imported from a file with the given
// chunks, whose elements have size bytes: a chunk of the file is cut into equal chunks, or several whole ones make up one chunk. So
// each chunk of the file is decoded once, and each chunk of the array is written once, in little memory. shape is 0 where the array
// grows. It returns nil if no divisors of the extents make a chunk of at least leastChunk bytes.
func alignedChunk(file, shape []int, size int) []int {
	chunk := slices.Clone(file)
	for d, n := range shape {
		if n > 0 {
			chunk[d] = min(chunk[d], n)
		}
	}
	bytes, err := nd.Product(append([]int{size}, chunk...)...)
	if err != nil {
		return nil
	}
	if bytes > importChunk {
		if bytes = cutChunk(chunk, bytes); bytes < leastChunk || bytes > importChunk {
			return nil
		}
	}
	for bytes < leastChunk {
		d := emptiest(chunk, shape)
		if d < 0 {
			break
		}
		rest := bytes / chunk[d]
		if chunk[d] *= 2; shape[d] > 0 {
			chunk[d] = min(chunk[d], shape[d])
		}
		bytes = rest * chunk[d]
	}
	return chunk
}

// cutChunk divides extents, the slowest ones first, until a chunk has at most importChunk bytes, and returns its bytes.
func cutChunk(chunk []int, bytes int) int {
	for d := range chunk {
		if bytes <= importChunk {
			break
		}
		rest := bytes / chunk[d]
		n := max(1, min(chunk[d], importChunk/rest))
		for chunk[d]%n != 0 {
			n--
		}
		chunk[d], bytes = n, rest*n
	}
	return bytes
}

// emptiest returns the dimension in which most chunks lie side by side, the last of several, or -1 if there is only one chunk. A
// dimension that grows counts as two, since it is often read index by index.
func emptiest(chunk, shape []int) int {
	best, most := -1, 1
	for d, n := range shape {
		many := 2
		if n > 0 {
			many = nd.CeilDiv(n, chunk[d])
		}
		if many > 1 && many >= most {
			best, most = d, many
		}
	}
	return best
}
