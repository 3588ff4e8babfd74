package cformat

import (
	"cmp"

	"drx/formats"
	"drx/formats/raster"
)

// First returns a pointer to the first element for a call of a library, nil if there is none.
func First[T any](s []T) *T {
	if len(s) == 0 {
		return nil
	}
	return &s[0]
}

// Sizes returns numbers, which are not negative, in the type that a library has for sizes.
func Sizes[T ~uint32 | ~uint64](ns []int) []T {
	out := make([]T, len(ns))
	for i, n := range ns {
		out[i] = T(n)
	}
	return out
}

// appendCache limits the chunk cache of a variable opened for appending, in bytes. The cache does
// not keep larger chunks.
const appendCache = 1 << 20

// AppendCache returns the size in bytes of the chunk cache of each variable of a file opened for
// appending.
func AppendCache(c formats.Content) int64 {
	return min(appendCache, cmp.Or(c.Memory, raster.DefaultMemory)/int64(max(1, len(c.Vars))))
}
