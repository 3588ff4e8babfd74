// Package crc32c has the checksum of the file format: the CRC-32 of Castagnoli, with all bits of its
// register inverted before the first byte and after the last one.
package crc32c

import "hash/crc32"

var table = crc32.MakeTable(crc32.Castagnoli)

// long is the length from which bytes are not left to the standard library. It takes strings from three
// places in turn, which the processor does not foresee: from memory it gets them at a third of the speed. Below
// that is as fast, and to begin and end folding costs more than it saves.
const long = 4 << 10

// Sum returns the checksum of b.
func Sum(b []byte) uint32 { return Update(0, b) }

// Update returns the checksum of a string followed by b, sum being that of the string.
func Update(sum uint32, b []byte) uint32 {
	if len(b) < long {
		return crc32.Update(sum, table, b)
	}
	return ^extend(^sum, b)
}

// Register returns what becomes of the register after the bytes of b. It is linear: the register
// after the difference (exclusive or) of two strings is the difference of the registers after them.
func Register(register uint32, b []byte) uint32 { return ^crc32.Update(^register, table, b) }

// extendInSteps is Register for long strings, where the machine has nothing better: each step is brought into
// the caches, in order, before its bytes are taken from three places.
func extendInSteps(register uint32, b []byte) uint32 {
	for len(b) > 0 {
		n := min(long, len(b))
		fetch(b[:n])
		register = Register(register, b[:n])
		b = b[n:]
	}
	return register
}

// fetch brings bytes to the caches, in order. What it returns has no meaning.
//
//go:noinline
func fetch(b []byte) (all byte) {
	const line = 64
	for i := 0; i < len(b); i += line {
		all |= b[i]
	}
	return all
}
