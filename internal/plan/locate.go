package plan

import (
	"drx/axial"
	"drx/internal/state"
	"drx/nd"
)

// Locate returns the number of the chunk that contains an element, and the offset of the element in
// the chunk in bytes. ok is false for an index outside of the bounds or of another rank. It stores
// the index of the chunk in chunk, which must be long enough.
func Locate(s *state.State, index, chunk []int) (q axial.Number, within int, ok bool) {
	if len(index) != len(s.Lo) {
		return 0, 0, false
	}
	chunk = chunk[:len(index)]
	position := 0
	for d, i := range index {
		if i < s.Lo[d] || i >= s.Hi[d] {
			return 0, 0, false
		}
		c := 0
		if s.Shift != nil {
			c = i >> s.Shift[d] // rounds down, for negative numbers too
		} else {
			c = nd.FloorDiv(i, s.Chunk[d])
		}
		chunk[d] = c
		position += (i - c*s.Chunk[d]) * s.Strides[d]
	}
	q, ok = s.Grid.Number(chunk)
	return q, s.Offset(position), ok
}

// LocateMany computes chunk indices in batches of at most batchInts integers, which fit the
// first-level cache. It locates fewer than minBatch elements one by one, because clearing the
// memory of a batch would take longer.
const (
	batchInts = 1024
	minBatch  = 16
)

// LocateMany does what Locate does for len(numbers) elements, whose indices are concatenated in
// indices. It handles one dimension after the other, which takes about two thirds of the time of
// Locate. It returns the number of elements before the first one outside of the bounds, or
// len(numbers) if there is none.
func LocateMany(s *state.State, indices []int, numbers []axial.Number, within []int) int {
	if len(numbers) >= minBatch {
		return locateInBatches(s, indices, numbers, within)
	}
	var chunk [nd.MaxRank]int
	k := len(s.Lo)
	for e := range numbers {
		q, at, ok := Locate(s, indices[e*k:(e+1)*k], chunk[:])
		if !ok {
			return e
		}
		numbers[e], within[e] = q, at
	}
	return len(numbers)
}

// locateInBatches is LocateMany for at least minBatch elements.
func locateInBatches(s *state.State, indices []int, numbers []axial.Number, within []int) int {
	var chunks [batchInts]int
	k := len(s.Lo)
	for from := 0; from < len(numbers); {
		to := min(from+batchInts/k, len(numbers))
		n := locateBatch(s, indices[from*k:to*k], chunks[:(to-from)*k], within[from:to])
		n = s.Grid.Numbers(chunks[:n*k], numbers[from:from+n])
		if from += n; from < to {
			return from
		}
	}
	return len(numbers)
}

// locateBatch stores the chunk index and the offset of each element. It returns the same as
// LocateMany.
func locateBatch(s *state.State, indices, chunks, within []int) int {
	n, k := len(within), len(s.Lo)
	clear(within)
	for d := range k {
		lo, extent, size, stride := s.Lo[d], uint(s.Hi[d]-s.Lo[d]), s.Chunk[d], s.Strides[d]
		shift := -1
		if s.Shift != nil {
			shift = int(s.Shift[d])
		}
		for e, at := 0, d; e < n; e, at = e+1, at+k {
			i := indices[at]
			if uint(i-lo) >= extent {
				n = e
				break
			}
			c := 0
			if shift >= 0 {
				c = i >> (uint(shift) & 63)
			} else {
				c = nd.FloorDiv(i, size)
			}
			chunks[at] = c
			within[e] += (i - c*size) * stride
		}
	}
	for e, position := range within[:n] {
		within[e] = s.Offset(position)
	}
	return n
}
