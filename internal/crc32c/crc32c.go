// Package crc32c computes the checksum of the file format: the CRC-32 of Castagnoli, with all bits
// of its register inverted before the first byte and after the last one.
package crc32c

import "hash/crc32"

var table = crc32.MakeTable(crc32.Castagnoli)

// foldLength is the length from which the standard library is not used. The standard library
// interleaves three streams, which defeats the prefetcher: data in memory take three times as long.
// For shorter strings it is as fast, and starting and ending the folding would cost more than it
// saves.
const foldLength = 4 << 10

// Sum returns the checksum of b.
func Sum(b []byte) uint32 { return Update(0, b) }

// Update returns the checksum of a string followed by b, where sum is the checksum of the string.
func Update(sum uint32, b []byte) uint32 {
	if len(b) < foldLength {
		return crc32.Update(sum, table, b)
	}
	return ^extend(^sum, b)
}

// Register returns the register after the bytes of b. It is linear: the register after the
// exclusive or of two strings is the exclusive or of their registers.
func Register(register uint32, b []byte) uint32 { return ^crc32.Update(^register, table, b) }

// extendInSteps is Register for long strings on machines without folding. It reads each step in
// order, which brings it into the caches, before the standard library reads it as three streams.
func extendInSteps(register uint32, b []byte) uint32 {
	for len(b) > 0 {
		n := min(foldLength, len(b))
		fetch(b[:n])
		register = Register(register, b[:n])
		b = b[n:]
	}
	return register
}

// fetch reads bytes in order to bring them into the caches. Its result has no meaning.
//
//go:noinline
func fetch(b []byte) (all byte) {
	const line = 64
	for i := 0; i < len(b); i += line {
		all |= b[i]
	}
	return all
}
