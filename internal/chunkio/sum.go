package chunkio

import (
	"crypto/subtle"

	"drx/internal/crc32c"
)

// patchedSum returns the checksum of a chunk of size bytes in which pieces, in order, took the
// place of was, sum being that of before. The sums of two strings differ by that of the difference
// of the strings, begun with a register of zero and without its complement at the end: which is
// zero as long as the strings agree, and follows from length alone behind. was is nil where all
// bytes were zero.
func patchedSum(sum uint32, size int, was, pieces []Piece) uint32 {
	var register uint32
	var scratch [1024]byte
	at := 0
	for i, p := range pieces {
		register = crc32c.AfterZeros(register, p.At-at)
		for from := 0; from < len(p.Bytes); from += len(scratch) {
			difference := p.Bytes[from:min(len(p.Bytes), from+len(scratch))]
			if was != nil {
				n := subtle.XORBytes(scratch[:], difference, was[i].Bytes[from:])
				difference = scratch[:n]
			}
			register = crc32c.Register(register, difference)
		}
		at = p.At + len(p.Bytes)
	}
	return sum ^ crc32c.AfterZeros(register, size-at)
}
