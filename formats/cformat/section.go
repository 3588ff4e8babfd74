package cformat

import (
	"fmt"
	"slices"

	"drx/formats"
	"drx/nd"
)

// PieceBytes is the approximate size in bytes of the pieces in which a section is converted.
const PieceBytes = 1 << 20

// Pieces splits a section into boxes and calls f with each, in row-major order. A box has at most
// most elements; most is at least 1. at is the number of elements before the box. Pieces returns
// the first error of f.
func Pieces(sec nd.Section, most int, f func(box nd.Section, at int) error) error {
	return piecesFrom(slices.Clone(sec), 0, 0, most, f)
}

// piecesFrom is Pieces for a section that has a single index in each dimension before d.
func piecesFrom(sec nd.Section, d, at, most int, f func(box nd.Section, at int) error) error {
	n := Count(sec)
	if n <= most || d == len(sec) {
		return f(slices.Clone(sec), at)
	}
	whole := sec[d]
	defer func() { sec[d] = whole }()
	step := max(1, most/(n/whole.Len()))
	for lo := whole.Lo; lo < whole.Hi; lo += step {
		sec[d] = nd.Span(lo, min(lo+step, whole.Hi))
		if err := piecesFrom(sec, d+1, at, most, f); err != nil {
			return err
		}
		at += Count(sec)
	}
	return nil
}

// Count returns the number of elements of a section. The caller has checked that it fits an int.
func Count(sec nd.Section) int {
	n := 1
	for _, s := range sec {
		n *= s.Len()
	}
	return n
}

// Multiply returns the product of n and factors, none of them negative, or 1<<62 if it is larger.
func Multiply(n int64, factors ...int) int64 {
	for _, f := range factors {
		if f > 0 && n > (1<<62)/int64(f) {
			return 1 << 62
		}
		n *= int64(f)
	}
	return n
}

// Cut copies a section of an array of the given shape, with elements of size bytes, from src to
// dst, and returns the number of bytes.
func Cut(dst, src []byte, shape []int, sec nd.Section, size int) int {
	if len(shape) == 0 {
		return copy(dst, src[:size])
	}
	step, n := len(src)/shape[0], 0
	for i := sec[0].Lo; i < sec[0].Hi; i++ {
		n += Cut(dst[n:], src[i*step:(i+1)*step], shape[1:], sec[1:], size)
	}
	return n
}

// RowOfChunks returns the number of chunks of an array with the same index in dimension 0; 1 for an
// array without elements.
func RowOfChunks(shape, chunk []int) int64 {
	row := int64(1)
	for d := 1; d < len(chunk); d++ {
		row = Multiply(row, nd.CeilDiv(shape[d], chunk[d]))
	}
	return max(1, row)
}

// WholeFirst is the preference of libhdf5's chunk caches for evicting chunks that were read or
// written whole. It is below 1: at 1 the library evicts no other chunks, and keeps every chunk that
// extends beyond the array or was read in part, whatever the limit.
const WholeFirst = 0.75

// CachedChunks returns the number of chunks of the given size that the chunk cache of a reader
// should hold: a whole row of chunks, if there is memory for it beside the three buffers in which
// libhdf5 decodes a chunk, otherwise one. The error wraps formats.ErrMemory when one cannot be
// decoded.
func CachedChunks(chunk []int, bytes, row, memory int64) (chunks int64, err error) {
	switch {
	case bytes > memory/3:
		return 0, fmt.Errorf("chunk %v has %d bytes, and decoding needs three times as much: %w: more than %d bytes", chunk, bytes, formats.ErrMemory, memory)
	case row > (memory-3*bytes)/bytes:
		return 1, nil // part of a row does not help to read whole rows
	}
	return row, nil
}
